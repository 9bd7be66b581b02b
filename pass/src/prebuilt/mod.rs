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

pub mod adjoint;
pub mod constants;
pub mod kinds;
pub mod layout;
pub mod looks;
pub mod objects;
mod passed;
pub mod policy;
mod reals;
pub mod runtime;
pub mod shared;
mod stack;
pub mod tangent;

use crate::{
    canon::{self, GENERATED},
    diag::{Code, Diagnostic},
    llvm::{Builder, Function, Module, Opcode, Type, Value},
    registry::{self, Registered, Registry},
    request,
};
use adir::{foreign, library};
use passed::Passed;
use policy::{Policies, Policy};

/// String attribute of a declaration: the name of its stand-in, or why there is none.
const STAND_IN: &str = "adcc-prebuilt";
/// String attribute of a declaration whose calls are to be errors: why.
const REFUSED: &str = "adcc-prebuilt-refused";
/// String attribute of a declaration: text that it makes or reads is known to prebuilt code.
const TEXT: &str = "adcc-prebuilt-text";

/// How names begin that are the compiler's, or ours: requests, directives, the runtimes.
const OURS: &[&str] =
    &["llvm.", "adcc.", "ad_checkpoint_", "ad_split_", "adrt_", "adshadow_", "__ad_", "__enzyme_"];

/// Makes stand-ins of the functions that the module calls and nobody knows.
pub fn declare(module: Module, policies: &Policies, registry: &mut Registry) {
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
        module.functions().into_iter().filter(|&f| is_unknown(f)).collect();
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
                Err(why) => f.add_attribute_string(REFUSED, &why),
                Ok(all) => all.iter().for_each(|passed| stand_in(module, f, passed, registry)),
            },
        }
    }
}

/// Makes stand-ins of functions that make text of reals, where other functions without body may
/// read it: the shadow runtime learns of the text (shadow/src/text.rs), and since what it is made
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
        for types in calls(f).iter().filter(|types| types.iter().any(|t| reals::of(*t).is_some())) {
            if let Ok(passed) = passed(module, f, types) {
                stand_in(module, f, &passed, registry);
                f.add_attribute_string(TEXT, "");
                any = true;
            }
        }
    }
    if any {
        module
            .functions()
            .into_iter()
            .filter(|f| library::text::reads(&f.name()) && is_free(f))
            .for_each(|f| f.add_attribute_string(TEXT, ""));
    }
}

/// Whether a call prints: to a terminal or a file that is opened here.
fn is_printing(call: Value) -> bool {
    const PRINTERS: [&str; 8] = [
        "stdout", "stderr", "__stdoutp", "__stderrp", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog",
        "_ZSt5wcout",
    ];
    const OPENERS: [&str; 6] = ["fopen", "fopen64", "fdopen", "freopen", "tmpfile", "popen"];
    let name = call.called().as_function().map(|f| f.name()).unwrap_or_default();
    if !library::text::is_of_files(&name) && !library::text::is_inserter(&name) {
        return false;
    }
    let mut stream = call.operand(0);
    loop {
        if stream.is_global_variable() {
            return PRINTERS.contains(&stream.name().as_str());
        }
        if !stream.is_instruction() {
            return false;
        }
        match stream.opcode() {
            Opcode::LLVMLoad | Opcode::LLVMGetElementPtr => stream = stream.operand(0),
            Opcode::LLVMAlloca => return stream.allocated_type().to_string().contains("fstream"),
            Opcode::LLVMCall => {
                let from = stream.called().as_function().map(|f| f.name()).unwrap_or_default();
                if !library::text::is_inserter(&from) && !library::returns_first(&from) {
                    return OPENERS.contains(&from.as_str());
                }
                stream = stream.operand(0);
            }
            _ => return false,
        }
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
        let types = argument_types(call);
        if !all.contains(&types) {
            all.push(types);
        }
    }
    all
}

fn argument_types(call: Value) -> Vec<Type> {
    (0..call.argument_count()).map(|i| call.operand(i).ty()).collect()
}

/// The name of the stand-in for calls with arguments of these types.
fn stand_in_name(f: Function, types: &[Type]) -> String {
    let name = f.name();
    if !f.is_variadic() {
        return format!("{name}{}", foreign::SUFFIX);
    }
    let more: Vec<String> =
        types[f.ty().function_params().len()..].iter().map(Type::to_string).collect();
    format!("{name}({}){}", more.join(", "), foreign::SUFFIX)
}

/// Whether calls of `f` would be refused: it has no body and no rule.
fn is_unknown(f: Function) -> bool {
    let name = f.name();
    f.is_declaration()
        && !f.value().users().is_empty()
        && !OURS.iter().any(|prefix| name.starts_with(prefix))
        && registry::of(f).is_none()
        && !request::is_request(f)
        && canon::stands_for(f).is_none()
        && library::classify(&name).is_none()
        && !canon::models::is_modelled(&name)
        && !canon::is_of_string(&name)
}

