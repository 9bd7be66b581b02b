//! Comparisons of a loaded pointer with global variables.
//!
//! With a few variables, each is compared where the pointer is loaded. With more, the pointer is
//! first compared with the range in which all of them lie: a helper, made once per list of
//! variables, finds the range when it is called first, and compares with each. Thread-local
//! variables lie elsewhere for each thread.

use crate::{
    codegen::globals::{address, distance, extent, helper, ordinary, shadow},
    diagnostics::names::readable,
    llvm::{Builder, Function, IntPredicate, Module, Opcode, Type, Value},
};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Names of the helpers that compare with one variable: a pointer with a shadow, and one without.
const ONE: [&str; 2] = ["__adcc.check_handle", "__adcc.check_constant_handle"];
/// Beginning of the names of those that compare with the range of many.
const RANGE: &str = "__adcc.check_handles";
/// Variables up to which each is compared where the pointer is loaded.
const FEW: usize = 4;
/// The runtime's function that ends the program.
const END: &str = "adrt_pointer_has_shadow";

/// The shadow of a pointer in one direction.
#[derive(Clone, Copy)]
pub struct Beside {
    /// It itself.
    pub shadow: Value,
    /// The direction.
    pub direction: usize,
}

/// Emits the end of the program where a pointer leads to one of the variables, and its shadow not
/// as far into the variable's.
pub fn with_shadows(
    module: Module,
    b: &Builder,
    (primal, beside): (Value, Beside),
    variables: &[Value],
) {
    with_all(module, b, (primal, Some(beside)), variables);
}

/// Emits the end of the program where a pointer leads to one of the variables.
pub fn with(module: Module, b: &Builder, primal: Value, variables: &[Value]) {
    with_all(module, b, (primal, None), variables);
}

/// Inlines the comparisons into `f`: LLVM's inliner ran before.
pub fn inline_comparisons(module: Module, f: Function) {
    if ONE.into_iter().all(|name| module.function(name).is_none()) {
        return;
    }
    let is_one = |g: &Function| {
        ONE.contains(&&*g.name()) || g.name().starts_with(RANGE) && g.has_attribute("alwaysinline")
    };
    module.functions().into_iter().filter(is_one).for_each(|helper| helper.inline_calls_in(f));
}

fn with_all(
    module: Module,
    b: &Builder,
    (primal, beside): (Value, Option<Beside>),
    variables: &[Value],
) {
    let primal = ordinary(b, primal);
    let beside = beside.map(|own| Beside { shadow: ordinary(b, own.shadow), ..own });
    let (local, shared): (Vec<Value>, Vec<Value>) =
        variables.iter().partition(|v| v.is_thread_local());
    local.into_iter().for_each(|variable| with_one(module, b, (primal, beside), variable));
    if shared.len() <= FEW {
        shared.into_iter().for_each(|variable| with_one(module, b, (primal, beside), variable));
    } else {
        let helper = within_range(module, &shared, beside.map(|own| own.direction));
        b.call(helper, &[primal, beside.map_or(primal, |own| own.shadow)]);
    }
}

fn with_one(
    module: Module,
    b: &Builder,
    (primal, beside): (Value, Option<Beside>),
    variable: Value,
) {
    let (ptr, i64) = (module.context().ptr(), module.context().int(64));
    let leads_there = |b: &Builder, params: &[Value]| {
        b.icmp(IntPredicate::LLVMIntULT, distance(b, params[1], params[0]), params[2])
    };
    let is_beside = |b: &Builder, params: &[Value]| {
        let is_other = b.icmp(
            IntPredicate::LLVMIntNE,
            distance(b, params[1], params[0]),
            distance(b, params[4], params[3]),
        );
        b.and(leads_there(b, params), is_other)
    };
    let at = [primal, ordinary(b, address(module, b, variable)), i64.int(extent(module, variable))];
    let name = b.text(&readable(&variable.name()));
    match beside {
        Some(beside) => {
            let helper = helper(module, ONE[0], &[ptr, ptr, i64, ptr, ptr], END, is_beside);
            let own = ordinary(b, address(module, b, shadow(module, variable, beside.direction)));
            b.call(helper, &[&at[..], &[beside.shadow, own, name]].concat());
        }
        None => {
            let helper = helper(module, ONE[1], &[ptr, ptr, i64], END, leads_there);
            b.call(helper, &[&at[..], &[name]].concat());
        }
    }
}

/// `helper(pointer, shadow)`, to be inlined: compares with each variable if the pointer is in their
/// range, and the shadow with those of a direction.
fn within_range(module: Module, variables: &[Value], direction: Option<usize>) -> Function {
    let mut hasher = DefaultHasher::new();
    variables.iter().for_each(|v| v.name().hash(&mut hasher));
    let kind = direction.map_or("constant".into(), |n| format!("shadow{n}"));
    let name = format!("{RANGE}.{:016x}.{kind}", hasher.finish());
    if let Some(known) = module.function(&name) {
        return known;
    }
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let ty = Type::function(context.void(), &[ptr, ptr], false);
    let new = |name: &str, attributes: &[&str]| {
        let f = module.add_function(name, ty);
        f.set_external(false);
        attributes.iter().for_each(|a| f.add_attribute(a));
        f
    };
    // Addresses below and above the range. Zero until it is known: whichever of the two is known
    // first, no variable is left out.
    let [below, above] =
        ["below", "above"].map(|side| module.private_variable(&format!("{name}.{side}"), i64));
    let all = i64.int(u64::MAX);

    let each = new(&format!("{name}.each"), &["cold", "noinline", "nounwind"]);
    let b = Builder::at_end(context, each.append_block("entry"));
    let number = |v: Value| b.cast(Opcode::LLVMPtrToInt, ordinary(&b, v), i64);
    let choose = |p, x: Value, y: Value| b.select(b.icmp(p, x, y), x, y);
    let lowest = variables
        .iter()
        .map(|&v| number(v))
        .reduce(|x, y| choose(IntPredicate::LLVMIntULT, x, y))
        .expect("there are variables");
    let behind = variables.iter().map(|&v| b.add(number(v), i64.int(extent(module, v))));
    let highest =
        behind.reduce(|x, y| choose(IntPredicate::LLVMIntUGT, x, y)).expect("there are variables");
    b.store(lowest, below);
    b.store(b.sub(all, highest), above);
    let params = each.params();
    let beside = direction.map(|direction| Beside { shadow: params[1], direction });
    variables.iter().for_each(|&v| with_one(module, &b, (params[0], beside), v));
    b.ret_void();

    let helper = new(&name, &["alwaysinline", "nounwind"]);
    let [entry, within, done] = ["entry", "within", "done"].map(|n| helper.append_block(n));
    let b = Builder::at_end(context, entry);
    let params = helper.params();
    let at = b.cast(Opcode::LLVMPtrToInt, params[0], i64);
    let from = b.icmp(IntPredicate::LLVMIntUGE, at, b.load(i64, below));
    let to = b.icmp(IntPredicate::LLVMIntULT, at, b.sub(all, b.load(i64, above)));
    b.cond_br(b.and(from, to), within, done);
    b.position_at_end(within);
    b.call(each, &params);
    b.br(done);
    b.position_at_end(done);
    b.ret_void();
    helper
}
