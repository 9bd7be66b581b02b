/* The operations as Fortran calls them (mpif.h): everything is given by reference, handles are integers, and an error code is given
 * back. Rules of C do the work. */

/* What C calls MPI_IN_PLACE, MPI_BOTTOM and MPI_STATUS_IGNORE are variables in Fortran: in Open MPI each a common block, in
 * MPICH one after the other in a common block. */
extern MPI_Fint mpi_fortran_in_place_[] __attribute__((weak));
extern MPI_Fint mpi_fortran_bottom_[] __attribute__((weak));
extern MPI_Fint mpi_fortran_status_ignore_[] __attribute__((weak));
extern MPI_Fint mpi_fortran_statuses_ignore_[] __attribute__((weak));
extern MPI_Fint mpipriv1_[] __attribute__((weak));
extern MPI_Fint mpipriv2_[] __attribute__((weak));

static int is_variable(const void *at, const MPI_Fint *own, const MPI_Fint *of_mpich, int place) {
  return at && ((own && at == (const void *)own) || (of_mpich && at == (const void *)(of_mpich + place)));
}

static void *place(const void *buffer) {
  if (is_variable(buffer, mpi_fortran_in_place_, mpipriv1_, 1))
    return MPI_IN_PLACE;
  return is_variable(buffer, mpi_fortran_bottom_, mpipriv1_, 0) ? MPI_BOTTOM : (void *)buffer;
}

static int ignores(const MPI_Fint *status) {
  return is_variable(status, mpi_fortran_status_ignore_, mpipriv1_, 2) || is_variable(status, mpi_fortran_statuses_ignore_, mpipriv2_, 0);
}

/* Integers of a status. */
enum { STATUS = sizeof(MPI_Status) / sizeof(MPI_Fint) };

static void give_statuses(MPI_Fint *to, const MPI_Status *statuses, int count) {
  for (int i = 0; i < count && !ignores(to); i++)
    MPI_Status_c2f(&statuses[i], to + i * STATUS);
}

#define BUFFER_F(name) void *name, void *name##_shadow
#define INT_F(name) const MPI_Fint *name
#define T(name) MPI_Type_f2c(*name)
#define C(name) MPI_Comm_f2c(*name)
#define O(name) MPI_Op_f2c(*name)
#define B(name) place(name), name##_shadow

/* An operation that gives back an error code alone. */
#define FORTRAN(name, Name, parameters, arguments)                                                                                   \
  void *adrt_mpi_##name##_(ONLY parameters, MPI_Fint *error, int mode) {                                                             \
    returned did = adrt_MPI_##Name(ONLY arguments, mode);                                                                              \
    *error = did.error;                                                                                                                \
    return did.tape;                                                                                                                   \
  }
/* One that gives back a request, too. */
#define FORTRAN_REQUEST(name, Name, parameters, arguments)                                                                           \
  void *adrt_mpi_##name##_(ONLY parameters, MPI_Fint *request, MPI_Fint *error, int mode) {                                          \
    MPI_Request own = MPI_REQUEST_NULL;                                                                                              \
    returned did = adrt_MPI_##Name(ONLY arguments, &own, mode);                                                                        \
    *request = MPI_Request_c2f(own);                                                                                                 \
    *error = did.error;                                                                                                                \
    return did.tape;                                                                                                                   \
  }
#define FORTRAN_BOTH(name, Name, parameters, arguments)                                                                              \
  FORTRAN(name, Name, parameters, arguments)                                                                                         \
  FORTRAN_REQUEST(i##name, I##name, parameters, arguments)
/* One that gives back a status. */
#define FORTRAN_STATUS(name, Name, parameters, arguments)                                                                            \
  void *adrt_mpi_##name##_(ONLY parameters, MPI_Fint *status, MPI_Fint *error, int mode) {                                           \
    MPI_Status own;                                                                                                                  \
    memset(&own, 0, sizeof own);                                                                                                     \
    returned did = adrt_MPI_##Name(ONLY arguments, &own, mode);                                                                        \
    give_statuses(status, &own, 1);                                                                                                  \
    *error = did.error;                                                                                                                \
    return did.tape;                                                                                                                   \
  }

