/* A library whose thread takes work by memory or through a pipe. */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static double input, output;
static volatile int state;
static int there[2], back[2];

static void *polls(void *p) {
    for (;;) {
        while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 1) sched_yield();
        output = input * input;
        __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
    }
    return p;
}
static void *reads(void *p) {
    char c;
    while (read(there[0], &c, 1) == 1) {
        output = input * input;
        if (write(back[1], &c, 1) != 1) return p;
    }
    return p;
}
void work_start(int by_pipe) {
    pthread_t thread;
    if (by_pipe && (pipe(there) != 0 || pipe(back) != 0)) return;
    pthread_create(&thread, NULL, by_pipe ? reads : polls, NULL);
    pthread_detach(thread);
}
double work_poll(double x) {
    input = x;
    __atomic_store_n(&state, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2) {}
    return output;
}
double work_pipe(double x) {
    char c = 0;
    input = x;
    return write(there[1], &c, 1) == 1 && read(back[0], &c, 1) == 1 ? output : 0;
}
