/* Pointers stored in memory: their shadows are stored in the shadow memory. A struct that owns an array, a table of rows,
 * and a list linked on the heap. */
#include "requests.h"

enum { N = 4 };

struct vector { int length; double *data; };

static double norm(const struct vector *v) {
    double sum = 0.0;
    for (int i = 0; i < v->length; i++) sum += v->data[i] * v->data[i] * (i + 1.0);
    return sum;
}

static double table(const double *x) {
    double low[N], high[N], *rows[2] = {low, high}, sum = 0.0;
    for (int i = 0; i < N; i++) rows[i % 2][i] = x[i] * x[i];
    for (int i = 0; i < N; i++) rows[(i + 1) % 2][i] = sin(x[i]);
    for (int i = 0; i < N; i++) sum += low[i] * high[i] * rows[0][0];
    return sum;
}
AD_FUNCTIONAL(table)
static void table_jacobian(const double *x, double *J) { /* low[0] = x0^2; each product is x^2 sin x */
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += x[i] * x[i] * sin(x[i]);
    for (int i = 0; i < N; i++) J[i] = x[0] * x[0] * (2.0 * x[i] * sin(x[i]) + x[i] * x[i] * cos(x[i]));
    J[0] += 2.0 * x[0] * sum;
}

struct node { double value; struct node *next; };

static double list(const double *x) {
    struct node *head = NULL;
    for (int i = 0; i < N; i++) {
        struct node *node = malloc(sizeof *node);
        node->value = x[i];
        node->next = head;
        head = node;
    }
    double value = 1.0;
    for (struct node *p = head; p; p = p->next) value = value * p->value + p->value;
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return value;
}
AD_FUNCTIONAL(list)

int main(void) {
    check_case first = CHECK_FUNCTIONAL(table, N), second = CHECK_FUNCTIONAL(list, N);
    first.jacobian = table_jacobian;
    check_random_points(&first, 3, 0.3, 1.3);
    check_random_points(&second, 3, 0.3, 1.3);

    double x[N], xd[N], xb[N] = {0}, one = 1.0;
    check_fill(x, N, 0.5, 1.5), check_fill(xd, N, 0.5, 1.5);
    struct vector v = {N, x}, vd = {0, xd}, vb = {0, xb};
    __ad_adjoint_void((void *)norm, &v, &vb);
    double tangent = __ad_tangent_double((void *)norm, &v, &vd);
    for (int i = 0; i < N; i++) check_close("norm", xb[i], 2.0 * x[i] * (i + 1.0), 1e-14);
    check_dot("norm", N, xd, xb, 1, &tangent, &one, 1e-12);
    check_true("the shadow's pointer stays", vb.data == xb && vd.data == xd);
    return check_done();
}
