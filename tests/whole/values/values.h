struct point { double x, y, z; };
double length(struct point p, double scale);
void store_length(const struct point *p, const double *scale, double *result);
struct point scaled(struct point p, double scale);
