/* adcc: requests for derivatives in C and C++ (see docs/user-guide.md).
 *
 * A request is a call to a function that nobody defines; the plugin replaces it. A function counts as a request
 * by containing one of the names below, so that a prototype with a suffix of its own (`__ad_adjoint_gmm`) gives
 * each request its own types. Shadows belong to the caller: same shape as the primal; adjoints accumulate.
 */
#ifndef AD_H
#define AD_H

/* Lets messages name the line of a request without debug information; without the plugin, the compiler says so. */
#if defined(__clang__) && __has_attribute(error)
#define AD_REQUEST __attribute__((error("no derivative was generated: compile with adcc, or with -fpass-plugin=libadpass.so")))
#else
#define AD_REQUEST
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Activity of the argument that follows. None of these is ever defined: no reference survives the plugin. */
extern int ad_const;      /* inactive: one argument, the value                                        */
extern int ad_dup;        /* active: value, then shadow                                               */
extern int ad_dupnoneed;  /* as ad_dup; the primal result behind it is not needed                     */
extern int ad_out;        /* active by value: one argument; the adjoint call returns its adjoint      */
extern int ad_width;      /* followed by the number of directions                                     */

/* Of the request itself, after the function. */
extern int ad_primal_return; /* the request returns the primal result before the derivatives          */
extern int ad_tape;          /* split mode: the tape follows, instead of coming last                   */
extern int ad_allocated;     /* split mode: the size of the memory follows to which ad_tape points     */

/* Split mode: gives up a tape that is not to be reversed. */
extern void adrt_tape_discard(void *tape);

/* Checkpointing: which parts of a program run again when a gradient undoes them, instead of being recorded. Without the plugin,
 * and in primal code, these calls do nothing (they are in libadrt.a).
 *
 * In the body of a time-stepping loop: at most so many snapshots of what the loop carries are kept; each gradient runs
 * steps again from there. The gradient is the same to the last bit. */
extern void ad_checkpoint_loop(int snapshots);
/* In the body of a loop whose iterations do not read, in arrays, what other iterations write: each is recorded and undone on its own, and runs
 * twice. Sums and other scalars may go from one to the next. */
extern void ad_checkpoint_independent(void);
/* Around a region of one function: one snapshot, and the region runs again. */
extern void ad_checkpoint_begin(void);
extern void ad_checkpoint_end(void);
/* Around calls: they are recorded, even of functions that run again elsewhere (-ad-joint, -ad-calls). */
extern void ad_split_begin(void);
extern void ad_split_end(void);
/* Before the loop or region: how many bytes of this memory belong to its state, where the compiler does not know it. */
extern void ad_checkpoint_state(const void *memory, unsigned long bytes);

#ifdef __cplusplus
}

/* C++: `__ad_tangent<double>(f, x, dx)`, `__ad_adjoint<double>(f, x)`; declared, never defined. */
template <typename Return, typename... Args> AD_REQUEST Return __ad_tangent(Args...);
template <typename Return, typename... Args> AD_REQUEST Return __ad_adjoint(Args...);
/* C++: `__ad_augmented<void *>(f, x, xb)`, `__ad_reverse<void>(f, x, xb, seed, tape)`. */
template <typename Return, typename... Args> AD_REQUEST Return __ad_augmented(Args...);
template <typename Return, typename... Args> AD_REQUEST Return __ad_reverse(Args...);
#else

/* Runs f and its tangent in one sweep; returns the tangent of the result. */
extern double __ad_tangent(void *f, ...) AD_REQUEST;
/* Runs f, then its reverse sweep with seed 1 for the result; returns the adjoint of the by-value argument, if
 * there is exactly one. For several, or none, declare a prototype of your own: `struct two __ad_adjoint_f(void *, ...)`. */
extern double __ad_adjoint(void *f, ...) AD_REQUEST;
/* Split mode. The forward sweep of f; returns the tape. For the result as well, declare a prototype of your own that
 * returns `struct { void *tape; double result; }`. */
extern void *__ad_augmented(void *f, ...) AD_REQUEST;
/* The reverse sweep, with the same arguments, then the adjoint of f's result if it returns a real, then the tape; returns
 * the adjoint of the by-value argument, if there is exactly one. */
extern double __ad_reverse(void *f, ...) AD_REQUEST;

#endif
#endif
