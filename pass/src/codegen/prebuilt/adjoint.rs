//! The two sweeps of a function that exists as machine code.
//!
//! ```text
//! {R, shadow of R, tape} f.prebuilt.forward(P…, ptr library, each pointer followed by its shadow;
//! i64 kinds, i64 varied, i64 depth) adjoints of the reals of P… f.prebuilt.reverse(shadows of the
//! pointers of P…, adjoint of R, tape)
//! ```
//! Bit `i` of `varied` says that argument `i` may be active: others get no index; `depth` says what
//! the caller does with a pointer that is returned (access_depth.rs). The runtime keeps what the
//! reverse sweep needs; the tape is a number, by which it checks that calls are undone in the
//! opposite order, whatever becomes of the tapes of other gradients.

use super::{
    access_depth, new_function,
    passed::Passed,
    reals,
    runtime::{Mode, Runtime},
    tangent::Call,
};
use crate::{
    annotations::registry::{Adjoint, Rule},
    llvm::{Builder, Function, IntPredicate, Module, Type, Value},
};

/// Writes them.
pub fn make(module: Module, f: Function, passed: &Passed) -> Adjoint {
    let own = &passed.types;
    let mut shadows: Vec<bool> = own.iter().map(|t| t.is_pointer()).collect();
    shadows.push(true);
    let augmented = forward(module, f, &shadows, passed);
    let reverse = reverse(module, f, passed);
    let result = f.ty().function_result();
    Adjoint {
        augmented,
        reverse,
        shadows,
        result: (!result.is_void()).then_some(0),
        result_shadow: result.is_pointer().then_some(1),
        tape: Some(u32::from(!result.is_void()) + u32::from(result.is_pointer())),
        returns_adjoints: own.iter().any(|t| reals::of(*t).is_some()),
    }
}

fn forward(module: Module, f: Function, shadows: &[bool], passed: &Passed) -> Rule {
    let context = module.context();
    let own = &passed.types;
    let all = own.iter().copied().chain([context.ptr()]);
    let mut types: Vec<Type> =
        all.zip(shadows).flat_map(|(t, &has)| vec![t; 1 + usize::from(has)]).collect();
    types.extend([context.int(64); 3]);
    let result = f.ty().function_result();
    let mut members = match () {
        () if result.is_void() => vec![],
        () if result.is_pointer() => vec![result; 2],
        () => vec![result],
    };
    members.push(context.ptr());
    let returned = if result.is_void() { context.ptr() } else { context.structure(&members) };
    let new = new_function(
        module,
        &format!("{}.forward", crate::canon::stand_ins::name(f, own)),
        Type::function(returned, &types, false),
    );
    new.copy_target_attributes(f);
    let b = Builder::at_end(context, new.append_block("entry"));
    let mut given = new.params().into_iter();
    let (mut primals, mut beside) = (vec![], vec![]);
    for &has in shadows {
        let primal = given.next().expect("its own type");
        primals.push(primal);
        beside.push(if has { given.next().expect("its own type") } else { primal.ty().zero() });
    }
    let [kinds, varied, depth] = [(); 3].map(|()| given.next().expect("its own type"));
    let call = Call { module, b: &b, f, primals: &primals[..own.len()], passed };
    call.begin(Mode::Recording, &beside[..own.len()], kinds);
    let runtime = call.runtime();
    let captured: Vec<Value> =
        own.iter().enumerate().map(|(i, &t)| indices(&runtime, t, i, varied)).collect();
    let value = call.run(&captured);
    if reals::of_result(result).is_some() {
        runtime.indices(result).into_iter().for_each(|index| runtime.output(index));
    }
    runtime.check_words(result);
    let mut parts = if result.is_void() { vec![] } else { vec![value] };
    if result.is_pointer() {
        let (kind, levels) = access_depth::of(&b, depth);
        parts.push(runtime.returned_memory(value, kind, levels));
    }
    parts.push(runtime.tape());
    match parts[..] {
        [one] => b.ret(one),
        _ => b.ret(
            parts
                .iter()
                .enumerate()
                .fold(returned.poison(), |all, (i, &part)| b.insert_value(all, part, i as u32)),
        ),
    }
    Rule::prebuilt(new, members)
}

/// The indices of an argument's reals in place of them; zero where it is not varied.
fn indices(runtime: &Runtime, ty: Type, i: usize, varied: Value) -> Value {
    let Some(types) = reals::of(ty) else { return ty.zero() };
    let b = runtime.b;
    let i64 = varied.ty();
    // More than 64 arguments: those behind count as varied.
    let bit = if i < 64 { b.and(varied, i64.int(1 << i)) } else { i64.int(1) };
    let is_varied = b.icmp(IntPredicate::LLVMIntNE, bit, i64.zero());
    let made: Vec<Value> = types
        .into_iter()
        .map(|t| {
            let index = runtime.input();
            reals::from_index(b, b.select(is_varied, index, index.ty().zero()), t)
        })
        .collect();
    reals::make(b, ty, &mut made.into_iter())
}

fn reverse(module: Module, f: Function, passed: &Passed) -> Rule {
    let context = module.context();
    let own = &passed.types;
    let result = f.ty().function_result();
    let has_bar = reals::of_result(result).is_some();
    let mut types: Vec<Type> = own.iter().copied().filter(|t| t.is_pointer()).collect();
    let pointers = types.len();
    types.extend(has_bar.then_some(result));
    types.push(context.ptr());
    let members: Vec<Type> = own.iter().copied().filter(|t| reals::of(*t).is_some()).collect();
    let returned = match members[..] {
        [] => context.void(),
        [one] => one,
        _ => context.structure(&members),
    };
    let new = new_function(
        module,
        &format!("{}.reverse", crate::canon::stand_ins::name(f, own)),
        Type::function(returned, &types, false),
    );
    new.copy_target_attributes(f);
    let b = Builder::at_end(context, new.append_block("entry"));
    let runtime = Runtime { module, b: &b };
    let given = new.params();
    runtime.reverse(f);
    runtime.reverse_tape(*given.last().expect("the tape"));
    for (k, &shadow) in given[..pointers].iter().enumerate() {
        runtime.reverse_pointer(k as u32, shadow);
    }
    if has_bar {
        for (k, bar) in reals::take(&b, given[pointers]).into_iter().enumerate() {
            runtime.reverse_output(k as u32, b.float_cast(bar, context.f64()));
        }
    }
    runtime.reverse_run();
    let mut k = 0;
    let adjoints: Vec<Value> = members
        .iter()
        .map(|&t| {
            let reals: Vec<Value> = reals::of(t)
                .unwrap_or_default()
                .into_iter()
                .map(|ty| {
                    k += 1;
                    b.float_cast(runtime.reverse_input(k - 1), ty)
                })
                .collect();
            reals::make(&b, t, &mut reals.into_iter())
        })
        .collect();
    match adjoints[..] {
        [] => b.ret_void(),
        [one] => b.ret(one),
        _ => {
            let whole = adjoints
                .iter()
                .enumerate()
                .fold(returned.poison(), |all, (i, &a)| b.insert_value(all, a, i as u32));
            b.ret(whole);
        }
    }
    Rule::prebuilt(new, members)
}
