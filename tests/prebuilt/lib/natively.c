/* Active data where the C library or the system work on them: handlers of signals, streams in memory. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "natively.h"

static volatile double number;
static sigjmp_buf back;
static void square(int signal) { (void)signal, number = number * number; }
static void jump(int signal) { (void)signal, siglongjmp(back, 1); }

double by_raise(double x) {
    signal(SIGUSR1, square);
    number = x;
    raise(SIGUSR1);
    return number;
}
double by_fault(double x) {
    struct sigaction action = {0}, before;
    action.sa_handler = jump;
    sigaction(SIGSEGV, &action, &before);
    number = x * x;
    if (!sigsetjmp(back, 1)) {
        volatile int *volatile nowhere = 0;
        number = number * x;
        *nowhere = 1;
    }
    sigaction(SIGSEGV, &before, 0);
    return number;
}
double by_stream(double x) {
    char *bytes;
    size_t count;
    FILE *stream = open_memstream(&bytes, &count);
    double y = x * x;
    fwrite(&y, sizeof y, 1, stream);
    fclose(stream);
    memcpy(&y, bytes, sizeof y);
    free(bytes);
    return y;
}
double by_opened(double x) {
    double y = x * x, z = 0;
    FILE *stream = fmemopen(&y, sizeof y, "r");
    if (fread(&z, sizeof z, 1, stream) != 1) z = 0;
    fclose(stream);
    return z;
}
/* Handlers that do not run, and streams of constants and files. */
double by_plain_signals(double x) {
    signal(SIGINT, square);
    signal(SIGINT, SIG_DFL);
    signal(SIGUSR2, SIG_IGN);
    raise(SIGUSR2);
    char *bytes;
    size_t count;
    FILE *stream = open_memstream(&bytes, &count), *file = tmpfile();
    double c = 3;
    fwrite(&c, sizeof c, 1, stream);
    if (file) fwrite(&x, sizeof x, 1, file), fclose(file);
    fclose(stream);
    memcpy(&c, bytes, sizeof c);
    free(bytes);
    return c * x * x;
}
