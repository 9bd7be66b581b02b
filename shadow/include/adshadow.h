/* Derivatives through prebuilt machine code: what generated code calls around a call of a function that has neither source
 * nor rule. libadshadow.a defines all of it. All state is of the calling thread. Errors end the program with a message.
 *
 * In shadow code, "dot" is a tangent, "index" the name of a value in a recording. A shadow pointer leads to the shadow of
 * what the pointer leads to: dots, or the adjoints of the reverse sweep.
 */
#ifndef ADSHADOW_H
#define ADSHADOW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ADSHADOW_TANGENT = 0, ADSHADOW_RECORDING = 1 };
enum { ADSHADOW_UNKNOWN = 0, ADSHADOW_FLOAT = 1, ADSHADOW_DOUBLE = 2, ADSHADOW_LONG_DOUBLE = 3, ADSHADOW_POINTERS = 4 };
/* Beside a kind of reals: generated code has seen those, there may be pointers and other things as well. */
enum { ADSHADOW_PERHAPS = 8 };
#define ADSHADOW_RESULT UINT64_MAX

/* ---- Objects: the extents of variables. A null shadow, or one equal to the primal: the object is constant. ---- */

/* What the next variable holds that `adshadow_object` or `adshadow_global` tells of: as for `adshadow_layout`. The letters stay where they are. */
void adshadow_variable_layout(const char *letters, uint32_t stride);
/* A variable of the function that runs; objects form a stack. Blocks of the heap need no word. */
void adshadow_object(void *primal, void *shadow, uint64_t bytes);
/* Where a variable is that is an object or a shadow, and the other of the two is no variable: one more of these objects. */
void adshadow_extent(void *start, uint64_t bytes);
/* The last so many objects are gone. */
void adshadow_object_pop(uint64_t count);
/* A global variable, once. Every call of a library may reach it. */
void adshadow_global(void *primal, void *shadow, uint64_t bytes);
/* The same of one whose address libraries may have kept since before; of one that no code gets at which a library calls. */
void adshadow_shared_global(void *primal, void *shadow, uint64_t bytes);
void adshadow_hidden_global(void *primal, void *shadow, uint64_t bytes);
/* Pointers of a variable whose shadow is ready: `count` of them, `stride` bytes apart. Those with a null shadow that lead to memory of a library get one, as if
 * the library had returned them. */
void adshadow_library_pointers(void *primal, void *shadow, uint64_t stride, uint64_t count);

/* ---- Threads: one that a library has made for the program (from a pool, say) may run while others call prebuilt functions, if it says so. ---- */

void adshadow_own_thread(void);

/* ---- Evaluations: what a derivative is asked for. What libraries keep is constant when one begins. ---- */

void adshadow_evaluation(void);
/* It has ended, or its forward sweep has: optional, but no other thread's evaluation starts from constants before. */
void adshadow_evaluation_end(void);

/* It is one of recordings, said before anything else: shadows of library memory that earlier tangents have left in the program's hands lead nowhere from now on. The first recorded call of an
 * evaluation does the same; what has loaded such a shadow before would use it. */
void adshadow_records(void);
/* For each pointer that it is asked for with: libraries may have known what it leads to before. */
void adshadow_active(void *primal, void *shadow);
/* Code compiled here reads reals of memory that it takes for constant, and that a library may have written to by pointers: an error if there are derivatives. */
void adshadow_constant(const void *at, uint64_t bytes);
/* It writes constants there: what a library left has no derivative any more. */
void adshadow_constant_store(void *at, uint64_t bytes);
/* It reads all blocks that a pointer leads to, directly or by pointers in others. */
void adshadow_constant_behind(const void *pointer);

/* ---- A call of `foo`, in this order; `adshadow_capture` and `adshadow_entry` each return code, which is called at once. ---- */

/* `stack_bytes`: of foo's arguments on the stack, exactly (or fewer, if the rest is inactive). */
void adshadow_begin(void *function, const char *name, uint32_t mode, uint64_t stack_bytes);
/* Before the `adshadow_pointer` of a struct that is passed or returned in memory: its size; where in the arguments on the stack its copy
 * lies, ADSHADOW_RESULT if it is the result. Shadows of the copy are those of what the pointer leads to, which the callee leaves as it is. */
void adshadow_struct(uint64_t bytes, uint64_t copy);
/* For each argument that is a pointer. The same place may be given twice. A pointer to memory of a library
 * (`adshadow_returned`) is known by its shadow. Also for the hidden pointer to a result in memory. */
void adshadow_pointer(void *primal, void *shadow, uint32_t kind);
/* What the next `adshadow_pointer` leads to, if objects mix kinds: a letter for each four bytes from there on. "dd" is a double, "f" a float, "xxxx" a long
 * double (i386: "xxx"), "pp" a pointer (i386: "p"), "i" integers and padding, "?" unknown. Repeated every `stride` bytes, a multiple of four; with 0, what lies beyond is unknown, as is what
 * lies before. Integers have no derivative: their shadows are neither read nor written. */
