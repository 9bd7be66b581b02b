//! Functions that return structures in registers: a call becomes one of a copy of the function that
//! stores the structure where the caller says.
//!
//! The ABI gives a union, or a member of another kind beside a real, as integers. Behind a
//! call, nothing tells what such an integer is; of memory, types do. So structures stay in registers
//! only where all members are reals, or integers too short for one.
//!
//! Source: System V ABI for x86-64, 3.2.3 (classes of arguments and results).

use crate::{
    annotations::attributes::POSSIBLE,
    diagnostics::names::STORING,
    llvm::{Builder, Debug, Function, Intrinsic, Module, Opcode, Type, Value},
};

/// An integer of so many bits may be a real.
const REAL_BITS: u32 = 32;

/// Rewrites the calls of such functions; whether there were any.
pub fn rewrite(module: Module, function: Function) -> bool {
    let calls: Vec<(Value, Function)> = super::unwind::calls(function)
        .filter_map(|call| Some((call, call.called().as_function()?)))
        .filter(|(call, f)| f.ty() == call.called_type() && is_rewritten(*f))
        .collect();
    if calls.iter().any(|(call, _)| call.is_invoke()) {
        // What comes behind an invoke needs a place of its own.
        function.split_invokes();
    }
    let b = Builder::new(module.context());
    calls.iter().for_each(|&(call, f)| rewrite_call(module, &b, function, call, f));
    !calls.is_empty()
}

/// Deletes the copies that nothing calls any more.
pub fn drop_unused(module: Module) {
    super::drop_copies(module, STORING);
}

fn is_rewritten(f: Function) -> bool {
    let result = f.ty().function_result();
    super::may_be_copied(f)
        && result.is_struct()
        && result.struct_members().into_iter().any(may_hide_real)
}

fn may_hide_real(member: Type) -> bool {
    let is_real = member.is_float() || member.is_vector() && member.element().is_float();
    let is_short = member.is_int() && member.int_width() < REAL_BITS;
    !is_real && !is_short
}

fn rewrite_call(module: Module, b: &Builder, function: Function, call: Value, f: Function) {
    let copy = copy_of(module, f);
    let result = f.ty().function_result();
    b.position_before(function.blocks()[0].instructions()[0]);
    let place = b.alloca(result, "result");
    b.position_before(call);
    let mut args: Vec<Value> = (0..call.argument_count()).map(|i| call.operand(i)).collect();
    args.push(place);
    let lifetime = |kind| {
        let mark = module.intrinsic(kind, &[place.ty()]);
        b.call(mark, &[place]);
    };
    lifetime(Intrinsic::LifetimeStart);
    let new = if call.is_invoke() { call.invoke_like(copy, &args) } else { b.call(copy, &args) };
    new.copy_abi(copy);
    if call.call_string(POSSIBLE).is_some() {
        new.set_call_string(POSSIBLE, "");
    }
    call.copy_location(new);
    if call.is_invoke() {
        b.position_at_start(new.successors()[0]);
    }
    let member = |all: Value, (i, ty): (u32, Type)| {
        b.insert_value(all, b.load(ty, b.member(result, place, i)), i)
    };
    let whole = (0..).zip(result.struct_members()).fold(result.poison(), member);
    lifetime(Intrinsic::LifetimeEnd);
    call.replace_uses(whole);
    call.erase();
}

/// The copy of `f` that stores what `f` returns behind its last parameter.
fn copy_of(module: Module, f: Function) -> Function {
    let name = format!("{}{STORING}", f.name());
    if let Some(known) = module.function(&name) {
        return known;
    }
    let context = module.context();
    let result = f.ty().function_result();
    let params = [f.ty().function_params(), vec![context.ptr()]].concat();
    let new = module.add_function(&name, Type::function(context.void(), &params, false));
    new.clone_body(f, Debug::Keep, |_, _| {});
    new.set_external(false);
    new.clear_result_attributes();
    // It stores something now.
    new.remove_attribute("memory");
    let place = new.params()[params.len() - 1];
    for attribute in ["noalias", "nonnull"] {
        new.add_param_attribute(params.len() - 1, attribute);
    }
    let b = Builder::new(context);
    let ends = new.blocks().into_iter().filter_map(|block| block.terminator());
    for ret in ends.filter(|end| end.opcode() == Opcode::LLVMRet) {
        b.position_before(ret);
        let whole = ret.operand(0);
        for i in 0..result.struct_members().len() as u32 {
            b.store(b.extract(whole, i), b.member(result, place, i));
        }
        b.ret_void();
        ret.erase();
    }
    new
}
