//! Atomic operations on reals that front ends write as loops of compare-and-swap.
//!
//!   x = load atomic p
//!   again: y = f(x); (x, done) = cmpxchg p, x, y; br done, …, again
//!
//! Where f adds or subtracts, one `atomicrmw` does it, which derivatives know. Others become a section in which one
//! thread at a time is with the cell: the reverse sweep replays their order backwards, as that of critical sections
//! (runtime/src/team.rs). The compiler's own atomic operations on reals but for sums (max, min) become such sections
//! too, and so do sums whose order counts: those of which a program captures what was in the cell, all others beside
//! them, and those of a variable that other operations update.
//!
//! Source: OpenMP 5.2, section 15.8.4; LLVM's Frontend/OpenMP/OMPIRBuilder.cpp, `emitAtomicUpdate`.

use crate::llvm::{
    AtomicOperation, Block, Builder, Function, Intrinsic, Module, Opcode, Type, Value,
};
use adir::library::threads::{GIVE_CELL, TAKE_CELL, TURN_CELL};

/// A loop of one block.
struct Exchange {
    block: Block,
    /// What the cell held, as bits.
    old: Value,
    /// What was loaded first.
    first: Value,
    exchange: Value,
    real: Type,
}

/// Rewrites such operations; whether there were any.
pub fn rewrite(module: Module, function: Function) -> bool {
    let mut changed = false;
    // Variables that are updated in turns.
    let mut in_turns: Vec<Value> = vec![];
    let variable = |address: Value| address.base().0;
    for block in function.blocks() {
        if let Some(exchange) = Exchange::of(block) {
            match exchange.added() {
                Some(added) => exchange.add(module, added),
                None => {
                    in_turns.push(variable(exchange.exchange.operand(0)));
                    exchange.take_turns(module);
                }
            }
            changed = true;
        }
    }
    let instructions = function.blocks().into_iter().flat_map(|b| b.instructions());
    let operations: Vec<Value> =
        instructions.filter(|i| is(*i, Opcode::LLVMAtomicRMW) && i.ty().is_float()).collect();
    let is_captured = |v: &Value| is_sum(*v) && !v.users().is_empty();
    let is_any_captured = operations.iter().any(is_captured);
    let others = operations.iter().filter(|v| !is_sum(**v));
    in_turns.extend(others.map(|v| variable(v.operand(0))));
    for operation in operations {
        let takes_turns = is_any_captured || in_turns.contains(&variable(operation.operand(0)));
        changed |= replace_operation(module, operation, takes_turns);
    }
    changed
}

/// Whether an operation adds or subtracts.
fn is_sum(operation: Value) -> bool {
    use AtomicOperation::{LLVMAtomicRMWBinOpFAdd, LLVMAtomicRMWBinOpFSub};
    matches!(operation.atomic_operation(), LLVMAtomicRMWBinOpFAdd | LLVMAtomicRMWBinOpFSub)
}

/// An operation that neither adds nor subtracts becomes a section, and a sum if `sums`; whether it is known.
fn replace_operation(module: Module, operation: Value, sums: bool) -> bool {
    use AtomicOperation::*;
    let (address, given, ty) = (operation.operand(0), operation.operand(1), operation.ty());
    let is_known = match operation.atomic_operation() {
        LLVMAtomicRMWBinOpXchg | LLVMAtomicRMWBinOpFMax | LLVMAtomicRMWBinOpFMin => true,
        _ => sums && is_sum(operation),
    };
    if !is_known {
        return false;
    }
    let b = Builder::new(module.context());
    b.position_before(operation);
    let old = take(module, &b, address, ty, operation.alignment());
    let extremum = |f| b.call(module.intrinsic(f, &[ty]), &[old, given]);
    let new = match operation.atomic_operation() {
        LLVMAtomicRMWBinOpFMax => extremum(Intrinsic::Maxnum),
        LLVMAtomicRMWBinOpFMin => extremum(Intrinsic::Minnum),
        LLVMAtomicRMWBinOpFAdd => b.fadd(old, given),
        LLVMAtomicRMWBinOpFSub => b.fadd(old, b.fneg(given)),
        _ => given,
    };
    give(module, &b, address, new, operation.alignment());
    operation.replace_uses(old);
    operation.erase();
    true
}

/// Begins a section of a cell: what is in it.
fn take(module: Module, b: &Builder, address: Value, ty: Type, alignment: u32) -> Value {
    let (void, ptr) = (b.context().void(), b.context().ptr());
    b.call(module.declare(TAKE_CELL, Type::function(void, &[ptr], false)), &[address]);
    let old = b.load(ty, address);
    old.set_alignment(alignment);
    old
}

/// Ends it, with something new in the cell.
fn give(module: Module, b: &Builder, address: Value, new: Value, alignment: u32) {
    let (void, ptr, i64) = (b.context().void(), b.context().ptr(), b.context().int(64));
    b.store(new, address).set_alignment(alignment);
    let turn = b.call(module.declare(TURN_CELL, Type::function(i64, &[ptr], false)), &[address]);
    let give = module.declare(GIVE_CELL, Type::function(void, &[ptr, i64], false));
    b.call(give, &[address, turn]);
}