/// How arguments of `f` are passed; or why calls of it cannot go through the shadow runtime.
fn passed(module: Module, f: Function, types: &[Type]) -> Result<Passed, String> {
    let ty = f.ty();
    if f.is_variadic() && f.value().users().iter().any(|u| u.is_call() && u.passes_structs()) {
        return Err("it takes a variable number of arguments, structs in memory among them".into());
    }
    let suits = |t: Type| t.is_pointer() || t.is_int() || reals::of(t).is_some();
    let result = ty.function_result();
    if !result.is_void() && !suits(result) && reals::of_result(result).is_none() {
        return Err(format!(
            "it returns {result}: only numbers, pointers, and structs and vectors of reals, and of reals and integers, are possible so far"
        ));
    }
    if let Some((i, t)) = types.iter().enumerate().find(|&(_, t)| !suits(*t)) {
        return Err(format!("parameter {} is of type {t}", i + 1));
    }
    Passed::of(module, f, types).ok_or_else(|| "it takes or returns vectors, or floats on the stack, in ways that are not known yet, or has another calling convention than C's".into())
}

/// Whether a call is one of a stand-in.
pub fn is_called(call: Value) -> bool {
    call.called().as_function().and_then(registry::of) == Some(Registered::Prebuilt)
}

/// Why a call must not run twice, if it is one of a stand-in.
pub fn keeps_state(call: Value) -> Option<Diagnostic> {
    let name = call.called().as_function().filter(|_| is_called(call))?.name();
    let symbol = name.strip_suffix(foreign::SUFFIX).unwrap_or(&name);
    let text = format!(
        "'{symbol}' exists only as machine code, and what it keeps from call to call is neither saved nor restored: it cannot run again"
    );
    let remedy = "keep it out of checkpointed loops and regions and of joint calls";
    Some(Diagnostic::new(Code::Checkpoint, Some(call), text, remedy))
}

/// Why there is no derivative of a function without body, as far as its policy says more than that
/// nothing is known.
pub fn refusal(f: Function) -> Option<String> {
    f.attribute_string(REFUSED)
}

fn stand_in(module: Module, f: Function, passed: &Passed, registry: &mut Registry) {
    let context = module.context();
    let params = [&passed.types[..], &[context.ptr()]].concat();
    let new = new_function(
        module,
        &stand_in_name(f, &passed.types),
        Type::function(f.ty().function_result(), &params, false),
    );
    new.copy_target_attributes(f);
    let b = Builder::at_end(context, new.append_block("entry"));
    let args = new.params();
    let call = b.call(f, &args[..params.len() - 1]);
    call.copy_abi(f);
    finish(&b, call);
    // Where there are several, the types of a call's arguments say which.
    f.add_attribute_string(STAND_IN, &new.name());
    registry.register_prebuilt(
        new,
        tangent::make(module, f, passed),
        adjoint::make(module, f, passed),
    );
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

/// Lets a canonical copy call stand-ins.
pub fn rewrite_calls(module: Module, function: Function) {
    let b = Builder::new(module.context());
    for call in function.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call())
    {
        let Some(f) = call
            .called()
            .as_function()
            .filter(|f| f.is_declaration() && f.ty() == call.called_type())
        else {
            continue;
        };
        let name = f.attribute_string(STAND_IN).map(|only| {
            if f.is_variadic() { stand_in_name(f, &argument_types(call)) } else { only }
        });
        let Some(new) = name.and_then(|name| module.function(&name)) else { continue };
        let is_text = f.attribute_string(TEXT).is_some();
        if is_text && is_printing(call) {
            continue;
        }
        b.position_before(call);
        let mut args: Vec<Value> = (0..call.argument_count()).map(|i| call.operand(i)).collect();
        // Others know what earlier calls were given.
        args.push(if library::given::is_one(&f.name()) && !is_text {
            module.context().ptr().zero()
        } else {
            library_memory(module)
        });
        let made = if call.is_invoke() { call.invoke_like(new, &args) } else { b.call(new, &args) };
        call.copy_location(made);
        made.set_fast_math(call.fast_math());
        if !call.ty().is_void() {
            call.replace_uses(if library::text::is_inserter(&f.name()) {
                call.operand(0)
            } else {
                made
            });
        }
        call.erase();
    }
}

/// The variable that stands for the memory of functions without body that have no stand-in.
pub fn outside_memory(module: Module) -> Value {
    module
        .global(foreign::OUTSIDE)
        .unwrap_or_else(|| module.private_variable(foreign::OUTSIDE, module.context().int(8)))
}

fn library_memory(module: Module) -> Value {
    module
        .global(foreign::LIBRARY)
        .unwrap_or_else(|| module.private_variable(foreign::LIBRARY, module.context().int(8)))
}

/// Takes what is not used out of the module.
pub fn erase(module: Module) {
    for f in module.functions() {
        f.remove_attribute_string(STAND_IN);
        f.remove_attribute_string(REFUSED);
        f.remove_attribute_string(TEXT);
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
    shared::erase(module);
}
