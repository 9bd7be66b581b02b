// Work sharing, reductions and critical sections of OpenMP, as clang and flang call them (openmp/runtime/src/kmp.h; OpenMP 5.2,
// sections 11.5 and 15.2). Every thread takes the same iterations in both sweeps, so which ones is computed here. Threads take turns
// in critical sections in an order that the reverse sweep replays backwards (runtime/src/team.c).

#include "models.h"

#include <stddef.h>
#include <stdint.h>

// Where the directive stands; the number of a critical section.
typedef struct ident ident;
typedef int32_t lock[8];

extern int omp_get_thread_num(void);
extern int omp_get_num_threads(void);
extern void __kmpc_barrier(ident *at, int32_t thread);
extern void adrt_team_take(ident *at, int32_t thread, lock *section);
extern void adrt_team_join(ident *at, int32_t thread, lock *section);
extern int64_t adrt_team_turn(lock *section);
extern void adrt_team_give(ident *at, int32_t thread, lock *section, int64_t turn);

// Kinds of schedules; the upper bits say whether iterations are in order.
enum { STATIC_CHUNKED = 33, MONOTONIC = 1 << 29, NONMONOTONIC = 1 << 30 };

// The iterations of a thread: from *lower to *upper; with chunks, the next ones begin *stride later.
#define STATIC_INIT(name, number, count, difference)                                                                                 \
  void MODEL(__kmpc_for_static_init_##name)(ident * at, int32_t thread, int32_t schedule, int32_t *last, number *lower,              \
                                            number *upper, difference *stride, difference step, difference chunk) {                  \
    (void)at, (void)thread;                                                                                                          \
    if (step > 0 ? *upper < *lower : *lower < *upper) {                                                                              \
      *last = 0, *stride = step;                                                                                                     \
      return;                                                                                                                        \
    }                                                                                                                                \
    count all = step > 0 ? (count)(*upper - *lower) / (count)step + 1 : (count)(*lower - *upper) / (count)-step + 1;                 \
    int team = omp_get_num_threads();                                                                                                \
    /* Above zero: what is divided by it may be computed before a loop. */                                                           \
    count own = omp_get_thread_num(), threads = team > 1 ? team : 1;                                                                 \
    if ((schedule & ~(MONOTONIC | NONMONOTONIC)) == STATIC_CHUNKED) {                                                                \
      count each = chunk < 1 ? 1 : chunk;                                                                                            \
      *last = own == (all - 1) / each % threads;                                                                                     \
      *stride = (difference)(each * threads) * step;                                                                                 \
      *lower += (number)(each * own) * step;                                                                                         \
      *upper = *lower + (number)(each - 1) * step;                                                                                   \
      return;                                                                                                                        \
    }                                                                                                                                \
    count each = all / threads, rest = all % threads;                                                                                \
    count first = own * each + (own < rest ? own : rest), taken = own < rest ? each + 1 : each;                                      \
    *last = taken > 0 && first + taken == all;                                                                                       \
    *stride = (difference)all * step;                                                                                                \
    /* No part goes beyond the loop: for those who ask which memory all threads access (the shim's extents.h). */                    \
    count end = first + taken - 1;                                                                                                   \
    end = end < all - 1 ? end : all - 1;                                                                                             \
    __builtin_assume(first <= all);                                                                                                  \
    *upper = *lower + (number)end * step;                                                                                            \
    *lower += (number)first * step;                                                                                                  \
  }
STATIC_INIT(4, int32_t, uint32_t, int32_t)
STATIC_INIT(4u, uint32_t, uint32_t, int32_t)
STATIC_INIT(8, int64_t, uint64_t, int64_t)
STATIC_INIT(8u, uint64_t, uint64_t, int64_t)

void MODEL(__kmpc_critical)(ident *at, int32_t thread, lock *section) { adrt_team_take(at, thread, section); }
void MODEL(__kmpc_critical_with_hint)(ident *at, int32_t thread, lock *section, uint32_t hint) {
  (void)hint;
  adrt_team_take(at, thread, section);
}
void MODEL(__kmpc_end_critical)(ident *at, int32_t thread, lock *section) { adrt_team_give(at, thread, section, adrt_team_turn(section)); }

