/* Messages from one rank to another. */

/* What stands before the packed reals of a message. */
typedef struct envelope {
  int tag, is_adjoint;
  int64_t number;
} envelope;

/* Whether a message has derivatives. */
static int carries(part p) { return packed_bytes(p, OTHER) + bytes_in(p) > 0; }

/* Sends the derivatives of a part. */
static void send_part(part p, int peer, int tag, long number, int is_adjoint, comm *c) {
  long reals = packed_bytes(p, OTHER), bytes = sizeof(envelope) + reals + bytes_in(p);
  if (bytes > INT_MAX)
    give_up("AD230", "a message has more bytes of derivatives than MPI counts (2 GiB)", "send it in several messages");
  char *buffer = malloc(bytes);
  *(envelope *)buffer = (envelope){tag, is_adjoint, number};
  pack(p, OTHER, buffer + sizeof(envelope));
  pack_bytes(p, buffer + sizeof(envelope) + reals);
  send_later(buffer, (int)bytes, peer, c);
}

/* Waits for derivatives of that number, which fill a part. */
static void receive_part(part p, int peer, int tag, long number, int is_adjoint, comm *c) {
  char *found = NULL;
  long bytes = 0;
  for (early **at = &c->early; *at; at = &(*at)->next) {
    early *e = *at;
    if (e->peer != peer || e->tag != tag || e->number != number || e->is_adjoint != is_adjoint)
      continue;
    found = e->buffer, bytes = e->bytes;
    *at = e->next;
    free(e);
    break;
  }
  while (!found) {
    MPI_Message message;
    MPI_Status status;
    int size;
    PMPI_Mprobe(peer, OUR_TAG, c->own, &message, &status);
    PMPI_Get_count(&status, MPI_BYTE, &size);
    char *buffer = malloc(size);
    PMPI_Mrecv(buffer, size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    envelope *of = (envelope *)buffer;
    if (of->tag == tag && of->number == number && of->is_adjoint == is_adjoint) {
      found = buffer, bytes = size;
      break;
    }
    early *e = malloc(sizeof *e);
    *e = (early){c->early, peer, of->tag, of->is_adjoint, of->number, buffer, size};
    c->early = e;
  }
  long reals = packed_bytes(p, OTHER);
  if (bytes != (long)sizeof(envelope) + reals + bytes_in(p))
    give_up("AD230", "a message brings other derivatives than its receiver expects: the two ranks describe it by datatypes that do not fit",
            "describe messages by the same types on both sides");
  unpack(p, OTHER, found + sizeof(envelope), is_adjoint);
  unpack_bytes(p, found + sizeof(envelope) + reals, is_adjoint);
  free(found);
}

/* What was sent: its adjoint comes back. */
typedef struct sent {
  action is;
  comm *comm;
  int peer, tag;
  long number;
  part from;
} sent;

static void undo_send(action *a) {
  sent *s = (sent *)a;
  receive_part(s->from, s->peer, s->tag, s->number, 1, s->comm);
  release_comm(s->comm);
  release_layout(s->from.of);
  free(s);
}

/* What happens where the program starts to send. */
static action *begin_send(const void *at, void *shadow, int count, MPI_Datatype type, int peer, int tag, MPI_Comm user, int mode,
                          const char *operation) {
  if (peer == MPI_PROC_NULL)
    return NULL;
  comm *c = comm_of(user, 0, operation);
  part from = part_of(shadow, at, layout_of(type), count);
  long number = next_number(&c->sent, peer, tag);
  if (mode == TANGENT)
    check_integers(from, operation);
  if (carries(from) && mode == FORWARD) {
    sent *s = malloc(sizeof *s);
    *s = (sent){{NULL, undo_send}, c, peer, tag, number, from};
    return &s->is;
  }
  if (carries(from))
    send_part(from, peer, tag, number, 0, c);
  release_comm(c);
  release_layout(from.of);
  return NULL;
}

/* Receives that wait. */
static receive *first_receive, *last_receive;

/* Messages that a forward sweep has begun to receive, and not yet received. */
static long unfinished;

static void list_receive(receive *r) {
  r->previous = last_receive;
  r->next = NULL;
  *(last_receive ? &last_receive->next : &first_receive) = r;
  last_receive = r;
  r->is_listed = 1;
}

static void unlist_receive(receive *r) {
  if (!r->is_listed)
    return;
  *(r->previous ? &r->previous->next : &first_receive) = r->next;
  *(r->next ? &r->next->previous : &last_receive) = r->previous;
  r->is_listed = 0;
}

static void release_receive(receive *r) {
  if (--r->users)
    return;
  release_comm(r->comm);
  release_layout(r->to.of);
  free(r);
}

/* The number of a message that a receive has matched, `before` which others were posted: those that could have matched it have
 * matched earlier ones, or others. */
static long number_of(comm *c, receive *before, int peer, int tag) {
  for (receive *r = first_receive; r && r != before; r = r->next) {
    int fits = (r->peer == MPI_ANY_SOURCE || r->peer == peer) && (r->tag == MPI_ANY_TAG || r->tag == tag);
    if (r->comm != c || r->is_matched || !fits)
      continue;
    if (r->peer == MPI_ANY_SOURCE || r->tag == MPI_ANY_TAG) {
      /* It has matched, so it ends. */
      MPI_Status status;
      int is_done = 0, is_cancelled = 0;
      while (!is_done)
        PMPI_Request_get_status(r->request, &is_done, &status);
      PMPI_Test_cancelled(&status, &is_cancelled);
      if (is_cancelled)
        continue;
      r->peer = status.MPI_SOURCE, r->tag = status.MPI_TAG;
    }
    r->number = number_of(c, r, r->peer, r->tag);
    r->is_matched = 1;
  }
  return next_number(&c->received, peer, tag);
}

static receive *new_receive(void *at, void *shadow, int count, MPI_Datatype type, int peer, int tag, MPI_Comm user, const char *operation) {
  if (peer == MPI_PROC_NULL)
    return NULL;
  receive *r = calloc(1, sizeof *r);
  r->users = 1;
  r->comm = comm_of(user, 0, operation);
  r->peer = peer, r->tag = tag;
  r->to = part_of(shadow, at, layout_of(type), count);
  return r;
}

static receive *find_receive(MPI_Request request) {
  receive *r = first_receive;
  while (r && r->request != request)
    r = r->next;
  return r;
}

/* The place where a receive was posted: by then its adjoint is sent. */
typedef struct posted {
  action is;
  receive *message;
} posted;

static void undo_post(action *a) {
  release_receive(((posted *)a)->message);
  free(a);
}

/* Notes a receive that does not wait. */
static action *begin_receive(receive *r, MPI_Datatype type, int error, MPI_Request request, int mode) {
  if (!r)
    return NULL;
  if (error != MPI_SUCCESS) {
    release_receive(r);
    return NULL;
  }
  r->request = request;
  r->type = type;
  list_receive(r);
  if (mode == TANGENT)
    return NULL;
  unfinished++;
  r->is_recorded = 1;
  posted *p = malloc(sizeof *p);
  *p = (posted){{NULL, undo_post}, r};
  r->users++;
  return &p->is;
}

/* What was received: its adjoint goes back. */
typedef struct received {
  action is;
  receive *message;
} received;

static void undo_receive(action *a) {
  receive *r = ((received *)a)->message;
  /* Of the program's integers nobody knows any more what they were. */
  part bytes = r->to;
  bytes.primal = bytes.at;
  check_integers(bytes, "a receive");
  if (carries(r->to))
    send_part(r->to, r->peer, r->tag, r->number, 1, r->comm);
  clear(r->to);
  clear_bytes(r->to);
  release_receive(r);
  free(a);
}

/* What happens where a message has come. */
static action *end_receive(receive *r, const MPI_Status *status, MPI_Datatype type, int mode) {
  int items = 0, is_cancelled = 0;
  PMPI_Test_cancelled(status, &is_cancelled);
  if (!is_cancelled && !r->is_matched) {
    r->peer = status->MPI_SOURCE, r->tag = status->MPI_TAG;
    r->number = number_of(r->comm, r->is_listed ? r : NULL, r->peer, r->tag);
    r->is_matched = 1;
  }
  unlist_receive(r);
  unfinished -= r->is_recorded;
  if (is_cancelled) {
    release_receive(r);
    return NULL;
  }
  PMPI_Get_count(status, type, &items);
  r->to.elements = items * r->to.of->elements;
  if (items == MPI_UNDEFINED) {
    PMPI_Get_elements(status, type, &items);
    r->to.elements = items;
  }
  check_place(r->to, "a receive");
  if (mode == FORWARD) {
    forget_pointers(r->to);
    received *of = malloc(sizeof *of);
    *of = (received){{NULL, undo_receive}, r};
    return &of->is;
  }
  if (carries(r->to))
    receive_part(r->to, r->peer, r->tag, r->number, 0, r->comm);
  release_receive(r);
  return NULL;
}

static action *joined(action *first, action *second) {
  if (!first)
    return second;
  action *last = first;
  while (last->next)
    last = last->next;
  last->next = second;
  return first;
}

static void give_status(MPI_Status *to, const MPI_Status *status) {
  if (to != MPI_STATUS_IGNORE)
    *to = *status;
}

#define SEND(name)                                                                                                                   \
  returned adrt_MPI_##name(const void *at, void *shadow, int count, MPI_Datatype type, int to, int tag, MPI_Comm user, int mode) {    \
    action *a = begin_send(at, shadow, count, type, to, tag, user, mode, "MPI_" #name);                                               \
    return (returned){a, PMPI_##name(at, count, type, to, tag, user)};                                                                \
  }
SEND(Send)
SEND(Ssend)
SEND(Rsend)
SEND(Bsend)

#define ISEND(name)                                                                                                                  \
  returned adrt_MPI_##name(const void *at, void *shadow, int count, MPI_Datatype type, int to, int tag, MPI_Comm user,                \
                           MPI_Request *request, int mode) {                                                                          \
    action *a = begin_send(at, shadow, count, type, to, tag, user, mode, "MPI_" #name);                                               \
    return (returned){a, PMPI_##name(at, count, type, to, tag, user, request)};                                                       \
  }
ISEND(Isend)
ISEND(Issend)
ISEND(Irsend)
ISEND(Ibsend)

returned adrt_MPI_Recv(void *at, void *shadow, int count, MPI_Datatype type, int from, int tag, MPI_Comm user, MPI_Status *status,
                       int mode) {
  MPI_Status own;
  receive *r = new_receive(at, shadow, count, type, from, tag, user, "MPI_Recv");
  int error = PMPI_Recv(at, count, type, from, tag, user, &own);
  give_status(status, &own);
  return (returned){r && error == MPI_SUCCESS ? end_receive(r, &own, type, mode) : NULL, error};
}

returned adrt_MPI_Sendrecv(const void *out, void *out_shadow, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in,
                           void *in_shadow, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm user,
                           MPI_Status *status, int mode) {
  MPI_Status own;
  action *s = begin_send(out, out_shadow, out_count, out_type, to, out_tag, user, mode, "MPI_Sendrecv");
  receive *r = new_receive(in, in_shadow, in_count, in_type, from, in_tag, user, "MPI_Sendrecv");
  int error = PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, user, &own);
  give_status(status, &own);
  action *got = r && error == MPI_SUCCESS ? end_receive(r, &own, in_type, mode) : NULL;
  return (returned){joined(got, s), error};
}

returned adrt_MPI_Sendrecv_replace(void *at, void *shadow, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                                   MPI_Comm user, MPI_Status *status, int mode) {
  MPI_Status own;
  action *s = begin_send(at, shadow, count, type, to, out_tag, user, mode, "MPI_Sendrecv_replace");
  receive *r = new_receive(at, shadow, count, type, from, in_tag, user, "MPI_Sendrecv_replace");
  int error = PMPI_Sendrecv_replace(at, count, type, to, out_tag, from, in_tag, user, &own);
  give_status(status, &own);
  action *got = r && error == MPI_SUCCESS ? end_receive(r, &own, type, mode) : NULL;
  return (returned){joined(got, s), error};
}
