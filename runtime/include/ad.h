/* adcc: requests for derivatives in C and C++ (see docs/reference/ad-h.md).
 *
 * A request is a call of a function without a definition; the plugin replaces the call. The name of the function contains one
 * of the names below. A prototype with a suffix of its own (`__ad_adjoint_gmm`) therefore gives each request its own types.
 * The caller provides the shadows. A shadow has the same layout as its primal. Adjoints are added to it.
 */
#ifndef AD_H
#define AD_H

/* With this attribute, messages name the line of a request without debug information, and a compiler without the plugin reports an error. */
#if defined(__clang__) && __has_attribute(error)
#define AD_REQUEST __attribute__((error("no derivative was generated: compile with adcc, or with -fpass-plugin=libadpass.so")))
#else
#define AD_REQUEST
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Markers: the activity of the argument that follows. They have no definition, because the plugin removes all references. */
extern int ad_const;      /* inactive: one argument, the value                                        */
extern int ad_dup;        /* active: value, then shadow                                               */
extern int ad_dupnoneed;  /* as ad_dup; the caller does not need the primal result in this memory    */
extern int ad_out;        /* active by value: one argument; the request returns its adjoint          */
extern int ad_width;      /* the number of directions follows                                         */
extern int ad_dupv;       /* several directions: the distance of their shadows in bytes, value, first shadow */
extern int ad_dupnoneedv; /* as ad_dupv; the caller does not need the primal result in this memory   */
extern int ad_interleave; /* behind all values: the shadows of all arguments follow                  */

/* Markers of the request itself, after the function. */
extern int ad_primal_return; /* the request returns the primal result before the derivatives          */
extern int ad_const_return;  /* the result is inactive                                                */
extern int ad_tape;          /* split mode: the tape follows, instead of being the last argument       */
extern int ad_allocated;     /* split mode: the size of the memory that ad_tape points to follows      */

/* Split mode: frees a tape that will not be reversed. */
extern void adrt_tape_discard(void *tape);

/* Checkpointing: the marked parts of a program are not recorded; the reverse sweep runs them again. Without the plugin, and in
 * primal code, these calls do nothing (libadrt.a defines them).
 *
 * In the body of a time-stepping loop: the gradient keeps at most this number of snapshots of the loop's state, and runs steps
 * again from there. The gradient is the same to the last bit. */
extern void ad_checkpoint_loop(int snapshots);
/* In the body of a loop whose iterations do not read array elements that other iterations write: each iteration is recorded
 * and reversed by itself, and runs twice. Sums and other scalars may pass from one iteration to the next. */
extern void ad_checkpoint_independent(void);
/* In the body of a loop that iterates z = phi(z, u) to a fixed point: the gradient does not reverse the iterations, but converges the adjoint
 * of z with one of them, until it is smaller than this part of its first size. */
extern void ad_fixed_point(double tolerance);
/* Around a region of one function: the gradient takes one snapshot, and runs the region again. */
extern void ad_checkpoint_begin(void);
extern void ad_checkpoint_end(void);
/* Around calls: these calls are recorded, even if the functions run again elsewhere (-ad-joint, -ad-calls). */
extern void ad_split_begin(void);
extern void ad_split_end(void);
/* Before the loop or region: states the number of bytes of this memory that belong to its state, where the compiler does not know it. */
extern void ad_checkpoint_state(const void *memory, unsigned long bytes);

#ifdef __cplusplus
}

/* C++: `__ad_tangent<double>(f, x, dx)`, `__ad_adjoint<double>(f, x)`. These templates have no definition. */
template <typename Return, typename... Args> AD_REQUEST Return __ad_tangent(Args...);
template <typename Return, typename... Args> AD_REQUEST Return __ad_adjoint(Args...);
/* C++: `__ad_pattern<double>(f, x, xs)`: sets of inputs in place of tangents. */
template <typename Return, typename... Args> AD_REQUEST Return __ad_pattern(Args...);
/* C++: `__ad_augmented<void *>(f, x, xb)`, `__ad_reverse<void>(f, x, xb, seed, tape)`. */
template <typename Return, typename... Args> AD_REQUEST Return __ad_augmented(Args...);
template <typename Return, typename... Args> AD_REQUEST Return __ad_reverse(Args...);
#else

/* Runs f and its tangent in one sweep; returns the tangent of the result. */
extern double __ad_tangent(void *f, ...) AD_REQUEST;
/* Runs f, then its reverse sweep with seed 1 for the result. Returns the adjoint of the argument by value, if there is
 * exactly one. For several, or none, declare a prototype of your own: `struct two __ad_adjoint_f(void *, ...)`. */
extern double __ad_adjoint(void *f, ...) AD_REQUEST;
/* Runs f and propagates sets of inputs in place of tangents, for patterns of Jacobians and Hessians: see ad_sparse.h. Returns the
 * set of the result. */
extern double __ad_pattern(void *f, ...) AD_REQUEST;
/* Split mode: runs the forward sweep of f and returns the tape. To get the result as well, declare a prototype of your own
 * that returns `struct { void *tape; double result; }`. */
extern void *__ad_augmented(void *f, ...) AD_REQUEST;
/* Split mode: runs the reverse sweep. It takes the same arguments, then the adjoint of the result if f returns a real, then
 * the tape. It returns the adjoint of the argument by value, if there is exactly one. */
extern double __ad_reverse(void *f, ...) AD_REQUEST;

#endif
#endif
