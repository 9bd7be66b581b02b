/* What datatypes are made of (MPI 4.1, section 5.1.13). */

static const int bytes_of[] = {sizeof(float), sizeof(double), sizeof(long double), 0, 0, 0};

static int layout_key = MPI_KEYVAL_INVALID;

static void release_layout(layout *of) {
  if (--of->users)
    return;
  free(of->runs);
  free(of);
}

static int forget_layout(MPI_Datatype type, int key, void *value, void *extra) {
  (void)type, (void)key, (void)extra;
  release_layout(value);
  return MPI_SUCCESS;
}

/* Adds elements; those that lie behind the last ones, and are like them, join them. */
static void add_run(layout *to, run r) {
  if (r.count == 0)
    return;
  run *last = to->size ? &to->runs[to->size - 1] : NULL;
  if (last && last->kind == r.kind && last->reals == r.reals && last->bytes == r.bytes &&
      last->at + (MPI_Aint)last->count * last->bytes == r.at && last->count <= INT_MAX - r.count) {
    last->count += r.count;
    return;
  }
  if (to->size == to->room) {
    to->room = to->room ? 2 * to->room : 4;
    to->runs = realloc(to->runs, to->room * sizeof *to->runs);
  }
  to->runs[to->size++] = r;
}

/* What a predefined type is; whether it is one of ours. */
static int add_named(layout *to, MPI_Datatype type, MPI_Aint at) {
  const struct {
    MPI_Datatype type;
    int reals;
  } floats[] = {
      {MPI_FLOAT, 1},
      {MPI_DOUBLE, 1},
      {MPI_LONG_DOUBLE, 1},
      {MPI_C_FLOAT_COMPLEX, 2},
      {MPI_C_DOUBLE_COMPLEX, 2},
      {MPI_C_LONG_DOUBLE_COMPLEX, 2},
      {MPI_CXX_FLOAT_COMPLEX, 2},
      {MPI_CXX_DOUBLE_COMPLEX, 2},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, 2},
      {MPI_REAL, 1},
      {MPI_DOUBLE_PRECISION, 1},
      {MPI_REAL4, 1},
      {MPI_REAL8, 1},
      {MPI_COMPLEX, 2},
      {MPI_DOUBLE_COMPLEX, 2},
      {MPI_COMPLEX8, 2},
      {MPI_COMPLEX16, 2},
  };
  const struct {
    MPI_Datatype type;
    enum kind kind;
    int second, bytes;
  } pairs[] = {
      {MPI_FLOAT_INT, F32, offsetof(struct { float a; int b; }, b), sizeof(int)},
      {MPI_DOUBLE_INT, F64, offsetof(struct { double a; int b; }, b), sizeof(int)},
      {MPI_LONG_DOUBLE_INT, F80, offsetof(struct { long double a; int b; }, b), sizeof(int)},
      {MPI_2REAL, F32, sizeof(float), sizeof(float)},
      {MPI_2DOUBLE_PRECISION, F64, sizeof(double), sizeof(double)},
  };
  const MPI_Datatype raw[] = {MPI_PACKED, MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_CHARACTER};
  int size = 0;
  if (type == MPI_DATATYPE_NULL)
    return 0;
  PMPI_Type_size(type, &size);
  for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
    if (type == floats[i].type) {
      int each = size / floats[i].reals;
      enum kind kind = each == sizeof(float) ? F32 : each == sizeof(double) ? F64 : F80;
      add_run(to, (run){at, kind, 1, floats[i].reals, size});
      return 1;
    }
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (type == pairs[i].type) {
      /* In Fortran the place is a real, too; it has no derivative. */
      add_run(to, (run){at, pairs[i].kind, 1, 1, bytes_of[pairs[i].kind]});
      add_run(to, (run){at + pairs[i].second, OTHER, 1, 0, pairs[i].bytes});
      return 1;
    }
  if (type == MPI_BYTE) {
    add_run(to, (run){at, BYTES, 1, 0, 1});
    return 1;
  }
  for (size_t i = 0; i < sizeof raw / sizeof *raw; i++)
    if (type == raw[i]) {
      add_run(to, (run){at, RAW, 1, 0, size});
      return 1;
    }
  return 0;
}

static void add_block(layout *to, MPI_Datatype type, MPI_Aint at, int count) {
  layout *part = layout_of(type);
  run *first = part->runs;
  if (part->size == 1 && part->extent == (MPI_Aint)first->count * first->bytes && first->count <= INT_MAX / (count ? count : 1)) {
    run all = *first;
    all.at += at;
    all.count *= count;
    add_run(to, all);
  } else {
    for (int i = 0; i < count; i++)
      for (int k = 0; k < part->size; k++) {
        run r = part->runs[k];
        r.at += at + i * part->extent;
        add_run(to, r);
      }
  }
  release_layout(part);
}

static void add_subarray(layout *to, int dimensions, const int *sizes, const int *parts, const int *starts, int is_fortran,
                         MPI_Datatype type, MPI_Aint at) {
  MPI_Aint lower, extent;
  PMPI_Type_get_extent(type, &lower, &extent);
  int *index = calloc(dimensions, sizeof *index);
  for (int d = 0; d >= 0;) {
    MPI_Aint place = 0;
    for (int k = 0; k < dimensions; k++) {
      int i = is_fortran ? dimensions - 1 - k : k;
      place = place * sizes[i] + starts[i] + index[i];
    }
    add_block(to, type, at + place * extent, 1);
    /* The next element: the last index first in C, the first in Fortran. */
    for (d = dimensions - 1; d >= 0; d--) {
      int i = is_fortran ? dimensions - 1 - d : d;
      if (++index[i] < parts[i])
        break;
      index[i] = 0;
    }
  }
  free(index);
}