fn is(v: Value, opcode: Opcode) -> bool {
    v.is_instruction() && v.opcode() == opcode
}

/// The real type as which bits are looked at.
fn real_of(old: Value) -> Option<Type> {
    let cast = |u: &Value| is(*u, Opcode::LLVMBitCast) && u.ty().is_float();
    old.users().into_iter().find(cast).map(|u| u.ty())
}

impl Exchange {
    fn of(block: Block) -> Option<Exchange> {
        let end = block.terminator()?;
        let instructions = block.instructions();
        let exchange = *instructions.iter().find(|i| is(**i, Opcode::LLVMAtomicCmpXchg))?;
        let (address, old, new) = (exchange.operand(0), exchange.operand(1), exchange.operand(2));
        let is_new = |v: &Value| *v == exchange || !is(*v, Opcode::LLVMAtomicCmpXchg);
        let is_only = instructions.iter().all(|i| is_new(i) && !is(*i, Opcode::LLVMStore));
        let is_phi = is(old, Opcode::LLVMPHI) && old.block() == block;
        let is_loop = end.successors().contains(&block) && end.successors().len() == 2;
        if !is_only || !is_phi || !is_loop {
            return None;
        }
        let real =
            real_of(old).or_else(|| is(new, Opcode::LLVMBitCast).then(|| new.operand(0).ty()))?;
        let part = |i: u32| {
            move |v: &Value| is(*v, Opcode::LLVMExtractValue) && *v.aggregate_indices() == [i]
        };
        let users = exchange.users();
        let is_parted = users.iter().all(|u| is(*u, Opcode::LLVMExtractValue));
        let again = users.iter().copied().find(part(0));
        let from = old.incoming();
        let first = from.iter().find(|(_, b)| *b != block)?.0;
        let is_same = |v: &(Value, Block)| v.1 != block || Some(v.0) == again;
        let is_first = is(first, Opcode::LLVMLoad) && first.operand(0) == address;
        let is_right = is_first && is_parted && from.iter().all(is_same) && real.is_float();
        let is_only_first = first.users().iter().all(|u| *u == old);
        (is_right && is_only_first).then_some(Exchange { block, old, first, exchange, real })
    }

    /// What is added to the cell, if nothing else is done and nobody asks what was in it.
    fn added(&self) -> Option<Value> {
        let cast = self.exchange.operand(2);
        let sum = is(cast, Opcode::LLVMBitCast).then(|| cast.operand(0))?;
        let is_sum = is(sum, Opcode::LLVMFAdd) || is(sum, Opcode::LLVMFSub);
        let is_old = |v: Value| is(v, Opcode::LLVMBitCast) && v.operand(0) == self.old;
        let which = (0..2).find(|&i| is_sum && is_old(sum.operand(i)))?;
        let (real, given) = (sum.operand(which), sum.operand(1 - which));
        let is_outside = !given.is_instruction() || given.block() != self.block;
        let is_order = is(sum, Opcode::LLVMFAdd) || which == 0;
        let mut uses = self.old.users().into_iter();
        let is_unseen = uses.all(|u| u == real || u == self.exchange)
            && real.users() == [sum]
            && sum.users() == [cast]
            && cast.users() == [self.exchange]
            && self.parts(0).iter().all(|v| v.users().iter().all(|u| *u == self.old));
        (is_outside && is_order && is_unseen).then_some(given)
    }

    /// What is taken from the result of the exchange: 0 for what was in the cell, 1 for whether it is done.
    fn parts(&self, i: u32) -> Vec<Value> {
        let users = self.exchange.users().into_iter();
        users.filter(|v| is(*v, Opcode::LLVMExtractValue) && v.aggregate_indices() == [i]).collect()
    }

    fn add(&self, module: Module, given: Value) {
        let b = Builder::new(module.context());
        b.position_before(self.exchange);
        let sum = self.exchange.operand(2).operand(0);
        let given = if is(sum, Opcode::LLVMFSub) { b.fneg(given) } else { given };
        b.atomic_fadd(given, self.exchange.operand(0)).set_alignment(self.exchange.alignment());
        self.end(module, self.old.ty().zero());
    }

    fn take_turns(&self, module: Module) {
        let (b, address) = (Builder::new(module.context()), self.exchange.operand(0));
        let alignment = self.exchange.alignment();
        let mut rest =
            self.block.instructions().into_iter().skip_while(|i| is(*i, Opcode::LLVMPHI));
        b.position_before(rest.next().expect("a block ends"));
        let bits = b.bitcast(take(module, &b, address, self.real, alignment), self.old.ty());
        self.old.replace_uses(bits);
        b.position_before(self.exchange);
        let new = b.bitcast(self.exchange.operand(2), self.real);
        give(module, &b, address, new, alignment);
        self.end(module, bits);
    }

    /// The block is run once. What was in the cell is known as `old`.
    fn end(&self, module: Module, old: Value) {
        for part in self.parts(0) {
            part.replace_uses(old);
            part.erase();
        }
        for part in self.parts(1) {
            part.replace_uses(module.context().int(1).int(1));
            part.erase();
        }
        self.exchange.erase();
        self.first.replace_uses(self.old.ty().zero());
        self.first.erase();
    }
}
