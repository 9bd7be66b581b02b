/* Messages that are not waited for: what becomes of them is found by their requests.
 *
 * What was sent needs nothing more: its derivatives are on the way, and its adjoint is received where it was sent. A request of
 * such a message may be one that MPI uses for many. What is received is looked at where its request is done. */

returned adrt_MPI_Irecv(void *at, void *shadow, int count, MPI_Datatype type, int from, int tag, MPI_Comm user, MPI_Request *request,
                        int mode) {
  receive *r = new_receive(at, shadow, count, type, from, tag, user, "MPI_Irecv");
  int error = PMPI_Irecv(at, count, type, from, tag, user, request);
  return (returned){begin_receive(r, type, error, *request, mode), error};
}

/* Requests that are started again. */
typedef struct again {
  struct again *next;
  MPI_Request request;
  int is_receive, count, peer, tag;
  void *at, *shadow;
  MPI_Datatype type;
  MPI_Comm user;
} again;

static again *first_again;

static again *find_again(MPI_Request request) {
  again *a = first_again;
  while (a && a->request != request)
    a = a->next;
  return a;
}

static returned keep(int is_receive, const void *at, void *shadow, int count, MPI_Datatype type, int peer, int tag, MPI_Comm user,
                     const MPI_Request *request, int error) {
  if (error == MPI_SUCCESS && peer != MPI_PROC_NULL) {
    again *a = malloc(sizeof *a);
    *a = (again){first_again, *request, is_receive, count, peer, tag, (void *)at, shadow, type, user};
    first_again = a;
  }
  return (returned){NULL, error};
}

#define SEND_INIT(name)                                                                                                              \
  returned adrt_MPI_##name(const void *at, void *shadow, int count, MPI_Datatype type, int to, int tag, MPI_Comm user,                \
                           MPI_Request *request, int mode) {                                                                          \
    (void)mode;                                                                                                                      \
    int error = PMPI_##name(at, count, type, to, tag, user, request);                                                                 \
    return keep(0, at, shadow, count, type, to, tag, user, request, error);                                                           \
  }
SEND_INIT(Send_init)
SEND_INIT(Ssend_init)
SEND_INIT(Rsend_init)
SEND_INIT(Bsend_init)

returned adrt_MPI_Recv_init(void *at, void *shadow, int count, MPI_Datatype type, int from, int tag, MPI_Comm user, MPI_Request *request,
                            int mode) {
  (void)mode;
  int error = PMPI_Recv_init(at, count, type, from, tag, user, request);
  return keep(1, at, shadow, count, type, from, tag, user, request, error);
}

/* What happens where a request is started again. */
static action *begin_again(MPI_Request request, int mode) {
  again *a = find_again(request);
  if (!a)
    return NULL;
  if (!a->is_receive)
    return begin_send(a->at, a->shadow, a->count, a->type, a->peer, a->tag, a->user, mode, "MPI_Start");
  receive *r = new_receive(a->at, a->shadow, a->count, a->type, a->peer, a->tag, a->user, "MPI_Start");
  return begin_receive(r, a->type, MPI_SUCCESS, request, mode);
}

returned adrt_MPI_Start(MPI_Request *request, int mode) {
  action *a = begin_again(*request, mode);
  return (returned){a, PMPI_Start(request)};
}

returned adrt_MPI_Startall(int count, MPI_Request *requests, int mode) {
  action *all = NULL;
  for (int i = 0; i < count; i++)
    all = joined(begin_again(requests[i], mode), all);
  return (returned){all, PMPI_Startall(count, requests)};
}

returned adrt_MPI_Request_free(MPI_Request *request, int mode) {
  (void)mode;
  for (again **at = &first_again; *at; at = &(*at)->next)
    if ((*at)->request == *request) {
      again *a = *at;
      *at = a->next;
      free(a);
      break;
    }
  if (find_receive(*request) || find_among(*request))
    give_up("AD232", "MPI_Request_free is given the request of a receive that is not done, whose derivatives nobody could take",
            "wait for it (MPI_Wait)");
  return (returned){NULL, PMPI_Request_free(request)};
}

returned adrt_MPI_Cancel(MPI_Request *request, int mode) {
  (void)mode;
  /* Of a receive, its status tells. */
  if (!find_receive(*request))
    give_up("AD232", "MPI_Cancel is given the request of a message that may be under way with its derivatives", "cancel receives only");
  return (returned){NULL, PMPI_Cancel(request)};
}

