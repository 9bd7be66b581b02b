/* See exchange.c. */
double lib_total(double x);
double lib_shared(double x);
double lib_neighbors(double x);
double lib_halo(double x);
