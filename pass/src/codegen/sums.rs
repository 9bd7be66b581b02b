//! Sums in shadow memory to which several threads add (runtime/src/sums.rs).
//!
//! While derivatives are made, such a sum is an atomic addition with a scope of its own, which derivatives of
//! derivatives understand ([`add`]); and a thread asks for what it has kept itself before it reads or overwrites shadow
//! memory ([`settle`]). When no derivative is left to be made, both become code that looks at the thread's tables first
//! ([`lower`]).

use crate::llvm::{
    Builder, Function, IntPredicate, Module, Opcode, Space, StripNames, Type, Value,
};
use adir::{library::threads, target};

/// Scope of the sums.
const SCOPE: &str = "adcc.sum";
/// The runtime's functions.
const SUM_DOUBLE: &str = "adrt_sum_double";
const SUM_FLOAT: &str = "adrt_sum_float";
const SETTLE: &str = "adrt_sum_settle";
const RUN_DOUBLE: &str = "adrt_sum_run_double";
const RUN_FLOAT: &str = "adrt_sum_run_float";
const SETTLED_RUN: &str = "adrt_sum_settled_run";
/// What loops must have gone through before they are cut into strips.
const PREPARE: &str = "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-simplify,lcssa,\
                       loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,loop(indvars),loop-simplify";
/// Bytes of a piece of shadow memory, and how many pieces the tables have, as in the runtime.
const PIECE: u64 = 1 << 14;
const SLOTS: u64 = 64;
/// Bytes of an entry of the first table.
const PLACE: u64 = 16;
/// Larger accesses are settled by the runtime.
const MOST_CELLS: usize = 8;

/// A real of a type.
struct Part {
    /// Which member of which member.
    path: Vec<u32>,
    /// Its offset, in bytes.
    at: u64,
}

fn parts(module: Module, ty: Type) -> Vec<Part> {
    let within = |i: u32, inner: Type, at: u64| {
        parts(module, inner).into_iter().map(move |mut part| {
            part.path.insert(0, i);
            part.at += at;
            part
        })
    };
    if ty.is_struct() {
        let members = ty.struct_members().into_iter().zip(0..);
        return members.flat_map(|(m, i)| within(i, m, module.member_offset(ty, i))).collect();
    }
    if ty.is_aggregate() || ty.is_vector() {
        let element = ty.element();
        let of = |i: u32| within(i, element, u64::from(i) * module.alloc_size(element));
        return (0..ty.parts().len() as u32).flat_map(of).collect();
    }
    if ty.is_float() { vec![Part { path: vec![], at: 0 }] } else { vec![] }
}

/// Of what power of two the address of a part is a multiple.
fn alignment_of(part: &Part, alignment: u32) -> u32 {
    1 << (u64::from(alignment) | part.at).trailing_zeros().min(alignment.trailing_zeros())
}

/// *at += d, each real by itself; `at` is a multiple of `alignment`.
pub fn add(module: Module, b: &Builder, d: Value, at: Value, alignment: u32) {
    let i64 = b.context().int(64);
    for part in parts(module, d.ty()) {
        let inner = |d: Value, &i: &u32| match d.ty().is_vector() {
            true => b.extract_element(d, i64.int(i.into())),
            false => b.extract(d, i),
        };
        let real = part.path.iter().fold(d, inner);
        let sum = b.atomic_fadd(real, b.byte_offset(at, i64.int(part.at)));
        sum.set_scope(SCOPE);
        sum.set_space(Space::Shadow);
        sum.set_alignment(alignment_of(&part, alignment));
        declare(module, real.ty() == b.context().f32());
    }
}

/// What this thread has kept for the reals of type `ty` at `at` is added to them.
pub fn settle(module: Module, b: &Builder, ty: Type, at: Value, alignment: u32) {
    let i64 = b.context().int(64);
    let (all, cell) = (parts(module, ty), module.alloc_size(ty.scalar()));
    if ty.is_aggregate() || all.len() > MOST_CELLS || u64::from(alignment) < cell {
        return settle_bytes(module, b, at, i64.int(module.alloc_size(ty)));
    }
    let f = declare_settle(module, threads::SETTLE_CELL);
    for part in all {
        b.call(f, &[b.byte_offset(at, i64.int(part.at)), i64.int(cell)]).set_space(Space::Shadow);
    }
}

