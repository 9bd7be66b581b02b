//! Inline assembly that says no more than operations of LLVM: nothing at all, a barrier between
//! passes; and single instructions on vectors, which libraries write so because some compilers
//! exchanged the operands.
//!
//! ```text
//! asm("" : "+x"(v));                        v
//! asm("maxpd %1, %0" : "+x"(v) : "x"(a));   v > a ? v : a
//! ```
//!
//! Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, with operands in
//! AT&T's order.

use crate::llvm::{Assembly, Builder, Function, Intrinsic, Module, Opcode, RealPredicate, Value};

/// Rewrites it in a copy of a function.
pub fn rewrite(module: Module, function: Function) {
    let builder = Builder::new(module.context());
    for call in crate::canon::calls::unwind::calls(function)
        .filter(|c| c.opcode() == Opcode::LLVMCall && c.called().is_assembly())
        .collect::<Vec<_>>()
    {
        builder.position_before(call);
        let text = call.called().assembly();
        if text.code.trim().is_empty() {
            nothing(&builder, call, &text);
        } else if let Some(value) = instruction(module, &builder, call, &text) {
            call.replace_uses(value);
            call.erase();
        }
    }
}

/// Assembly without instructions: what is given out is what came in there.
fn nothing(b: &Builder, call: Value, text: &Assembly) {
    match text.operands()[..] {
        ref inputs if inputs.iter().all(|c| !c.starts_with('=')) => {}
        [output, "0"] if output.starts_with("=*") => {
            b.store(call.operand(1), call.operand(0));
        }
        [output, "0"] if output.starts_with('=') && call.ty() == call.operand(0).ty() => {
            call.replace_uses(call.operand(0))
        }
        _ => return,
    }
    call.erase();
}

/// The value of one instruction on vectors of reals.
fn instruction(module: Module, b: &Builder, call: Value, text: &Assembly) -> Option<Value> {
    let (name, operands) = text.code.trim().split_once([' ', '\t'])?;
    let operands = operands.replace(' ', "");
    let is_alike = (0..call.argument_count()).all(|i| call.operand(i).ty() == call.ty());
    if !is_alike || !call.ty().is_vector() || !call.ty().holds_float() {
        return None;
    }
    let form = (&operands[..], &text.operands()[..]);
    let two = matches!(form, ("$1,$0", ["=x", "x", "0"]) | ("$1,$2,$0", ["=x", "x", "x"]));
    let three = matches!(form, ("$1,$2,$0", ["=x", "x", "x", "0"]));
    // Where neither is the greater or one is a NaN, the result is what the manual calls the second
    // source: here, the first operand.
    let choose =
        |p| b.select(b.fcmp(p, call.operand(1), call.operand(0)), call.operand(1), call.operand(0));
    match name {
        "maxpd" | "maxps" | "vmaxpd" | "vmaxps" if two => Some(choose(RealPredicate::LLVMRealOGT)),
        "minpd" | "minps" | "vminpd" | "vminps" if two => Some(choose(RealPredicate::LLVMRealOLT)),
        "vfmadd231pd" | "vfmadd231ps" if three => Some(b.call(
            module.intrinsic(Intrinsic::Fma, &[call.ty()]),
            &[call.operand(0), call.operand(1), call.operand(2)],
        )),
        _ => None,
    }
}
