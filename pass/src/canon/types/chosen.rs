//! Reals that passes choose among as pointers.
//!
//! Code may keep a real in a `void *`, or in a union whose first member is a pointer. Passes then
//! spell a choice between two such words as one between pointers:
//!   p = inttoptr (bitcast double x);  q = inttoptr (bitcast double y)
//!   r = select c, p, q;               z = bitcast (ptrtoint r) to double
//! Where all that is chosen from is bits of reals, and all that is done with the result is to take
//! it for a real or to store it, it is a choice between reals. What is stored as such a pointer is
//! a real as well.

use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};
use adir::hashed::{HashMap, HashSet};

/// Stores reals that are stored as pointers, in a canonical copy.
pub fn store_reals(function: Function) {
    let insts = function.blocks().into_iter().flat_map(|b| b.instructions());
    for store in insts.filter(|i| i.opcode() == Opcode::LLVMStore) {
        if let Some(real) = real_in(store.operand(0)) {
            store.set_operand(0, real);
            store.clear_metadata("tbaa");
        }
    }
}

/// Makes them choices between reals, in a canonical copy.
pub fn choose_reals(module: Module, function: Function) {
    let insts = || function.blocks().into_iter().flat_map(|b| b.instructions());
    if !insts().any(|v| real_in(v).is_some()) {
        return;
    }
    let choices: Vec<Value> = insts().filter(is_choice).collect();
    let mut done: HashSet<Value> = HashSet::default();
    for choice in choices {
        if done.contains(&choice) {
            continue;
        }
        let web = web(choice);
        done.extend(&web);
        if let Some(real) = real_of(module, &web) {
            rewrite(module, &web, real);
        }
    }
}

/// Whether a value is a choice between pointers.
fn is_choice(v: &Value) -> bool {
    v.is_instruction()
        && v.ty().is_pointer()
        && matches!(v.opcode(), Opcode::LLVMPHI | Opcode::LLVMSelect)
}

/// What a choice takes its value from.
fn sources(choice: Value) -> Vec<Value> {
    match choice.opcode() {
        Opcode::LLVMPHI => choice.incoming().into_iter().map(|(v, _)| v).collect(),
        _ => vec![choice.operand(1), choice.operand(2)],
    }
}

/// The choices that are joined to one.
fn web(choice: Value) -> Vec<Value> {
    let mut web = vec![choice];
    let mut next = 0;
    while next < web.len() {
        let beside = sources(web[next]).into_iter().chain(web[next].users()).filter(is_choice);
        for v in beside.collect::<Vec<_>>() {
            if !web.contains(&v) {
                web.push(v);
            }
        }
        next += 1;
    }
    web
}

/// The real whose bits a pointer is.
fn real_in(v: Value) -> Option<Value> {
    let is = |v: Value, op| v.is_instruction() && v.opcode() == op;
    let bits = Some(v).filter(|v| is(*v, Opcode::LLVMIntToPtr))?.operand(0);
    Some(bits).filter(|v| is(*v, Opcode::LLVMBitCast)).map(|cast| cast.operand(0))
}

/// Whether a user takes a pointer for a real of a type.
fn takes_real(user: Value, real: Type) -> bool {
    let is_seen = |u: &Value| u.opcode() == Opcode::LLVMBitCast && u.ty() == real;
    user.opcode() == Opcode::LLVMPtrToInt && user.users().iter().all(is_seen)
}

/// The type of reals that choices are among, if they are among nothing else.
fn real_of(module: Module, web: &[Value]) -> Option<Type> {
    let is_outside = |v: &Value| !web.contains(v);
    let leaves: Vec<Value> =
        web.iter().flat_map(|c| sources(*c)).filter(|v| is_outside(v) && !v.is_undef()).collect();
    let real = leaves.iter().find_map(|v| real_in(*v))?.ty();
    let is_word =
        real.is_float() && module.store_size(real) == module.store_size(module.size_type());
    let is_real = |v: &Value| v.is_null() || real_in(*v).is_some_and(|r| r.ty() == real);
    let is_use = |c: Value, u: Value| match u.opcode() {
        Opcode::LLVMStore => u.operand(0) == c && u.operand(1) != c,
        _ => web.contains(&u) || takes_real(u, real),
    };
    let fits = is_word
        && leaves.iter().all(is_real)
        && web.iter().all(|c| c.users().into_iter().all(|u| is_use(*c, u)));
    fits.then_some(real)
}

/// Choices between reals that take the place of those between pointers.
struct Reals {
    builder: Builder,
    real: Type,
    made: HashMap<Value, Value>,
}

impl Reals {
    /// The real that a pointer is.
    fn of(&mut self, pointer: Value) -> Value {
        if pointer.is_undef() {
            return self.real.poison();
        }
        if pointer.is_null() {
            return self.real.zero();
        }
        if let Some(real) = self.made.get(&pointer).copied().or_else(|| real_in(pointer)) {
            return real;
        }
        // What phis take is added later, so that a circle ends there.
        let [x, y] = [1, 2].map(|i| self.of(pointer.operand(i)));
        self.builder.position_before(pointer);
        let chosen = self.builder.select(pointer.operand(0), x, y);
        self.made.insert(pointer, chosen);
        chosen
    }
}

/// Makes choices between pointers choices between reals.
fn rewrite(module: Module, web: &[Value], real: Type) {
    let mut reals =
        Reals { builder: Builder::new(module.context()), real, made: HashMap::default() };
    let phis = || web.iter().copied().filter(|c| c.opcode() == Opcode::LLVMPHI);
    for phi in phis() {
        reals.builder.position_before(phi);
        let new = reals.builder.phi(real, "");
        reals.made.insert(phi, new);
    }
    for phi in phis() {
        for (v, block) in phi.incoming() {
            let v = reals.of(v);
            reals.made[&phi].add_incoming(v, block);
        }
    }
    for choice in web {
        let new = reals.of(*choice);
        for user in choice.users() {
            if user.opcode() == Opcode::LLVMStore {
                user.set_operand(0, new);
                user.clear_metadata("tbaa");
            } else if user.opcode() == Opcode::LLVMPtrToInt {
                for seen in user.users() {
                    seen.replace_uses(new);
                    seen.erase();
                }
                user.erase();
            }
        }
    }
    // They use one another.
    web.iter().for_each(|choice| choice.replace_uses(choice.ty().poison()));
    web.iter().for_each(|choice| choice.erase());
}
