/* Operations among neighbours in a topology (MPI 4.1, section 8.6): messages from one rank to another, for derivatives. Which of a
 * rank's messages to the same neighbour is which, their tags say: below all tags of the program. */

typedef struct neighbours {
  int in, out;
  int *sources, *targets;
  /* Of each, the tag of its message. */
  int *in_tags, *out_tags;
} neighbours;

/* Below MPI_ANY_TAG. */
static int own_tag(int n) { return -16 - n; }

/* How often a rank stands in a list before that place. */
static int occurrences(const int *list, int place) {
  int n = 0;
  for (int i = 0; i < place; i++)
    n += list[i] == list[place];
  return n;
}

static neighbours neighbours_of(MPI_Comm user) {
  neighbours all = {0, 0, NULL, NULL, NULL, NULL};
  int kind, dimensions = 0, rank, weighted;
  PMPI_Topo_test(user, &kind);
  PMPI_Comm_rank(user, &rank);
  if (kind == MPI_CART) {
    PMPI_Cartdim_get(user, &dimensions);
    all.in = all.out = 2 * dimensions;
  } else if (kind == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(user, rank, &all.in);
    all.out = all.in;
  } else if (kind == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(user, &all.in, &all.out, &weighted);
  }
  all.sources = calloc(all.in + 1, sizeof(int)), all.targets = calloc(all.out + 1, sizeof(int));
  all.in_tags = calloc(all.in + 1, sizeof(int)), all.out_tags = calloc(all.out + 1, sizeof(int));
  if (kind == MPI_DIST_GRAPH) {
    int *weights = calloc(all.in + all.out + 1, sizeof *weights);
    PMPI_Dist_graph_neighbors(user, all.in, all.sources, weights, all.out, all.targets, weights + all.in);
    free(weights);
  } else if (kind == MPI_GRAPH) {
    PMPI_Graph_neighbors(user, rank, all.in, all.sources);
    memcpy(all.targets, all.sources, all.in * sizeof(int));
  }
  for (int d = 0; d < dimensions; d++) {
    PMPI_Cart_shift(user, d, 1, &all.sources[2 * d], &all.sources[2 * d + 1]);
    all.targets[2 * d] = all.sources[2 * d], all.targets[2 * d + 1] = all.sources[2 * d + 1];
  }
  /* What goes up in a grid comes from below. */
  for (int i = 0; i < all.in; i++)
    all.in_tags[i] = own_tag(kind == MPI_CART ? i : occurrences(all.sources, i));
  for (int i = 0; i < all.out; i++)
    all.out_tags[i] = own_tag(kind == MPI_CART ? i ^ 1 : occurrences(all.targets, i));
  return all;
}

static void free_neighbours(neighbours all) {
  free(all.sources), free(all.targets), free(all.in_tags), free(all.out_tags);
}

/* After the program's own operation. `from` has one part, or one for each neighbour; `to` one for each. */
static returned exchanged(neighbours all, side from, side to, MPI_Comm user, int error, int mode, const char *name) {
  action *tape = NULL;
  comm *c = comm_of(user, 1, name);
  for (int i = 0; i < all.out && error == MPI_SUCCESS; i++) {
    part p = from.parts[from.size == 1 ? 0 : i];
    if (all.targets[i] == MPI_PROC_NULL || !carries(p))
      continue;
    long number = next_number(&c->sent, all.targets[i], all.out_tags[i]);
    if (mode == TANGENT) {
      check_integers(p, name);
      send_part(p, all.targets[i], all.out_tags[i], number, 0, c);
      continue;
    }
    sent *s = malloc(sizeof *s);
    p.of->users++, c->users++;
    *s = (sent){{NULL, undo_send}, c, all.targets[i], all.out_tags[i], number, p};
    tape = joined(&s->is, tape);
  }
  for (int i = 0; i < all.in && error == MPI_SUCCESS; i++) {
    part p = to.parts[i];
    if (all.sources[i] == MPI_PROC_NULL || !carries(p))
      continue;
    check_place(p, name);
    long number = next_number(&c->received, all.sources[i], all.in_tags[i]);
    if (mode == TANGENT) {
      receive_part(p, all.sources[i], all.in_tags[i], number, 0, c);
      continue;
    }
    forget_pointers(p);
    receive *r = calloc(1, sizeof *r);
    p.of->users++, c->users++;
    r->users = 1, r->comm = c, r->peer = all.sources[i], r->tag = all.in_tags[i], r->number = number, r->to = p;
    received *of = malloc(sizeof *of);
    *of = (received){{NULL, undo_receive}, r};
    tape = joined(&of->is, tape);
  }
  release_comm(c);
  free_side(from), free_side(to);
  free_neighbours(all);
  return (returned){tape, error};
}

