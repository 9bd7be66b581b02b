/* Adjoints in several directions at once: each is the gradient of a request for its direction alone, and that of a closed form where there is
 * one. Functions that work in place, allocate, call, recurse, branch; numbers and structs by value; the sweeps apart; in both spellings. */
// ad-sanitizers: address
#include "requests.h"

enum { N = 5, W = 3 };

struct two { double d[2]; };
struct pair_of_two { double a[2], b[2]; };
struct value_and_pair { double value, a[2], b[2]; };
extern struct two __ad_adjoint_two(void *f, ...);
extern struct pair_of_two __ad_adjoint_pair_of_two(void *f, ...);
extern struct value_and_pair __ad_adjoint_value_and_pair(void *f, ...);
extern void *__ad_augmented_void(void *f, ...);
extern void __ad_reverse_void(void *f, ...);
extern struct pair_of_two __ad_reverse_pair_of_two(void *f, ...);
extern int enzyme_width, enzyme_dup, enzyme_const, enzyme_out;
extern void __enzyme_autodiff_void(void *f, ...);
extern struct pair_of_two __enzyme_autodiff_pair_of_two(void *f, ...);

/* ---- closed forms ---- */

static void map(const double *x, double *y) {
    y[0] = x[0] * x[1];
    y[1] = exp(x[0]);
}

static double product(double a, double b, double *y) {
    *y = a * b * b;
    return a * a * b;
}

static void closed_forms(void) {
    double x[2] = {1.5, 2.0}, xb[2][2] = {{0.0, 0.0}, {10.0, 20.0}}, y[2], yb[2][2] = {{1.0, 0.0}, {0.0, 2.0}};
    __ad_adjoint_void((void *)map, ad_width, 2, x, xb[0], xb[1], y, yb[0], yb[1]);
    check_equal_bits("row 0, x0", xb[0][0], 2.0), check_equal_bits("row 0, x1", xb[0][1], 1.5);
    check_close("row 1, x0", xb[1][0], 10.0 + 2.0 * exp(1.5), 1e-15), check_equal_bits("row 1, x1", xb[1][1], 20.0);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) check_equal_bits("consumed", yb[k][i], 0.0);

    /* The adjoint of the result is 1 in each direction. By argument, then by direction. */
    double out, outb[2] = {0.0, 3.0};
    struct pair_of_two bars = __ad_adjoint_pair_of_two((void *)product, ad_width, 2, 3.0, 5.0, &out, &outb[0], &outb[1]);
    check_equal_bits("a, 0", bars.a[0], 30.0), check_equal_bits("a, 1", bars.a[1], 30.0 + 3.0 * 25.0);
    check_equal_bits("b, 0", bars.b[0], 9.0), check_equal_bits("b, 1", bars.b[1], 9.0 + 3.0 * 30.0);
    outb[0] = 1.0, outb[1] = -1.0;
    struct value_and_pair all = __ad_adjoint_value_and_pair((void *)product, ad_primal_return, ad_width, 2, 3.0, 5.0, &out, &outb[0], &outb[1]);
    check_equal_bits("value", all.value, 45.0), check_equal_bits("a, 0", all.a[0], 55.0), check_equal_bits("a, 1", all.a[1], 5.0);
    check_equal_bits("b, 0", all.b[0], 39.0), check_equal_bits("b, 1", all.b[1], -21.0);
    outb[0] = 1.0, outb[1] = -1.0;
    bars = __enzyme_autodiff_pair_of_two((void *)product, enzyme_width, 2, enzyme_out, 3.0, enzyme_out, 5.0, enzyme_dup, &out, &outb[0], &outb[1]);
    check_equal_bits("enzyme a, 1", bars.a[1], 5.0), check_equal_bits("enzyme b, 0", bars.b[0], 39.0);
    outb[0] = 1.0, outb[1] = -1.0;
    struct two one = __ad_adjoint_two((void *)product, ad_width, 2, ad_const, 3.0, 5.0, &out, &outb[0], &outb[1]);
    check_equal_bits("b alone, 0", one.d[0], 39.0), check_equal_bits("b alone, 1", one.d[1], -21.0);
}

