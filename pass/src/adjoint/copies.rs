//! Helpers that undo a memory copy: one per layout of what is copied, defined in the module on first use.

use crate::{
    analysis::types::{Field, Held},
    llvm::{Builder, Function, IntPredicate, Module, Opcode, Type, Value},
};

/// `helper(dst', bytes[, src'])`: for each real of the copied bytes, src' += dst' and dst' = 0. Where source and
/// destination overlap (memmove), elements are taken in the order that gives each adjoint once.
pub fn helper(module: Module, fields: &[Field], period: u64, has_source: bool) -> Function {
    let reals: Vec<Field> = fields.iter().copied().filter(|f| matches!(f.1, Held::F32 | Held::F64)).collect();
    let (reals, period) = dense(&reals, period);
    let spelling: Vec<String> =
        reals.iter().map(|(at, held)| format!("{}{at}", if *held == Held::F64 { "d" } else { "f" })).collect();
    let name = format!("__adcc.uncopy.{period}.{}{}", spelling.join("."), if has_source { "" } else { ".none" });
    if let Some(f) = module.function(&name) {
        return f;
    }
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let mut params = vec![ptr, i64];
    if has_source {
        params.push(ptr);
    }
    let f = module.add_function(&name, Type::function(context.void(), &params, false));
    f.set_external(false);
    f.add_attribute("nounwind");
    let params = f.params();
    let (to, bytes, from) = (params[0], params[1], params.get(2).copied());

    let [entry, head, step, done] = ["entry", "head", "step", "done"].map(|n| f.append_block(n));
    let b = Builder::at_end(context, entry);
    let count = b.udiv(bytes, i64.int(period));
    let ascending = match from {
        Some(from) => {
            let (to, from) = (b.cast(Opcode::LLVMPtrToInt, to, i64), b.cast(Opcode::LLVMPtrToInt, from, i64));
            b.icmp(IntPredicate::LLVMIntUGT, to, from)
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
    for (at, held) in reals {
        let ty = if held == Held::F64 { context.f64() } else { context.f32() };
        let offset = b.add(b.mul(element, i64.int(period)), i64.int(at));
        let take = b.byte_offset(to, offset);
        let load = |p: Value| {
            let v = b.load(ty, p);
            v.set_alignment(held.bytes() as u32);
            v
        };
        let d = load(take);
        b.store(ty.zero(), take).set_alignment(held.bytes() as u32);
        if let Some(from) = from {
            let give = b.byte_offset(from, offset);
            b.store(b.fadd(load(give), d), give).set_alignment(held.bytes() as u32);
        }
    }
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
    let bytes = held.bytes();
    let uniform = period % bytes == 0
        && reals.len() as u64 == period / bytes
        && reals.iter().enumerate().all(|(i, f)| *f == (i as u64 * bytes, held));
    if uniform { (vec![(0, held)], bytes) } else { (reals.to_vec(), period.max(1)) }
}
