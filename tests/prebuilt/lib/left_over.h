/* A struct whose numbers a library does not initialise. */
typedef struct { double *data; long n; double a, b, c; double *other; } box;
box *lib_box(int n);
double lib_box_sum(const box *b);
void lib_box_set(box *b, double x);
void lib_box_free(box *b);
