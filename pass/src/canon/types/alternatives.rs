//! Members of a union are read from memory, not from registers.
//!
//! A `std::variant` has one place for all of its alternatives, and looks at its index before it reads one.
//! Where passes do not know the index, they still know what was stored last in that place:
//!   store double x, p;  switch (index) { case 1: k = load i32, p; … case 2: q = load ptr, p; … }
//! There they would take k and q from the bits of x, and compute that before the switch. Whether
//! there is an integer or a pointer is only known behind it. So such loads are volatile while passes
//! run that forward stores: what lies there is decided when the program runs.
//!
//! The compiler's own passes have forwarded some already. No address has the bits of a real that was
//! computed, so code that uses such an address is not reached: it gets null. A function that only stores
//! or returns its argument may move the real, and gets it.

use super::integers;
use crate::llvm::{Block, Function, Module, Opcode, Value};
use adir::hashed::{HashMap, HashSet};

/// Takes what passes call a pointer for what it is, where it has the bits of a real that was computed:
/// a real if it is stored, and else nothing.
pub fn take_no_pointers(function: Function) {
    let casts = function.blocks().into_iter().flat_map(|b| b.instructions());
    let casts =
        casts.filter(|i| i.opcode() == Opcode::LLVMIntToPtr && is_computed_real(i.operand(0)));
    for cast in casts.collect::<Vec<_>>() {
        for user in cast.users() {
            match user.opcode() {
                Opcode::LLVMPHI | Opcode::LLVMSelect | Opcode::LLVMRet => continue,
                Opcode::LLVMCall | Opcode::LLVMInvoke if is_moved_by(user, cast, 0) => continue,
                Opcode::LLVMStore if user.operand(0) == cast => {
                    user.set_operand(0, cast.operand(0));
                    user.clear_metadata("tbaa");
                }
                _ => {}
            }
            for i in (0..user.operand_count()).filter(|&i| user.operand(i) == cast) {
                user.set_operand(i, cast.ty().zero());
            }
        }
        if cast.users().is_empty() {
            cast.erase();
        }
    }
}

/// How many calls an argument is followed through.
const MOST_CALLS: u32 = 4;

/// Whether a function with a body may move an argument on, as bits of any kind.
fn is_moved_by(call: Value, argument: Value, calls: u32) -> bool {
    let Some(params) =
        call.called().as_function().filter(|f| !f.is_declaration()).map(Function::params)
    else {
        return false;
    };
    let given = (0..call.argument_count()).filter(|&i| call.operand(i) == argument);
    given.filter_map(|i| params.get(i)).any(|param| {
        let is_call = |u: &Value| matches!(u.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke);
        param.users().iter().any(|u| match u {
            u if is_call(u) => calls == MOST_CALLS || is_moved_by(*u, *param, calls + 1),
            u => u.opcode() == Opcode::LLVMPtrToInt || integers::hands_on(*u, *param),
        })
    })
}

/// Whether an integer is the bits of a real that arithmetic has computed.
fn is_computed_real(bits: Value) -> bool {
    use Opcode::*;
    let is = |v: Value, op| v.is_instruction() && v.opcode() == op;
    is(bits, LLVMBitCast)
        && bits.operand(0).is_instruction()
        && matches!(
            bits.operand(0).opcode(),
            LLVMFAdd
                | LLVMFSub
                | LLVMFMul
                | LLVMFDiv
                | LLVMFNeg
                | LLVMSIToFP
                | LLVMUIToFP
                | LLVMFPExt
                | LLVMFPTrunc
        )
}

/// The bytes behind the base of an address.
type Bytes = std::ops::Range<i64>;

/// What is stored at constant steps from one base.
#[derive(Default)]
struct Stored {
    reals: Vec<(Bytes, Block)>,
    others: Vec<(Bytes, Block)>,
}

/// Runs passes that forward what is stored to loads, but not from one alternative to another.
pub fn run_passes(module: Module, function: Function, passes: &str) -> Result<(), String> {
    let is_held = hold(module, function);
    let result = function.run_passes(passes);
    if is_held {
        accesses(function)
            .filter(|i| i.is_volatile() && !i.is_atomic())
            .for_each(Value::make_plain);
    }
    result
}

/// Makes the loads volatile that look at a place in another way than a store in another block;
/// whether there are any. Functions with volatile accesses of their own stay as they are.
fn hold(module: Module, function: Function) -> bool {
    if accesses(function).any(|i| i.is_volatile()) {
        return false;
    }
    let mut stored: HashMap<Value, Stored> = HashMap::default();
    for store in accesses(function).filter(|i| i.opcode() == Opcode::LLVMStore) {
        let ty = store.operand(0).ty();
        let (base, bytes) = place(module, store.operand(0), store.operand(1));
        if ty.is_float() {
            stored.entry(base).or_default().reals.push((bytes, store.block()));
        } else if ty.is_pointer() || ty.is_int() && integers::is_integer_access(store) {
            stored.entry(base).or_default().others.push((bytes, store.block()));
        }
    }
    stored.retain(|_, at| !at.reals.is_empty());
    let held: HashSet<Value> = accesses(function)
        .filter(|i| i.opcode() == Opcode::LLVMLoad && !i.is_atomic())
        .filter(|load| {
            let (base, bytes) = place(module, *load, load.operand(0));
            let differs = |(other, block): &(Bytes, Block)| {
                *block != load.block() && other.start < bytes.end && bytes.start < other.end
            };
            let Some(at) = stored.get(&base) else { return false };
            match load.ty() {
                ty if ty.is_float() => at.others.iter().any(differs),
                ty if ty.is_pointer() => at.reals.iter().any(differs),
                ty => {
                    (integers::is_integer_access(*load) || ty.is_int() && ty.int_width() <= 8)
                        && at.reals.iter().any(differs)
                }
            }
        })
        .collect();
    held.iter().for_each(|load| load.make_volatile());
    !held.is_empty()
}

/// The base of an address, and which bytes behind that a value has that lies there.
fn place(module: Module, value: Value, address: Value) -> (Value, Bytes) {
    let (base, at) = address.base();
    (base, at..at + module.alloc_size(value.ty()) as i64)
}

fn accesses(function: Function) -> impl Iterator<Item = Value> {
    let insts = function.blocks().into_iter().flat_map(|b| b.instructions());
    insts.filter(|i| matches!(i.opcode(), Opcode::LLVMLoad | Opcode::LLVMStore))
}
