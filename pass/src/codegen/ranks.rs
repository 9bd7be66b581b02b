//! Messages between the ranks of a program (MPI).
//!
//! Each operation `R MPI_F(P…)` that the module calls and that has a derivative (adir's `library::ranks`) gets a stand-in,
//! which canonical copies call with the address of [`foreign::RANKS`], and which has derivatives of its own:
//! ```text
//! R MPI_F.ranks(P…, ptr ranks) { return MPI_F(P…); }
//! R MPI_F.ranks.tangent(P…, each buffer followed by its shadow, ptr ranks)
//! {ptr tape, R} MPI_F.ranks.forward(the same)
//! void MPI_F.ranks.reverse(ptr tape)
//! ```
//! They call the operation's rule, which is C that adcc compiles against the program's own mpi.h (runtime/ranks/). It
//! keeps on the tape all that its reverse needs: the analyses need not, and memory that reverse sweeps look at is that
//! of forward sweeps. All operations whose buffers may hold reals take part, whatever activity says: otherwise one rank
//! would wait for a derivative that another has no need to send.

use crate::{
    annotations::{
        attributes::GENERATED,
        config::Config,
        outside::MESSAGE,
        policy::Policy,
        registry::{self, Adjoint, Registry, Rule, Tangent},
    },
    llvm::{Builder, Function, Module, Type, Value},
};
use adir::{
    Ty, foreign,
    library::ranks::{self, Role},
    target,
};

/// The mark of functions that are made here.
const MARK: &str = "ranks";
/// How the names of rules begin.
const RULE: &str = "adrt_";
/// The rules' function that undoes any operation.
const REVERSE: &str = "adrt_ranks_reverse";

/// What a rule is asked for.
#[derive(Clone, Copy)]
enum Mode {
    Tangent,
    Forward,
}

/// Makes stand-ins of the operations that the module calls, but for those that an option declares inactive:
/// where the link has rules.
pub fn declare(module: Module, config: &Config, registry: &mut Registry) {
    // On i386 structs are returned in another way.
    if config.mpi.is_none() || target::pointer() != 8 {
        return;
    }
    for f in module.functions().into_iter().filter(|f| f.is_declaration()) {
        let Some(roles) = ranks::roles(&f.name()) else { continue };
        let is_plain =
            registry::of(f).is_none() && config.prebuilt.of(&f.name()) != Policy::Inactive;
        if is_plain && fits(f, &roles) && !f.value().users().is_empty() {
            stand_in(module, f, &roles, registry);
        }
    }
}

/// Whether a function has the type of the operation: an error code is returned in C, and given in Fortran.
fn fits(f: Function, roles: &[Role]) -> bool {
    let is_fortran = f.name().ends_with('_');
    let result = f.ty().function_result();
    let kind = |ty: Type| match () {
        () if ty.is_pointer() => Ty::Ptr,
        () if ty.is_int() => Ty::Int(ty.int_width()),
        () => Ty::Void,
    };
    let params: Vec<Ty> = f.ty().function_params().into_iter().map(kind).collect();
    !f.is_variadic()
        && (if is_fortran { result.is_void() } else { result.is_int() })
        && ranks::fits(roles, &params)
}

