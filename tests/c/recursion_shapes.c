/* Functions that call themselves: what the reverse sweep is handed again, and what each call records. Shapes: most calls at a leaf, deep,
 * in a loop with `continue`, two functions, several results, arguments that are overwritten or computed, memory of each call. */
#include "requests.h"

enum { ORDER = 5, NODES = 15, DEEP = 3000 };

/* ---- in a loop with `continue` ---- */

static double minor_of(int n, const double *a, int row, unsigned used) {
    if (row == n) return 1.0;
    double sum = 0.0, sign = 1.0;
    for (int c = 0; c < n; c++) {
        if (used >> c & 1u) continue;
        sum += sign * a[row * n + c] * minor_of(n, a, row + 1, used | 1u << c);
        sign = -sign;
    }
    return sum;
}
static double determinant(const double *x) { return minor_of(ORDER, x, 0, 0u); }
AD_FUNCTIONAL(determinant)

/* The element enters before the `continue`, twice behind it, and the call is not the last. */
static double weave(int n, const double *x, int from, double scale) {
    double sum = scale * scale;
    if (n == 0) return sum;
    for (int i = 0; i < n; i++) {
        double t = sin(x[from + i] * scale);
        sum += t * t;
        if (t > 0.6) continue;
        double below = weave(n - 1, x, from + i % 2, t);
        if (below < 0.3) {
            sum += below * t;
            continue;
        }
        sum *= 1.0 + 0.1 * below * x[i];
    }
    return sum;
}
static double woven(const double *x) { return weave(4, x, 0, 0.9); }
AD_FUNCTIONAL(woven)

/* What an iteration reads of the one before, which may have called nothing. */
static double carry(int n, const double *x, double t) {
    if (n == 0) return t * t;
    double sum = 0.0, w = t;
    for (int i = 0; i <= n; i++) {
        w = sin(w * x[i] + 0.3);
        if ((i + n) % 3 == 0) continue;
        sum += w * carry(n - 1, x, t * w);
    }
    return sum + w;
}
static double carries(const double *x) { return carry(3, x, x[4]); }
AD_FUNCTIONAL(carries)

/* Two calls in one iteration, one of them in some only, in a loop that nobody can count. */
static double search(const double *x, int depth, double at) {
    double best = at;
    int tries = 0;
    while (best < 1e6) {
        if (++tries > 3) break;
        best += x[tries] * sin(best) * 0.3;
        if (depth == 0 || tries == 2) continue;
        double left = search(x, depth - 1, best * 0.5);
        best += 0.05 * left * x[depth];
        for (int k = 0; k < depth; k++)
            if (k % 2) best += 0.01 * search(x + k % 2, depth - 2 < 0 ? 0 : depth - 2, left) * left;
    }
    return best;
}
static double searched(const double *x) { return search(x, 3, x[0]); }
AD_FUNCTIONAL(searched)

/* ---- trees: half of the calls are at null, or nearly ---- */

typedef struct node {
    double value;
    struct node *left, *right;
} node;

static double visit(const node *t, double weight) {
    if (!t) return 0.0;
    double below = visit(t->left, weight * 0.5) + visit(t->right, weight * t->value);
    return below * t->value + weight * t->value;
}
static double tree(const double *x) {
    node nodes[NODES];
    for (int i = 0; i < NODES; i++) {
        nodes[i].value = x[i];
        nodes[i].left = 2 * i + 1 < NODES ? &nodes[2 * i + 1] : NULL;
        nodes[i].right = 2 * i + 2 < NODES && i != 2 ? &nodes[2 * i + 2] : NULL;
    }
    return visit(nodes, 1.0);
}
AD_FUNCTIONAL(tree)

/* Each visit overwrites what it was led by: the pointers cannot be loaded again. */
static double consume(node *t, double weight) {
    if (!t) return weight * weight;
    node *left = t->left, *right = t->right;
    t->left = t->right = NULL;
    double value = t->value;
    t->value = weight * value;
    return consume(left, t->value) * value + consume(right, weight + value) * t->value;
}
static double consumed(const double *x) {
    node nodes[NODES];
    for (int i = 0; i < NODES; i++) {
        nodes[i].value = x[i];
        nodes[i].left = 2 * i + 1 < NODES ? &nodes[2 * i + 1] : NULL;
        nodes[i].right = 2 * i + 2 < NODES && i != 2 ? &nodes[2 * i + 2] : NULL;
    }
    double sum = consume(nodes, 0.7);
    for (int i = 0; i < NODES; i++) sum += nodes[i].value * nodes[i].value;
    return sum;
}
AD_FUNCTIONAL(consumed)

/* ---- adaptive: reals handed on, computed from those of the caller ---- */

