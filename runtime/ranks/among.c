/* The operations among all ranks, as the program calls them. Each has a form that does not wait. */

#define ONLY(...) __VA_ARGS__

/* `bytes` behind an address, if there is one. */
static void *behind(const void *address, MPI_Aint bytes) { return address ? (char *)address + bytes : NULL; }

/* A buffer of the program, and its shadow. */
typedef struct buffer {
  const void *at;
  void *shadow;
} buffer;

static part *add(side *to, buffer b, MPI_Aint bytes, long count, MPI_Datatype type) {
  return add_part(to, behind(b.shadow, bytes), behind(b.at, bytes), type, count);
}

/* A part for each rank, of equal size. */
static void add_equal(among *a, side *to, buffer b, int count, MPI_Datatype type) {
  MPI_Aint each = count * extent_of(type);
  for (int i = 0; i < a->comm->size; i++)
    add(to, b, i * each, count, type);
}

static void add_each(among *a, side *to, buffer b, const int *counts, const int *starts, MPI_Datatype type) {
  MPI_Aint extent = extent_of(type);
  for (int i = 0; i < a->comm->size; i++)
    add(to, b, starts[i] * extent, counts[i], type);
}

static among *about_bcast(buffer b, int count, MPI_Datatype type, int root, MPI_Comm user, const char *name) {
  among *a = new_among(BROADCAST, root, user, name);
  if (a->comm->rank == root)
    add(&a->from, b, 0, count, type);
  a->wire = add(&a->to, b, 0, count, type)->of->widest;
  return a;
}

static among *about_reduce(enum shape shape, buffer out, buffer in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm user,
                           int waits, const char *name) {
  among *a = new_among(shape, root, user, name);
  a->wire = add(&a->from, out.at == MPI_IN_PLACE ? in : out, 0, count, type)->of->widest;
  if (shape != REDUCE || a->comm->rank == root)
    add(&a->to, in, 0, count, type);
  set_operator(a, op, type, count, waits);
  return a;
}

/* Sums of which each rank gets a part: `counts` items, or `count` each. */
static among *about_shares(buffer out, buffer in, const int *counts, int count, MPI_Datatype type, MPI_Op op, MPI_Comm user, int waits,
                           const char *name) {
  among *a = new_among(REDUCE_SCATTER, 0, user, name);
  long all = 0, own = counts ? counts[a->comm->rank] : count;
  for (int i = 0; i < a->comm->size; i++)
    all += counts ? counts[i] : count;
  layout *of = add(&a->from, out.at == MPI_IN_PLACE ? in : out, 0, all, type)->of;
  add(&a->to, in, 0, own, type);
  a->wire = of->widest;
  a->shares = calloc(a->comm->size + 1, sizeof *a->shares);
  for (int i = 0; i < a->comm->size; i++)
    a->shares[i] = (int)((counts ? counts[i] : count) * of->reals);
  set_operator(a, op, type, (int)all, waits);
  return a;
}

/* Whether each rank says how much it sends: only the root has lists. */
static int says_counts(const char *name) { return name[strlen(name) - 1] == 'v'; }

static among *about_gather(buffer out, int out_count, MPI_Datatype out_type, buffer in, const int *counts, const int *starts, int in_count,
                           MPI_Datatype in_type, int root, MPI_Comm user, const char *name) {
  among *a = new_among(GATHER, root, user, name);
  a->is_various = says_counts(name);
  int rank = a->comm->rank;
  if (rank == root && counts)
    add_each(a, &a->to, in, counts, starts, in_type);
  else if (rank == root)
    add_equal(a, &a->to, in, in_count, in_type);
  if (rank != root || out.at != MPI_IN_PLACE)
    add(&a->from, out, 0, out_count, out_type);
  else if (counts)
    add(&a->from, in, starts[rank] * extent_of(in_type), counts[rank], in_type);
  else
    add(&a->from, in, (MPI_Aint)rank * in_count * extent_of(in_type), in_count, in_type);
  return a;
}

static among *about_scatter(buffer out, const int *counts, const int *starts, int out_count, MPI_Datatype out_type, buffer in, int in_count,
                            MPI_Datatype in_type, int root, MPI_Comm user, const char *name) {
  among *a = new_among(SCATTER, root, user, name);
  a->is_various = says_counts(name);
  int rank = a->comm->rank;
  if (rank == root && counts)
    add_each(a, &a->from, out, counts, starts, out_type);
  else if (rank == root)
    add_equal(a, &a->from, out, out_count, out_type);
  if (rank != root || in.at != MPI_IN_PLACE)
    add(&a->to, in, 0, in_count, in_type);
  else if (counts)
    add(&a->to, out, starts[rank] * extent_of(out_type), counts[rank], out_type);
  else
    add(&a->to, out, (MPI_Aint)rank * out_count * extent_of(out_type), out_count, out_type);
  return a;
}