/* ---- maps, each against one request per direction ---- */

typedef struct node { double *value; struct node *next; } node;

__attribute__((noinline)) static double callee(const double *x, double *y, double s, double t) {
    y[0] += x[0] * s;
    return y[0] * y[0] * t;
}

__attribute__((noinline)) static double *pick(double *a, double *b, int which) {
    a[0] *= b[0];
    return which ? a : b;
}

__attribute__((noinline)) static double recursive(const double *x, double scale, int n) {
    return n == 0 ? x[0] * scale : x[n] * recursive(x, scale * x[n - 1], n - 1) + sin(x[n]);
}

/* Branches, loops of unknown length, values that are recorded: the shadows' slots and the others side by side. */
static void branches(const double *x, double *y, int n) {
    double v = x[0];
    for (int i = 0; i < n; i++) {
        double w = v > x[i] ? v * x[i] : sin(v) + x[i] * x[i];
        while (w > 0.75) w = 0.5 * w + 0.1 * x[i] * w;
        v = w + x[(i + 1) % n];
        y[i] = i % 2 ? v * w : v - w;
    }
}

/* x is overwritten as it is read; pointers to recorded shadows, on the heap and the stack. */
static void in_place(double *x, double *y, int n) {
    double *work = (double *)malloc((size_t)n * sizeof *work), local[2] = {0.0, 0.0};
    memcpy(work, x, (size_t)n * sizeof *work);
    for (int i = 0; i < n; i++) {
        local[i % 2] += work[i] * x[0];
        x[i] = x[i] * x[(i + 1) % n] + local[0];
        double *chosen = pick(&x[i], &work[(i + 2) % n], x[i] > 1.0);
        y[i] = callee(chosen, &work[(i + 1) % n], x[n - 1 - i], chosen[0]);
    }
    memset(&y[n - 1], 0, sizeof *y);
    y[0] += recursive(work, x[1], n - 1);
    double *from = x[0] > 0.0 ? x : work;
    y[1] += from[2];
    free(work);
}

/* A list whose cells are made in a loop of unknown length, and walked afterwards. */
static void list(const double *x, double *y, int n) {
    node *head = NULL;
    double sum = 0.0;
    for (int i = 0; i < n || sum < 0.1; i++) {
        node *cell = (node *)malloc(sizeof *cell);
        cell->value = (double *)malloc(sizeof(double));
        cell->value[0] = x[i % n] * sin(x[(i + 1) % n]) + 1.0;
        cell->next = head;
        head = cell;
        sum += cell->value[0];
    }
    int i = 0;
    while (head) {
        y[i % n] += head->value[0] * sum;
        node *next = head->next;
        free(head->value), free(head);
        head = next;
        i++;
    }
}

/* Copies of arrays, overlapping ones, and blocks that grow. */
static void copies(const double *x, double *y, int n) {
    double *grown = (double *)malloc(sizeof *grown), room[2 * N] = {0.0};
    for (int i = 0; i < n; i++) {
        grown = (double *)realloc(grown, (size_t)(i + 1) * sizeof *grown);
        grown[i] = x[i] * (i > 0 ? grown[i - 1] : 2.0);
    }
    memcpy(room, grown, (size_t)n * sizeof *room);
    memmove(room + 1, room, (size_t)n * sizeof *room);
    for (int i = 0; i <= n; i++) y[i % n] += room[i] * room[(i + 1) % (n + 1)];
    free(grown);
}

typedef void body(double *x, double *y, int n);

static void fill(double x[N], double y[N], double xb[W][N], double yb[W][N]) {
    check_fill(x, N, 0.5, 1.5), check_fill(y, N, 0.0, 0.5), check_fill(xb[0], W * N, -1.0, 1.0), check_fill(yb[0], W * N, -1.0, 1.0);
}

