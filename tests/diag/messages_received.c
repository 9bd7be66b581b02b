/* What another rank sends may be active there, though nothing here is varied before.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow
 * ad-error: AD021 14:12 'MPI_Recv' (message passing (MPI)) receives data from elsewhere */
#include "ad.h"

int MPI_Recv(void *data, int count, int type, int source, int tag, int comm, void *status);
static double coupled(double x) {
    double g = 0;
    MPI_Recv(&g, 1, 11, 0, 0, 0, (void *)0);
    return g * x;
}
double derivative(double x) {
    return __ad_adjoint((void *)coupled, x);
}