static among *about_allgather(buffer out, int out_count, MPI_Datatype out_type, buffer in, const int *counts, const int *starts, int in_count,
                              MPI_Datatype in_type, MPI_Comm user, const char *name) {
  among *a = new_among(ALLGATHER, 0, user, name);
  int rank = a->comm->rank;
  if (counts)
    add_each(a, &a->to, in, counts, starts, in_type);
  else
    add_equal(a, &a->to, in, in_count, in_type);
  if (out.at != MPI_IN_PLACE)
    add(&a->from, out, 0, out_count, out_type);
  else if (counts)
    add(&a->from, in, starts[rank] * extent_of(in_type), counts[rank], in_type);
  else
    add(&a->from, in, (MPI_Aint)rank * in_count * extent_of(in_type), in_count, in_type);
  a->wire = a->to.parts[0].of->widest;
  return a;
}

static among *about_alltoall(buffer out, int out_count, MPI_Datatype out_type, buffer in, int in_count, MPI_Datatype in_type, MPI_Comm user,
                             const char *name) {
  among *a = new_among(ALLTOALL, 0, user, name);
  add_equal(a, &a->to, in, in_count, in_type);
  if (out.at == MPI_IN_PLACE)
    add_equal(a, &a->from, in, in_count, in_type);
  else
    add_equal(a, &a->from, out, out_count, out_type);
  return a;
}

static among *about_alltoallv(buffer out, const int *out_counts, const int *out_starts, MPI_Datatype out_type, buffer in, const int *in_counts,
                              const int *in_starts, MPI_Datatype in_type, MPI_Comm user, const char *name) {
  among *a = new_among(ALLTOALL, 0, user, name);
  a->is_various = 1;
  add_each(a, &a->to, in, in_counts, in_starts, in_type);
  if (out.at == MPI_IN_PLACE)
    add_each(a, &a->from, in, in_counts, in_starts, in_type);
  else
    add_each(a, &a->from, out, out_counts, out_starts, out_type);
  return a;
}

static among *about_alltoallw(buffer out, const int *out_counts, const int *out_starts, const MPI_Datatype *out_types, buffer in,
                              const int *in_counts, const int *in_starts, const MPI_Datatype *in_types, MPI_Comm user, const char *name) {
  among *a = new_among(ALLTOALL, 0, user, name);
  a->is_various = 1;
  if (out.at == MPI_IN_PLACE)
    out = in, out_counts = in_counts, out_starts = in_starts, out_types = in_types;
  for (int i = 0; i < a->comm->size; i++) {
    add(&a->to, in, in_starts[i], in_counts[i], in_types[i]);
    add(&a->from, out, out_starts[i], out_counts[i], out_types[i]);
  }
  return a;
}

/* A buffer as the rules have it: the address, then the shadow's. */
#define OUT(name) const void *name, void *name##_shadow
#define IN(name) void *name, void *name##_shadow
#define BUFFER(name) ((buffer){name, name##_shadow})

/* An operation in both forms: parameters, what to note, arguments. `waits` is 1 in the first form. */
#define OPERATION(Name, iname, parameters, about, arguments)                                                                         \
  returned adrt_MPI_##Name(ONLY parameters, int mode) {                                                                              \
    const int waits = 1;                                                                                                             \
    const char *const name = "MPI_" #Name;                                                                                           \
    (void)waits;                                                                                                                     \
    among *a = about;                                                                                                                \
    return done(a, PMPI_##Name(ONLY arguments), mode);                                                                               \
  }                                                                                                                                  \
  returned adrt_MPI_##iname(ONLY parameters, MPI_Request *request, int mode) {                                                       \
    const int waits = 0;                                                                                                             \
    const char *const name = "MPI_" #iname;                                                                                          \
    (void)waits;                                                                                                                     \
    among *a = about;                                                                                                                \
    int error = PMPI_##iname(ONLY arguments, request);                                                                               \
    return later(a, error, *request, mode);                                                                                          \
  }

OPERATION(Bcast, Ibcast, (IN(b), int n, MPI_Datatype t, int root, MPI_Comm c), about_bcast(BUFFER(b), n, t, root, c, name), (b, n, t, root, c))
OPERATION(Reduce, Ireduce, (OUT(s), IN(r), int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c),
          about_reduce(REDUCE, BUFFER(s), BUFFER(r), n, t, op, root, c, waits, name), (s, r, n, t, op, root, c))
