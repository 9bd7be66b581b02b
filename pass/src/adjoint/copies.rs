//! Helpers for memory copies, one per layout of what is copied, defined in the module on first use.

use crate::{
    analysis::types::{Field, Held},
    composite,
    llvm::{Builder, Function, IntPredicate, Module, Opcode, Space, Type, Value},
};

/// `helper(dst', bytes[, src'])`: for each real of the copied bytes, src' += dst' and dst' = 0. Where source and
/// destination overlap (memmove), elements are taken in the order that gives each adjoint once.
pub fn helper(module: Module, fields: &[Field], period: u64, has_source: bool) -> Function {
    let reals: Vec<Field> = fields.iter().copied().filter(|f| f.1.is_real()).collect();
    let (reals, period) = dense(&reals, period);
    let name = format!("__adcc.uncopy.{period}.{}{}", spelling(&reals), if has_source { "" } else { ".none" });
    elementwise(module, &name, period, has_source, Order::Reverse, |b, offset, to, from| {
        for (at, held) in &reals {
            let ty = composite::real_type(b.context(), *held);
            let offset = b.add(offset, offset.ty().int(*at));
            let shadow = |v: Value| {
                v.set_alignment(1 << held.bytes().trailing_zeros());
                v.set_space(Space::Shadow);
                v
            };
            let take = b.byte_offset(to, offset);
            let d = shadow(b.load(ty, take));
            shadow(b.store(ty.zero(), take));
            if let Some(from) = from {
                let give = b.byte_offset(from, offset);
                let old = shadow(b.load(ty, give));
                shadow(b.store(b.fadd(old, d), give));
            }
        }
    })
}

/// `helper(dst', bytes, src')`: copies the shadows of the pointers among the copied bytes, as the primal copies them.
pub fn pointer_helper(module: Module, fields: &[Field], period: u64) -> Function {
    let pointers: Vec<Field> = fields.iter().copied().filter(|f| f.1 == Held::Ptr).collect();
    let name = format!("__adcc.copy.{period}.{}", spelling(&pointers));
    elementwise(module, &name, period, true, Order::Copy, |b, offset, to, from| {
        for (at, _) in &pointers {
            let offset = b.add(offset, offset.ty().int(*at));
            let from = from.expect("pointers have a source");
            let pointer = b.load(b.context().ptr(), b.byte_offset(from, offset));
            let stored = b.store(pointer, b.byte_offset(to, offset));
            for access in [pointer, stored] {
                access.set_space(Space::Shadow);
            }
        }
    })
}

fn spelling(fields: &[Field]) -> String {
    let letter = |held| match held {
        Held::F64 => 'd',
        Held::F32 => 'f',
        Held::F80 => 'e',
        Held::F128 => 'g',
        Held::F16 => 'h',
        Held::BF16 => 'b',
        Held::Ptr => 'p',
        Held::Int => 'i',
    };
    fields.iter().map(|(at, held)| format!("{}{at}", letter(*held))).collect::<Vec<_>>().join(".")
}

/// The order of elements that is right where source and destination overlap.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Each source element is read before it is overwritten.
    Copy,
    /// Each destination's adjoint is taken before a source's is added to it.
    Reverse,
}

/// A function `name(dst, bytes[, src])` that does `each` for the offset of every period in the bytes.
fn elementwise(
    module: Module,
    name: &str,
    period: u64,
    has_source: bool,
    order: Order,
    each: impl FnOnce(&Builder, Value, Value, Option<Value>),
) -> Function {
    if let Some(f) = module.function(name) {
        return f;
    }
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let mut params = vec![ptr, i64];
    if has_source {
        params.push(ptr);
    }
    let f = module.add_function(name, Type::function(context.void(), &params, false));
    f.set_external(false);
    f.add_attribute("nounwind");
    let params = f.params();
    let (to, bytes, from) = (params[0], params[1], params.get(2).copied());

    let [entry, head, step, done] = ["entry", "head", "step", "done"].map(|n| f.append_block(n));
    let b = Builder::at_end(context, entry);
    let count = b.udiv(bytes, i64.int(period));
    let ascending = match from {
        Some(from) => {
            let above = match order {
                Order::Reverse => IntPredicate::LLVMIntUGT,
                Order::Copy => IntPredicate::LLVMIntULT,
            };
            b.icmp(above, b.cast(Opcode::LLVMPtrToInt, to, i64), b.cast(Opcode::LLVMPtrToInt, from, i64))
        }
        None => context.int(1).int(1),
    };
    b.br(head);

    b.position_at_end(head);
    let i = b.phi(i64, "i");
    i.add_incoming(i64.zero(), entry);
    let more = b.icmp(IntPredicate::LLVMIntULT, i, count);
    b.cond_br(more, step, done);

    b.position_at_end(step);
    let backwards = b.sub(b.sub(count, i64.int(1)), i);
    let element = b.select(ascending, i, backwards);
    each(&b, b.mul(element, i64.int(period)), to, from);
    let next = b.add(i, i64.int(1));
    i.add_incoming(next, step);
    b.br(head);
    b.position_at_end(done);
    b.ret_void();
    f
}

/// An array of one kind of real repeats with that real's size; what a longer period would leave out at the end, if the
/// length is no multiple of it, is then included.
fn dense(reals: &[Field], period: u64) -> (Vec<Field>, u64) {
    let Some(&(_, held)) = reals.first() else { return (vec![], period.max(1)) };
    let bytes = held.stride();
    let uniform = period.is_multiple_of(bytes)
        && reals.len() as u64 == period / bytes
        && reals.iter().enumerate().all(|(i, f)| *f == (i as u64 * bytes, held));
    if uniform { (vec![(0, held)], bytes) } else { (reals.to_vec(), period.max(1)) }
}