fn stand_in(module: Module, f: Function, roles: &[Role], registry: &mut Registry) {
    let context = module.context();
    let own = f.ty().function_params();
    let result = f.ty().function_result();
    let params = [&own[..], &[context.ptr()]].concat();
    let name = format!("{}{}", f.name(), ranks::SUFFIX);
    let new = new_function(module, f, &name, Type::function(result, &params, false));
    let b = Builder::at_end(context, new.append_block("entry"));
    let call = b.call(f, &new.params()[..own.len()]);
    call.copy_abi(f);
    finish(&b, call);
    f.add_attribute_string(MESSAGE, &name);

    let shadows: Vec<bool> = roles.iter().map(|role| role.is_buffer()).chain([false]).collect();
    let members = if result.is_void() { vec![] } else { vec![result] };
    let tangent = derivative(module, f, &name, &shadows, Mode::Tangent);
    registry.register_tangent(
        new,
        Tangent {
            rule: Rule::prebuilt(tangent, members.clone()),
            shadows: shadows.clone(),
            result: (!result.is_void()).then_some(0),
            derivative: None,
        },
    );
    let forward = derivative(module, f, &name, &shadows, Mode::Forward);
    let with_tape = [&[context.ptr()], &members[..]].concat();
    registry.register_adjoint(
        new,
        Adjoint {
            augmented: Rule::prebuilt(forward, with_tape),
            reverse: Rule::prebuilt(reverse(module, f, &name), vec![]),
            shadows,
            result: (!result.is_void()).then_some(1),
            result_shadow: None,
            tape: Some(0),
            returns_adjoints: false,
        },
    );
}

/// A function of the module alone that takes what the operation takes, with shadows, and calls its rule.
fn derivative(module: Module, f: Function, name: &str, shadows: &[bool], mode: Mode) -> Function {
    let context = module.context();
    let (ptr, i32) = (context.ptr(), context.int(32));
    let own = [&f.ty().function_params()[..], &[ptr]].concat();
    let with_shadow = |(&ty, &has): (&Type, &bool)| vec![ty; 1 + usize::from(has)];
    let types: Vec<Type> = own.iter().zip(shadows).flat_map(with_shadow).collect();
    let result = f.ty().function_result();
    let pair = if result.is_void() { ptr } else { context.structure(&[ptr, result]) };
    let (part, returned, number) = match mode {
        Mode::Tangent => ("tangent", result, 0),
        Mode::Forward => ("forward", pair, 1),
    };
    let ty = Type::function(returned, &types, false);
    let new = new_function(module, f, &format!("{name}.{part}"), ty);
    let b = Builder::at_end(context, new.append_block("entry"));
    let given = &new.params()[..types.len() - 1];
    let args: Vec<Value> = given.iter().copied().chain([i32.int(number)]).collect();
    let types: Vec<Type> = args.iter().map(|v| v.ty()).collect();
    let rule = module.declare(&format!("{RULE}{}", f.name()), Type::function(pair, &types, false));
    let call = b.call(rule, &args);
    match mode {
        Mode::Forward => b.ret(call),
        Mode::Tangent if result.is_void() => b.ret_void(),
        Mode::Tangent => b.ret(b.extract(call, 1)),
    }
    new
}

/// The function that undoes an operation: the tape says which.
fn reverse(module: Module, f: Function, name: &str) -> Function {
    let context = module.context();
    let ty = Type::function(context.void(), &[context.ptr()], false);
    let new = new_function(module, f, &format!("{name}.reverse"), ty);
    let b = Builder::at_end(context, new.append_block("entry"));
    b.call(module.declare(REVERSE, ty), &new.params());
    b.ret_void();
    new
}

fn new_function(module: Module, like: Function, name: &str, ty: Type) -> Function {
    let f = module.add_function(name, ty);
    f.set_external(false);
    f.add_attribute_string(GENERATED, MARK);
    f.copy_target_attributes(like);
    f.add_unwind_table();
    f
}

fn finish(b: &Builder, call: Value) {
    if call.ty().is_void() { b.ret_void() } else { b.ret(call) }
}

/// Takes what is not used out of the module.
pub fn erase(module: Module) {
    loop {
        let is_left = |f: &Function| {
            let is_own = f.attribute_string(GENERATED).as_deref() == Some(MARK);
            (is_own || f.name().starts_with(RULE) && f.is_declaration())
                && f.value().users().is_empty()
        };
        let left: Vec<Function> = module.functions().into_iter().filter(is_left).collect();
        if left.is_empty() {
            break;
        }
        left.into_iter().for_each(Function::delete);
    }
    if let Some(v) = module.global(foreign::RANKS).filter(|v| v.users().is_empty()) {
        v.delete_global();
    }
}
