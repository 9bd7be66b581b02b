//! The reverse sweep of code that the threads of a team run (codegen/teams.rs): sums in shared shadow memory, and
//! synchronisation.

use super::{needs::Node, reverse::Reverse};
use crate::llvm::{Builder, Module, Type, Value};
use adir::{ValueId, library::threads};

impl Reverse<'_, '_> {
    /// Whether other threads may add to the shadow of what is at `address` meanwhile.
    pub fn is_shared(&self, address: ValueId) -> bool {
        self.caller.context.is_shared_target(&self.unit.memory, address)
    }

    /// Adds the adjoint `d` of the load `v` to the shadow memory at `shadow`, real by real.
    pub fn give_shared(&self, v: ValueId, d: Value, shadow: Value) {
        let b = &self.builder;
        if !self.is_split(v) {
            return add(self.module, b, d, shadow);
        }
        for (i, (at, _)) in self.lanes(v).into_iter().enumerate() {
            let address = b.byte_offset(shadow, b.context().int(64).int(at));
            b.atomic_fadd(b.extract(d, i as u32), address);
        }
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

/// *at += d, each real as one step for all threads.
fn add(module: Module, b: &Builder, d: Value, at: Value) {
    let ty = d.ty();
    if ty.is_float() {
        b.atomic_fadd(d, at);
    } else if ty.is_vector() {
        let i64 = b.context().int(64);
        for i in 0..u64::from(ty.vector_length()) {
            let offset = i64.int(i * module.alloc_size(ty.element()));
            b.atomic_fadd(b.extract_element(d, i64.int(i)), b.byte_offset(at, offset));
        }
    } else {
        for i in 0..ty.struct_members().len() as u32 {
            add(module, b, b.extract(d, i), b.member(ty, at, i));
        }
    }
}
