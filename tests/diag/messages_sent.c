/* Active data go to another rank, and what that makes of them is nobody's business here.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow
 * ad-error: AD021 14:38 'MPI_Isend' (message passing (MPI)) receives active data */
#include "ad.h"

int MPI_Isend(const void *data, int count, int type, int to, int tag, int comm, int *request);
static double coupled(double x) {
    double g = x * x;
    int request;
    MPI_Isend(&g, 1, 11, 0, 0, 0, &request);
    return x;
}
double derivative(double x) { return __ad_adjoint((void *)coupled, x); }
