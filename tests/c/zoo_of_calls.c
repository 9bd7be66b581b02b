/* More choices between functions than one function may hold: a call through a pointer may reach each of
 * twenty functions, and there are more than fifty such calls side by side. Further choices stand in
 * functions of their own. Numbers in registers, structs in memory, and a function that calls itself by
 * way of the table. */
#include "requests.h"

#define TEN(M, k) M(k##0) M(k##1) M(k##2) M(k##3) M(k##4) M(k##5) M(k##6) M(k##7) M(k##8) M(k##9)
#define TWENTY(M) TEN(M, 1) TEN(M, 2)

struct vector {
    double at[4];
};

static int depth;
static double again(double x);

#define NUMBER(k)                                                                                                  \
    static __attribute__((noinline)) double number_##k(double x) { return sin(x * (1 + 0.01 * k)) + x / k; }
#define VECTOR(k)                                                                                                  \
    static __attribute__((noinline)) struct vector vector_##k(struct vector v, double s) {                         \
        for (int i = 0; i < 4; i++) v.at[i] = 0.9 * sin(v.at[i] + s * v.at[(i + k) % 4]);                             \
        return v;                                                                                                  \
    }
TWENTY(NUMBER)
TEN(VECTOR, 1)

#define NAME_OF_NUMBER(k) number_##k,
#define NAME_OF_VECTOR(k) vector_##k,
static double (*numbers[])(double) = {TWENTY(NAME_OF_NUMBER) again};
static struct vector (*vectors[])(struct vector, double) = {TEN(NAME_OF_VECTOR, 1)};

static double again(double x) {
    if (depth++ > 3) return x * x;
    return 0.5 * numbers[depth % 2 ? 20 : depth](x + 0.1);
}

/* The tables are no constants. */
static __attribute__((noinline)) void turn(int by) {
    for (int k = 0; k < by; k++) {
        double (*first)(double) = numbers[0];
        struct vector (*other)(struct vector, double) = vectors[0];
        for (int i = 0; i < 19; i++) numbers[i] = numbers[i + 1];
        for (int i = 0; i < 9; i++) vectors[i] = vectors[i + 1];
        numbers[19] = first, vectors[9] = other;
    }
}

#define CALL_NUMBER(k) sum += numbers[(k * 7 + n) % 20](sum + x[k % 4] * 0.1);
#define CALL_VECTOR(k) v = vectors[(k * 3 + n) % 10](v, 0.2 + 0.01 * x[k % 4]);

static double of_both(const double *x) {
    struct vector v = {{x[0], x[1], x[2], x[3]}};
    double sum = 0;
    int n = (int)(2 * x[0]);
    TWENTY(CALL_NUMBER) TWENTY(CALL_NUMBER) TEN(CALL_NUMBER, 3)
    TEN(CALL_VECTOR, 1)
    depth = 0;
    return sum + numbers[20](x[1]) + v.at[0] + 2 * v.at[1] + 3 * v.at[2] + v.at[3];
}
AD_FUNCTIONAL(of_both)

int main(void) {
    turn(3);
    check_case c = CHECK_FUNCTIONAL(of_both, 4);
    check_random_points(&c, 2, 0.55, 0.95);
    return check_done();
}
