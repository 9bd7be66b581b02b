/* Derivatives through machine code: generated code calls these functions around a call of a function that has neither source
 * nor derivative rule. libadshadow.a defines all of them. All state belongs to the calling thread. An error ends the program
 * with a message (docs/diagnostics.md, AS001 to AS060).
 *
 * A "dot" is a tangent. An "index" identifies a value in a recording. A shadow pointer points to the shadow of the memory that
 * the primal pointer points to: dots, or the adjoints of the reverse sweep.
 */
#ifndef ADSHADOW_H
#define ADSHADOW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ADSHADOW_TANGENT = 0, ADSHADOW_RECORDING = 1 };
enum { ADSHADOW_UNKNOWN = 0, ADSHADOW_FLOAT = 1, ADSHADOW_DOUBLE = 2, ADSHADOW_LONG_DOUBLE = 3, ADSHADOW_POINTERS = 4 };
/* Added to a kind of reals: generated code has seen such reals, but the memory may also hold pointers and other data. */
enum { ADSHADOW_PERHAPS = 8 };
#define ADSHADOW_RESULT UINT64_MAX

/* ---- Objects: the extents of variables. An object is constant if its shadow is null or equal to the primal. ---- */

/* The layout of the variable that the next `adshadow_object` or `adshadow_global` registers, as for `adshadow_layout`. The letters must stay in memory. */
void adshadow_variable_layout(const char *letters, uint32_t stride);
/* Registers a variable of the function that runs. Objects form a stack. Blocks of the heap need no registration. */
void adshadow_object(void *primal, void *shadow, uint64_t bytes);
/* Registers the extent of a variable that is an object or a shadow, where its counterpart is not a variable. It counts as one of these objects. */
void adshadow_extent(void *start, uint64_t bytes);
/* Removes the last `count` objects. */
void adshadow_object_pop(uint64_t count);
/* Registers a global variable, once. Every call of a library may access it. */
void adshadow_global(void *primal, void *shadow, uint64_t bytes);
/* The same for a variable whose address libraries may have kept from before; and for a variable that no code accesses that a library calls. */
void adshadow_shared_global(void *primal, void *shadow, uint64_t bytes);
void adshadow_hidden_global(void *primal, void *shadow, uint64_t bytes);
/* Pointers of a variable whose shadow is ready: `count` pointers, `stride` bytes apart. Pointers with a null shadow that point to memory of a library get a
 * shadow, as if the library had returned them. */
void adshadow_library_pointers(void *primal, void *shadow, uint64_t stride, uint64_t count);
/* Hands over the function that knows the shadows of blocks which the program allocated before the request: it returns null for all others. Until the next
 * call of this function, libraries that come to such a block find that shadow. */
void adshadow_blocks(void *(*of_block)(void *pointer));
/* The shadow of a pointer that has none where the program loads it: that of an object that is known, of such a block, or of memory of a library; otherwise
 * null. */
void *adshadow_shadow_of(void *pointer);

/* ---- Threads: a thread that a library made for the program (of a pool, for example) calls this. It may then run while other threads call machine code. ---- */

void adshadow_own_thread(void);

/* ---- Evaluations: one evaluation computes one derivative. When it begins, all data that libraries retain are constant. ---- */

void adshadow_evaluation(void);
/* The evaluation, or its forward sweep, has ended. Optional; until then, no evaluation of another thread starts from constants. */
void adshadow_evaluation_end(void);

/* The evaluation records. To be called before anything else: shadows of library memory that the program has from earlier tangents become trap pointers. The first
 * recorded call of an evaluation does the same, but code that loaded such a shadow before would still use it. */
void adshadow_records(void);
/* For each active pointer argument of the evaluation: libraries may have kept pointers to this memory from before. */
void adshadow_active(void *primal, void *shadow);
/* Generated code reads reals from memory that it treats as constant, and that a library may have written through pointers. An error if the memory holds derivatives. */
void adshadow_constant(const void *at, uint64_t bytes);
/* Generated code writes constants there: derivatives of what a library wrote there are discarded. */
void adshadow_constant_store(void *at, uint64_t bytes);
/* Generated code reads all blocks that a pointer points to, directly or through pointers in other blocks. */
void adshadow_constant_behind(const void *pointer);

/* ---- A call of `foo`, in this order. `adshadow_capture` and `adshadow_entry` return code that is to be called at once. ---- */

/* `stack_bytes`: the exact size of foo's arguments on the stack (or less, if the rest is inactive). */
void adshadow_begin(void *function, const char *name, uint32_t mode, uint64_t stack_bytes);
/* Before the `adshadow_pointer` of a struct that is passed or returned in memory: its size, and the position of its copy in the arguments on the stack, or
 * ADSHADOW_RESULT if it is the result. The copy has the shadows of the memory that the pointer points to. The callee does not change that memory. */
void adshadow_struct(uint64_t bytes, uint64_t copy);
/* For each pointer argument, and for the hidden pointer to a result in memory. Two arguments may point to the same place. A pointer to memory of a library
 * (`adshadow_returned`) is recognised by its shadow. */
