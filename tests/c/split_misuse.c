/* Split mode used wrongly ends the program with a message, whatever the tape holds: a second reverse sweep, a tape that is
 * none, one of another function or for other markers, other shadows. Each in a process of its own. */
#include "requests.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

extern void __ad_reverse_void(void *f, ...);

static double sum(const double *x) { return x[0] * x[0] * x[1]; }
static double product(const double *x) { return x[0] * x[1] * x[1]; }

static double x[2] = {2.0, 3.0}, xb[2], other[2];

static void twice(void) {
    void *tape = __ad_augmented((void *)sum, x, xb);
    __ad_reverse_void((void *)sum, x, xb, 1.0, tape);
    __ad_reverse_void((void *)sum, x, xb, 1.0, tape);
}
static void twice_with_another_between(void) {
    void *tape = __ad_augmented((void *)sum, x, xb);
    __ad_reverse_void((void *)sum, x, xb, 1.0, tape);
    void *next = __ad_augmented((void *)sum, x, xb);
    (void)next;
    __ad_reverse_void((void *)sum, x, xb, 1.0, tape);
}
static void none(void) { __ad_reverse_void((void *)sum, x, xb, 1.0, NULL); }
static void garbage(void) { __ad_reverse_void((void *)sum, x, xb, 1.0, &x[1]); }
static void another_function(void) {
    void *tape = __ad_augmented((void *)sum, x, xb);
    __ad_reverse_void((void *)product, x, xb, 1.0, tape);
}
static void another_shadow(void) {
    void *tape = __ad_augmented((void *)sum, x, xb);
    __ad_reverse_void((void *)sum, x, other, 1.0, tape);
}
static void fewer_directions(void) {
    void *tape = __ad_augmented((void *)sum, ad_width, 2, x, xb, other);
    __ad_reverse_void((void *)sum, x, xb, 1.0, tape);
}
static void discarded(void) {
    void *tape = __ad_augmented((void *)sum, x, xb);
    adrt_tape_discard(tape);
    adrt_tape_discard(tape);
}
static void right(void) {
    void *tape = __ad_augmented((void *)sum, x, xb);
    void *of_product = __ad_augmented((void *)product, x, xb);
    __ad_reverse_void((void *)sum, x, xb, 1.0, tape);
    __ad_reverse_void((void *)product, x, xb, 1.0, of_product);
}

/* What the program wrote before it ended, and how it ended. */
static int run(void (*use)(void), char *text, size_t size) {
    int ends[2], status = 0;
    if (pipe(ends) != 0) return -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        use();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; length + 1 < size && (got = read(ends[0], text + length, size - 1 - length)) > 0;) length += (size_t)got;
    text[length] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return status;
}

static void check_ends(const char *name, void (*use)(void), const char *code) {
    char text[1000];
    int status = run(use, text, sizeof text);
    int ended = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    if (!check_true(name, ended && strstr(text, code) != NULL)) printf("  status %d, message: %s\n", status, text);
}

int main(void) {
    check_ends("twice", twice, "AD204");
    check_ends("twice, with another between", twice_with_another_between, "AD204");
    check_ends("none", none, "AD204");
    check_ends("garbage", garbage, "AD204");
    check_ends("another function", another_function, "AD205");
    check_ends("another shadow", another_shadow, "AD206");
    check_ends("fewer directions", fewer_directions, "AD205");
    check_ends("discarded", discarded, "AD204");
    char text[100];
    check_true("used rightly", run(right, text, sizeof text) == 0);
    return check_done();
}