static void compare(const char *name, double xb[W][N], double yb[W][N], double xb1[W][N], double yb1[W][N]) {
    int is_something = 0;
    for (int k = 0; k < W; k++)
        for (int i = 0; i < N; i++) {
            check_close(name, xb[k][i], xb1[k][i], 1e-14), check_close(name, yb[k][i], yb1[k][i], 1e-14);
            is_something |= xb[k][i] != 0.0 && (k == 0 || xb[k][i] != xb[0][i]);
        }
    check_true(name, is_something);
}

#define CHECK_DIRECTIONS(f)                                                                                                     \
    static void f##_directions(void) {                                                                                          \
        double x[N], y[N], start[N], before[N], xb[W][N], yb[W][N], xb1[W][N], yb1[W][N];                                       \
        for (int way = 0; way < 3; way++) {                                                                                     \
            check_seed(7);                                                                                                      \
            fill(x, y, xb, yb);                                                                                                 \
            memcpy(start, x, sizeof x), memcpy(before, y, sizeof y), memcpy(xb1, xb, sizeof xb), memcpy(yb1, yb, sizeof yb);    \
            if (way == 0) {                                                                                                     \
                __ad_adjoint_void((void *)f, ad_width, W, x, xb[0], xb[1], xb[2], y, yb[0], yb[1], yb[2], (int)N);              \
            } else if (way == 1) {                                                                                              \
                __enzyme_autodiff_void((void *)f, enzyme_width, W, enzyme_dup, x, xb[0], xb[1], xb[2], enzyme_dup, y, yb[0],    \
                                       yb[1], yb[2], enzyme_const, (int)N);                                                     \
            } else {                                                                                                            \
                void *tape = __ad_augmented_void((void *)f, ad_width, W, x, xb[0], xb[1], xb[2], y, yb[0], yb[1], yb[2],        \
                                                 (int)N);                                                                       \
                __ad_reverse_void((void *)f, ad_width, W, x, xb[0], xb[1], xb[2], y, yb[0], yb[1], yb[2], (int)N, tape);        \
            }                                                                                                                   \
            for (int k = 0; k < W; k++) {                                                                                       \
                double x1[N], y1[N];                                                                                            \
                memcpy(x1, start, sizeof x1), memcpy(y1, before, sizeof y1);                                                    \
                __ad_adjoint_void((void *)f, x1, xb1[k], y1, yb1[k], (int)N);                                                   \
                for (int i = 0; i < N; i++) check_same_primal(#f, x[i], x1[i]), check_same_primal(#f, y[i], y1[i]);             \
            }                                                                                                                   \
            compare(#f, xb, yb, xb1, yb1);                                                                                      \
        }                                                                                                                       \
    }

CHECK_DIRECTIONS(branches)
CHECK_DIRECTIONS(in_place)
CHECK_DIRECTIONS(list)
CHECK_DIRECTIONS(copies)

/* ---- numbers by value through calls, in three precisions ---- */

struct mixed { float x[W]; double y[W]; long double z[W]; };
struct mixed_alone { float x; double y; long double z; };
extern struct mixed __ad_adjoint_mixed(void *f, ...);
extern struct mixed_alone __ad_adjoint_alone(void *f, ...);

__attribute__((noinline)) static long double inner(float x, double y, long double z, int n) {
    if (n <= 0) return x * z;
    long double below = inner(x * 1.25f, sin(y), z - x, n - 1);
    return below * (long double)y + below * below;
}

static double outer(float x, double y, long double z, const long double *w, float *out, int n) {
    long double sum = 0.0L;
    for (int i = 0; i < n; i++) sum += inner(x, y * (double)w[i % 2], z, i) * w[(i + 1) % 2];
    out[0] = (float)(sum * z);
    return (double)sum * x;
}

static void precisions(void) {
    long double w[2] = {0.5L, 1.25L}, wb[W][2] = {{0.0L, 0.0L}, {1.0L, -1.0L}, {0.0L, 0.5L}};
    long double wb1[W][2];
    float out[1], outb[W] = {1.0f, 0.0f, -2.5f}, outb1[W];
    memcpy(wb1, wb, sizeof wb), memcpy(outb1, outb, sizeof outb);
    struct mixed all = __ad_adjoint_mixed((void *)outer, ad_width, W, 0.75f, 0.5, 1.5L, w, wb[0], wb[1], wb[2], out, &outb[0], &outb[1], &outb[2], 4);
    for (int k = 0; k < W; k++) {
        struct mixed_alone alone = __ad_adjoint_alone((void *)outer, 0.75f, 0.5, 1.5L, w, wb1[k], out, &outb1[k], 4);
        check_close("float", (double)all.x[k], (double)alone.x, 1e-6), check_close("double", all.y[k], alone.y, 1e-14);
        check_close("long double", (double)all.z[k], (double)alone.z, 1e-15);
        for (int i = 0; i < 2; i++) check_close("long double array", (double)wb[k][i], (double)wb1[k][i], 1e-14);
        check_equal_bits("consumed", (double)outb[k], 0.0);
    }
    check_true("directions differ", all.y[0] != all.y[1] && all.y[1] != all.y[2] && all.z[0] != all.z[2]);
}

/* ---- the sweeps apart, with seeds of the result ---- */

static double valued(double a, double b, const double *x, int n) {
    double v = a;
    for (int i = 0; i < n; i++) v = v > 1.0 ? v * b + x[i] : exp(v) * x[i];
    return v;
}

static void apart(void) {
    double x[N], xb[2][N] = {{0.0}}, yb[2] = {1.0, -0.5};
    check_seed(3), check_fill(x, N, 0.1, 0.9);
    void *tape = __ad_augmented_void((void *)valued, ad_width, 2, 0.3, 0.7, x, xb[0], xb[1], (int)N);
    struct pair_of_two bars = __ad_reverse_pair_of_two((void *)valued, ad_width, 2, 0.3, 0.7, x, xb[0], xb[1], (int)N, yb[0], yb[1], tape);
    double xb1[N] = {0.0};
    struct two alone = __ad_adjoint_two((void *)valued, 0.3, 0.7, x, xb1, (int)N);
    for (int k = 0; k < 2; k++) {
        check_close("a", bars.a[k], yb[k] * alone.d[0], 1e-14), check_close("b", bars.b[k], yb[k] * alone.d[1], 1e-14);
        for (int i = 0; i < N; i++) check_close("x", xb[k][i], yb[k] * xb1[i], 1e-14);
    }
}

/* ---- derivatives of the user's own, on values ---- */

static int runs;
static double own(double x, double y) { return x * y * y; }
static double own_augmented(double x, double y) { return own(x, y); }
static struct two own_reverse(double x, double y, double b) {
    runs++;
    return (struct two){{b * y * y, 2.0 * b * x * y}};
}
void *__ad_register_adjoint_own[] = {(void *)own, (void *)own_augmented, (void *)own_reverse};
static void uses_own(const double *x, double *y) { y[0] = own(x[0], x[0] * x[1]), y[1] = own(x[1], y[0]); }

static void own_rules(void) {
    double x[2] = {1.5, 0.5}, y[2], xb[2][2] = {{0.0}}, yb[2][2] = {{1.0, 0.0}, {0.0, 1.0}};
    __ad_adjoint_void((void *)uses_own, ad_width, 2, x, xb[0], xb[1], y, yb[0], yb[1]);
    check_true("the user's reverse function runs once for each direction", runs == 4);
    double y0 = x[0] * x[0] * x[0] * x[1] * x[1];
    check_close("own 0 0", xb[0][0], 3.0 * y0 / x[0], 1e-15), check_close("own 0 1", xb[0][1], 2.0 * y0 / x[1], 1e-15);
    check_close("own 1 0", xb[1][0], 6.0 * x[1] * y0 * y0 / x[0], 1e-15);
    check_close("own 1 1", xb[1][1], 5.0 * y0 * y0, 1e-15);
}

int main(void) {
    closed_forms();
    branches_directions(), in_place_directions(), list_directions(), copies_directions();
    precisions();
    apart();
    own_rules();
    return check_done();
}