static int is_predefined(MPI_Datatype type) {
  int ints, addresses, types, combiner;
  PMPI_Type_get_envelope(type, &ints, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

/* Adds what a type is made of. */
static void add_type(layout *to, MPI_Datatype type, MPI_Aint at) {
  int n_ints, n_addresses, n_types, combiner;
  if (add_named(to, type, at))
    return;
  PMPI_Type_get_envelope(type, &n_ints, &n_addresses, &n_types, &combiner);
  int size = 0;
  PMPI_Type_size(type, &size);
  if (combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_INTEGER) {
    add_run(to, (run){at, OTHER, 1, 0, size});
    return;
  }
  if (combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX) {
    int reals = combiner == MPI_COMBINER_F90_COMPLEX ? 2 : 1, each = size / reals;
    add_run(to, (run){at, each == sizeof(float) ? F32 : each == sizeof(double) ? F64 : F80, 1, reals, size});
    return;
  }
  int *ints = calloc(n_ints + 1, sizeof *ints);
  MPI_Aint *addresses = calloc(n_addresses + 1, sizeof *addresses);
  MPI_Datatype *types = calloc(n_types + 1, sizeof *types);
  PMPI_Type_get_contents(type, n_ints, n_addresses, n_types, ints, addresses, types);
  MPI_Aint lower, extent = 0;
  if (n_types)
    PMPI_Type_get_extent(types[0], &lower, &extent);
  switch (combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED:
    add_block(to, types[0], at, 1);
    break;
  case MPI_COMBINER_CONTIGUOUS:
    add_block(to, types[0], at, ints[0]);
    break;
  case MPI_COMBINER_VECTOR:
    for (int i = 0; i < ints[0]; i++)
      add_block(to, types[0], at + (MPI_Aint)i * ints[2] * extent, ints[1]);
    break;
  case MPI_COMBINER_HVECTOR:
    for (int i = 0; i < ints[0]; i++)
      add_block(to, types[0], at + i * addresses[0], ints[1]);
    break;
  case MPI_COMBINER_INDEXED:
    for (int i = 0; i < ints[0]; i++)
      add_block(to, types[0], at + ints[1 + ints[0] + i] * extent, ints[1 + i]);
    break;
  case MPI_COMBINER_HINDEXED:
    for (int i = 0; i < ints[0]; i++)
      add_block(to, types[0], at + addresses[i], ints[1 + i]);
    break;
  case MPI_COMBINER_INDEXED_BLOCK:
    for (int i = 0; i < ints[0]; i++)
      add_block(to, types[0], at + ints[2 + i] * extent, ints[1]);
    break;
  case MPI_COMBINER_HINDEXED_BLOCK:
    for (int i = 0; i < ints[0]; i++)
      add_block(to, types[0], at + addresses[i], ints[1]);
    break;
  case MPI_COMBINER_STRUCT:
    for (int i = 0; i < ints[0]; i++)
      add_block(to, types[i], at + addresses[i], ints[1 + i]);
    break;
  case MPI_COMBINER_SUBARRAY:
    add_subarray(to, ints[0], ints + 1, ints + 1 + ints[0], ints + 1 + 2 * ints[0], ints[1 + 3 * ints[0]] == MPI_ORDER_FORTRAN,
                 types[0], at);
    break;
  default:
    give_up("AD230", "a datatype of a message is made in a way that has no derivative (a distributed array)",
            "make it of subarrays, vectors or structs");
  }
  for (int i = 0; i < n_types; i++)
    if (!is_predefined(types[i]))
      PMPI_Type_free(&types[i]);
  free(ints), free(addresses), free(types);
}

/* What a type is made of; a user more. */
static layout *layout_of(MPI_Datatype type) {
  void *known = NULL;
  int found = 0;
  if (layout_key == MPI_KEYVAL_INVALID)
    PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget_layout, &layout_key, NULL);
  PMPI_Type_get_attr(type, layout_key, &known, &found);
  if (found) {
    ((layout *)known)->users++;
    return known;
  }
  layout *made = calloc(1, sizeof *made);
  MPI_Aint lower;
  PMPI_Type_get_extent(type, &lower, &made->extent);
  add_type(made, type, 0);
  made->widest = OTHER;
  made->is_uniform = 1;
  for (int i = 0; i < made->size; i++) {
    run *r = &made->runs[i];
    long reals = (long)r->count * r->reals;
    made->elements += r->count;
    made->bytes += r->kind == BYTES ? r->count : 0;
    made->reals += reals;
    made->real_bytes += reals * bytes_of[r->kind];
    if (!r->reals)
      continue;
    made->is_uniform &= made->widest == OTHER || made->widest == r->kind;
    if (made->widest == OTHER || r->kind > made->widest)
      made->widest = r->kind;
  }
  made->users = 2;
  PMPI_Type_set_attr(type, layout_key, made);
  return made;
}