/* What happens where a request is done. */
static action *end_request(MPI_Request request, const MPI_Status *status, int mode) {
  if (request == MPI_REQUEST_NULL)
    return NULL;
  receive *r = find_receive(request);
  if (r)
    return end_receive(r, status, r->type, mode);
  /* Of operations that were done at once, several may have one request. */
  action *all = NULL;
  for (among *a = find_among(request); a; a = find_among(request))
    all = joined(end_among(a, mode), all);
  return all;
}

/* Copies of requests, and statuses of our own. */
typedef struct waiting {
  MPI_Request *requests;
  MPI_Status *statuses;
} waiting;

static waiting begin_wait(int count, const MPI_Request *requests) {
  waiting w = {calloc(count + 1, sizeof *w.requests), calloc(count + 1, sizeof *w.statuses)};
  for (int i = 0; i < count; i++)
    w.requests[i] = requests[i];
  return w;
}

static returned end_wait(waiting w, int count, MPI_Status *statuses, action *all, int error) {
  for (int i = 0; i < count && statuses != MPI_STATUSES_IGNORE; i++)
    statuses[i] = w.statuses[i];
  free(w.requests), free(w.statuses);
  return (returned){all, error};
}

/* Whether the request of this place succeeded. */
static int is_good(int error, const MPI_Status *status) {
  return error == MPI_SUCCESS || (error == MPI_ERR_IN_STATUS && status->MPI_ERROR == MPI_SUCCESS);
}

static action *end_all(const waiting *w, int count, int error, int mode) {
  action *all = NULL;
  for (int i = 0; i < count; i++)
    if (is_good(error, &w->statuses[i]))
      all = joined(end_request(w->requests[i], &w->statuses[i], mode), all);
  return all;
}

static action *end_some(const waiting *w, const int *places, int count, int error, int mode) {
  action *all = NULL;
  for (int i = 0; i < count && count != MPI_UNDEFINED; i++)
    if (is_good(error, &w->statuses[i]))
      all = joined(end_request(w->requests[places[i]], &w->statuses[i], mode), all);
  return all;
}

returned adrt_MPI_Wait(MPI_Request *request, MPI_Status *status, int mode) {
  waiting w = begin_wait(1, request);
  int error = PMPI_Wait(request, w.statuses);
  return end_wait(w, 1, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status, end_all(&w, 1, error, mode), error);
}

returned adrt_MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses, int mode) {
  waiting w = begin_wait(count, requests);
  int error = PMPI_Waitall(count, requests, w.statuses);
  return end_wait(w, count, statuses, end_all(&w, count, error, mode), error);
}

returned adrt_MPI_Waitany(int count, MPI_Request *requests, int *place, MPI_Status *status, int mode) {
  waiting w = begin_wait(count, requests);
  int error = PMPI_Waitany(count, requests, place, w.statuses);
  action *a = *place == MPI_UNDEFINED ? NULL : end_some(&w, place, 1, error, mode);
  return end_wait(w, 1, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status, a, error);
}

returned adrt_MPI_Waitsome(int count, MPI_Request *requests, int *done, int *places, MPI_Status *statuses, int mode) {
  waiting w = begin_wait(count, requests);
  int error = PMPI_Waitsome(count, requests, done, places, w.statuses);
  int some = *done == MPI_UNDEFINED ? 0 : *done;
  return end_wait(w, some, statuses, end_some(&w, places, some, error, mode), error);
}

returned adrt_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status, int mode) {
  waiting w = begin_wait(1, request);
  int error = PMPI_Test(request, flag, w.statuses);
  action *a = *flag ? end_all(&w, 1, error, mode) : NULL;
  return end_wait(w, *flag, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status, a, error);
}

returned adrt_MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses, int mode) {
  waiting w = begin_wait(count, requests);
  int error = PMPI_Testall(count, requests, flag, w.statuses);
  action *a = *flag ? end_all(&w, count, error, mode) : NULL;
  return end_wait(w, *flag ? count : 0, statuses, a, error);
}

returned adrt_MPI_Testany(int count, MPI_Request *requests, int *place, int *flag, MPI_Status *status, int mode) {
  waiting w = begin_wait(count, requests);
  int error = PMPI_Testany(count, requests, place, flag, w.statuses);
  action *a = *flag && *place != MPI_UNDEFINED ? end_some(&w, place, 1, error, mode) : NULL;
  return end_wait(w, *flag, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status, a, error);
}

returned adrt_MPI_Testsome(int count, MPI_Request *requests, int *done, int *places, MPI_Status *statuses, int mode) {
  waiting w = begin_wait(count, requests);
  int error = PMPI_Testsome(count, requests, done, places, w.statuses);
  int some = *done == MPI_UNDEFINED ? 0 : *done;
  return end_wait(w, some, statuses, end_some(&w, places, some, error, mode), error);
}
