/* Communicators of our own beside the program's, and what is sent in them.
 *
 * A communicator can only be made by all its ranks, but a message is sent by one. So ours are made where the program makes its
 * own: in `MPI_Init`, `MPI_Comm_split` and the others, which are defined here and call MPI's (`PMPI_…`). They are found by an
 * attribute. That of a communicator which was made elsewhere (by code that calls `PMPI_…` itself, or in a library that was linked
 * without adcc) is made at the first operation among all its ranks. */

static int comm_key = MPI_KEYVAL_INVALID;

/* Our tag: messages say themselves what they are. */
enum { OUR_TAG = 7 };

static void release_comm(comm *c) {
  if (--c->users)
    return;
  int is_over = 0;
  PMPI_Finalized(&is_over);
  if (!is_over) {
    PMPI_Comm_free(&c->own);
    PMPI_Comm_free(&c->later);
    if (c->backwards != MPI_COMM_NULL)
      PMPI_Comm_free(&c->backwards);
  }
  free(c->sent.list), free(c->received.list);
  free(c);
}

static int forget_comm(MPI_Comm user, int key, void *value, void *extra) {
  (void)user, (void)key, (void)extra;
  release_comm(value);
  return MPI_SUCCESS;
}

/* Makes what belongs to a communicator: `from` is one like it that has no attributes of the program. */
static comm *make_comm(MPI_Comm user, MPI_Comm from) {
  int is_between = 0;
  if (user == MPI_COMM_NULL)
    return NULL;
  PMPI_Comm_test_inter(user, &is_between);
  comm *c = calloc(1, sizeof *c);
  c->users = 1;
  c->backwards = MPI_COMM_NULL;
  PMPI_Comm_rank(user, &c->rank);
  if (is_between)
    PMPI_Comm_remote_size(user, &c->size);
  else
    PMPI_Comm_size(user, &c->size);
  PMPI_Comm_dup(from, &c->own);
  PMPI_Comm_dup(from, &c->later);
  /* What goes wrong in ours, nobody asks for. */
  PMPI_Comm_set_errhandler(c->own, MPI_ERRORS_ARE_FATAL);
  PMPI_Comm_set_errhandler(c->later, MPI_ERRORS_ARE_FATAL);
  if (comm_key == MPI_KEYVAL_INVALID)
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_comm, &comm_key, NULL);
  PMPI_Comm_set_attr(user, comm_key, c);
  return c;
}

static comm *find_comm(MPI_Comm user) {
  void *known = NULL;
  int found = 0;
  if (comm_key != MPI_KEYVAL_INVALID)
    PMPI_Comm_get_attr(user, comm_key, &known, &found);
  return found ? known : NULL;
}

/* What belongs to a communicator; a user more. */
static comm *comm_of(MPI_Comm user, int is_collective, const char *operation) {
  check_thread(operation);
  comm *c = find_comm(user);
  if (!c && is_collective)
    c = make_comm(user, user);
  if (!c) {
    char what[256];
    snprintf(what, sizeof what, "%s is given a communicator that was made where adcc does not see it", operation);
    give_up("AD231", what,
            "link the program with adcc, and make communicators by MPI's functions (not PMPI_…, nor MPI_Comm_idup); or let an "
            "operation among all ranks of it come first (MPI_Barrier does not count)");
  }
  finish_sends(0);
  c->users++;
  return c;
}

/* Notes a communicator that the program has made. */
static int made(int error, const MPI_Comm *user) {
  if (error == MPI_SUCCESS && *user != MPI_COMM_NULL && !find_comm(*user))
    make_comm(*user, *user);
  return error;
}

static void begin(void) {
  int is_begun = 0;
  PMPI_Initialized(&is_begun);
  if (!is_begun || find_comm(MPI_COMM_WORLD))
    return;
  make_comm(MPI_COMM_WORLD, MPI_COMM_WORLD);
  make_comm(MPI_COMM_SELF, MPI_COMM_SELF);
}

