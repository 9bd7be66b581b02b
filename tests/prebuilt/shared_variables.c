// ad-library: shared_variables.c
// ad-static: yes
// ad-link: -lm
// ad-i386: none
/* Memory that a library and differentiated code share though no call is given any of it: variables of either, what a handle from before leads to, what a
   registered function reads. */
#include "requests.h"

extern double shared_last, shared_pair[2];
extern float shared_single;
extern struct { int count; double value; int more; } shared_mixed;
void shared_eval(double x);
double shared_use(void);
void shared_sweep(void);
void shared_halve(void);
void shared_step(void);
struct shared_handle *shared_make(const double *p);
double shared_evaluate(struct shared_handle *h);
void shared_register(double (*f)(double));
double shared_call(double x);
int shared_count(int n);

double program_input, program_output;

/* What a call leaves in a variable of the library. */
static double left(const double *x) {
    shared_eval(x[0]);
    return 3 * shared_last * x[1];
}
AD_FUNCTIONAL(left)
/* What it finds there. */
static double found(const double *x) {
    shared_last = x[0] * x[1];
    return shared_use() + x[1];
}
AD_FUNCTIONAL(found)
/* Both, in a function of its own that names no variable, and a loop. */
__attribute__((noinline)) static void sweeps(void) { shared_sweep(); }
static double swept(const double *x) {
    shared_pair[0] = x[0];
    for (int i = 0; i < 3; i++) {
        sweeps();
        shared_pair[0] = 0.5 * shared_pair[1] + x[1];
    }
    return shared_pair[0] * shared_pair[1];
}
AD_FUNCTIONAL(swept)
/* By a pointer of this file that was set before, and by name: no call takes part. */
static double (*pair_before)[2];
__attribute__((noinline)) static void take_pair(void) { pair_before = &shared_pair; }
static double written_behind(const double *x) {
    (*pair_before)[1] = x[0] * sin(x[1]);
    return shared_pair[1] * x[1];
}
AD_FUNCTIONAL(written_behind)
static double read_behind(const double *x) {
    shared_pair[0] = x[0] * x[1];
    return (*pair_before)[0] * x[1];
}
AD_FUNCTIONAL(read_behind)
/* A constant that was stored since. */
static double overwritten(const double *x) {
    shared_last = x[0];
    shared_eval(x[1]);
    shared_last = 2;
    double before = shared_use();
    shared_last = x[0];
    return before * x[1] + shared_use();
}
AD_FUNCTIONAL(overwritten)
/* Of a struct with integers, and a float. */
static double members(const double *x) {
    shared_single = (float)x[0];
    shared_mixed.value = x[1];
    shared_halve();
    return shared_mixed.value * shared_mixed.count + shared_mixed.more * (double)shared_single;
}
/* Variables of the program. */
static double stepped(const double *x) {
    program_output = x[1];
    program_input = x[0];
    shared_step();
    program_input *= 2;
    shared_step();
    return program_output;
}
AD_FUNCTIONAL(stepped)

/* Handles that were made before. */
static double kept_number[1], kept_row[3];
static struct shared_handle *number, *row;
static double handled(const double *x) {
    kept_number[0] = x[0];
    kept_row[1] = x[1];
    return shared_evaluate(number) * x[1] + shared_evaluate(row);
}
AD_FUNCTIONAL(handled)

/* A function that was registered before. */
static double factor, inner[2];
static double product(double t) { return t * factor + inner[1]; }
static double called(const double *x) {
    factor = x[0];
    inner[1] = x[1] * x[0];
    return shared_call(2.0) * x[1];
}
AD_FUNCTIONAL(called)

/* Calls that find nothing active stay what they are, whatever else there is. */
double program_table[200] = {1, 2, 3};
static double private_sum;
static double unrelated(const double *x) {
    private_sum = x[0] * x[1];
    int n = shared_count(1);
    return private_sum * n + program_table[n - 1] * x[0];
}
AD_FUNCTIONAL(unrelated)

int main(void) {
    take_pair();
    number = shared_make(kept_number);
    row = shared_make(kept_row + 1);
    shared_register(product);
    check_case cases[] = {CHECK_FUNCTIONAL(left, 2),    CHECK_FUNCTIONAL(found, 2),   CHECK_FUNCTIONAL(swept, 2),  CHECK_FUNCTIONAL(overwritten, 2),
                          CHECK_FUNCTIONAL(written_behind, 2), CHECK_FUNCTIONAL(read_behind, 2),
                          CHECK_FUNCTIONAL(stepped, 2), CHECK_FUNCTIONAL(handled, 2), CHECK_FUNCTIONAL(called, 2), CHECK_FUNCTIONAL(unrelated, 2)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_random_points(&cases[i], 2, 0.4, 1.2);

    double x[2] = {0.75, 1.25}, along[2] = {1, -0.5}, bars[2] = {0, 0};
    double tangent = __ad_tangent_double((void *)members, x, along);
    __ad_adjoint_void((void *)members, x, bars);
    check_close("members", bars[0], 2, 1e-6);
    check_close("members", bars[1], 9, 1e-13);
    check_close("members", tangent, 2 - 4.5, 1e-6);
    return check_done();
}
