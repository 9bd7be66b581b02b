//! Functions that exist only as machine code: what becomes of calls to them (DESIGN section 8).
//!
//! With the policy `shadow`, each function `R f(P…)` without body and without rule gets a stand-in
//! in the module, before anything is imported:
//! ```text
//! R f.prebuilt(P…, ptr library) { return f(P…); }
//! ```
//! Canonical copies call it with the address of one global variable, [`foreign::LIBRARY`], which stands for
//! all memory that prebuilt code keeps to itself. So every analysis sees that what one call leaves
//! there another may find: it is a variable like others, has a shadow iff something varied may get
//! there, and then all calls of prebuilt functions take part in derivatives, even those that are
//! given nothing varied. The stand-in is a function with a derivative of its own (registry), whose
//! functions are written here: they call the shadow runtime (runtime.rs), which runs the machine
//! code of `f` with shadow code beside it ([`tangent`], [`adjoint`]).
//!
//! The primal keeps calling `f` itself; where a derivative calls the stand-in, LLVM inlines it.

pub mod access_depth;
pub mod adjoint;
pub mod constants;
pub mod kinds;
pub mod layout;
pub mod objects;
mod passed;
mod reals;
pub mod runtime;
mod stack;
pub mod tangent;

use crate::{
    annotations::{
        attributes::{self, GENERATED},
        policy::{Policies, Policy},
        registry::{self, Registry},
        requests, visibility,
    },
    canon::{self, stand_ins},
    diagnostics,
    llvm::{self, Builder, Function, Module, Opcode, Type, Value},
};
use adir::{foreign, library, target};
use passed::Passed;
use serde::Serialize;

/// How names begin that are ours: requests, directives, the runtimes.
const OURS: &[&str] = &[
    "adcc.", "ad_checkpoint_", "ad_fixed_point", "ad_split_", "adrt_", "adshadow_", "__ad_",
    "__enzyme_",
];

/// Whether a name is the compiler's, or ours.
pub fn is_kept_name(name: &str) -> bool {
    library::is_intrinsic(name) || OURS.iter().any(|prefix| name.starts_with(prefix))
}

/// Makes stand-ins of the unknown functions that the module calls, but for those that heads generate.
pub fn declare(
    module: Module,
    policies: &Policies,
    registry: &mut Registry,
    is_generated: &dyn Fn(Function) -> bool,
) {
    // Others that may be said to be constant: what comes from other processes, say.
    let is_outside = |f: &Function| {
        f.is_declaration() && registry::of(*f).is_none() && library::outside::of(&f.name()).is_any()
    };
    for f in module
        .functions()
        .into_iter()
        .filter(is_outside)
        .filter(|f| policies.of(&f.name()) == Policy::Inactive)
    {
        registry.declare_passive(f);
    }
    let unknown: Vec<Function> =
        module.functions().into_iter().filter(|&f| is_unknown(f) && !is_generated(f)).collect();
    if unknown
        .iter()
        .any(|f| policies.of(&f.name()) == Policy::Shadow && !library::given::is_one(&f.name()))
    {
        declare_text(module, policies, registry);
    }
    for f in unknown {
        match policies.of(&f.name()) {
            Policy::Error => {}
            Policy::Inactive => registry.declare_passive(f),
            Policy::Shadow => match calls(f)
                .into_iter()
                .map(|types| passed(module, f, &types))
                .collect::<Result<Vec<_>, _>>()
            {
                Err(why) => f.add_attribute_string(stand_ins::REFUSED, &why),
                Ok(all) => all.iter().for_each(|passed| stand_in(module, f, passed, registry)),
            },
        }
    }
}

/// Makes stand-ins of functions that make text of reals, where other functions without body may
/// read it: the shadow runtime learns of the text (shadow/src/models/text.rs), and since what it is made
/// of gets to the memory of prebuilt code, calls behind take part. So do those of functions that
/// read text.
fn declare_text(module: Module, policies: &Policies, registry: &mut Registry) {
    let is_shadow = |f: &Function| policies.of(&f.name()) == Policy::Shadow;
    let is_free = |f: &Function| f.is_declaration() && registry::of(*f).is_none();
    let mut any = false;
    for f in module
        .functions()
        .into_iter()
        .filter(|f| library::text::makes(&f.name()) && is_free(f) && is_shadow(f))
    {
        for mut types in calls(f) {
            if !types.iter().any(|t| reals::of(*t).is_some()) {
                continue;
            }
            // Only the library follows the pointers in a stream: it has no shadow.
            if library::text::is_inserter(&f.name()) {
                types[0] = module.context().int(target::pointer_bits());
            }
            if let Ok(passed) = passed(module, f, &types) {
                stand_in(module, f, &passed, registry);
                f.add_attribute_string(stand_ins::TEXT, "");
                any = true;
            }
        }
    }
    if any {
        module
            .functions()
            .into_iter()
            .filter(|f| library::text::reads(&f.name()) && is_free(f))
            .for_each(|f| f.add_attribute_string(stand_ins::TEXT, ""));
    }
}

/// The lists of arguments that calls of `f` have, by their types: the parameters, or more where
/// their number is variable.
fn calls(f: Function) -> Vec<Vec<Type>> {
    if !f.is_variadic() {
        return vec![f.ty().function_params()];
    }
    let mut all: Vec<Vec<Type>> = vec![];
    for call in f.value().users().into_iter().filter(|u| u.is_call() && u.called() == f.value()) {
        let types = stand_ins::argument_types(call);
        if !all.contains(&types) {
            all.push(types);
        }
    }
    all
}

