/* What the programs of these tests share: the interface, used as generated code uses it, and checks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "adshadow.h"

static int failures;

static inline void check_value(const char *what, double got, double expected) {
    if (memcmp(&got, &expected, sizeof got) != 0) {
        printf("%s: %.17g, not %.17g\n", what, got, expected);
        failures++;
    }
}

static inline void check_close(const char *what, double got, double expected, double tolerance) {
    if (!(fabs(got - expected) <= tolerance * (1.0 + fabs(expected)))) {
        printf("%s: %.17g, not %.17g\n", what, got, expected);
        failures++;
    }
}

/* A call begins. On i386 all arguments are on the stack, and letters say what they are: LETTERS_f for a function f. */
#ifdef __i386__
static inline void begin(void *function, const char *name, uint32_t mode, const char *letters) {
    adshadow_begin(function, name, mode, 4 * strlen(letters));
    adshadow_arguments(letters);
}
#define BEGIN_MODE(function, mode, stack_bytes) begin((void *)(function), #function, mode, LETTERS_##function)
#define BEGIN_NUMBER(function, name, mode) begin(function, name, mode, "dd")
/* Reals come back as long doubles, whose first bytes have the index. */
#define RESULT(type) ((type)((long double (*)(void))adshadow_result_x87(1))())
static inline uint32_t index_of_result(void) {
    long double real = ((long double (*)(void))adshadow_result_x87(1))();
    uint32_t index;
    memcpy(&index, &real, sizeof index);
    return index;
}
#define INDEX(type) index_of_result()
/* Calls a function whose result is in memory: with these words behind the pointer to it, which the function takes off. */
void call_returning(void *function, void *result, const void *arguments, int words);
__asm__(".text\n"
        "call_returning: push %ebp; mov %esp, %ebp; push %esi; push %edi; mov 16(%ebp), %esi; mov 20(%ebp), %ecx\n"
        "lea 16(,%ecx,4), %eax; sub %eax, %esp; and $-16, %esp; mov %esp, %edi; mov 12(%ebp), %eax; stosl; rep movsl\n"
        "call *8(%ebp); lea -8(%ebp), %esp; pop %edi; pop %esi; pop %ebp; ret\n");
#else
#define BEGIN_MODE(function, mode, stack_bytes) adshadow_begin((void *)(function), #function, mode, stack_bytes)
#define BEGIN_NUMBER(function, name, mode) adshadow_begin(function, name, mode, 0)
#define RESULT(type) (((type (*)(void))adshadow_result())())
#define INDEX(type) index_of_##type(((type (*)(void))adshadow_result())())
#endif
static inline uint32_t index_of_double(double x) {
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return (uint32_t)word;
}
static inline uint32_t index_of_float(float x) {
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}
#define BEGIN(function, stack_bytes) BEGIN_MODE(function, ADSHADOW_TANGENT, stack_bytes)
#define RECORD(function, stack_bytes) BEGIN_MODE(function, ADSHADOW_RECORDING, stack_bytes)
#define POINTER(p, s, kind) adshadow_pointer((void *)(p), (void *)(s), kind)

/* f(x) and its derivative, of a function of one double. */
static inline double tangent1(void *function, const char *name, double x, double dx, double *dot) {
    BEGIN_NUMBER(function, name, ADSHADOW_TANGENT);
    ((void (*)(double))adshadow_capture())(dx);
    double y = ((double (*)(double))adshadow_entry())(x);
    adshadow_leave();
    *dot = RESULT(double);
    return y;
}