#define MESSAGE (BUFFER_F(b), INT_F(n), INT_F(t), INT_F(peer), INT_F(tag), INT_F(c))
#define MESSAGE_GIVEN (B(b), *n, T(t), *peer, *tag, C(c))
FORTRAN(send, Send, MESSAGE, MESSAGE_GIVEN)
FORTRAN(ssend, Ssend, MESSAGE, MESSAGE_GIVEN)
FORTRAN(rsend, Rsend, MESSAGE, MESSAGE_GIVEN)
FORTRAN(bsend, Bsend, MESSAGE, MESSAGE_GIVEN)
FORTRAN_STATUS(recv, Recv, MESSAGE, MESSAGE_GIVEN)
FORTRAN_REQUEST(isend, Isend, MESSAGE, MESSAGE_GIVEN)
FORTRAN_REQUEST(issend, Issend, MESSAGE, MESSAGE_GIVEN)
FORTRAN_REQUEST(irsend, Irsend, MESSAGE, MESSAGE_GIVEN)
FORTRAN_REQUEST(ibsend, Ibsend, MESSAGE, MESSAGE_GIVEN)
FORTRAN_REQUEST(irecv, Irecv, MESSAGE, MESSAGE_GIVEN)
FORTRAN_REQUEST(send_init, Send_init, MESSAGE, MESSAGE_GIVEN)
FORTRAN_REQUEST(ssend_init, Ssend_init, MESSAGE, MESSAGE_GIVEN)
FORTRAN_REQUEST(rsend_init, Rsend_init, MESSAGE, MESSAGE_GIVEN)
FORTRAN_REQUEST(bsend_init, Bsend_init, MESSAGE, MESSAGE_GIVEN)
FORTRAN_REQUEST(recv_init, Recv_init, MESSAGE, MESSAGE_GIVEN)
FORTRAN_STATUS(sendrecv, Sendrecv,
               (BUFFER_F(s), INT_F(n), INT_F(t), INT_F(to), INT_F(tag), BUFFER_F(r), INT_F(m), INT_F(u), INT_F(from), INT_F(other), INT_F(c)),
               (B(s), *n, T(t), *to, *tag, B(r), *m, T(u), *from, *other, C(c)))
FORTRAN_STATUS(sendrecv_replace, Sendrecv_replace,
               (BUFFER_F(b), INT_F(n), INT_F(t), INT_F(to), INT_F(tag), INT_F(from), INT_F(other), INT_F(c)),
               (B(b), *n, T(t), *to, *tag, *from, *other, C(c)))

#define SUMS (BUFFER_F(s), BUFFER_F(r), INT_F(n), INT_F(t), INT_F(o), INT_F(c))
#define SUMS_GIVEN (B(s), B(r), *n, T(t), O(o), C(c))
FORTRAN_BOTH(bcast, Bcast, (BUFFER_F(b), INT_F(n), INT_F(t), INT_F(root), INT_F(c)), (B(b), *n, T(t), *root, C(c)))
FORTRAN_BOTH(reduce, Reduce, (BUFFER_F(s), BUFFER_F(r), INT_F(n), INT_F(t), INT_F(o), INT_F(root), INT_F(c)),
             (B(s), B(r), *n, T(t), O(o), *root, C(c)))
FORTRAN_BOTH(allreduce, Allreduce, SUMS, SUMS_GIVEN)
FORTRAN_BOTH(scan, Scan, SUMS, SUMS_GIVEN)
FORTRAN_BOTH(exscan, Exscan, SUMS, SUMS_GIVEN)
FORTRAN_BOTH(reduce_scatter, Reduce_scatter, (BUFFER_F(s), BUFFER_F(r), INT_F(ns), INT_F(t), INT_F(o), INT_F(c)),
             (B(s), B(r), ns, T(t), O(o), C(c)))
FORTRAN_BOTH(reduce_scatter_block, Reduce_scatter_block, SUMS, SUMS_GIVEN)
#define PARTS (BUFFER_F(s), INT_F(n), INT_F(t), BUFFER_F(r), INT_F(m), INT_F(u), INT_F(root), INT_F(c))
#define PARTS_GIVEN (B(s), *n, T(t), B(r), *m, T(u), *root, C(c))
FORTRAN_BOTH(gather, Gather, PARTS, PARTS_GIVEN)
FORTRAN_BOTH(scatter, Scatter, PARTS, PARTS_GIVEN)
FORTRAN_BOTH(gatherv, Gatherv, (BUFFER_F(s), INT_F(n), INT_F(t), BUFFER_F(r), INT_F(ms), INT_F(at), INT_F(u), INT_F(root), INT_F(c)),
             (B(s), *n, T(t), B(r), ms, at, T(u), *root, C(c)))
FORTRAN_BOTH(scatterv, Scatterv, (BUFFER_F(s), INT_F(ns), INT_F(at), INT_F(t), BUFFER_F(r), INT_F(m), INT_F(u), INT_F(root), INT_F(c)),
             (B(s), ns, at, T(t), B(r), *m, T(u), *root, C(c)))
