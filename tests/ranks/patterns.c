/* Random patterns of messages that are not waited for at once: few tags, wildcards of sources and tags, waits in any order. Which receive a
 * message matches differs from run to run, the sum over all ranks does not; so tangents and adjoints of different runs fit, if each
 * derivative goes where its message went. */
#include "ranks.h"
#include "ad.h"

enum { MESSAGES = 24, N = 8, PATTERNS = 60 };

static unsigned state;

static unsigned number(unsigned below) {
    state = state * 1103515245u + 12345u;
    return (state >> 16) % below;
}

static double pattern(const double *x, int which) {
    double in[MESSAGES], out[MESSAGES], sum = 0.0;
    MPI_Request coming[MESSAGES], going[MESSAGES];
    int from[MESSAGES], to[MESSAGES], tags[MESSAGES], order[MESSAGES], received = 0, sent = 0;
    state = 7 * which;
    for (int i = 0; i < MESSAGES; i++) from[i] = number(size), to[i] = number(size), tags[i] = number(2);
    for (int i = 0; i < MESSAGES; i++)
        if (to[i] == rank) {
            int source = which & 1 ? MPI_ANY_SOURCE : from[i], tag = which & 2 ? MPI_ANY_TAG : tags[i];
            MPI_Irecv(&in[received], 1, MPI_DOUBLE, source, tag, MPI_COMM_WORLD, &coming[received]);
            received++;
        }
    for (int i = 0; i < MESSAGES; i++)
        if (from[i] == rank) {
            out[sent] = x[i % N] * (i + 1);
            MPI_Isend(&out[sent], 1, MPI_DOUBLE, to[i], tags[i], MPI_COMM_WORLD, &going[sent]);
            sent++;
        }
    for (int i = 0; i < received; i++) order[i] = i;
    for (int i = received - 1; i > 0; i--) {
        int k = number(i + 1), other = order[i];
        order[i] = order[k], order[k] = other;
    }
    for (int i = 0; i < received; i++) {
        MPI_Wait(&coming[order[i]], MPI_STATUS_IGNORE);
        sum += in[order[i]] * in[order[i]];
    }
    MPI_Waitall(sent, going, MPI_STATUSES_IGNORE);
    /* No message of the next run may come before. */
    MPI_Barrier(MPI_COMM_WORLD);
    return sum;
}

int main(int count, char **words) {
    ranks_begin(&count, &words);
    double x[N], xd[N];
    char name[32];
    for (int i = 0; i < N; i++) x[i] = 1.0 + 0.1 * i + 0.3 * rank, xd[i] = 0.3 * i - rank;
    for (int which = 0; which < PATTERNS; which++) {
        double xb[N] = {0}, by_adjoint = 0.0, by_tangent = ranks_sum(__ad_tangent((void *)pattern, x, xd, which));
        __ad_adjoint((void *)pattern, x, xb, which);
        for (int i = 0; i < N; i++) by_adjoint += xb[i] * xd[i];
        snprintf(name, sizeof name, "pattern %d", which);
        check_within(name, ranks_sum(by_adjoint), by_tangent, 1e-11 * (1 + fabs(by_tangent)));
    }
    return ranks_done();
}
