//! Pointers in vectors of reals. LLVM makes the load of a real that of a vector, if the memory beside
//! it may be read as well, and takes from that what code loads from there: a pointer to it, in a
//! struct of a number and a pointer. What memory holds is known of accesses to it; so each such
//! pointer gets a load of its own, and so do the other elements.

use super::integers;
use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};

/// Gives pointers that are taken from loads of vectors loads of their own.
pub fn load_apart(module: Module, function: Function) {
    let insts = function.blocks().into_iter().flat_map(|b| b.instructions());
    let is_plain = |i: &Value| !i.is_volatile() && !i.is_atomic();
    let is_vector = |i: &Value| i.opcode() == Opcode::LLVMLoad && i.ty().is_vector();
    let loads: Vec<Value> = insts.filter(is_vector).filter(is_plain).collect();
    let lanes = Lanes { module, builder: Builder::new(module.context()) };
    loads.into_iter().for_each(|load| lanes.split(load));
}

/// What rewriting needs.
struct Lanes {
    module: Module,
    builder: Builder,
}

/// A pointer that is an element of a vector: the conversion, and at which byte it lies.
struct Pointer {
    cast: Value,
    at: u64,
}

impl Lanes {
    fn split(&self, load: Value) {
        let bytes = self.module.store_size(load.ty().element());
        let is_whole = load.ty().element().is_float() || load.ty().element().is_int();
        if load.ty().is_scalable() || !is_whole || bytes * 8 != self.bits(load) {
            return;
        }
        let pointers = self.pointers(load);
        if pointers.is_empty() {
            return;
        }
        let mut others: Vec<u64> = (0..load.ty().vector_length().into()).collect();
        for Pointer { cast, at } in pointers {
            self.builder.position_before(load);
            let pointer = self.load(load, cast.ty(), at);
            if cast.users().into_iter().any(|user| integers::hands_on(user, cast)) {
                integers::mark_word(pointer);
            }
            cast.replace_uses(pointer);
            erase_unused(cast);
            let size = self.module.store_size(pointer.ty());
            others.retain(|lane| (lane + 1) * bytes <= at || at + size <= lane * bytes);
        }
        let is_free = |lane: u64| !others.contains(&lane);
        if self.avoids(load, &is_free) {
            self.rebuild(load, &others);
        }
    }

    /// The bits of an element in memory.
    fn bits(&self, vector: Value) -> u64 {
        8 * self.module.store_size(vector.ty()) / u64::from(vector.ty().vector_length())
    }

    /// The pointers that are taken from a vector, and not only stored: then they are words of any kind.
    fn pointers(&self, load: Value) -> Vec<Pointer> {
        let size = self.module.store_size(self.module.context().ptr());
        let mut found = vec![];
        for view in views(load).filter(|v| self.bits(*v) == 8 * size) {
            for element in view.users().into_iter().filter(|u| is(*u, Opcode::LLVMExtractElement)) {
                let Some(lane) = element.operand(1).as_int().filter(|_| element.ty().is_int())
                else {
                    continue;
                };
                let is_used = |cast: &Value| {
                    cast.users()
                        .into_iter()
                        .any(|u| !is(u, Opcode::LLVMStore) || u.operand(1) == *cast)
                };
                let casts = element.users().into_iter().filter(|u| is(*u, Opcode::LLVMIntToPtr));
                let all: Vec<Value> = casts.filter(is_used).collect();
                found.extend(all.into_iter().map(|cast| Pointer { cast, at: lane as u64 * size }));
            }
        }
        found
    }

    /// A load from one place of what is loaded, before it.
    fn load(&self, load: Value, ty: Type, at: u64) -> Value {
        let b = &self.builder;
        let address = b.byte_offset(load.operand(0), self.module.context().int(64).int(at));
        let part = b.load(ty, address);
        let aligned = if at == 0 { u32::MAX } else { 1 << at.trailing_zeros().min(30) };
        part.set_alignment(load.alignment().min(aligned));
        load.copy_location(part);
        part
    }

    /// Whether nothing reads the elements of a vector that `is_free` names.
    fn avoids(&self, load: Value, is_free: &dyn Fn(u64) -> bool) -> bool {
        let length = load.ty().vector_length();
        let avoids = |view: Value, user: Value| match user.opcode() {
            _ if view.ty().vector_length() != length => false,
            Opcode::LLVMBitCast => user.ty().is_vector(),
            Opcode::LLVMExtractElement => {
                user.operand(1).as_int().is_some_and(|lane| !is_free(lane as u64))
            }
            Opcode::LLVMShuffleVector => user.shuffle_mask().into_iter().flatten().all(|lane| {
                let (side, lane) = ((lane / length) as usize, u64::from(lane % length));
                user.operand(side) != view || !is_free(lane)
            }),
            _ => false,
        };
        views(load).all(|view| view.users().into_iter().all(|user| avoids(view, user)))
    }

    /// Makes a vector of the elements that are read.
    fn rebuild(&self, load: Value, lanes: &[u64]) {
        let (ty, index) = (load.ty(), self.module.context().int(32));
        let bytes = self.module.store_size(ty.element());
        self.builder.position_before(load);
        let vector = lanes.iter().fold(ty.poison(), |vector, &lane| {
            let element = self.load(load, ty.element(), lane * bytes);
            self.builder.insert_element(vector, element, index.int(lane))
        });
        load.replace_uses(vector);
        load.erase();
    }
}

/// A vector, and what it is seen as.
fn views(load: Value) -> impl Iterator<Item = Value> {
    let mut all = vec![load];
    let mut at = 0;
    while at < all.len() {
        let casts = all[at].users().into_iter().filter(|u| is(*u, Opcode::LLVMBitCast));
        let new: Vec<Value> = casts.filter(|u| u.ty().is_vector() && !all.contains(u)).collect();
        all.extend(new);
        at += 1;
    }
    all.into_iter()
}

/// Erases a conversion, and the element and the view that it was the only user of.
fn erase_unused(cast: Value) {
    let mut value = cast;
    while value.is_instruction() && value.opcode() != Opcode::LLVMLoad && value.users().is_empty() {
        let from = value.operand(0);
        value.erase();
        value = from;
    }
}

fn is(user: Value, op: Opcode) -> bool {
    user.is_instruction() && user.opcode() == op
}