#define EACH (BUFFER_F(s), INT_F(n), INT_F(t), BUFFER_F(r), INT_F(m), INT_F(u), INT_F(c))
#define EACH_GIVEN (B(s), *n, T(t), B(r), *m, T(u), C(c))
FORTRAN_BOTH(allgather, Allgather, EACH, EACH_GIVEN)
FORTRAN_BOTH(alltoall, Alltoall, EACH, EACH_GIVEN)
FORTRAN_BOTH(allgatherv, Allgatherv, (BUFFER_F(s), INT_F(n), INT_F(t), BUFFER_F(r), INT_F(ms), INT_F(at), INT_F(u), INT_F(c)),
             (B(s), *n, T(t), B(r), ms, at, T(u), C(c)))
FORTRAN_BOTH(alltoallv, Alltoallv,
             (BUFFER_F(s), INT_F(ns), INT_F(from), INT_F(t), BUFFER_F(r), INT_F(ms), INT_F(at), INT_F(u), INT_F(c)),
             (B(s), ns, from, T(t), B(r), ms, at, T(u), C(c)))

FORTRAN(neighbor_allgather, Neighbor_allgather, EACH, EACH_GIVEN)
FORTRAN(neighbor_alltoall, Neighbor_alltoall, EACH, EACH_GIVEN)
FORTRAN(neighbor_allgatherv, Neighbor_allgatherv, (BUFFER_F(s), INT_F(n), INT_F(t), BUFFER_F(r), INT_F(ms), INT_F(at), INT_F(u), INT_F(c)),
        (B(s), *n, T(t), B(r), ms, at, T(u), C(c)))
FORTRAN(neighbor_alltoallv, Neighbor_alltoallv,
        (BUFFER_F(s), INT_F(ns), INT_F(from), INT_F(t), BUFFER_F(r), INT_F(ms), INT_F(at), INT_F(u), INT_F(c)),
        (B(s), ns, from, T(t), B(r), ms, at, T(u), C(c)))

/* Requests in C, and back: those that are done are null. */
static MPI_Request *requests_of(int count, const MPI_Fint *requests) {
  MPI_Request *own = calloc(count + 1, sizeof *own);
  for (int i = 0; i < count; i++)
    own[i] = MPI_Request_f2c(requests[i]);
  return own;
}

static void give_requests(int count, MPI_Request *own, MPI_Fint *requests) {
  for (int i = 0; i < count; i++)
    requests[i] = MPI_Request_c2f(own[i]);
  free(own);
}

/* What waits: `call` works on requests and statuses of our own, `done` of these are given back, behind what else is. */
#define FORTRAN_WAIT(name, parameters, size, call, done, more)                                                                       \
  void *adrt_mpi_##name##_(ONLY parameters, MPI_Fint *statuses, MPI_Fint *error, int mode) {                                         \
    const int count = size;                                                                                                          \
    MPI_Request *own = requests_of(count, requests);                                                                                 \
    MPI_Status *s = calloc(count + 1, sizeof *s);                                                                                    \
    returned did = call;                                                                                                               \
    give_statuses(statuses, s, done);                                                                                                \
    more;                                                                                                                            \
    give_requests(count, own, requests);                                                                                             \
    free(s);                                                                                                                         \
    *error = did.error;                                                                                                                \
    return did.tape;                                                                                                                   \
  }

/* Places count from 1. */
static void shift_places(MPI_Fint *places, int count) {
  for (int i = 0; i < count && count != MPI_UNDEFINED; i++)
    if (places[i] != MPI_UNDEFINED)
      places[i]++;
}

#define REQUESTS INT_F(n), MPI_Fint *requests
FORTRAN_WAIT(wait, (MPI_Fint * requests), 1, adrt_MPI_Wait(own, s, mode), 1, )
FORTRAN_WAIT(waitall, (REQUESTS), *n, adrt_MPI_Waitall(count, own, s, mode), count, )
FORTRAN_WAIT(waitany, (REQUESTS, MPI_Fint *at), *n, adrt_MPI_Waitany(count, own, at, s, mode), 1, shift_places(at, 1))
FORTRAN_WAIT(waitsome, (REQUESTS, MPI_Fint *done, MPI_Fint *at), *n, adrt_MPI_Waitsome(count, own, done, at, s, mode),
             *done == MPI_UNDEFINED ? 0 : *done, shift_places(at, *done))
