/* Operations among all ranks of a communicator.
 *
 * Each takes parts of this rank's memory (one, or one for each rank) to parts of it: packed, they are the vectors x and y of
 * y = M x over all ranks, where M copies and adds, after x was multiplied by factors. The tangent does the same to derivatives.
 * The adjoint packs the adjoints of y, which become zero, does the operation that has the transposed matrix, multiplies, and
 * adds to the adjoints of x:
 *   from one to all      -> sum to one             all to one           -> from one to each
 *   sum to all           -> sum to all             all to all (concat.) -> sum, of which each gets its part
 *   each to each         -> each to each           sums of ranks before -> sums of ranks behind
 */

enum shape { BROADCAST, REDUCE, ALLREDUCE, GATHER, SCATTER, ALLGATHER, ALLTOALL, REDUCE_SCATTER, SCAN, EXSCAN };

/* Parts that are packed one behind the other. */
typedef struct side {
  int size;
  part *parts;
} side;

/* One operation. */
typedef struct among {
  action is;
  comm *comm;
  enum shape shape;
  int root;
  side from, to;
  /* What the reals are packed as: a kind, where they are added; else each as its own (OTHER). */
  enum kind wire;
  /* Of each real that is sent, or null: all are 1. */
  long double *factors;
  /* Each rank says its own counts and types. */
  int is_various;
  /* Its operator has no derivative that is known here. */
  int is_opaque;
  const char *name;
  /* Units that each rank gets of a sum. */
  int *shares;
  /* What is under way. */
  char *in, *out;
  int *counts[2], *starts[2];
  MPI_Request request;
  /* Without waiting (later.c): who refers to it, the program's request, its place in the order of its communicator, and how far it
   * and its adjoint have come. */
  int users, is_started, is_recorded;
  MPI_Request of_program;
  long place;
  struct among *next;
} among;

static MPI_Datatype wire_type(enum kind wire) {
  return wire == F32 ? MPI_FLOAT : wire == F64 ? MPI_DOUBLE : wire == F80 ? MPI_LONG_DOUBLE : MPI_BYTE;
}

static int unit_bytes(enum kind wire) { return wire == OTHER ? 1 : bytes_of[wire]; }

static among *new_among(enum shape shape, int root, MPI_Comm user, const char *name) {
  among *a = calloc(1, sizeof *a);
  int is_between = 0;
  PMPI_Comm_test_inter(user, &is_between);
  a->shape = shape, a->root = root, a->name = name;
  a->wire = OTHER;
  a->request = MPI_REQUEST_NULL;
  a->comm = comm_of(user, 1, name);
  if (is_between)
    give_up("AD230", "an operation among all ranks of an intercommunicator has no derivative", "merge it (MPI_Intercomm_merge)");
  return a;
}

static void free_side(side s) {
  for (int i = 0; i < s.size; i++)
    release_layout(s.parts[i].of);
  free(s.parts);
}

static void free_among(among *a) {
  free_side(a->from), free_side(a->to);
  release_comm(a->comm);
  free(a->factors), free(a->shares);
  free(a);
}

static part *add_part(side *to, void *shadow, const void *primal, MPI_Datatype type, long count) {
  to->parts = realloc(to->parts, (to->size + 1) * sizeof *to->parts);
  to->parts[to->size] = part_of(shadow, primal, layout_of(type), count);
  return &to->parts[to->size++];
}

static MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower, extent;
  PMPI_Type_get_extent(type, &lower, &extent);
  return extent;
}

/* Units of the parts of a side, and where each begins; how many they are. */
static int units_of(const among *a, side s, int **counts, int **starts) {
  long all = 0;
  *counts = malloc((s.size + 1) * sizeof **counts);
  *starts = malloc((s.size + 1) * sizeof **starts);
  for (int i = 0; i < s.size; i++) {
    long units = packed_bytes(s.parts[i], a->wire) / unit_bytes(a->wire);
    if (all + units > INT_MAX)
      give_up("AD230", "an operation among all ranks has more bytes of derivatives than MPI counts (2 GiB)", "divide it");
    (*starts)[i] = (int)all;
    (*counts)[i] = (int)units;
    all += units;
  }
  return (int)all;
}