// The same of locks. Which lock it is, its address says.
extern void adrt_team_take_lock(ident *at, int32_t thread, lock *section);
extern void adrt_team_give_lock(ident *at, int32_t thread, lock *section, int64_t turn);
#define LOCK(set, unset)                                                                                                             \
  void MODEL(set)(void *section) { adrt_team_take_lock(NULL, 0, section); }                                                          \
  void MODEL(unset)(void *section) { adrt_team_give_lock(NULL, 0, section, adrt_team_turn(section)); }
LOCK(omp_set_lock, omp_unset_lock)
LOCK(omp_set_lock_, omp_unset_lock_)

// And of the part of a loop that threads run in the order of the iterations: one for each directive.
extern void adrt_team_take_ordered(ident *at, int32_t thread, ident *section);
extern void adrt_team_give_ordered(ident *at, int32_t thread, ident *section, int64_t turn);
void MODEL(__kmpc_ordered)(ident *at, int32_t thread) { adrt_team_take_ordered(at, thread, at); }
void MODEL(__kmpc_end_ordered)(ident *at, int32_t thread) { adrt_team_give_ordered(at, thread, at, adrt_team_turn((lock *)at)); }

// Each thread adds its part to the whole, one after the other.
#define REDUCE(name)                                                                                                                 \
  int32_t MODEL(name)(ident * at, int32_t thread, int32_t variables, size_t bytes, void *parts, void (*add)(void *, void *),         \
                      lock *section) {                                                                                               \
    (void)variables, (void)bytes, (void)parts, (void)add;                                                                            \
    adrt_team_join(at, thread, section);                                                                                             \
    return 1;                                                                                                                        \
  }
REDUCE(__kmpc_reduce)
REDUCE(__kmpc_reduce_nowait)
void MODEL(__kmpc_end_reduce_nowait)(ident *at, int32_t thread, lock *section) {
  adrt_team_give(at, thread, section, adrt_team_turn(section));
}
void MODEL(__kmpc_end_reduce)(ident *at, int32_t thread, lock *section) {
  adrt_team_give(at, thread, section, adrt_team_turn(section));
  __kmpc_barrier(at, thread);
}

// Chunks that threads take when they are free (schedules dynamic, guided, auto and runtime): the runtime says which
// (runtime/src/team.c), as its functions write where nothing else could see it.
extern void adrt_team_dispatch(ident *at, int32_t thread, int32_t schedule, int64_t lower, int64_t upper, int64_t step, int64_t chunk, int32_t kind);
extern int32_t adrt_team_next(ident *at, int32_t thread, int32_t kind);
extern int64_t adrt_team_lower(void);
extern int64_t adrt_team_upper(void);
extern int64_t adrt_team_stride(void);
extern int32_t adrt_team_is_last(void);

enum { SIGNED_4, UNSIGNED_4, SIGNED_8, UNSIGNED_8 };
#define DISPATCH(name, number, difference, kind)                                                                                     \
  void MODEL(__kmpc_dispatch_init_##name)(ident * at, int32_t thread, int32_t schedule, number lower, number upper, difference step, \
                                          difference chunk) {                                                                        \
    adrt_team_dispatch(at, thread, schedule, lower, upper, step, chunk, kind);                                                       \
  }                                                                                                                                  \
  int32_t MODEL(__kmpc_dispatch_next_##name)(ident * at, int32_t thread, int32_t *last, number *lower, number *upper,                \
                                             difference *stride) {                                                                   \
    if (!adrt_team_next(at, thread, kind))                                                                                           \
      return 0;                                                                                                                      \
    *last = adrt_team_is_last();                                                                                                     \
    *lower = adrt_team_lower(), *upper = adrt_team_upper(), *stride = adrt_team_stride();                                            \
    return 1;                                                                                                                        \
  }
DISPATCH(4, int32_t, int32_t, SIGNED_4)
DISPATCH(4u, uint32_t, int32_t, UNSIGNED_4)
DISPATCH(8, int64_t, int64_t, SIGNED_8)
DISPATCH(8u, uint64_t, int64_t, UNSIGNED_8)
