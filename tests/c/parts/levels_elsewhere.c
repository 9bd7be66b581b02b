/* The other file of tables_elsewhere.c. */
double *levels_elsewhere[2];
