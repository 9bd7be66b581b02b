/* Critical sections of the OpenMP runtime that the program has, if it has one: Rust has no weak references. */

#include <stdint.h>

extern void __kmpc_critical(void *at, int32_t thread, void *section) __attribute__((weak));
extern void __kmpc_end_critical(void *at, int32_t thread, void *section) __attribute__((weak));

void adrt_openmp_critical(void *at, int32_t thread, void *section) {
    if (__kmpc_critical) __kmpc_critical(at, thread, section);
}
void adrt_openmp_end_critical(void *at, int32_t thread, void *section) {
    if (__kmpc_end_critical) __kmpc_end_critical(at, thread, section);
}

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