OPERATION(Allreduce, Iallreduce, (OUT(s), IN(r), int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
          about_reduce(ALLREDUCE, BUFFER(s), BUFFER(r), n, t, op, 0, c, waits, name), (s, r, n, t, op, c))
OPERATION(Scan, Iscan, (OUT(s), IN(r), int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
          about_reduce(SCAN, BUFFER(s), BUFFER(r), n, t, op, 0, c, waits, name), (s, r, n, t, op, c))
OPERATION(Exscan, Iexscan, (OUT(s), IN(r), int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
          about_reduce(EXSCAN, BUFFER(s), BUFFER(r), n, t, op, 0, c, waits, name), (s, r, n, t, op, c))
OPERATION(Reduce_scatter, Ireduce_scatter, (OUT(s), IN(r), const int *ns, MPI_Datatype t, MPI_Op op, MPI_Comm c),
          about_shares(BUFFER(s), BUFFER(r), ns, 0, t, op, c, waits, name), (s, r, ns, t, op, c))
OPERATION(Reduce_scatter_block, Ireduce_scatter_block, (OUT(s), IN(r), int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
          about_shares(BUFFER(s), BUFFER(r), NULL, n, t, op, c, waits, name), (s, r, n, t, op, c))
OPERATION(Gather, Igather, (OUT(s), int n, MPI_Datatype t, IN(r), int m, MPI_Datatype u, int root, MPI_Comm c),
          about_gather(BUFFER(s), n, t, BUFFER(r), NULL, NULL, m, u, root, c, name), (s, n, t, r, m, u, root, c))
OPERATION(Gatherv, Igatherv,
          (OUT(s), int n, MPI_Datatype t, IN(r), const int *ms, const int *at, MPI_Datatype u, int root, MPI_Comm c),
          about_gather(BUFFER(s), n, t, BUFFER(r), ms, at, 0, u, root, c, name), (s, n, t, r, ms, at, u, root, c))
OPERATION(Scatter, Iscatter, (OUT(s), int n, MPI_Datatype t, IN(r), int m, MPI_Datatype u, int root, MPI_Comm c),
          about_scatter(BUFFER(s), NULL, NULL, n, t, BUFFER(r), m, u, root, c, name), (s, n, t, r, m, u, root, c))
OPERATION(Scatterv, Iscatterv,
          (OUT(s), const int *ns, const int *at, MPI_Datatype t, IN(r), int m, MPI_Datatype u, int root, MPI_Comm c),
          about_scatter(BUFFER(s), ns, at, 0, t, BUFFER(r), m, u, root, c, name), (s, ns, at, t, r, m, u, root, c))
OPERATION(Allgather, Iallgather, (OUT(s), int n, MPI_Datatype t, IN(r), int m, MPI_Datatype u, MPI_Comm c),
          about_allgather(BUFFER(s), n, t, BUFFER(r), NULL, NULL, m, u, c, name), (s, n, t, r, m, u, c))
OPERATION(Allgatherv, Iallgatherv, (OUT(s), int n, MPI_Datatype t, IN(r), const int *ms, const int *at, MPI_Datatype u, MPI_Comm c),
          about_allgather(BUFFER(s), n, t, BUFFER(r), ms, at, 0, u, c, name), (s, n, t, r, ms, at, u, c))
OPERATION(Alltoall, Ialltoall, (OUT(s), int n, MPI_Datatype t, IN(r), int m, MPI_Datatype u, MPI_Comm c),
          about_alltoall(BUFFER(s), n, t, BUFFER(r), m, u, c, name), (s, n, t, r, m, u, c))
OPERATION(Alltoallv, Ialltoallv,
          (OUT(s), const int *ns, const int *from, MPI_Datatype t, IN(r), const int *ms, const int *at, MPI_Datatype u, MPI_Comm c),
          about_alltoallv(BUFFER(s), ns, from, t, BUFFER(r), ms, at, u, c, name), (s, ns, from, t, r, ms, at, u, c))
OPERATION(Alltoallw, Ialltoallw,
          (OUT(s), const int *ns, const int *from, const MPI_Datatype *ts, IN(r), const int *ms, const int *at, const MPI_Datatype *us,
           MPI_Comm c),
          about_alltoallw(BUFFER(s), ns, from, ts, BUFFER(r), ms, at, us, c, name), (s, ns, from, ts, r, ms, at, us, c))