static void scale(const among *a, char *values) {
  if (!a->factors)
    return;
  long n = packed_bytes(a->from.parts[0], a->wire) / unit_bytes(a->wire);
  for (long i = 0; i < n; i++)
    write_real(values, a->wire, i, a->factors[i] == 0 ? 0 : a->factors[i] * read_real(values, a->wire, i));
}

/* Calls the operation that waits, or the other one. */
#define RUN(waits, name, iname, ...) ((waits) ? PMPI_##name(__VA_ARGS__) : PMPI_##iname(__VA_ARGS__, &a->request))

/* Starts the operation on what is packed, or the transposed one. */
static void exchange(among *a, int n_in, int n_out, int transposed, MPI_Comm c, int waits) {
  MPI_Datatype type = wire_type(a->wire);
  const int *in_counts = a->counts[0], *in_starts = a->starts[0], *out_counts = a->counts[1], *out_starts = a->starts[1];
  int is_root = a->comm->rank == a->root, n = n_in > n_out ? n_in : n_out;
  switch (a->shape) {
  case BROADCAST:
  case REDUCE:
    if ((a->shape == BROADCAST) != transposed) {
      if (is_root)
        memcpy(a->out, a->in, (size_t)n_in * unit_bytes(a->wire));
      RUN(waits, Bcast, Ibcast, a->out, n, type, a->root, c);
    } else {
      RUN(waits, Reduce, Ireduce, a->in, a->out, n, type, MPI_SUM, a->root, c);
    }
    break;
  case ALLREDUCE:
    RUN(waits, Allreduce, Iallreduce, a->in, a->out, n, type, MPI_SUM, c);
    break;
  case GATHER:
  case SCATTER:
    if ((a->shape == GATHER) != transposed)
      RUN(waits, Gatherv, Igatherv, a->in, n_in, type, a->out, out_counts, out_starts, type, a->root, c);
    else
      RUN(waits, Scatterv, Iscatterv, a->in, in_counts, in_starts, type, a->out, n_out, type, a->root, c);
    break;
  case ALLGATHER:
    if (transposed)
      RUN(waits, Reduce_scatter, Ireduce_scatter, a->in, a->out, in_counts, type, MPI_SUM, c);
    else
      RUN(waits, Allgatherv, Iallgatherv, a->in, n_in, type, a->out, out_counts, out_starts, type, c);
    break;
  case ALLTOALL:
    RUN(waits, Alltoallv, Ialltoallv, a->in, in_counts, in_starts, type, a->out, out_counts, out_starts, type, c);
    break;
  case REDUCE_SCATTER:
    if (transposed) {
      int *starts = a->starts[1] = realloc(a->starts[1], (a->comm->size + 1) * sizeof *starts);
      starts[0] = 0;
      for (int i = 1; i < a->comm->size; i++)
        starts[i] = starts[i - 1] + a->shares[i - 1];
      RUN(waits, Allgatherv, Iallgatherv, a->in, n_in, type, a->out, a->shares, starts, type, c);
    } else {
      RUN(waits, Reduce_scatter, Ireduce_scatter, a->in, a->out, a->shares, type, MPI_SUM, c);
    }
    break;
  case SCAN:
    RUN(waits, Scan, Iscan, a->in, a->out, n, type, MPI_SUM, transposed ? backwards(a->comm) : c);
    break;
  case EXSCAN:
    RUN(waits, Exscan, Iexscan, a->in, a->out, n, type, MPI_SUM, transposed ? backwards(a->comm) : c);
    break;
  }
}

/* Packs what the operation takes, and starts it. In an adjoint, what was packed becomes zero. */
static void pack_side(among *a, int transposed) {
  side from = transposed ? a->to : a->from;
  int n = units_of(a, from, &a->counts[0], &a->starts[0]);
  a->in = calloc((size_t)n + 1, unit_bytes(a->wire));
  for (int i = 0; i < from.size; i++) {
    pack(from.parts[i], a->wire, a->in + (size_t)a->starts[0][i] * unit_bytes(a->wire));
    if (transposed)
      clear(from.parts[i]);
  }
  if (!transposed)
    scale(a, a->in);
}