FORTRAN_WAIT(test, (MPI_Fint * requests, MPI_Fint *flag), 1, adrt_MPI_Test(own, flag, s, mode), *flag, )
FORTRAN_WAIT(testall, (REQUESTS, MPI_Fint *flag), *n, adrt_MPI_Testall(count, own, flag, s, mode), *flag ? count : 0, )
FORTRAN_WAIT(testany, (REQUESTS, MPI_Fint *at, MPI_Fint *flag), *n, adrt_MPI_Testany(count, own, at, flag, s, mode), *flag, shift_places(at, 1))
FORTRAN_WAIT(testsome, (REQUESTS, MPI_Fint *done, MPI_Fint *at), *n, adrt_MPI_Testsome(count, own, done, at, s, mode),
             *done == MPI_UNDEFINED ? 0 : *done, shift_places(at, *done))

#define FORTRAN_START(name, parameters, size, call)                                                                                  \
  void *adrt_mpi_##name##_(ONLY parameters, MPI_Fint *error, int mode) {                                                             \
    const int count = size;                                                                                                          \
    MPI_Request *own = requests_of(count, requests);                                                                                 \
    returned did = call;                                                                                                               \
    give_requests(count, own, requests);                                                                                             \
    *error = did.error;                                                                                                                \
    return did.tape;                                                                                                                   \
  }
FORTRAN_START(start, (MPI_Fint * requests), 1, adrt_MPI_Start(own, mode))
FORTRAN_START(startall, (REQUESTS), *n, adrt_MPI_Startall(count, own, mode))
FORTRAN_START(request_free, (MPI_Fint * requests), 1, adrt_MPI_Request_free(own, mode))
FORTRAN_START(cancel, (MPI_Fint * requests), 1, adrt_MPI_Cancel(own, mode))

/* Where Fortran makes communicators: its own functions call none of C's. */
#define PMPI_F(name, ...) extern void pmpi_##name##_(__VA_ARGS__) __attribute__((weak))
PMPI_F(init, MPI_Fint *);
PMPI_F(init_thread, MPI_Fint *, MPI_Fint *, MPI_Fint *);
PMPI_F(finalize, MPI_Fint *);

void mpi_init_(MPI_Fint *error) {
  pmpi_init_(error);
  begin();
}
void mpi_init_thread_(MPI_Fint *wanted, MPI_Fint *got, MPI_Fint *error) {
  pmpi_init_thread_(wanted, got, error);
  begin();
}
void mpi_finalize_(MPI_Fint *error) {
  finish_sends(1);
  pmpi_finalize_(error);
}

/* `made_as`: what C does with the communicator that comes last but one. */
#define MAKES(name, types, names, made_as)                                                                                           \
  extern void pmpi_##name##_ types __attribute__((weak));                                                                            \
  void mpi_##name##_ types {                                                                                                         \
    pmpi_##name##_ names;                                                                                                            \
    MPI_Comm comm = *e == MPI_SUCCESS ? C(user) : MPI_COMM_NULL;                                                                     \
    if (*e == MPI_SUCCESS)                                                                                                           \
      made_as;                                                                                                                       \
  }
#define I MPI_Fint *
MAKES(comm_dup, (I of, I user, I e), (of, user, e), duplicated(*e, C(of), &comm))
MAKES(comm_dup_with_info, (I of, I info, I user, I e), (of, info, user, e), duplicated(*e, C(of), &comm))
MAKES(comm_create, (I of, I group, I user, I e), (of, group, user, e), made(*e, &comm))
MAKES(comm_create_group, (I of, I group, I tag, I user, I e), (of, group, tag, user, e), made(*e, &comm))
MAKES(comm_split, (I of, I color, I key, I user, I e), (of, color, key, user, e), made(*e, &comm))
MAKES(comm_split_type, (I of, I kind, I key, I info, I user, I e), (of, kind, key, info, user, e), made(*e, &comm))
MAKES(cart_create, (I of, I n, I sizes, I periods, I reorder, I user, I e), (of, n, sizes, periods, reorder, user, e), made(*e, &comm))
MAKES(cart_sub, (I of, I remain, I user, I e), (of, remain, user, e), made(*e, &comm))
MAKES(graph_create, (I of, I n, I index, I edges, I reorder, I user, I e), (of, n, index, edges, reorder, user, e), made(*e, &comm))
MAKES(dist_graph_create, (I of, I n, I from, I degrees, I to, I weights, I info, I reorder, I user, I e),
      (of, n, from, degrees, to, weights, info, reorder, user, e), made(*e, &comm))
MAKES(dist_graph_create_adjacent, (I of, I in, I from, I weights, I out, I to, I more, I info, I reorder, I user, I e),
      (of, in, from, weights, out, to, more, info, reorder, user, e), made(*e, &comm))
MAKES(intercomm_create, (I of, I leader, I peers, I other, I tag, I user, I e), (of, leader, peers, other, tag, user, e), made(*e, &comm))
MAKES(intercomm_merge, (I of, I high, I user, I e), (of, high, user, e), made(*e, &comm))
#undef I