static side one(buffer b, int count, MPI_Datatype type) {
  side s = {0, NULL};
  add(&s, b, 0, count, type);
  return s;
}

/* `n` parts, of equal size, or as lists say. */
static side several(buffer b, int n, int count, const int *counts, const int *starts, MPI_Datatype type) {
  side s = {0, NULL};
  MPI_Aint extent = extent_of(type);
  for (int i = 0; i < n; i++)
    add(&s, b, (counts ? starts[i] : (MPI_Aint)i * count) * extent, counts ? counts[i] : count, type);
  return s;
}

static side several_types(buffer b, int n, const int *counts, const MPI_Aint *starts, const MPI_Datatype *types) {
  side s = {0, NULL};
  for (int i = 0; i < n; i++)
    add(&s, b, starts[i], counts[i], types[i]);
  return s;
}

#define NEIGHBOURS(Name, parameters, from, to, arguments)                                                                            \
  returned adrt_MPI_##Name(ONLY parameters, int mode) {                                                                              \
    neighbours all = neighbours_of(c);                                                                                               \
    side out = from, in = to;                                                                                                        \
    return exchanged(all, out, in, c, PMPI_##Name arguments, mode, "MPI_" #Name);                                                    \
  }

NEIGHBOURS(Neighbor_allgather, (OUT(s), int n, MPI_Datatype t, IN(r), int m, MPI_Datatype u, MPI_Comm c), one(BUFFER(s), n, t),
           several(BUFFER(r), all.in, m, NULL, NULL, u), (s, n, t, r, m, u, c))
NEIGHBOURS(Neighbor_allgatherv, (OUT(s), int n, MPI_Datatype t, IN(r), const int *ms, const int *at, MPI_Datatype u, MPI_Comm c),
           one(BUFFER(s), n, t), several(BUFFER(r), all.in, 0, ms, at, u), (s, n, t, r, ms, at, u, c))
NEIGHBOURS(Neighbor_alltoall, (OUT(s), int n, MPI_Datatype t, IN(r), int m, MPI_Datatype u, MPI_Comm c),
           several(BUFFER(s), all.out, n, NULL, NULL, t), several(BUFFER(r), all.in, m, NULL, NULL, u), (s, n, t, r, m, u, c))
NEIGHBOURS(Neighbor_alltoallv,
           (OUT(s), const int *ns, const int *from, MPI_Datatype t, IN(r), const int *ms, const int *at, MPI_Datatype u, MPI_Comm c),
           several(BUFFER(s), all.out, 0, ns, from, t), several(BUFFER(r), all.in, 0, ms, at, u), (s, ns, from, t, r, ms, at, u, c))
NEIGHBOURS(Neighbor_alltoallw,
           (OUT(s), const int *ns, const MPI_Aint *from, const MPI_Datatype *ts, IN(r), const int *ms, const MPI_Aint *at,
            const MPI_Datatype *us, MPI_Comm c),
           several_types(BUFFER(s), all.out, ns, from, ts), several_types(BUFFER(r), all.in, ms, at, us), (s, ns, from, ts, r, ms, at, us, c))
