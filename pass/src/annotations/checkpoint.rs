//! Markers of checkpointed loops and regions: calls of functions that do nothing, which say what is
//! to be recorded step by step.
//!
//! [`prepare`] lets LLVM's passes leave them where they are, and brings Fortran's calls, which pass
//! references, into the form of C's. The canonical copy is outlined where it has some
//! (canon/outline.rs). [`erase`] takes them out of all functions in the end: the program runs
//! without them.

pub use adir::library::{CHECKPOINT, HEAD, STATE};

use crate::llvm::{Builder, Context, Function, Module, Opcode, Type, Value};

/// The markers, as C calls them; with an underscore behind them, as Fortran does.
const MARKERS: &[&str] = &[LOOP, INDEPENDENT, FIXED_POINT, BEGIN, END, MARKED_STATE];
const LOOP: &str = "ad_checkpoint_loop";
const INDEPENDENT: &str = "ad_checkpoint_independent";
/// The loop around it iterates to a fixed point.
pub const FIXED_POINT: &str = "ad_fixed_point";
const BEGIN: &str = "ad_checkpoint_begin";
const END: &str = "ad_checkpoint_end";
const MARKED_STATE: &str = "ad_checkpoint_state";
/// String attribute of the functions that outlining makes: what they are.
pub const OUTLINED: &str = "adcc-checkpoint";
/// String attribute of steps that return something: what they return where the loop goes on.
pub const GOES_ON: &str = "adcc-goes-on";

/// The declarations of markers in the module, in C's form.
fn declared(module: Module) -> impl Iterator<Item = Function> {
    MARKERS.iter().filter_map(move |name| module.function(name)).filter(|f| f.is_declaration())
}

/// Makes markers stay what they are, and where they are. Whether there are any.
pub fn prepare(module: Module) -> bool {
    for name in MARKERS {
        let fortran = module.function(&format!("{name}_")).filter(|f| f.is_declaration());
        fortran.into_iter().for_each(|f| rewrite_fortran(module, f, name));
    }
    let markers: Vec<Function> = declared(module).collect();
    markers.iter().for_each(|marker| marker.make_marker());
    if !markers.is_empty() {
        module.note_markers();
    }
    !markers.is_empty()
}

/// Replaces Fortran's calls of a marker by those of C's, as far as the types of their arguments are
/// known; the others are refused where they are differentiated.
fn rewrite_fortran(module: Module, fortran: Function, name: &str) {
    let context = module.context();
    for call in calls_of(fortran) {
        let b = Builder::new(context);
        b.position_before(call);
        let given: Vec<Value> = (0..call.argument_count()).map(|i| call.operand(i)).collect();
        let by_value = |at: Value, to: Type| {
            let known = integer_behind(at).filter(|t| t.int_width() >= 32)?;
            let value = b.load(known, at);
            let op = if known.int_width() < to.int_width() {
                Opcode::LLVMSExt
            } else {
                Opcode::LLVMTrunc
            };
            Some(if known == to { value } else { b.cast(op, value, to) })
        };
        let arguments = match (name, &given[..]) {
            (LOOP, &[n]) => by_value(n, context.int(32)).map(|n| vec![n]),
            (FIXED_POINT, &[tolerance]) => real_behind(context, tolerance)
                .map(|known| vec![b.float_cast(b.load(known, tolerance), context.f64())]),
            (MARKED_STATE, &[at, bytes]) => {
                by_value(bytes, context.int(64)).map(|bytes| vec![at, bytes])
            }
            (INDEPENDENT | BEGIN | END, []) => Some(vec![]),
            _ => None,
        };
        let Some(arguments) = arguments else { continue };
        let types: Vec<Type> = arguments.iter().map(|a| a.ty()).collect();
        let marker = module.declare(name, Type::function(context.void(), &types, false));
        b.call(marker, &arguments);
        erase_call(call);
    }
}

/// The type of the integer that lies at an address: of the variable, or of what is loaded or stored
/// there.
fn integer_behind(address: Value) -> Option<Type> {
    type_behind(address, Type::is_int)
}

/// The type of the real that lies at an address, single or double.
fn real_behind(context: Context, address: Value) -> Option<Type> {
    type_behind(address, |t| t == context.f64() || t == context.f32())
}

/// The type of the variable at an address, or of what is loaded or stored there, if it is one of those that are meant.
fn type_behind(address: Value, is_meant: impl Fn(Type) -> bool) -> Option<Type> {
    let declared = match () {
        () if address.is_global_variable() => Some(address.global_type()),
        () if address.is_instruction() && address.opcode() == Opcode::LLVMAlloca => {
            Some(address.allocated_type())
        }
        () => None,
    };
    let accessed = || {
        address.users().into_iter().filter(|u| u.is_instruction()).find_map(|u| match u.opcode() {
            Opcode::LLVMLoad => Some(u.ty()),
            Opcode::LLVMStore if u.operand(1) == address => Some(u.operand(0).ty()),
            _ => None,
        })
    };
    declared.filter(|&t| is_meant(t)).or_else(accessed).filter(|&t| is_meant(t))
}

/// The calls and invokes of a function.
fn calls_of(f: Function) -> Vec<Value> {
    f.value()
        .users()
        .into_iter()
        .filter(|u| u.is_instruction() && u.is_call() && u.called() == f.value())
        .collect()
}

fn erase_call(call: Value) {
    let call = if call.is_invoke() { call.invoke_to_call() } else { call };
    call.erase();
}

/// Takes all markers out of the module; whether there were any.
pub fn erase(module: Module) -> bool {
    let fortran = MARKERS.iter().map(|name| format!("{name}_"));
    let names = MARKERS
        .iter()
        .chain(&[CHECKPOINT, HEAD, STATE])
        .map(|name| name.to_string())
        .chain(fortran);
    let mut found = false;
    for f in names.filter_map(|name| module.function(&name)).filter(|f| f.is_declaration()) {
        calls_of(f).into_iter().filter(|call| call.ty().is_void()).for_each(erase_call);
        if f.value().users().is_empty() {
            f.delete();
        }
        found = true;
    }
    found
}
