//! The reverse sweep of code that the threads of a team run (codegen/teams.rs): sums in shared shadow memory, and
//! synchronisation.

use super::{needs::Node, reverse::Reverse};
use crate::{
    codegen::{composite, reductions, sums},
    llvm::{Type, Value},
};
use adanalysis::{calls::Caller, points_to::Object};
use adir::{Callee, Op, ValueId, hashed::HashSet, library::threads};

/// What is known of a function that threads run.
#[derive(Default)]
pub struct Shared {
    /// Loads that add where no other thread is.
    own_loads: HashSet<ValueId>,
    /// Local memory for which sums may be kept: it is given to other functions, or a pointer leads there that may lead to
    /// shared memory as well.
    summed: HashSet<usize>,
}

impl Shared {
    pub fn of(caller: &Caller) -> Shared {
        if !caller.context.is_parallel {
            return Shared::default();
        }
        let (body, memory) = (caller.known.body, caller.known.memory);
        let calls = body.insts().filter(|&v| matches!(body[v].op, Op::Call(Callee::Defined)));
        let given = calls.flat_map(|v| &body[v].operands);
        let addresses = body.insts().flat_map(|v| match body[v].op {
            Op::Load | Op::Update(_) => &body[v].operands[..1],
            Op::Call(Callee::MemCpy | Callee::MemMove) => &body[v].operands[1..2],
            _ => &[],
        });
        let shared = addresses.filter(|&&a| caller.context.is_shared_target(memory, a));
        let summed = given.chain(shared).flat_map(|&o| memory.points_to(o));
        Shared { own_loads: reductions::own_loads(body, memory), summed: summed.collect() }
    }
}

/// How the adjoint of a load is added to shadow memory in code that threads run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// No other thread adds there: the memory is the thread's, or a reduction's that it has to itself.
    Plainly,
    /// In place where no other thread adds nearby, in a private copy elsewhere: decided when it runs.
    InTurn,
}

/// How the adjoints of active loads are added, in order; nothing of code that no team runs.
pub fn additions(caller: &Caller) -> Vec<(ValueId, Added)> {
    if !caller.context.is_parallel {
        return vec![];
    }
    let (body, memory) = (caller.known.body, caller.known.memory);
    let shared = Shared::of(caller);
    let is_active = |v: &ValueId| matches!(body[*v].op, Op::Load) && caller.activity.is_active(*v);
    let how = |v: ValueId| {
        let is_shared = caller.context.is_shared_target(memory, body.operand(v, 0));
        match is_shared && !shared.own_loads.contains(&v) {
            true => Added::InTurn,
            false => Added::Plainly,
        }
    };
    body.insts().filter(is_active).map(|v| (v, how(v))).collect()
}

impl Reverse<'_, '_> {
    /// Whether other threads may add to the shadow of what is at `address` meanwhile.
    pub fn is_shared(&self, address: ValueId) -> bool {
        self.caller.context.is_shared_target(&self.unit.memory, address)
    }

    /// Adds the adjoint `d` of the load `v` to the shadow memory at `shadow`, real by real.
    pub fn give_shared(&self, v: ValueId, d: Value, shadow: Value, alignment: u32) {
        if self.shared.own_loads.contains(&v) {
            // Bits of reals in integers are none of a reduction's variables.
            let old = self.builder.load(d.ty(), shadow);
            old.set_alignment(alignment);
            let sum = composite::add(&self.builder, old, d);
            return self.builder.store(sum, shadow).set_alignment(alignment);
        }
        if !self.is_split(v) {
            return sums::add(self.module, &self.builder, d, shadow, alignment);
        }
        let b = &self.builder;
        for (i, (at, _)) in self.lanes(v).into_iter().enumerate() {
            let address = b.byte_offset(shadow, b.context().int(64).int(at));
            let alignment = 1 << (u64::from(alignment) | at).trailing_zeros();
            sums::add(self.module, b, b.extract(d, i as u32), address, alignment);
        }
    }

    /// What the thread has kept for the reals of type `ty` at `shadow`, the shadow of what is at `address`, is added
    /// to them: they are read or overwritten next.
    pub fn settle(&self, address: ValueId, shadow: Value, ty: Type, alignment: u32) {
        if self.may_be_kept(address) {
            sums::settle(self.module, &self.builder, ty, shadow, alignment);
        }
    }

    /// The same of so many bytes.
    pub fn settle_bytes(&self, address: ValueId, shadow: Value, bytes: Value) {
        if self.may_be_kept(address) {
            sums::settle_bytes(self.module, &self.builder, shadow, bytes);
        }
    }

    /// Whether a thread may keep sums for what is at `address`.
    fn may_be_kept(&self, address: ValueId) -> bool {
        let memory = &self.unit.memory;
        let is_own = |o: usize| {
            matches!(memory.objects[o], Object::Local(_))
                && !memory.escapes(o)
                && !self.shared.summed.contains(&o)
        };
        self.caller.context.is_parallel && !memory.points_to(address).all(is_own)
    }

    /// What the thread did to keep in step with others, from behind.
    pub fn mirror(&mut self, v: ValueId) {
        let Some(mirror) = threads::mirror_of(&self.unit.body[v]).filter(|_| self.direction == 0)
        else {
            return;
        };
        let mut operands = self.unit.body[v].operands.clone();
        if mirror == "adrt_team_give_back" {
            operands.truncate(3);
        }
        let args: Vec<Value> = operands.iter().map(|&o| self.lookup(Node::Primal(o))).collect();
        let types: Vec<Type> = args.iter().map(|a| a.ty()).collect();
        let void = self.module.context().void();
        let f = self.module.declare(mirror, Type::function(void, &types, false));
        self.builder.call(f, &args);
    }
}
