/* A library and its user share variables: some are the library's, some the program's; some it reaches by handles and functions that it was given before. */
#include <stdlib.h>

double shared_last, shared_pair[2] = {1, 2};
float shared_single;
struct { int count; double value; int more; } shared_mixed = {3, 0, 4};
extern double program_input, program_output;

void shared_eval(double x) { shared_last = x * x; }
double shared_use(void) { return shared_last * shared_last; }
void shared_sweep(void) { shared_pair[1] = shared_pair[0] * shared_pair[0]; }
void shared_halve(void) { shared_single = shared_single * 0.5f, shared_mixed.value *= shared_mixed.count; }
void shared_step(void) { program_output += program_input * program_input; }

struct shared_handle { const double *p; };
struct shared_handle *shared_make(const double *p) {
    struct shared_handle *h = malloc(sizeof *h);
    h->p = p;
    return h;
}
double shared_evaluate(struct shared_handle *h) { return h->p[0] * h->p[0]; }

static double (*function)(double);
void shared_register(double (*f)(double)) { function = f; }
double shared_call(double x) { return function(x); }
int shared_count(int n) { return n + 1; }