void adshadow_pointer(void *primal, void *shadow, uint32_t kind);
/* The layout of the memory that the next `adshadow_pointer` points to, if it mixes kinds: one letter for each four bytes from there on. "dd" is a double, "f" a
 * float, "xxxx" a long double (i386: "xxx"), "pp" a pointer (i386: "p"), "i" integers and padding, "?" unknown. The layout repeats every `stride` bytes, a multiple
 * of four. With stride 0, memory after the layout is unknown, as is memory before it. Integers have no derivative: their shadows are neither read nor written. */
void adshadow_layout(const char *letters, uint32_t stride);
/* Recording: a new index, for each active real scalar argument (for each component). The order of calls gives the numbers for `adshadow_reverse_input`. */
uint32_t adshadow_input(void);
/* Before `adshadow_capture`, where an argument in a register is a float: bit k states that xmm<k> holds one float (bits above its 32 bits have no meaning), bit
 * 24 + k that xmm<k> holds two floats. In a recording, an index that is not declared as a float's, and has zero above its 32 bits, belongs to a double. */
void adshadow_floats(uint32_t registers);
/* Before `adshadow_capture`: the layout of the arguments on the stack, one letter for each four bytes, as for `adshadow_layout`. Structs are "?", because their
 * shadows come from the memory that their pointers point to. On x86-64 it is needed only in recordings, where there is a float or a long double. On i386 it is
 * needed in both modes: arguments of `adshadow_capture` that are not reals, or lie beyond the letters, count as zero. The first word is the pointer to a result
 * in memory, if there is one. */
void adshadow_arguments(const char *letters);
/* Returns code to be called with foo's arguments: dots in place of reals (recording: indices, in the low bits), zero elsewhere. The code is called as a function
 * that returns nothing and removes nothing from the stack (i386: the pointer to a result in memory is an argument like others). A real in a general register
 * (struct { float a; int n; }) has its dot there. Without this call all arguments are inactive. */
void *adshadow_capture(void);
/* Returns code to be called with foo's arguments and result: foo under the translator. */
void *adshadow_entry(void);
/* Right after that call has returned. Not called if an exception or longjmp leaves the call: the shadows of objects are then the same as on return. In a recording
 * this is an error if the call has written active reals. */
void adshadow_leave(void);
/* Returns code without arguments that returns the dots of foo's result (recording: indices) in xmm0 and xmm1; in rax and rdx (i386: eax and edx) the shadows of
 * reals that foo returns in general registers, or zero. */
void *adshadow_result(void);
/* The same for a function that returns one or two long doubles: in st0 and st1, which only the caller of such a function pops. Once per call. On i386 functions
 * return all reals there: the code returns a long double for each of them, whatever the function's type is. */
void *adshadow_result_x87(uint32_t count);
/* A part of `adshadow_result` that is an integer for generated code. An error if it has a shadow: it is a float beside an integer in one register. */
void adshadow_integer(uint64_t shadow);
/* An error if the result, an integer or a pointer of `bytes` bytes (4, 8, 16), is the bits of active reals. A value that was computed from such bits (a hash, a state) is no error. */
void adshadow_returned_bits(uint32_t bytes);
/* The shadow pointer of a pointer that foo returned, or left in memory: the shadow of an object if the pointer points to one, or else of library memory. In tangent
 * mode generated code may load and store dots there; in a recording it must not. */
void *adshadow_returned(void *pointer);
/* The same, where generated code accesses the memory behind the pointer: `kind` is there, as far as it knows. In a recording, a block of the heap that the library
 * allocated has a shadow of its own from now on, as if generated code had allocated it. So have the blocks that its pointers point to, up to `levels` - 1 steps. */
void *adshadow_returned_memory(void *pointer, uint32_t kind, uint32_t levels);
/* Recording: the index of the k-th active real component of the result. */
void adshadow_output(uint32_t index);

/* Recording: an identifier of the call (not an address), for `adshadow_reverse_tape`. */
void *adshadow_tape(void);

/* Discards the calls that were recorded in a recording of the tape runtime (its number) and are not reversed yet. */
void adshadow_discard(uint64_t recording);
/* Before a forward sweep whose calls may be left by an exception: an identifier of these calls (not an address). After an exception has left the sweep:
 * `adshadow_give_up` discards these calls. */
void *adshadow_calls(void);
void adshadow_give_up(void *calls);

/* ---- The reverse sweep of a call: the last call of that name that is not yet reversed, or the call that a tape belongs to. ---- */

void adshadow_reverse(const char *name);
/* Calls of one evaluation are reversed in reverse order. Calls of other evaluations may be reversed before, in between and after. */
void adshadow_reverse_tape(void *tape);
/* Sets the adjoint of the k-th output. */
void adshadow_reverse_output(uint32_t k, double bar);
/* The present address of the shadow of the k-th `adshadow_pointer`, if it has moved. */
void adshadow_reverse_pointer(uint32_t k, void *shadow);
/* Reads and zeroes the adjoints of what the call wrote, and adds to the adjoints of what it read. It does not change primal memory: it does not restore what the
 * call overwrote, nor pointers and their shadows. */
void adshadow_reverse_run(void);
/* The adjoint of the k-th `adshadow_input`. */
double adshadow_reverse_input(uint32_t k);

#ifdef __cplusplus
}
#endif
#endif
