/* Partial derivatives of reductions: what each real that is sent is multiplied by. They are computed before the operation, which
 * may overwrite what it takes. */

/* The real that counts is the greatest or the least; of equal ones that of the lowest rank. */
static void choose(among *a, char *values, long n, MPI_Op op) {
  struct float_at {
    float value;
    int rank;
  } *f = NULL;
  struct double_at {
    double value;
    int rank;
  } *d = NULL;
  struct long_at {
    long double value;
    int rank;
  } *l = NULL;
  MPI_Datatype type = a->wire == F32 ? MPI_FLOAT_INT : a->wire == F64 ? MPI_DOUBLE_INT : MPI_LONG_DOUBLE_INT;
  size_t each = a->wire == F32 ? sizeof *f : a->wire == F64 ? sizeof *d : sizeof *l;
  char *pairs = calloc(n + 1, each);
  f = (void *)pairs, d = (void *)pairs, l = (void *)pairs;
  for (long i = 0; i < n; i++) {
    long double value = read_real(values, a->wire, i);
    if (a->wire == F32)
      f[i].value = (float)value, f[i].rank = a->comm->rank;
    else if (a->wire == F64)
      d[i].value = (double)value, d[i].rank = a->comm->rank;
    else
      l[i].value = value, l[i].rank = a->comm->rank;
  }
  PMPI_Allreduce(MPI_IN_PLACE, pairs, (int)n, type, op, a->comm->own);
  for (long i = 0; i < n; i++) {
    int winner = a->wire == F32 ? f[i].rank : a->wire == F64 ? d[i].rank : l[i].rank;
    a->factors[i] = winner == a->comm->rank;
  }
  free(pairs);
}

/* The same of reals with places beside them, of the program's own type. */
static void choose_with_places(among *a, const char *own, int count, MPI_Datatype type, MPI_Op op) {
  MPI_Aint extent = extent_of(type);
  int size;
  PMPI_Type_size(type, &size);
  char *all = calloc(count + 1, extent);
  int *winners = calloc(count + 1, sizeof *winners);
  PMPI_Allreduce(own, all, count, type, op, a->comm->own);
  layout *l = a->from.parts[0].of;
  for (int i = 0; i < count; i++) {
    int is_same = 1;
    for (int k = 0; k < l->size; k++)
      is_same &= !memcmp(own + i * extent + l->runs[k].at, all + i * extent + l->runs[k].at, l->runs[k].bytes);
    winners[i] = is_same ? a->comm->rank : INT_MAX;
  }
  PMPI_Allreduce(MPI_IN_PLACE, winners, count, MPI_INT, MPI_MIN, a->comm->own);
  for (int i = 0; i < count; i++)
    a->factors[i] = winners[i] == a->comm->rank;
  free(all), free(winners);
}

/* The product of what the other ranks send: those before, and those behind. */
static void multiply(among *a, char *values, long n) {
  char *before = calloc(n + 1, unit_bytes(a->wire)), *behind = calloc(n + 1, unit_bytes(a->wire));
  MPI_Datatype type = wire_type(a->wire);
  PMPI_Exscan(values, before, (int)n, type, MPI_PROD, a->comm->own);
  PMPI_Exscan(values, behind, (int)n, type, MPI_PROD, backwards(a->comm));
  for (long i = 0; i < n; i++) {
    long double first = a->comm->rank == 0 ? 1 : read_real(before, a->wire, i);
    long double last = a->comm->rank == a->comm->size - 1 ? 1 : read_real(behind, a->wire, i);
    a->factors[i] = first * last;
  }
  free(before), free(behind);
}

/* Takes note of an operator. `may_wait`: the ranks may talk about it now. */
static void set_operator(among *a, MPI_Op op, MPI_Datatype type, int count, int may_wait) {
  if (a->wire == OTHER || op == MPI_SUM)
    return;
  part from = a->from.parts[0];
  long n = packed_bytes(from, a->wire) / unit_bytes(a->wire);
  int has_places = op == MPI_MAXLOC || op == MPI_MINLOC;
  int is_real = from.of->size == 1 && from.of->runs[0].reals == 1;
  int is_known = has_places || (is_real && (op == MPI_MAX || op == MPI_MIN || op == MPI_PROD));
  a->is_opaque = !is_known || !may_wait || a->shape == SCAN || a->shape == EXSCAN;
  if (a->is_opaque)
    return;
  a->factors = calloc(n + 1, sizeof *a->factors);
  char *values = malloc((n + 1) * unit_bytes(a->wire));
  from.at = (char *)from.primal;
  pack(from, a->wire, values);
  if (has_places)
    choose_with_places(a, from.primal, count, type, op);
  else if (op == MPI_PROD)
    multiply(a, values, n);
  else
    choose(a, values, n, op == MPI_MAX ? MPI_MAXLOC : MPI_MINLOC);
  free(values);
}