int MPI_Init(int *count, char ***words) {
  int error = PMPI_Init(count, words);
  begin();
  return error;
}
int MPI_Init_thread(int *count, char ***words, int wanted, int *got) {
  int error = PMPI_Init_thread(count, words, wanted, got);
  begin();
  return error;
}
int MPI_Finalize(void) {
  finish_sends(1);
  return PMPI_Finalize();
}
/* The program's attributes are copied once, to its own. */
static int duplicated(int error, MPI_Comm of, const MPI_Comm *user) {
  comm *c = error == MPI_SUCCESS ? find_comm(of) : NULL;
  if (c)
    make_comm(*user, c->own);
  return c ? error : made(error, user);
}
int MPI_Comm_dup(MPI_Comm of, MPI_Comm *user) { return duplicated(PMPI_Comm_dup(of, user), of, user); }
int MPI_Comm_dup_with_info(MPI_Comm of, MPI_Info info, MPI_Comm *user) {
  return duplicated(PMPI_Comm_dup_with_info(of, info, user), of, user);
}
int MPI_Comm_create(MPI_Comm of, MPI_Group group, MPI_Comm *user) { return made(PMPI_Comm_create(of, group, user), user); }
int MPI_Comm_create_group(MPI_Comm of, MPI_Group group, int tag, MPI_Comm *user) {
  return made(PMPI_Comm_create_group(of, group, tag, user), user);
}
int MPI_Comm_split(MPI_Comm of, int color, int key, MPI_Comm *user) { return made(PMPI_Comm_split(of, color, key, user), user); }
int MPI_Comm_split_type(MPI_Comm of, int kind, int key, MPI_Info info, MPI_Comm *user) {
  return made(PMPI_Comm_split_type(of, kind, key, info, user), user);
}
int MPI_Cart_create(MPI_Comm of, int dimensions, const int *sizes, const int *periods, int reorder, MPI_Comm *user) {
  return made(PMPI_Cart_create(of, dimensions, sizes, periods, reorder, user), user);
}
int MPI_Cart_sub(MPI_Comm of, const int *remain, MPI_Comm *user) { return made(PMPI_Cart_sub(of, remain, user), user); }
int MPI_Graph_create(MPI_Comm of, int nodes, const int *index, const int *edges, int reorder, MPI_Comm *user) {
  return made(PMPI_Graph_create(of, nodes, index, edges, reorder, user), user);
}
int MPI_Dist_graph_create(MPI_Comm of, int n, const int *sources, const int *degrees, const int *targets, const int *weights, MPI_Info info,
                          int reorder, MPI_Comm *user) {
  return made(PMPI_Dist_graph_create(of, n, sources, degrees, targets, weights, info, reorder, user), user);
}
int MPI_Dist_graph_create_adjacent(MPI_Comm of, int in, const int *sources, const int *from, int out, const int *targets, const int *to,
                                   MPI_Info info, int reorder, MPI_Comm *user) {
  return made(PMPI_Dist_graph_create_adjacent(of, in, sources, from, out, targets, to, info, reorder, user), user);
}
int MPI_Intercomm_create(MPI_Comm of, int leader, MPI_Comm peers, int other, int tag, MPI_Comm *user) {
  return made(PMPI_Intercomm_create(of, leader, peers, other, tag, user), user);
}
int MPI_Intercomm_merge(MPI_Comm of, int high, MPI_Comm *user) { return made(PMPI_Intercomm_merge(of, high, user), user); }

/* The ranks of a communicator backwards; all of them ask. */
static MPI_Comm backwards(comm *c) {
  if (c->backwards == MPI_COMM_NULL)
    PMPI_Comm_split(c->own, 0, c->size - c->rank, &c->backwards);
  return c->backwards;
}

/* Messages that are under way. */
static struct sending {
  MPI_Request request;
  void *buffer;
} *sending;
static int sending_size, sending_room;

/* Sends a buffer of the heap, which is freed afterwards. */
static void send_later(void *buffer, int bytes, int peer, comm *c) {
  if (sending_size == sending_room) {
    sending_room = sending_room ? 2 * sending_room : 16;
    sending = realloc(sending, sending_room * sizeof *sending);
  }
  struct sending *s = &sending[sending_size++];
  s->buffer = buffer;
  PMPI_Isend(buffer, bytes, MPI_BYTE, peer, OUR_TAG, c->own, &s->request);
}

/* Frees the buffers of what has been sent, or waits until all has. */
static void finish_sends(int waits) {
  int left = 0, late = 0;
  for (int i = 0; i < sending_size; i++) {
    int done = 1;
    /* Where the oldest ones are under way, later ones mostly are. */
    if (!waits && late >= 8)
      done = 0;
    else if (waits)
      PMPI_Wait(&sending[i].request, MPI_STATUS_IGNORE);
    else
      PMPI_Test(&sending[i].request, &done, MPI_STATUS_IGNORE);
    if (done)
      free(sending[i].buffer);
    else
      sending[left++] = sending[i], late++;
  }
  sending_size = left;
}

/* The place of a peer and a tag: there, or where they would be. */
static struct number *place_of(struct number *list, long room, int peer, int tag) {
  unsigned long hash = ((unsigned long)(unsigned)peer << 32 | (unsigned)tag) * 0x9e3779b97f4a7c15u;
  long at = (long)(hash >> 20) & (room - 1);
  while (list[at].next && (list[at].peer != peer || list[at].tag != tag))
    at = (at + 1) & (room - 1);
  return &list[at];
}

/* Numbers from 0, for messages of one peer with one tag. */
static long next_number(numbers *of, int peer, int tag) {
  if (2 * of->size >= of->room) {
    numbers more = {calloc(of->room ? 2 * of->room : 16, sizeof *of->list), of->size, of->room ? 2 * of->room : 16};
    for (long i = 0; i < of->room; i++)
      if (of->list[i].next)
        *place_of(more.list, more.room, of->list[i].peer, of->list[i].tag) = of->list[i];
    free(of->list);
    *of = more;
  }
  struct number *found = place_of(of->list, of->room, peer, tag);
  if (!found->next) {
    *found = (struct number){peer, tag, 0};
    of->size++;
  }
  return found->next++;
}
