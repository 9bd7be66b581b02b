/* Memory of a layout: its reals packed one behind the other, and what is checked of it. */

static part part_of(void *shadow, const void *primal, layout *of, long count) {
  if (primal == MPI_BOTTOM && of->reals && count > 0)
    give_up("AD230", "a message of reals begins at MPI_BOTTOM: its datatype holds addresses, of which shadows are elsewhere",
            "name the buffer in the call, and give the datatype distances from there");
  return (part){shadow, primal, of, count * of->elements};
}

/* Is called for reals that lie one behind the other. */
typedef void visitor(char *at, enum kind kind, long reals, void *to);

/* Of what is no real, `primal` says where it lies in the program. */
typedef void other_visitor(const char *at, const char *primal, long bytes, enum kind kind, const void *to);

static void visit(part p, visitor *each, other_visitor *other, void *to) {
  long left = p.elements;
  layout *l = p.of;
  if (!p.at || left <= 0)
    return;
  /* An array. */
  if (l->size == 1 && l->extent == (MPI_Aint)l->runs[0].count * l->runs[0].bytes) {
    run *r = l->runs;
    if (r->reals && each)
      each(p.at + r->at, r->kind, left * r->reals, to);
    if (!r->reals && other)
      other(p.at + r->at, p.primal ? p.primal + r->at : NULL, left * r->bytes, r->kind, to);
    return;
  }
  for (MPI_Aint start = 0; left > 0; start += l->extent)
    for (int i = 0; i < l->size && left > 0; i++) {
      run *r = &l->runs[i];
      long count = r->count < left ? r->count : left;
      left -= count;
      if (r->reals && each)
        each(p.at + start + r->at, r->kind, count * r->reals, to);
      if (!r->reals && other)
        other(p.at + start + r->at, p.primal ? p.primal + start + r->at : NULL, count * r->bytes, r->kind, to);
    }
}

/* Reals of a part. */
static long reals_of(part p, int as_bytes) {
  layout *l = p.of;
  long whole = l->elements ? p.elements / l->elements : 0, rest = l->elements ? p.elements % l->elements : 0;
  long all = whole * (as_bytes ? l->real_bytes : l->reals);
  for (int i = 0; i < l->size && rest > 0; i++) {
    long count = l->runs[i].count < rest ? l->runs[i].count : rest;
    rest -= count;
    all += count * l->runs[i].reals * (as_bytes ? bytes_of[l->runs[i].kind] : 1);
  }
  return all;
}

/* Bytes of its reals in the wire's kind, or in their own (OTHER). */
static long packed_bytes(part p, enum kind wire) {
  return wire == OTHER ? reals_of(p, 1) : reals_of(p, 0) * bytes_of[wire];
}

typedef struct cursor {
  char *at;
  enum kind wire;
  int adds;
} cursor;

static void pack_run(char *at, enum kind kind, long reals, void *to) {
  cursor *c = to;
  enum kind wire = c->wire == OTHER ? kind : c->wire;
  settle(at, reals * bytes_of[kind]);
  if (wire == kind)
    memcpy(c->at, at, reals * bytes_of[kind]);
  else
    for (long i = 0; i < reals; i++)
      write_real(c->at, wire, i, read_real(at, kind, i));
  c->at += reals * bytes_of[wire];
}

static void pack(part p, enum kind wire, char *to) {
  cursor c = {to, wire, 0};
  if (!p.at)
    memset(to, 0, packed_bytes(p, wire));
  visit(p, pack_run, NULL, &c);
}

static void unpack_run(char *at, enum kind kind, long reals, void *to) {
  cursor *c = to;
  enum kind wire = c->wire == OTHER ? kind : c->wire;
  if (c->adds && has_team()) {
    for (long i = 0; i < reals; i++)
      add_shared(at, kind, i, read_real(c->at, wire, i));
  } else if (wire == F64 && kind == F64 && c->adds) {
    double *sum = (double *)at;
    const double *more = (const double *)c->at;
    for (long i = 0; i < reals; i++)
      sum[i] += more[i];
  } else if (wire == kind && !c->adds) {
    memcpy(at, c->at, reals * bytes_of[kind]);
  } else {
    for (long i = 0; i < reals; i++)
      write_real(at, kind, i, read_real(c->at, wire, i) + (c->adds ? read_real(at, kind, i) : 0));
  }
  c->at += reals * bytes_of[wire];
}

/* Takes reals that were packed; adds them, or puts them in the place of what was there. */
static void unpack(part p, enum kind wire, const char *from, int adds) {
  cursor c = {(char *)from, wire, adds};
  visit(p, unpack_run, NULL, &c);
}

static void clear_run(char *at, enum kind kind, long reals, void *to) {
  (void)to;
  settle(at, reals * bytes_of[kind]);
  memset(at, 0, reals * bytes_of[kind]);
}

/* Makes the derivatives zero. */
static void clear(part p) { visit(p, clear_run, NULL, NULL); }

/* What is received may be active: it must not come into memory that is constant. */
static void check_place(part p, const char *operation) {
  char what[256];
  if (p.at || packed_bytes(p, OTHER) == 0)
    return;
  snprintf(what, sizeof what, "%s receives reals, which may be active, into memory without a shadow", operation);
  give_up("AD229", what, "pass the memory as an active argument of the request (ad_dup, value and shadow; zeros will do)");
}

static int is_zero_run(const char *at, long bytes) {
  for (long i = 0; i < bytes; i++)
    if (at[i])
      return 0;
  return 1;
}

static void note_reals(char *at, enum kind kind, long reals, void *to) {
  for (long i = 0; i < reals; i++)
    *(int *)to &= read_real(at, kind, i) == 0;
}

/* Whether all derivatives are zero. */
static int is_zero(part p) {
  int zero = 1;
  visit(p, note_reals, NULL, &zero);
  return zero;
}

/* Where the program may have integers, their shadow may be a copy of them. */
static void check_other(const char *at, const char *primal, long bytes, enum kind kind, const void *operation) {
  if (is_zero_run(at, bytes) || (kind == OTHER && primal && !memcmp(at, primal, bytes)))
    return;
  char what[256];
  snprintf(what, sizeof what, "%s takes active reals as %s, of which adcc does not know where they lie", (const char *)operation,
           kind == OTHER ? "integers" : "bytes");
  give_up("AD229", what, "describe them by their datatype (MPI_DOUBLE, MPI_Type_create_struct)");
}

/* What is no real by its datatype must have no derivative. */
static void check_others(part p, const char *operation) { visit(p, NULL, check_other, (void *)operation); }

static void check_integer(const char *at, const char *primal, long bytes, enum kind kind, const void *operation) {
  if (kind != BYTES)
    check_other(at, primal, bytes, kind, operation);
}

/* The same, but for bytes, whose shadows go with them. */
static void check_integers(part p, const char *operation) { visit(p, NULL, check_integer, (void *)operation); }
