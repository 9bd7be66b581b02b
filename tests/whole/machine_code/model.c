struct handle;
struct handle *make(double *variable);
double evaluate(const struct handle *handle);
double prebuilt(double x);

static double kept;
static struct handle *handle;
void give(void) { handle = make(&kept); }

/* The other file has had the address of the variable since before the request. */
void model(const double *x, double *y) {
    kept = x[0] * x[0];
    y[0] = prebuilt(x[0]) * x[1] + prebuilt(x[1]) + evaluate(handle) * x[1];
}
