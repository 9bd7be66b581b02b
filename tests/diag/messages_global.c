/* The buffer is a variable; it is filled in one function, to which nothing active is given, and read in another.
 * ad-flags: -g
 * ad-error: AD021 17:38 'shmem_getmem' (message passing (OpenSHMEM)) receives data from elsewhere */
#include "ad.h"

void shmem_getmem(void *to, const void *from, unsigned long bytes, int pe);
static double halo[8], remote[8];
static __attribute__((noinline)) void fill(void) {
    shmem_getmem(halo, remote, sizeof halo, 1);
}
static __attribute__((noinline)) double scaled(double x) { return x * halo[3]; }
static double coupled(double x) {
    fill();
    return scaled(x);
}

double derivative(double x) { return __ad_adjoint((void *)coupled, x); }
