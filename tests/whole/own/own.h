void mix(double *a, int n);
double counted(double x);
int count(void);
double chosen(double x);
double apply(double (*f)(double), double x);
double cube(double x);
double unknown(double x);
