/* Stores pointers that it is given in variables that others read. */
double *stored;
struct stored_node {
    double value;
    struct stored_node *next;
} *stored_list;

void store_pointer(double *p) { stored = p; }
void store_at(double **slot, double *p) { *slot = p; }
void store_node(struct stored_node *n) {
    n->next = stored_list;
    stored_list = n;
}
double *pass_pointer(double *p) { return p + 1; }
void each_of(double *p, int n, void (*visit)(double *)) {
    for (int i = 0; i < n; i++) visit(p + i);
}
