/* Global variables that hold pointers: workspaces from the heap, buffers that an initialiser or an earlier call chose, tables
 * of pointers, lists, and pointers to the arguments. */
// ad-switches: aliasing
// ad-sanitizers: address
// ad-open: pointers in static variables, and heap that they lead to
#include "requests.h"

enum { N = 4 };
#define APART __attribute__((noinline)) static

/* A workspace, allocated and freed out of line. */
static double *work;
static size_t room;
APART void start(size_t n) {
    work = malloc(n * sizeof *work);
    room = n;
}
APART void finish(void) {
    free(work);
    work = NULL;
    room = 0;
}
APART void square(const double *x) {
    for (size_t i = 0; i < room; i++) work[i] = x[i] * x[i];
}
static double workspace(const double *x) {
    double sum = 0.0;
    start(N);
    square(x);
    for (int i = 0; i < N; i++) sum += work[i] * work[(i + 1) % N] + x[i];
    finish();
    return sum;
}

/* Initialised pointers: one to a member, one that earlier calls have moved, a table, and one to a function. */
static double left[N], right[2 * N];
static double *at_left = left + 1, *current = right;
static double *both[2] = {left, right + N};
static struct {
    double *target;
    double weight;
    double (*apply)(double);
    const char *name;
} setting = {right + 2, 1.0, sin, "setting"};
static double buffers(const double *x) {
    for (int i = 0; i < N; i++) both[i % 2][i] = x[i] * x[0];
    at_left[1] = x[1] * x[2];
    current[0] = x[3];
    setting.weight = x[2];
    setting.target[1] = setting.weight * x[0];
    double sum = left[2] * right[3];
    for (int i = 0; i < N; i++) sum += left[i] * left[i] + right[i] * x[i] + right[N + i];
    for (int i = 0; i < N; i++) left[i] = right[i] = right[N + i] = 0.0;
    return sum + (setting.name[0] == 's' && setting.apply ? x[1] : 0.0);
}
/* It moves along and wraps around: each request finds it elsewhere. */
static double moving(const double *x) {
    current = current == right ? right + 1 : right;
    *current = x[0] * x[1];
    current[2] = *current * x[2];
    return right[0] + 2.0 * right[1] * right[1] + right[2] * x[3] + current[2] * x[0];
}

/* A list whose head is global; its nodes live as long as the request. */
typedef struct node {
    double value;
    struct node *next;
} node;
static node *head;
APART void push(double v) {
    node *n = malloc(sizeof *n);
    n->value = v * v;
    n->next = head;
    head = n;
}
static double list(const double *x) {
    double sum = 0.0, weight = 1.0;
    for (int i = 0; i < N; i++) push(x[i]);
    for (node *n = head; n; n = n->next, weight += 1.0) sum += weight * n->value * x[0];
    while (head) {
        node *n = head;
        head = n->next;
        free(n);
    }
    return sum;
}

/* Pointers to what the function is given. */
static const double *source;
static double *sink;
APART void step(int i) { sink[i] = source[i] * source[(i + 1) % N] + (i ? sink[i - 1] : 0.0); }
static void through_arguments(const double *x, double *y) {
    source = x;
    sink = y;
    for (int i = 0; i < N; i++) step(i);
    source = NULL;
    sink = NULL;
}

/* One that a function has led to variables before the request: what is written behind it is read by name, and what is written by name behind it. */
static double aimed_at[N], beside[2];
static double *aim;
static int is_beside;
APART void take_aim(void) { aim = is_beside ? beside : aimed_at + 1; }
static double written_behind(const double *x) {
    aim[0] = x[0] * x[1];
    aim[1] = sin(x[2]);
    return aimed_at[1] * x[3] + aimed_at[2] + beside[1] * x[0];
}
static double read_behind(const double *x) {
    aimed_at[1] = x[0] * x[1];
    beside[0] = x[2] * x[3];
    return aim[0] * x[1];
}

AD_FUNCTIONAL(written_behind)
AD_FUNCTIONAL(read_behind)
AD_FUNCTIONAL(workspace)
AD_FUNCTIONAL(buffers)
AD_FUNCTIONAL(moving)
AD_FUNCTIONAL(list)
AD_MAP(through_arguments)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(workspace, N), CHECK_FUNCTIONAL(buffers, N), CHECK_FUNCTIONAL(list, N),
                          CHECK_MAP(through_arguments, N, N)};
    for (int i = 0; i < 4; i++) check_random_points(&cases[i], 4, 0.4, 1.2);
    check_case aimed[] = {CHECK_FUNCTIONAL(written_behind, N), CHECK_FUNCTIONAL(read_behind, N)};
    for (int i = 0; i < 4; i++) {
        is_beside = i / 2;
        take_aim();
        check_random_points(&aimed[i % 2], 4, 0.4, 1.2);
    }
    /* Where the pointer is differs from call to call: only the derivatives of one call are compared. */
    double x[N] = {0.7, 0.6, 0.9, 0.4};
    for (int round = 0; round < 4; round++) {
        double xd[N] = {1.0, 0.5, -0.25, 2.0}, xb[N] = {0}, yd, sum = 0.0;
        double *before = current;
        for (int i = 0; i < 2 * N; i++) right[i] = 0.0;
        moving_tangent(x, xd, NULL, &yd);
        current = before;
        for (int i = 0; i < 2 * N; i++) right[i] = 0.0;
        moving_adjoint(x, xb, NULL, NULL);
        for (int i = 0; i < N; i++) sum += xb[i] * xd[i];
        double p = x[0] * x[1], pd = xd[0] * x[1] + x[0] * xd[1], q = p * x[2], qd = pd * x[2] + p * xd[2];
        double at_start = pd + qd * x[3] + q * xd[3] + qd * x[0] + q * xd[0];
        double one_behind = 4.0 * p * pd + qd * x[0] + q * xd[0];
        check_close("moving: tangent", yd, current == right ? at_start : one_behind, 1e-12);
        check_close("moving: adjoint", sum, yd, 1e-12);
    }
    return check_done();
}
