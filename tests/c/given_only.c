/* Functions of the system's libraries that have no rule and access nothing but what they are given: calls of them between uses of variables that other files see. */
#include "requests.h"

#include <ctype.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

enum { N = 3 };

double values[N], total;
int calls;
struct rusage usage;
pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static double between(const double *x) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&turn);
        values[i] = x[i] * x[0];
        pthread_mutex_unlock(&turn);
        calls += isatty(0) >= 0;
    }
    total = 0.0;
    getrusage(RUSAGE_SELF, &usage);
    for (int i = 0; i < N; i++) total += values[i] * values[(i + 1) % N];
    calls += strcspn("name", "m") == 2 && isalpha('a') && sysconf(_SC_PAGESIZE) > 0;
    double result = total + values[1];
    for (int i = 0; i < N; i++) values[i] = 0.0;
    total = 0.0;
    return result;
}

AD_FUNCTIONAL(between)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(between, N)};
    check_random_points(&cases[0], 4, 0.4, 1.2);
    check_true("the calls were made", calls > 0);
    return check_done();
}
