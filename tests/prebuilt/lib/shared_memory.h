void ring_open(void);
void ring_close(void);
double ring_average(double x);
double ring_closed(double x);
double ring_scaled(const double *x);
