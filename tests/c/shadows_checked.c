/* With ADRT_CHECK=1, shadows that are wrong end the program with a message: they are arguments or each other, are too short, or null. Of those that overlap
 * as far as loops may reach there is a warning. Each in a process of its own; what is right goes through, and so does all without the variable.
 * ad-option: -ad-check */
#include "ending.h"
#include "requests.h"

static double norm(const double *x, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return s;
}
static void scale(const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) y[i] = 2.0 * x[i] * x[i];
}
/* Accesses that stop before the end, or come round to the start. */
static double differences(const double *x, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        double t = x[i];
        if (i > 0) t -= x[i - 1];
        if (i + 1 < n) t -= x[i + 1] * x[i + 1];
        s += t * t;
    }
    return s;
}
static double ring(const double *x, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += x[i] * x[(i + 1) % n] * x[(i + n - 1) % n];
    return s;
}
static double until_negative(const double *x, int n) {
    double s = 0.0;
    for (int i = 0; i < n && x[i] >= 0; i++) s += x[i] * x[i];
    return s;
}
struct view { double *data; int n; };
static double total(const struct view *v) { return norm(v->data, v->n); }

enum { N = 4 };
static double global[2 * N], global_shadow[N - 1];
static double *heap(int n) { return calloc(n, sizeof(double)); }

/* By pointers of which nothing is known where the request is. */
__attribute__((noinline)) static void request(const double *x, double *xb, int n) { __ad_adjoint_void((void *)norm, x, xb, n); }
__attribute__((noinline)) static void request_map(const double *x, double *xb, double *y, double *yb, int n) {
    __ad_adjoint_void((void *)scale, x, xb, y, yb, n);
}
__attribute__((noinline)) static void request_split(const double *x, double *xb, int n) { __ad_augmented((void *)norm, x, xb, n); }
__attribute__((noinline)) static void tangent(const double *x, const double *xd, int n) { __ad_tangent_void((void *)norm, x, xd, n); }
__attribute__((noinline)) static void tangent_map(double *x, double *xd, double *y, double *yd, int n) {
    __ad_tangent_void((void *)scale, x, xd, y, yd, n);
}

static void own(void) { request(global, global, N); }
static void overlapping(void) { request(global, global + N - 1, N); }
static void overlapping_other(void) {
    double *x = heap(N), *y = heap(N), *yb = heap(N);
    request_map(x, y, y, yb, N);
}
static void overlapping_each_other(void) {
    double *x = heap(N), *y = heap(N), *bars = heap(2 * N);
    request_map(x, bars, y, bars + 1, N);
}
static void tangent_overwritten(void) {
    double *x = heap(N), *y = heap(N);
    tangent_map(x, y, y, heap(N), N);
}
static void behind_pointers(void) {
    struct view v = {heap(N), N}, vb = {v.data, N};
    struct view *volatile p = &v, *volatile q = &vb;
    __ad_adjoint_void((void *)total, p, q);
}
/* Local variables, of which the program has a pointer elsewhere. */
static double *volatile hidden;
static void own_local(void) {
    double x[N] = {1.0, 2.0};
    hidden = x;
    __ad_adjoint_void((void *)norm, x, hidden, N);
}
static void same_local(void) {
    double x[N] = {1.0}, xb[N] = {0.0}, *y = heap(N);
    hidden = xb;
    __ad_adjoint_void((void *)scale, x, xb, y, hidden, N);
}
static void null(void) { request(global, NULL, N); }
static void short_variable(void) {
    double x[N] = {1.0}, xb[N - 1] = {0.0};
    volatile int n = N;
    __ad_adjoint_void((void *)norm, x, xb, n);
}
static void short_global(void) { __ad_adjoint_void((void *)norm, global, global_shadow, N); }
static void short_block(void) {
    volatile int n = N;
    double *xb = calloc(n - 1, sizeof *xb), *x = heap(N);
    __ad_adjoint_void((void *)norm, x, xb, N);
    free(xb);
}
static void short_differences(void) {
    volatile int n = N;
    double *xb = calloc(n - 1, sizeof *xb), *x = heap(N);
    __ad_adjoint_void((void *)differences, x, xb, N);
    free(xb);
}
static void split(void) {
    volatile int n = N;
    request_split(global + 1, global, n);
}

