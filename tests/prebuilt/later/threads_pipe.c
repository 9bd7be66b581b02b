// ad-library: working.c
// ad-link: -lm -lpthread
// ad-refused-by-some: AS006
/* A thread that the library has made before, and that sleeps until a pipe wakes it. */
#include "requests.h"

void work_start(int by_pipe);
double work_pipe(double x);
static double square(double x) { return work_pipe(x) * x; }
AD_VALUE(square)

int main(void) {
    work_start(1);
    check_case c = CHECK_VALUE(square);
    check_random_points(&c, 1, 0.3, 1.2);
    return check_done();
}