/// The same of `bytes` bytes.
pub fn settle_bytes(module: Module, b: &Builder, at: Value, bytes: Value) {
    b.call(declare_settle(module, threads::SETTLE), &[at, bytes]).set_space(Space::Shadow);
}

fn declare_settle(module: Module, name: &str) -> Function {
    let context = module.context();
    let types = [context.ptr(), context.int(64)];
    let f = module.declare(name, Type::function(context.void(), &types, false));
    ["nounwind", "willreturn"].iter().for_each(|a| f.add_attribute(a));
    f
}

/// The runtime's function that adds.
fn declare(module: Module, is_float: bool) -> Function {
    let context = module.context();
    let (name, real) = match is_float {
        true => (SUM_FLOAT, context.f32()),
        false => (SUM_DOUBLE, context.f64()),
    };
    let f = module.declare(name, Type::function(context.void(), &[context.ptr(), real], false));
    ["nounwind", "willreturn", "cold"].iter().for_each(|a| f.add_attribute(a));
    f
}

/// Cuts loops with sums or settlements into strips within which a thread adds at one distance (the shim's strips.cpp).
pub fn cut_strips(module: Module, functions: &[Function]) -> Result<(), String> {
    let settle = module.function(threads::SETTLE_CELL);
    let has_sums = [SUM_DOUBLE, SUM_FLOAT].iter().any(|name| module.function(name).is_some());
    if target::pointer() != 8 || !has_sums && settle.is_none() {
        return Ok(());
    }
    let i64 = module.context().int(64);
    let run = module.context().structure(&[i64; 2]);
    let ask = |name, questions: usize| {
        let f = module.declare(name, Type::function(run, &vec![i64; questions], false));
        ["nounwind", "willreturn"].iter().for_each(|a| f.add_attribute(a));
        f
    };
    let (doubles, floats) = (ask(RUN_DOUBLE, 4), ask(RUN_FLOAT, 4));
    let names = StripNames { scope: SCOPE, doubles, floats, settle, settled: ask(SETTLED_RUN, 5) };
    let calls_settle = |f: Function| {
        settle.is_some_and(|s| s.value().users().iter().any(|call| call.block().function() == f))
    };
    let sums =
        |f: Function| f.blocks().iter().flat_map(|b| b.instructions()).any(|i| i.has_scope(SCOPE));
    for &f in functions.iter().filter(|&&f| sums(f) || calls_settle(f)) {
        f.run_passes(PREPARE)?;
        f.cut_strips(&names);
        f.verify()?;
    }
    for f in [names.doubles, names.floats, names.settled] {
        if f.value().users().is_empty() {
            f.delete();
        }
    }
    Ok(())
}

/// Gives sums and settlements their code.
pub fn lower(module: Module) {
    let has_tables = target::pointer() == 8;
    for (name, is_cell) in [(threads::SETTLE_CELL, true), (threads::SETTLE, false)] {
        let Some(f) = module.function(name) else { continue };
        let calls = f.value().users();
        if has_tables {
            define_settle(module, f, is_cell);
            calls.into_iter().for_each(|call| _ = call.inline());
        } else {
            calls.into_iter().for_each(Value::erase);
            f.delete();
        }
    }
    if [SUM_DOUBLE, SUM_FLOAT].iter().all(|name| module.function(name).is_none()) {
        return;
    }
    let blocks = module.functions().into_iter().flat_map(|f| f.blocks());
    let instructions = blocks.flat_map(|b| b.instructions());
    let sums: Vec<Value> = instructions.filter(|i| i.has_scope(SCOPE)).collect();
    for sum in sums {
        if !has_tables {
            sum.set_scope("");
            continue;
        }
        let (at, d) = (sum.operand(0), sum.operand(1));
        let b = Builder::new(module.context());
        b.position_before(sum);
        let is_aligned = u64::from(sum.alignment()) >= module.alloc_size(d.ty());
        let call = b.call(adder(module, d.ty(), is_aligned), &[at, d]);
        call.set_space(Space::Shadow);
        sum.erase();
        if is_aligned {
            call.inline();
        }
    }
}