void adshadow_layout(const char *letters, uint32_t stride);
/* Recording: a new index, for each active real scalar argument (per component). Its order counts for `adshadow_reverse_input`. */
uint32_t adshadow_input(void);
/* Before `adshadow_capture`, where an argument in a register is a float: bit k says that xmm<k> holds one float (and nothing above its 32 bits is
 * meant), bit 24 + k that xmm<k> holds two floats.
 * In a recording an index that is not said to be a float's, and has nothing above its 32 bits, is a double's. */
void adshadow_floats(uint32_t registers);
/* Before `adshadow_capture`: what the arguments on the stack are, a letter for each four bytes, as for `adshadow_layout`; structs are "?", as their shadows come
 * from where their pointers lead. On x86-64 needed in recordings only, where there is a float or a long double.
 * On i386 needed in both modes: there what is no real counts as zero in what `adshadow_capture` is given, and so does what no letter reaches. The first word is
 * the pointer to a result in memory, where there is one. */
void adshadow_arguments(const char *letters);
/* Code to be called with foo's arguments, dots in place of reals (recording: indices, in the low bits), zero elsewhere.
 * It is to be called as a function that returns nothing, and takes nothing off the stack (i386: the pointer to a result in memory is an argument like others). A real in a general register (struct { float a; int n; })
 * has its dot there. Without this call all arguments are inactive. */
void *adshadow_capture(void);
/* Code to be called with foo's arguments and result: foo under the translator. */
void *adshadow_entry(void);
/* Right after that call has returned. If an exception or longjmp leaves it, there is no call of this:
 * shadows of objects are as on return all the same. In a recording that is an error if the call has written active reals. */
void adshadow_leave(void);
/* Code with foo's result, no arguments: the result's dots (recording: indices) in xmm0 and xmm1; in rax and rdx (i386: eax and edx) the shadows
 * of reals that come back in general registers, else zero. */
void *adshadow_result(void);
/* The same for a function that returns one or two long doubles: in st0 and st1, which only such a caller takes off. Once per call. On i386 all reals come back
 * there: the code returns a long double for each of them, whatever the function's type is. */
void *adshadow_result_x87(uint32_t count);
/* Of `adshadow_result`, what is an integer for generated code: an error if it has a shadow, for it is a float beside an integer in one register. */
void adshadow_integer(uint64_t shadow);
/* An error if the result, an integer or a pointer of so many bytes (4, 8, 16), is the bits of active reals. What was computed from such bits (a hash, a state) is none. */
void adshadow_returned_bits(uint32_t bytes);
/* The shadow pointer of a pointer that foo returned, or left in memory: of an object if it leads to one, else of library
 * memory. In tangent mode generated code may load dots from there and store them; in a recording it must not. */
void *adshadow_returned(void *pointer);
/* The same, where generated code looks at what the pointer leads to: `kind` is there, as far as it knows. In a recording a block of the heap that the library
 * allocated has a shadow of its own from now on, as if generated code had allocated it; so have the blocks that pointers in it lead to, `levels` - 1 steps far. */
void *adshadow_returned_memory(void *pointer, uint32_t kind, uint32_t levels);
/* Recording: the index of the k-th active real component of the result. */
void adshadow_output(uint32_t index);

/* Recording: what tells the call from all others (no memory), for `adshadow_reverse_tape`. */
void *adshadow_tape(void);

/* Gives up the calls that were recorded in a recording of the tape runtime (its number), as far as they are not reversed. */
void adshadow_discard(uint64_t recording);
/* Before a forward sweep whose calls may be left by an exception: what tells them from others (no memory). The sweep was left: gives those calls up. */
void *adshadow_calls(void);
void adshadow_give_up(void *calls);

/* ---- The reverse sweep of a call: of the last one of that name that is not yet reversed, or of the one that a tape is of. ---- */

void adshadow_reverse(const char *name);
/* Calls of one evaluation are reversed last first; those of others may be reversed in between, before and after. */
void adshadow_reverse_tape(void *tape);
/* Gives the k-th output its adjoint. */
void adshadow_reverse_output(uint32_t k, double bar);
/* Where the shadow of the k-th `adshadow_pointer` is now, if it has moved. */
void adshadow_reverse_pointer(uint32_t k, void *shadow);
/* Adjoints of what the call wrote are taken and zeroed, those of what it read are added to. Memory stays as it is: what the call
 * overwrote is not brought back, nor are pointers and their shadows. */
void adshadow_reverse_run(void);
/* The adjoint of the k-th `adshadow_input`. */
double adshadow_reverse_input(uint32_t k);

#ifdef __cplusplus
}
#endif
#endif
