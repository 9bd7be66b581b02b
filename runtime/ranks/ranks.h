/* Derivatives of messages between ranks: what the files of this folder share.
 *
 * adcc compiles ranks.c, which includes the others, against the mpi.h of the program that it links, since handles and
 * constants are others in each MPI. Generated code calls `adrt_MPI_F` in the place of each operation F, and
 * `adrt_ranks_reverse` to undo it (pass/src/codegen/ranks.rs).
 *
 * What is sent beside the program's messages goes through communicators of our own (comms.c), so no receive of the
 * program can take it, whatever its wildcards are. It is never waited for before the program's own message is: it is
 * copied and sent without waiting, so that nothing locks up where the program does not.
 *
 * From one rank to another: the messages of one sender with one tag are numbered, on both sides, in the order in which
 * they match (MPI 4.1, section 3.5). In a tangent, the derivative follows each message under its number. In a reverse sweep,
 * where the program received, the adjoint is sent back under that number, and where it sent, it is received and added. A
 * receive that does not wait has its adjoint sent where it was waited for. That is the order of the forward sweep, backwards,
 * in which each rank waits for none but those that it helped on there.
 *
 * Among all ranks: operations are linear in what is packed, perhaps after each real is multiplied by a factor (of a
 * product, of a maximum); the adjoint is the transposed operation (collective.c).
 */
#ifndef ADRT_RANKS_H
#define ADRT_RANKS_H

#include <mpi.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What generated code asks a rule for. */
enum mode { TANGENT, FORWARD };

/* What a rule returns: the record for the reverse sweep, if there is something to undo, and MPI's error code. */
typedef struct returned {
  void *tape;
  int error;
} returned;

/* What an element of a datatype is. Others are numbers and characters that have no derivative. Bytes (MPI_BYTE) may be anything: from
 * one rank to another, their shadows go with them. */
enum kind { F32, F64, F80, OTHER, RAW, BYTES };

/* Elements of a datatype one behind the other. */
typedef struct run {
  MPI_Aint at;
  enum kind kind;
  int count;
  /* Reals of an element: one, two (complex numbers), none. */
  int reals;
  /* Bytes of an element. */
  int bytes;
} run;

/* What a datatype is made of. */
typedef struct layout {
  long users;
  MPI_Aint extent;
  /* Elements, as MPI_Get_elements counts; reals and bytes of reals in these, and elements that are bytes. */
  long elements, reals, real_bytes, bytes;
  /* The widest kind of real, OTHER if there is none. */
  enum kind widest;
  int is_uniform;
  int size, room;
  run *runs;
} layout;

/* Memory that holds so many elements of a layout, its shadow. */
typedef struct part {
  char *at;
  /* The primal memory, where that is still as it was. */
  const char *primal;
  layout *of;
  long elements;
} part;

/* How many messages there were, by peer and tag: a hash table, where a count of 0 is a free place. */
typedef struct numbers {
  struct number {
    int peer, tag;
    long next;
  } *list;
  long size, room;
} numbers;

/* A message that came before it was asked for. */
typedef struct early {
  struct early *next;
  int peer, tag, is_adjoint;
  long number;
  void *buffer;
  int bytes;
} early;

/* What belongs to a communicator of the program. */
typedef struct comm {
  long users;
  int is_freed, rank, size;
  /* For our messages; for operations of reverse sweeps that do not wait; with the ranks backwards, on first use. */
  MPI_Comm own, later, backwards;
  numbers sent, received;
  /* Operations that do not wait: how many started in forward sweeps and not yet in reverse sweeps. */
  long places;
  early *early;
} comm;

/* A receive. */
typedef struct receive {
  struct receive *next, *previous;
  long users;
  MPI_Request request;
  MPI_Datatype type;
  comm *comm;
  /* As asked for; then as matched. */
  int peer, tag;
  long number;
  int is_matched, is_listed, is_recorded;
  part to;
} receive;

/* What the reverse sweep has to do. */
typedef struct action {
  struct action *next;
  void (*run)(struct action *);
} action;

static void give_up(const char *code, const char *what, const char *remedy);

/* layouts.c */
static layout *layout_of(MPI_Datatype type);
static void release_layout(layout *of);

/* parts.c */
static part part_of(void *shadow, const void *primal, layout *of, long count);
static long packed_bytes(part p, enum kind wire);
static void pack(part p, enum kind wire, char *to);
static void unpack(part p, enum kind wire, const char *from, int adds);
static void clear(part p);
static long bytes_in(part p);
static void pack_bytes(part p, char *to);
static void unpack_bytes(part p, const char *from, int adds);
static void clear_bytes(part p);
static void forget_pointers(part p);
static void check_place(part p, const char *operation);
static void check_others(part p, const char *operation);
static void check_integers(part p, const char *operation);
static int is_zero(part p);

/* comms.c */
static comm *comm_of(MPI_Comm user, int is_collective, const char *operation);
static void release_comm(comm *c);
static void send_later(void *buffer, int bytes, int peer, comm *c);
static void finish_sends(int waits);
static long next_number(numbers *list, int peer, int tag);

#endif