static double f(const double *p, double t) { return sin(p[0] * t) + p[1] * t * t + exp(-p[2] * t); }
static double simpson(const double *p, double a, double fa, double m, double fm, double b, double fb, double whole, int depth) {
    double l = 0.5 * (a + m), r = 0.5 * (m + b), fl = f(p, l), fr = f(p, r);
    double left = (m - a) / 6.0 * (fa + 4.0 * fl + fm), right = (b - m) / 6.0 * (fm + 4.0 * fr + fb);
    double error = left + right - whole;
    if (depth == 0 || fabs(error) < 1e-4) return left + right + error / 15.0;
    return simpson(p, a, fa, l, fl, m, fm, left, depth - 1) + simpson(p, m, fm, r, fr, b, fb, right, depth - 1);
}
static double quadrature(const double *x) {
    double a = x[3], b = 2.0 + x[4], m = 0.5 * (a + b), fa = f(x, a), fm = f(x, m), fb = f(x, b);
    return simpson(x, a, fa, m, fm, b, fb, (b - a) / 6.0 * (fa + 4.0 * fm + fb), 9);
}
AD_FUNCTIONAL(quadrature)

/* ---- two functions ---- */

static double leaves(const double *x, int n, int *count, double t);
static double branches(const double *x, int n, int *count, double t) {
    double product = 1.0;
    for (int i = 0; i < n; i++) {
        if ((i + *count) % 3 == 0) continue;
        product *= 1.0 + 0.2 * leaves(x + i, n - 1, count, t * x[i]);
    }
    return product;
}
static double leaves(const double *x, int n, int *count, double t) {
    int now = (*count)++; /* what the next one is handed depends on how many were there */
    if (n <= 1) return t * x[now % 4];
    return branches(x, n - 1, count, t + x[now % 5]) * t;
}
static double mutual(const double *x) {
    int count = 0;
    return branches(x, 4, &count, 0.8) + leaves(x + 1, 4, &count, 0.4);
}
AD_FUNCTIONAL(mutual)

/* ---- several results, memory of each call, an index that is overwritten ---- */

static void bounds(const double *x, int n, double *low, double *high, double *sum) {
    if (n == 1) {
        *low = *high = x[0];
        *sum = x[0] * x[0];
        return;
    }
    double lows[2], highs[2], sums[2];
    for (int i = 0; i < 2; i++) bounds(x + i * (n / 2), i ? n - n / 2 : n / 2, &lows[i], &highs[i], &sums[i]);
    *low = lows[0] < lows[1] ? lows[0] : lows[1];
    *high = highs[0] > highs[1] ? highs[0] : highs[1];
    *sum = sums[0] * sums[1] + *low * *high;
}
static void spread(const double *x, double *y) {
    bounds(x, 7, &y[0], &y[1], &y[2]);
    y[0] *= y[1];
}
AD_MAP(spread)

static double follow(const double *x, int *next, int at, double t) {
    int to = next[at];
    next[at] = -1;
    if (to < 0) return t * t;
    double rest = follow(x, next, to, t * x[to] + x[at]);
    return rest * x[to];
}
static double followed(const double *x) {
    int next[6] = {3, 5, 1, 2, 0, 4};
    return follow(x, next, 0, 0.5) + follow(x, next, 0, x[1]);
}
AD_FUNCTIONAL(followed)

/* ---- deep ---- */

static double fall(const double *x, int depth, double t) {
    if (depth == 0) return t;
    return fall(x, depth - 1, t - 0.001 * t * t * x[depth % 3]) + 1e-3 * t * x[2];
}
static double fallen(const double *x) { return fall(x, DEEP, x[0]); }
AD_FUNCTIONAL(fallen)

/* ---- not recursive: a function that stays, with parameters that its reverse sweep reads and others ---- */

__attribute__((noinline)) static double stays(const double *x, int i, int unread, double t, const double *scale) {
    return unread > 100 ? 0.0 : t * t * x[i] * scale[i % 2];
}
static double calls_in_loops(const double *x) {
    double scale[2] = {x[0], 1.0}, sum = 0.0;
    for (int i = 0; i < 6; i++) {
        int unread = (int)(10.0 * x[i]);
        if (x[i] > 1.0) continue;
        sum += stays(x, i, unread, x[i] * sum + 0.3, scale);
        if (i == 3) scale[1] *= x[2];
    }
    return sum;
}
AD_FUNCTIONAL(calls_in_loops)

int main(void) {
    check_case cases[] = {
        CHECK_FUNCTIONAL(determinant, ORDER * ORDER), CHECK_FUNCTIONAL(woven, 6), CHECK_FUNCTIONAL(carries, 5), CHECK_FUNCTIONAL(searched, 6),
        CHECK_FUNCTIONAL(tree, NODES), CHECK_FUNCTIONAL(consumed, NODES), CHECK_FUNCTIONAL(quadrature, 5),
        CHECK_FUNCTIONAL(mutual, 8), CHECK_MAP(spread, 7, 3), CHECK_FUNCTIONAL(followed, 6),
        CHECK_FUNCTIONAL(fallen, 3), CHECK_FUNCTIONAL(calls_in_loops, 6)};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) check_random_points(&cases[i], 3, 0.5, 1.4);
    return check_done();
}
