/* How a use of derivatives ends that must give no number: it runs in a child process, and what it writes to standard error is kept.
 * C and C++. */
#ifndef ENDING_H
#define ENDING_H

#include "check.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void check_use(void *of);

/* The status of the child, as of waitpid (its exit status counts checks that fail in it), and the text, ended by 0; -1 without a child. */
CHECK_FUNCTION int check_ending(check_use *use, void *of, char *text, size_t size) {
    int ends[2], status = 0;
    if (pipe(ends) != 0) return -1;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]), close(ends[1]);
        check_failed_count = 0;
        use(of);
        _exit(check_failed_count);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; length + 1 < size && (got = read(ends[0], text + length, size - length - 1)) > 0;) length += (size_t)got;
    text[length] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return status;
}

/* Passes where abort ends it and the message has both words. */
CHECK_FUNCTION int check_ends(const char *name, check_use *use, void *of, const char *code, const char *word) {
    char text[4096] = "";
    int status = check_ending(use, of, text, sizeof text);
    int holds = check_true(name, WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(text, code) && strstr(text, word));
    if (!holds) printf("  status %d, message: %s\n", status, text);
    return holds;
}

/* The same for one derivative of a case at x, along its first argument. */
struct check_derivative {
    const check_case *of;
    const double *x;
    int is_adjoint;
};

CHECK_FUNCTION void check_derive(void *use) {
    enum { MOST = 8 };
    const struct check_derivative *d = (const struct check_derivative *)use;
    double xd[MOST] = {1.0}, xb[MOST] = {0.0}, y[MOST] = {0.0}, along[MOST] = {1.0};
    if (d->of->n > MOST || d->of->m > MOST) printf("FAIL %s: more than %d arguments or results\n", d->of->name, MOST), _exit(1);
    if (d->is_adjoint) d->of->adjoint(d->x, xb, y, along);
    else d->of->tangent(d->x, xd, y, along);
}

CHECK_FUNCTION int check_case_ends(const char *name, const check_case *of, const double *x, int is_adjoint, const char *code, const char *word) {
    struct check_derivative derivative = {of, x, is_adjoint};
    return check_ends(name, check_derive, &derivative, code, word);
}

#endif
