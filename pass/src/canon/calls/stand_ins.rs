//! Stand-ins for functions that exist only as machine code: canonical copies call them in place of
//! the functions, with the variable that stands for the memory of such code
//! (`codegen::prebuilt` makes them).

use crate::{
    annotations::{
        attributes::{OWN, READS},
        outside,
        registry::{self, Registered},
    },
    diagnostics::{Code, Diagnostic},
    llvm::{Builder, Function, Module, Opcode, Type, Value},
};
use adir::{foreign, library};

/// String attribute of a declaration: the name of its stand-in, or why there is none.
pub const STAND_IN: &str = "adcc-prebuilt";
/// String attribute of a declaration whose calls are to be errors: why.
pub const REFUSED: &str = "adcc-prebuilt-refused";
/// String attribute of a declaration: text that it makes or reads is known to prebuilt code.
pub const TEXT: &str = "adcc-prebuilt-text";

/// Whether a call is one of a stand-in.
pub fn is_called(call: Value) -> bool {
    call.called().as_function().and_then(registry::of) == Some(Registered::Prebuilt)
}

/// Why a call must not run twice, if it is one of a stand-in.
pub fn keeps_state(call: Value) -> Option<Diagnostic> {
    let name = call.called().as_function().filter(|_| is_called(call))?.name();
    let symbol = name.strip_suffix(foreign::SUFFIX).unwrap_or(&name);
    let text = format!(
        "'{symbol}' exists only as machine code, and adcc cannot save and restore the state that \
        it keeps between calls: it cannot run again"
    );
    let remedy = "keep the call out of checkpointed loops and regions, and out of joint calls";
    Some(Diagnostic::new(Code::Checkpoint, Some(call), text, remedy))
}

/// Why there is no derivative of a function without body, as far as its policy says more than that
/// nothing is known.
pub fn refusal(f: Function) -> Option<String> {
    f.attribute_string(REFUSED)
}

/// The types of the arguments of a call.
pub fn argument_types(call: Value) -> Vec<Type> {
    (0..call.argument_count()).map(|i| call.operand(i).ty()).collect()
}

/// The name of the stand-in for calls with arguments of these types.
pub fn name(f: Function, types: &[Type]) -> String {
    let name = f.name();
    if !f.is_variadic() {
        return format!("{name}{}", foreign::SUFFIX);
    }
    let more: Vec<String> =
        types[f.ty().function_params().len()..].iter().map(Type::to_string).collect();
    format!("{name}({}){}", more.join(", "), foreign::SUFFIX)
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
        let message = f.attribute_string(outside::MESSAGE).and_then(|name| module.function(&name));
        if let Some(new) = message {
            replace(&b, call, new, ranks_memory(module));
            continue;
        }
        let name = f
            .attribute_string(STAND_IN)
            .map(|only| if f.is_variadic() { name(f, &argument_types(call)) } else { only });
        let Some(new) = name.and_then(|name| module.function(&name)) else { continue };
        let is_text = f.attribute_string(TEXT).is_some();
        // What reads numbers into variables of the copy has no use for derivatives.
        let reads_constants = || call.call_string(READS).as_deref() == Some(OWN);
        if is_text && outside::is_printing(call) || !is_text && reads_constants() {
            continue;
        }
        b.position_before(call);
        // Where the stand-in takes an integer, the pointer has no shadow.
        let params = new.ty().function_params();
        let argument = |i: usize| match params.get(i) {
            Some(ty) if ty.is_int() && call.operand(i).ty().is_pointer() => {
                b.cast(Opcode::LLVMPtrToInt, call.operand(i), *ty)
            }
            _ => call.operand(i),
        };
        let mut args: Vec<Value> = (0..call.argument_count()).map(argument).collect();
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

/// Calls the stand-in of an operation in the place of that, with the variable for what other ranks hold.
fn replace(b: &Builder, call: Value, new: Function, ranks: Value) {
    b.position_before(call);
    let args: Vec<Value> = (0..call.argument_count()).map(|i| call.operand(i)).collect();
    let args = [&args[..], &[ranks]].concat();
    let made = if call.is_invoke() { call.invoke_like(new, &args) } else { b.call(new, &args) };
    call.copy_location(made);
    if !call.ty().is_void() {
        call.replace_uses(made);
    }
    call.erase();
}

/// The variable that stands for what other ranks hold.
fn ranks_memory(module: Module) -> Value {
    module
        .global(foreign::RANKS)
        .unwrap_or_else(|| module.private_variable(foreign::RANKS, module.context().f64()))
}

/// The variable that stands for the memory of functions without body that have no stand-in.
pub fn outside_memory(module: Module) -> Value {
    module
        .global(foreign::OUTSIDE)
        .unwrap_or_else(|| module.private_variable(foreign::OUTSIDE, module.context().int(8)))
}

/// The variable that stands for the memory of prebuilt code.
pub fn library_memory(module: Module) -> Value {
    module
        .global(foreign::LIBRARY)
        .unwrap_or_else(|| module.private_variable(foreign::LIBRARY, module.context().int(8)))
}
