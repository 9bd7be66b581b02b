/* Operations among all ranks that are not waited for.
 *
 * Tangents start their own one behind the program's. In a reverse sweep, the transposed operation starts where the program waited,
 * and ends where it started its own. All ranks must start such operations in one order, and may wait for them in another one:
 * so each waits for its turn, which is the order of the program backwards, and has its communicator to itself. */

static among *first_later;
/* Adjoints that are packed and wait for their turn. */
static among *first_ready;

static among *find_among(MPI_Request request) {
  among *a = first_later;
  while (a && a->of_program != request)
    a = a->next;
  return a;
}

static void unlist(among **list, among *a) {
  for (; *list; list = &(*list)->next)
    if (*list == a) {
      *list = a->next;
      return;
    }
}

/* Starts adjoints whose turn it is. */
static void start_ready(comm *c) {
  for (among *a = first_ready; a;) {
    if (a->comm != c || a->place != c->places - 1) {
      a = a->next;
      continue;
    }
    unlist(&first_ready, a);
    c->places--;
    start(a, 1, c->later, 0);
    a->is_started = 1;
    a = first_ready;
  }
}

typedef struct step {
  action is;
  among *of;
} step;

static action *new_step(among *a, void (*run)(action *)) {
  step *s = malloc(sizeof *s);
  *s = (step){{NULL, run}, a};
  a->users++;
  return &s->is;
}

static void release_step(action *is) {
  among *a = ((step *)is)->of;
  if (--a->users == 0)
    free_among(a);
  free(is);
}

/* Where the program waited. */
static void undo_wait(action *is) {
  among *a = ((step *)is)->of;
  check_received(a);
  if (!a->is_opaque) {
    pack_side(a, 1);
    a->next = first_ready;
    first_ready = a;
    start_ready(a->comm);
  }
  release_step(is);
}

/* Where the program started. */
static void undo_start(action *is) {
  among *a = ((step *)is)->of;
  if (!a->is_opaque) {
    if (!a->is_started)
      give_up("AD232", "the adjoints of operations that do not wait come in another order than the operations", "wait for them earlier");
    PMPI_Wait(&a->request, MPI_STATUS_IGNORE);
    deliver(a, 1);
  }
  release_step(is);
}

/* After the program has started its own operation. */
static returned later(among *a, int error, MPI_Request request, int mode) {
  if (error == MPI_SUCCESS)
    check_before(a, mode);
  if (error != MPI_SUCCESS || carries_nothing(a)) {
    free_among(a);
    return (returned){NULL, error};
  }
  a->of_program = request;
  a->next = first_later;
  first_later = a;
  a->users = 1;
  if (mode == TANGENT) {
    if (!a->is_opaque) {
      pack_side(a, 0);
      start(a, 0, a->comm->own, 0);
    }
    return (returned){NULL, error};
  }
  unfinished++;
  a->is_recorded = 1;
  if (!a->is_opaque)
    a->place = a->comm->places++;
  return (returned){new_step(a, undo_start), error};
}

/* Where the program's request is done. */
static action *end_among(among *a, int mode) {
  action *step = NULL;
  unlist(&first_later, a);
  unfinished -= a->is_recorded;
  if (mode == FORWARD) {
    step = new_step(a, undo_wait);
  } else if (!a->is_opaque) {
    PMPI_Wait(&a->request, MPI_STATUS_IGNORE);
    deliver(a, 0);
  }
  if (--a->users == 0)
    free_among(a);
  return step;
}
