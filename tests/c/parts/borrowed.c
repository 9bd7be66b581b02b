/* The other file of global_refused.c. */
double *borrowed;