/// Whether calls of `f` would be refused: it has no body and no rule.
pub fn is_unknown(f: Function) -> bool {
    let name = f.name();
    // Functions themselves use what unwinds them.
    f.is_declaration()
        && f.value().users().iter().any(|user| user.as_function().is_none())
        && !is_kept_name(&name)
        && registry::of(f).is_none()
        && !requests::is_request(f)
        && attributes::stands_for(f).is_none()
        && library::classify(&name).is_none()
        && !library::keeps_exception(&name)
        && !canon::models::is_modelled(&name)
        && !canon::is_of_string(&name)
}

/// How arguments of `f` are passed; or why calls of it cannot go through the shadow runtime.
fn passed(module: Module, f: Function, types: &[Type]) -> Result<Passed, String> {
    let ty = f.ty();
    if f.is_variadic() && f.value().users().iter().any(|u| u.is_call() && u.passes_structs()) {
        return Err(
            "it takes a variable number of arguments, and structs in memory are among them".into(),
        );
    }
    let suits = |t: Type| t.is_pointer() || t.is_int() || reals::of(t).is_some();
    let result = ty.function_result();
    if !result.is_void() && !suits(result) && reals::of_result(result).is_none() {
        return Err(format!(
            "it returns {result}; supported are numbers, pointers, and structs and vectors of \
            reals, or of reals and integers"
        ));
    }
    if let Some((i, t)) = types.iter().enumerate().find(|&(_, t)| !suits(*t)) {
        return Err(format!("parameter {} has type {t}, which is not supported", i + 1));
    }
    Passed::of(module, f, types).ok_or_else(|| {
        "its calling convention is not that of C, or it passes vectors or floats in a way that is not supported yet"
            .into()
    })
}

fn stand_in(module: Module, f: Function, passed: &Passed, registry: &mut Registry) {
    let context = module.context();
    let params = [&passed.types[..], &[context.ptr()]].concat();
    let new = new_function(
        module,
        &stand_ins::name(f, &passed.types),
        Type::function(f.ty().function_result(), &params, false),
    );
    new.copy_target_attributes(f);
    let b = Builder::at_end(context, new.append_block("entry"));
    let args = given(&b, f, &new.params()[..params.len() - 1]);
    let call = b.call(f, &args);
    call.copy_abi(f);
    finish(&b, call);
    // Where there are several, the types of a call's arguments say which.
    f.add_attribute_string(stand_ins::STAND_IN, &new.name());
    registry.register_prebuilt(
        new,
        tangent::make(module, f, passed),
        adjoint::make(module, f, passed),
    );
}

/// The arguments of a stand-in as those of its function: where that takes a pointer which has no
/// shadow, the stand-in takes an integer.
fn given(b: &Builder, f: Function, arguments: &[Value]) -> Vec<Value> {
    let mut params = f.ty().function_params().into_iter();
    let convert = |argument: &Value| match params.next() {
        Some(ty) if ty.is_pointer() && argument.ty().is_int() => {
            b.cast(Opcode::LLVMIntToPtr, *argument, ty)
        }
        _ => *argument,
    };
    arguments.iter().map(convert).collect()
}

/// A function of the module alone, without body.
fn new_function(module: Module, name: &str, ty: Type) -> Function {
    let f = module.add_function(name, ty);
    f.set_external(false);
    f.add_attribute_string(GENERATED, "prebuilt");
    // Exceptions may come through.
    f.add_unwind_table();
    f
}

/// Returns what a call returned.
fn finish(b: &Builder, call: Value) {
    if call.ty().is_void() { b.ret_void() } else { b.ret(call) }
}

/// A function whose derivative goes through its machine code.
#[derive(Debug, Serialize)]
pub struct MachineCode {
    /// The function, as in the source.
    pub function: String,
    /// file:line:column of a call, if that is known.
    pub at: Option<String>,
}

/// Takes what is not used out of the module. What is used of machine code.
pub fn erase(module: Module) -> Vec<MachineCode> {
    let stood_in: Vec<(Function, String)> = module
        .functions()
        .into_iter()
        .filter_map(|f| Some((f, f.attribute_string(stand_ins::STAND_IN)?)))
        .collect();
    for f in module.functions() {
        f.remove_attribute_string(stand_ins::STAND_IN);
        f.remove_attribute_string(stand_ins::REFUSED);
        f.remove_attribute_string(stand_ins::TEXT);
    }
    loop {
        let is_left = |f: &Function| {
            f.attribute_string(GENERATED).as_deref() == Some("prebuilt")
                && f.value().users().is_empty()
        };
        let left: Vec<Function> = module.functions().into_iter().filter(is_left).collect();
        if left.is_empty() {
            break;
        }
        left.into_iter().for_each(Function::delete);
    }
    for name in [foreign::LIBRARY, foreign::OUTSIDE] {
        if let Some(v) = module.global(name).filter(|v| v.users().is_empty()) {
            v.delete_global();
        }
    }
    visibility::erase(module);
    let used: Vec<String> = module
        .functions()
        .into_iter()
        .filter(|f| f.attribute_string(GENERATED).as_deref() == Some("prebuilt"))
        .map(Function::name)
        .collect();
    let is_used = |stand_in: &str| {
        used.iter().any(|name| name.strip_prefix(stand_in).is_some_and(|r| r.starts_with('.')))
    };
    let found = stood_in.into_iter().filter(|(_, stand_in)| is_used(stand_in));
    found
        .map(|(f, _)| {
            let calls = f.value().users().into_iter().filter(|u| u.is_call());
            let function = llvm::demangled(&f.name()).unwrap_or_else(|| f.name());
            MachineCode { function, at: calls.filter_map(diagnostics::place).next() }
        })
        .collect()
}
