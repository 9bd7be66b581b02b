//! Functions that are given addresses as integers: a call becomes one of a copy of the function that
//! takes pointers there.
//!
//! The ABI gives a struct of a pointer as an integer, on the stack for one; so does what a lambda has
//! captured. Shadows follow pointers, not integers.
//!
//! Source: System V ABI for x86-64, 3.2.3 (classes of arguments and results).

use super::may_be_copied;
use crate::{
    diagnostics::names::ADDRESSES,
    llvm::{Builder, Debug, Function, Module, Opcode, Type, Value},
};
use adir::target;

/// Rewrites the calls with such arguments; whether there were any.
pub fn rewrite(module: Module, function: Function) -> bool {
    let calls: Vec<(Value, Function, Vec<usize>)> = super::unwind::calls(function)
        .filter_map(|call| Some((call, call.called().as_function()?)))
        .filter(|(call, f)| f.ty() == call.called_type() && may_be_copied(*f))
        .map(|(call, f)| (call, f, given(call)))
        .filter(|(.., given)| !given.is_empty())
        .collect();
    let b = Builder::new(module.context());
    for (call, f, given) in &calls {
        let copy = copy_of(module, *f, given);
        let mut args: Vec<Value> = (0..call.argument_count()).map(|i| call.operand(i)).collect();
        for &i in given {
            let address = args[i];
            args[i] = address.ty().zero();
            args.push(address.operand(0));
        }
        b.position_before(*call);
        let new =
            if call.is_invoke() { call.invoke_like(copy, &args) } else { b.call(copy, &args) };
        new.copy_abi(copy);
        call.copy_location(new);
        call.replace_uses(new);
        call.erase();
    }
    !calls.is_empty()
}

/// Deletes the copies that nothing calls any more.
pub fn drop_unused(module: Module) {
    super::drop_copies(module, ADDRESSES);
}

/// The arguments that are addresses of pointers.
fn given(call: Value) -> Vec<usize> {
    let is_address = |v: Value| {
        v.is_instruction()
            && v.opcode() == Opcode::LLVMPtrToInt
            && v.ty().is_int()
            && v.ty().int_width() == target::pointer_bits()
    };
    (0..call.argument_count()).filter(|&i| is_address(call.operand(i))).collect()
}

/// The copy of `f` that takes pointers behind its last parameter, in place of the integers `given`.
fn copy_of(module: Module, f: Function, given: &[usize]) -> Function {
    let list: Vec<String> = given.iter().map(usize::to_string).collect();
    let name = format!("{}{ADDRESSES}{})", f.name(), list.join(","));
    if let Some(known) = module.function(&name) {
        return known;
    }
    let context = module.context();
    let params = [f.ty().function_params(), vec![context.ptr(); given.len()]].concat();
    let new = module.add_function(&name, Type::function(f.ty().function_result(), &params, false));
    new.clone_body(f, Debug::Keep, |_, _| {});
    new.set_external(false);
    // What it accesses through integers it accesses through arguments now.
    new.remove_attribute("memory");
    let b = Builder::new(context);
    b.position_before(new.blocks()[0].instructions()[0]);
    let all = new.params();
    for (&i, &pointer) in given.iter().zip(&all[all.len() - given.len()..]) {
        // The integer that calls pass is zero now: it is not what is returned, nor in any range.
        new.clear_param_attributes(i);
        let integer = all[i];
        let address = b.cast(Opcode::LLVMPtrToInt, pointer, integer.ty());
        integer.replace_uses(address);
    }
    new
}