static void right(void) {
    double *x = heap(2 * N), *bars = heap(2 * N);
    request(x, bars, N);
    request(x, x + N, N);
    request(NULL, NULL, 0);
    request_map(x, bars, x + N, bars + N, N);
    request_map(x, bars, x, bars, N);
    tangent(x, x, N);
    double a[N] = {1.0, 2.0}, ab[N] = {0.0};
    __ad_adjoint_void((void *)norm, a, ab, N);
    __ad_adjoint_void((void *)norm, a + 1, ab + 1, N - 1);
    __ad_adjoint_void((void *)differences, a, ab, N);
    __ad_adjoint_void((void *)ring, a, ab, N);
    double negative[N] = {1.0, 2.0, 3.0, -1.0};
    __ad_adjoint_void((void *)until_negative, negative, ab, 2 * N);
    struct view v = {x, N}, vb = {bars, N};
    __ad_adjoint_void((void *)total, &v, &vb);
    double both[2][N] = {{0.0}};
    __ad_adjoint_void((void *)norm, ad_width, 2, a, both[0], both[1], N);
    check_close("a tangent along x", __ad_tangent_double((void *)norm, a, a, N), 10.0, 1e-15);
}

struct use {
    void (*of)(void);
    int is_checked;
};
static void start(void *of) {
    const struct use *use = (const struct use *)of;
    if (use->is_checked) setenv("ADRT_CHECK", "1", 1);
    else unsetenv("ADRT_CHECK");
    signal(SIGABRT, SIG_DFL);
    use->of();
}

/* What the program wrote before it ended, and how it ended. */
static int run(void (*of)(void), int is_checked, char *text, size_t size) {
    struct use use = {of, is_checked};
    return check_ending(start, &use, text, size);
}

static void ends_with(const char *name, void (*use)(void), const char *code, const char *argument) {
    char text[4096], wanted[64];
    int status = run(use, 1, text, sizeof text);
    snprintf(wanted, sizeof wanted, "error %s", code);
    int holds = WIFSIGNALED(status) && strstr(text, wanted) && strstr(text, argument) && strstr(text, "requested");
    if (!check_true(name, holds)) printf("  said: %s\n", text);
}

static void warns(const char *name, void (*use)(void), const char *code, const char *argument) {
    char text[4096], wanted[64];
    int status = run(use, 1, text, sizeof text);
    snprintf(wanted, sizeof wanted, "warning %s", code);
    int holds = WIFEXITED(status) && strstr(text, wanted) && strstr(text, argument) && strstr(text, "requested");
    if (!check_true(name, holds)) printf("  said: %s\n", text);
}

int main(void) {
    ends_with("its own shadow", own, "AD215", "the shadow of argument 1 overlaps argument 1");
    warns("a shadow that overlaps its argument", overlapping, "AD215", "overlaps argument 1");
    ends_with("another argument", overlapping_other, "AD215", "the shadow of argument 1 overlaps argument 2");
    warns("two shadows", overlapping_each_other, "AD216", "the shadow of argument 1 overlaps the shadow of argument 2");
    ends_with("a tangent that overwrites its direction", tangent_overwritten, "AD215", "the shadow of argument 1 overlaps argument 2");
    ends_with("behind pointers", behind_pointers, "AD215", "behind pointers in argument 1");
    ends_with("a local variable", own_local, "AD215", "the shadow of argument 1 overlaps argument 1");
    ends_with("two shadows that are one local variable", same_local, "AD216", "overlaps the shadow of argument");
    ends_with("null", null, "AD218", "the shadow of argument 1 is null");
    ends_with("a variable too short", short_variable, "AD217", "24 bytes");
    ends_with("a global too short", short_global, "AD217", "24 bytes");
    ends_with("a block too short", short_block, "AD217", "24 bytes");
    ends_with("a block too short for what surely happens", short_differences, "AD217", "24 bytes");
    warns("split mode", split, "AD215", "overlaps argument 1");
    char text[4096];
    int status = run(right, 1, text, sizeof text);
    if (!check_true("what is right", WIFEXITED(status) && WEXITSTATUS(status) == 0 && text[0] == 0)) printf("  said: %s\n", text);
    status = run(overlapping, 0, text, sizeof text);
    check_true("without the variable", WIFEXITED(status) && WEXITSTATUS(status) == 0 && text[0] == 0);
    return check_done();
}
