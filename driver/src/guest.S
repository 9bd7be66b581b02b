/* The shadow runtime of a shared library: the program's (link.rs). Each function of shadow/include/adshadow.h goes to its place in the table
 * that a program with the shadow runtime exports (shadow/src/call/exported.rs); where there is no table, the program ends. All of it is hidden.
 * Recordings are discarded by the tape runtime that numbered them, and the program's knows none of this library's. */

.set place, 0
.text

.macro forward names:vararg
.irp name, \names
.globl adshadow_\name
.hidden adshadow_\name
.type adshadow_\name, @function
adshadow_\name:
#ifdef __x86_64__
    movq adshadow_functions_1@GOTPCREL(%rip), %rax
    testq %rax, %rax
    jz adshadow_is_missing
    jmp *place(%rax)
    .set place, place + 8
#else
    call 1f
1:  popl %eax
    addl $_GLOBAL_OFFSET_TABLE_ + (. - 1b), %eax
    movl adshadow_functions_1@GOT(%eax), %eax
    testl %eax, %eax
    jz adshadow_is_missing
    jmp *place(%eax)
    .set place, place + 4
#endif
.size adshadow_\name, . - adshadow_\name
.endr
.endm

.weak adshadow_functions_1

forward variable_layout, object, extent, object_pop, global, shared_global, hidden_global, library_pointers
forward own_thread, evaluation, evaluation_end, records, active, constant, constant_store, constant_behind
forward begin, struct, pointer, layout, input, floats, arguments, capture
forward entry, leave, result, result_x87, integer, returned_bits, returned, returned_memory
forward output, tape, calls, give_up, reverse, reverse_tape, reverse_output, reverse_pointer
forward reverse_run, reverse_input, blocks, shadow_of

.globl adshadow_discard
.hidden adshadow_discard
.type adshadow_discard, @function
adshadow_discard:
    ret
.size adshadow_discard, . - adshadow_discard

.type adshadow_is_missing, @function
adshadow_is_missing:
#ifdef __x86_64__
    andq $-16, %rsp
    movl $2, %edi
    leaq text(%rip), %rsi
    movl $length, %edx
    call write@PLT
    call abort@PLT
#else
    andl $-16, %esp
    call 1f
1:  popl %ebx
    addl $_GLOBAL_OFFSET_TABLE_ + (. - 1b), %ebx
    leal text@GOTOFF(%ebx), %eax
    pushl $0
    pushl $length
    pushl %eax
    pushl $2
    call write@PLT
    call abort@PLT
#endif
.size adshadow_is_missing, . - adshadow_is_missing

.section .rodata
text:
    .ascii "adshadow: AS061: derivatives in a shared library go through machine code, which takes a program that has the shadow runtime: "
    .ascii "link the program with `adcc --ad-host`, or run it with LD_PRELOAD=adshadow.so (adcc --print-shadow)\n"
.set length, . - text

.section .note.GNU-stack, "", @progbits
