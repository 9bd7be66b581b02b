/* Static variables of a file whose other functions the derivatives do not reach: pointers that these set to static arrays, a buffer of
 * setjmp, names. */
#include "aims.h"
#include <math.h>

static double near[4], far[4];
static double *target, *const fixed = near + 1;
static const char *names[] = {"near", "far"};
static jmp_buf missed;
static int shots;

void aim(int at) { target = at ? far : near; }

static double checked(double x) {
    if (x > 1.0) longjmp(missed, 1);
    return sqrt(x);
}

double model(const double *x, int n) {
    double sum = 0.0;
    volatile int i = 0;
    for (int k = 0; k < n; k++) near[k] = 0.5, far[k] = 0.25 * (k + 1);
    for (int k = 0; k < n; k++) target[k] = x[k] * x[0];
    fixed[0] += x[1];
    const char *name = names[target == far];
    if (setjmp(missed)) {
        sum = x[2] * i;
        i = i + 1;
        shots++;
    }
    for (; i < n; i++) sum += checked(x[i]) * near[i] * far[i] + (name[0] == 'n' ? near[1] * x[1] : far[1] * x[2]);
    return sum;
}

/* A number that is put into a struct first of all. */
struct flight { double at[3]; long kind; double speed; long steps; };

double shot(double x, double z, int n) {
    struct flight all[2] = {0}, one = {0};
    one.at[n % 3] = x;
    one.speed = z;
    one.kind = 2;
    all[n & 1] = one;
    return all[0].at[n % 3] * all[0].speed * (double)all[0].kind;
}
