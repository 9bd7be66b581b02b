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
