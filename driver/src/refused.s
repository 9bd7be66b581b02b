# What stands in for the shadow runtime in links that cannot have it (link.rs): every function of shadow/include/adshadow.h that generated code calls,
# and a text by which the result of the link tells that one of them was wanted. Nothing of it ever runs.

.text
.macro refuse names:vararg
.irp name, \names
.globl adshadow_\name
.type adshadow_\name, @function
adshadow_\name:
.endr
.endm

refuse variable_layout, object, extent, object_pop, global, library_pointers, evaluation, evaluation_end, active, own_thread, records
refuse constant, constant_behind, constant_store, hidden_global, shared_global, begin, layout, struct, pointer, floats, arguments, capture, entry, leave, result, result_x87, integer
refuse returned, returned_bits, returned_memory, input, output, tape, discard, calls, give_up
refuse reverse, reverse_tape, reverse_output, reverse_pointer, reverse_run, reverse_input, blocks, shadow_of
    ud2
    .asciz "adcc: this link has no shadow runtime"

.section .note.GNU-stack, "", @progbits