static void start(among *a, int transposed, MPI_Comm c, int waits) {
  side to = transposed ? a->from : a->to;
  int n_in = 0, n_out = units_of(a, to, &a->counts[1], &a->starts[1]);
  side from = transposed ? a->to : a->from;
  for (int i = 0; i < from.size; i++)
    n_in += a->counts[0][i];
  a->out = calloc((size_t)n_out + 1, unit_bytes(a->wire));
  exchange(a, n_in, n_out, transposed, c, waits);
}

/* Puts what came to its place. */
static void deliver(among *a, int transposed) {
  side to = transposed ? a->from : a->to;
  if (transposed)
    scale(a, a->out);
  /* The first rank gets no sum of ranks before it, the last none of those behind. */
  int gets_none = a->shape == EXSCAN && a->comm->rank == (transposed ? a->comm->size - 1 : 0);
  for (int i = 0; i < to.size && !gets_none; i++)
    unpack(to.parts[i], a->wire, a->out + (size_t)a->starts[1][i] * unit_bytes(a->wire), transposed);
  free(a->in), free(a->out);
  for (int i = 0; i < 2; i++)
    free(a->counts[i]), free(a->starts[i]);
}

/* What has no derivative must not need one. */
static void check_opaque(const among *a, side s) {
  for (int i = 0; i < s.size; i++)
    if (!is_zero(s.parts[i])) {
      char what[256];
      snprintf(what, sizeof what, "%s combines active reals by an operator that has no derivative here", a->name);
      give_up("AD230", what, "use MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_MAXLOC or MPI_MINLOC (of MPI_Scan and of operations that do not "
                             "wait: MPI_SUM), or gather the numbers and combine them in the program");
    }
}

/* What stands beside reals has no derivative, after the operation as before. */
static void check_received(among *a) {
  for (int i = 0; i < a->to.size; i++) {
    part bytes = a->to.parts[i];
    bytes.primal = bytes.at;
    check_others(bytes, a->name);
  }
  if (a->is_opaque)
    check_opaque(a, a->to);
}

static void undo_among(action *is) {
  among *a = (among *)is;
  check_received(a);
  if (!a->is_opaque) {
    pack_side(a, 1);
    start(a, 1, a->comm->own, 1);
    deliver(a, 1);
  }
  free_among(a);
}

/* Whether nothing that the operation moves has a derivative: for all ranks alike, so not where each may say its own types. */
static int carries_nothing(const among *a) {
  long reals = 0;
  if (a->is_various)
    return 0;
  for (int i = 0; i < a->from.size; i++)
    reals += a->from.parts[i].of->reals;
  for (int i = 0; i < a->to.size; i++)
    reals += a->to.parts[i].of->reals;
  return reals == 0;
}

static void check_sent(among *a) {
  for (int i = 0; i < a->from.size; i++)
    check_others(a->from.parts[i], a->name);
  if (!a->is_opaque)
    return;
  check_opaque(a, a->from);
  for (int i = 0; i < a->to.size; i++)
    clear(a->to.parts[i]);
}

/* What comes here, and how it may be moved. */
static void check_before(among *a, int mode) {
  int brings = a->shape != BROADCAST || a->comm->rank != a->root;
  for (int i = 0; i < a->to.size && brings; i++)
    check_place(a->to.parts[i], a->name);
  if (mode == TANGENT)
    check_sent(a);
}

/* After the program's own operation, which has waited. */
static returned done(among *a, int error, int mode) {
  if (error == MPI_SUCCESS)
    check_before(a, mode);
  if (error == MPI_SUCCESS && mode == FORWARD && !carries_nothing(a)) {
    a->is = (action){NULL, undo_among};
    return (returned){a, error};
  }
  if (error == MPI_SUCCESS && mode == TANGENT && !carries_nothing(a) && !a->is_opaque) {
    pack_side(a, 0);
    start(a, 0, a->comm->own, 1);
    deliver(a, 0);
  }
  free_among(a);
  return (returned){NULL, error};
}
