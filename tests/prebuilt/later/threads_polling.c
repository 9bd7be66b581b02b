// ad-library: working.c
// ad-link: -lm -lpthread
// ad-refused-by-some: AS006
/* A thread that the library has made before, and that takes work from memory. */
#include "requests.h"

void work_start(int by_pipe);
double work_poll(double x);
static double square(double x) { return work_poll(x) * x; }
AD_VALUE(square)

int main(void) {
    work_start(0);
    check_case c = CHECK_VALUE(square);
    check_random_points(&c, 1, 0.3, 1.2);
    return check_done();
}
