//! Facets of C++'s streams: `widen`, which the compiler inlines from the headers, asks a facet
//! through a table of functions that no code of the program makes. It is text, of which derivatives
//! know nothing: the question goes to a private function without derivative.
//!
//! Source: libstdc++, bits/locale_facets.h (`ctype<char>::widen`); Itanium C++ ABI, 2.5 (tables of
//! virtual functions).

use crate::{
    annotations::attributes::RULE,
    llvm::{Builder, Function, Module, Opcode, Type, Value},
};
use adir::library::WIDEN;

/// What `widen` calls before it asks.
const INIT: &str = "_ZNKSt5ctypeIcE13_M_widen_initEv";

/// Rewrites such questions.
pub fn rewrite(module: Module, function: Function) {
    if module.function(INIT).is_none() {
        return;
    }
    let calls: Vec<Value> = super::unwind::calls(function).collect();
    let is_init = |c: &&Value| c.called().as_function().is_some_and(|f| f.name() == INIT);
    let facets: Vec<Value> = calls.iter().filter(is_init).map(|c| c.operand(0)).collect();
    let char = module.context().int(8);
    let ty = Type::function(char, &[module.context().ptr(), char], false);
    let b = Builder::new(module.context());
    for call in calls {
        let is_question = || call.called_type() == ty && facets.contains(&call.operand(0));
        let Some(slot) = slot(call).filter(|_| is_question()) else { continue };
        let ask = asking(module, ty, slot);
        let args = [call.operand(0), call.operand(1)];
        b.position_before(call);
        let new = if call.is_invoke() { call.invoke_like(ask, &args) } else { b.call(ask, &args) };
        call.copy_location(new);
        call.replace_uses(new);
        call.erase();
    }
}

/// Where in the table of its first argument the function is that a call leads to, in bytes.
fn slot(call: Value) -> Option<i64> {
    let is_load = |v: Value| v.is_instruction() && v.opcode() == Opcode::LLVMLoad;
    let function = Some(call.called()).filter(|f| is_load(*f))?;
    let (table, at) = function.operand(0).base();
    (is_load(table) && table.operand(0) == call.operand(0)).then_some(at)
}

/// The function that asks a facet.
fn asking(module: Module, ty: Type, slot: i64) -> Function {
    let name = format!("{WIDEN}.{slot}");
    if let Some(f) = module.function(&name) {
        return f;
    }
    let context = module.context();
    let f = module.add_function(&name, ty);
    f.set_external(false);
    f.add_attribute("noinline");
    f.add_unwind_table();
    f.add_attribute_string(RULE, WIDEN);
    let b = Builder::at_end(context, f.append_block("entry"));
    let params = f.params();
    let table = b.load(context.ptr(), params[0]);
    let at = b.byte_offset(table, context.int(64).int(slot as u64));
    b.ret(b.call_value(ty, b.load(context.ptr(), at), &params));
    f
}
