/* A library that stores a pointer where the same one may lie already. */
typedef struct {
    double *at;
    long count;
    double weight;
} view;
extern double same_table[3];
view same_returned(const view *v);
void same_stored(view *to, const view *from);
void same_bytes(void *to, const view *from);
void same_enroll(void (*f)(void));
double *same_pointer(double *x);
