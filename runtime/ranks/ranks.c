/* Derivatives of messages between ranks, in one unit: ranks.h says how they work. */

#include "ranks.h"

static void give_up(const char *code, const char *what, const char *remedy) {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "adrt: error %s: %s (rank %d); remedy: %s\n", code, what, rank, remedy);
  fflush(NULL);
  PMPI_Abort(MPI_COMM_WORLD, 134);
  abort();
}

#include "threads.c"
#include "comms.c"
#include "layouts.c"
#include "parts.c"
#include "bytes.c"
#include "points.c"
#include "collective.c"
#include "factors.c"
#include "later.c"
#include "among.c"
#include "requests.c"
#include "neighbours.c"
#include "fortran.c"

/* Undoes what a rule recorded. */
void adrt_ranks_reverse(void *tape) {
  action *next;
  /* Its sender would wait for an adjoint that nobody sends. */
  if (unfinished)
    give_up("AD232", "a message that differentiated code does not wait for was not done when that ended: nobody knows the adjoint of what it brings",
            "wait for it in the differentiated code");
  for (action *a = tape; a; a = next) {
    next = a->next;
    a->run(a);
  }
}
