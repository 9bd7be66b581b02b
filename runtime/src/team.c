/* What teams of threads need in C: functions of the OpenMP runtime that the program has, if it has one, as Rust has no weak references,
 * and variables of each thread. */

#include <stdint.h>

/* The pieces of shadow memory to which this thread added last, and those of which it keeps nothing (sums.rs). */
enum { SLOTS = 64 };
__thread struct adrt_sums {
    struct {
        uintptr_t piece;
        intptr_t distance;
    } places[SLOTS];
    uintptr_t clean[SLOTS];
} adrt_sums;
struct adrt_sums *adrt_sums_of_thread(void) { return &adrt_sums; }

extern void __kmpc_barrier(void *at, int32_t thread) __attribute__((weak));
extern int32_t __kmpc_global_thread_num(void *at) __attribute__((weak));
extern int omp_get_num_threads(void) __attribute__((weak));

extern void __kmpc_critical(void *at, int32_t thread, void *section) __attribute__((weak));
extern void __kmpc_end_critical(void *at, int32_t thread, void *section) __attribute__((weak));

/* What a thread does before it gives something back, the thread that takes it next sees: for ThreadSanitizer, which does not see the
 * locks of the runtime. */
extern void __tsan_acquire(void *at) __attribute__((weak));
extern void __tsan_release(void *at) __attribute__((weak));
void adrt_team_saw(uintptr_t section) {
    if (__tsan_acquire) __tsan_acquire((void *)section);
}
void adrt_team_shows(uintptr_t section) {
    if (__tsan_release) __tsan_release((void *)section);
}

void adrt_openmp_critical(void *at, int32_t thread, void *section) {
    if (__kmpc_critical) __kmpc_critical(at, thread, section);
}
void adrt_openmp_end_critical(void *at, int32_t thread, void *section) {
    if (__kmpc_end_critical) __kmpc_end_critical(at, thread, section);
}

extern void __kmpc_ordered(void *at, int32_t thread) __attribute__((weak));
extern void __kmpc_end_ordered(void *at, int32_t thread) __attribute__((weak));
extern void omp_set_lock(void *lock) __attribute__((weak));
extern void omp_unset_lock(void *lock) __attribute__((weak));
void adrt_openmp_ordered(void *at, int32_t thread) {
    if (__kmpc_ordered) __kmpc_ordered(at, thread);
}
void adrt_openmp_end_ordered(void *at, int32_t thread) {
    if (__kmpc_end_ordered) __kmpc_end_ordered(at, thread);
}
void adrt_openmp_set_lock(void *lock) {
    if (omp_set_lock) omp_set_lock(lock);
}
void adrt_openmp_unset_lock(void *lock) {
    if (omp_unset_lock) omp_unset_lock(lock);
}
void adrt_openmp_barrier(void *at) {
    if (__kmpc_barrier && __kmpc_global_thread_num) __kmpc_barrier(at, __kmpc_global_thread_num(at));
}
int32_t adrt_openmp_threads(void) { return omp_get_num_threads ? omp_get_num_threads() : 1; }

/* The chunk that this thread took last: models of OpenMP's functions (pass/models/openmp.c) ask for its parts one by one. */

static __thread struct {
    int64_t lower, upper, stride;
    int32_t is_last;
} chunk;

/* Number types of a loop's counter. */
enum { SIGNED_4, UNSIGNED_4, SIGNED_8, UNSIGNED_8 };

#define DISPATCH(name, number, difference)                                                                                            \
    extern void __kmpc_dispatch_init_##name(void *at, int32_t thread, int32_t schedule, number lower, number upper, difference step,  \
                                            difference size) __attribute__((weak));                                                   \
    extern int32_t __kmpc_dispatch_next_##name(void *at, int32_t thread, int32_t *last, number *lower, number *upper,                 \
                                               difference *stride) __attribute__((weak));                                             \
    static int32_t next_##name(void *at, int32_t thread) {                                                                            \
        number lower = 0, upper = 0;                                                                                                  \
        difference stride = 0;                                                                                                        \
        chunk.is_last = 0;                                                                                                            \
        int32_t has_one = __kmpc_dispatch_next_##name(at, thread, &chunk.is_last, &lower, &upper, &stride);                           \
        chunk.lower = (int64_t)lower, chunk.upper = (int64_t)upper, chunk.stride = stride;                                            \
        return has_one;                                                                                                               \
    }
DISPATCH(4, int32_t, int32_t)
DISPATCH(4u, uint32_t, int32_t)
DISPATCH(8, int64_t, int64_t)
DISPATCH(8u, uint64_t, int64_t)

void adrt_team_dispatch(void *at, int32_t thread, int32_t schedule, int64_t lower, int64_t upper, int64_t step, int64_t size,
                        int32_t kind) {
    switch (kind) {
    case SIGNED_4: __kmpc_dispatch_init_4(at, thread, schedule, (int32_t)lower, (int32_t)upper, (int32_t)step, (int32_t)size); break;
    case UNSIGNED_4: __kmpc_dispatch_init_4u(at, thread, schedule, (uint32_t)lower, (uint32_t)upper, (int32_t)step, (int32_t)size); break;
    case SIGNED_8: __kmpc_dispatch_init_8(at, thread, schedule, lower, upper, step, size); break;
    default: __kmpc_dispatch_init_8u(at, thread, schedule, (uint64_t)lower, (uint64_t)upper, step, size);
    }
}

/* Takes the next chunk; whether there was one. */
int32_t adrt_team_next(void *at, int32_t thread, int32_t kind) {
    switch (kind) {
    case SIGNED_4: return next_4(at, thread);
    case UNSIGNED_4: return next_4u(at, thread);
    case SIGNED_8: return next_8(at, thread);
    default: return next_8u(at, thread);
    }
}

int64_t adrt_team_lower(void) { return chunk.lower; }
int64_t adrt_team_upper(void) { return chunk.upper; }
int64_t adrt_team_stride(void) { return chunk.stride; }
int32_t adrt_team_is_last(void) { return chunk.is_last; }
