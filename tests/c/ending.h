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
static inline int check_ending(check_use *use, void *of, char *text, size_t size) {
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
static inline int check_ends(const char *name, check_use *use, void *of, const char *code, const char *word) {
    char text[4096] = "";
    int status = check_ending(use, of, text, sizeof text);
    int holds = check_true(name, WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(text, code) && strstr(text, word));
    if (!holds) printf("  status %d, message: %s\n", status, text);
    return holds;
}

#endif