/// A function that adds a real to shadow memory.
fn adder(module: Module, ty: Type, is_aligned: bool) -> Function {
    let context = module.context();
    let is_float = ty == context.f32();
    let slow = declare(module, is_float);
    if !is_aligned {
        return slow;
    }
    let name = if is_float { "__adcc.sum.float" } else { "__adcc.sum.double" };
    if let Some(known) = module.function(name) {
        return known;
    }
    let i64 = context.int(64);
    let f = module.add_function(name, slow.ty());
    f.set_external(false);
    ["nounwind", "willreturn"].iter().for_each(|a| f.add_attribute(a));
    let [entry, near, far, done] = ["entry", "near", "far", "done"].map(|n| f.append_block(n));
    let (at, d) = (f.params()[0], f.params()[1]);
    let b = Builder::at_end(context, entry);
    let address = b.cast(Opcode::LLVMPtrToInt, at, i64);
    let piece = b.and(address, i64.int((PIECE - 1) ^ u64::MAX));
    let key = if is_float { b.or(piece, i64.int(1)) } else { piece };
    let own = slot(&b, address, PLACE);
    let own = if is_float { b.xor(own, i64.int(SLOTS / 2 * PLACE)) } else { own };
    let place = b.byte_offset(tables(module), own);
    b.cond_br(b.icmp(IntPredicate::LLVMIntEQ, b.load(i64, place), key), near, far);
    b.position_at_end(near);
    let distance = b.load(i64, b.byte_offset(place, i64.int(PLACE / 2)));
    // A thread's copy is another object than the shadow memory.
    let there = b.cast(Opcode::LLVMIntToPtr, b.add(address, distance), context.ptr());
    b.store(b.fadd(b.load(ty, there), d), there);
    b.br(done);
    b.position_at_end(far);
    b.call(slow, &[at, d]);
    b.br(done);
    b.position_at_end(done);
    b.ret_void();
    f
}

fn define_settle(module: Module, f: Function, is_cell: bool) {
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let slow = module.declare(SETTLE, Type::function(context.void(), &[ptr, i64], false));
    ["nounwind", "willreturn", "cold"].iter().for_each(|a| slow.add_attribute(a));
    f.set_external(false);
    let params = f.params();
    let b = Builder::at_end(context, f.append_block("entry"));
    if !is_cell {
        b.call(slow, &params);
        b.ret_void();
        return;
    }
    let [far, done] = ["far", "done"].map(|n| f.append_block(n));
    let address = b.cast(Opcode::LLVMPtrToInt, params[0], i64);
    let piece = b.and(address, i64.int((PIECE - 1) ^ u64::MAX));
    let clean = b.add(i64.int(SLOTS * PLACE), slot(&b, address, PLACE / 2));
    let known = b.load(i64, b.byte_offset(tables(module), clean));
    b.cond_br(b.icmp(IntPredicate::LLVMIntEQ, known, piece), done, far);
    b.position_at_end(far);
    b.call(slow, &params);
    b.br(done);
    b.position_at_end(done);
    b.ret_void();
}

/// Where the entry of an address begins, in a table with entries of `bytes` bytes.
fn slot(b: &Builder, address: Value, bytes: u64) -> Value {
    let i64 = b.context().int(64);
    let shift = u64::from(PIECE.trailing_zeros() - bytes.trailing_zeros());
    let near = b.lshr(address, i64.int(shift));
    let far = b.lshr(address, i64.int(shift + u64::from(SLOTS.trailing_zeros())));
    b.and(b.xor(near, far), i64.int((SLOTS - 1) * bytes))
}

/// The thread's tables, `struct adrt_sums`.
fn tables(module: Module) -> Value {
    let i64 = module.context().int(64);
    let words = SLOTS * PLACE / 8 + SLOTS;
    module.thread_local("adrt_sums", i64.array(words))
}
