//! Helpers for memory copies, one per layout of what is copied, defined in the module on first use.

use super::unaligned;
use crate::{
    codegen::{composite, sums},
    llvm::{Builder, Function, IntPredicate, Module, Opcode, Space, Type, Value},
};
use adanalysis::types::{Field, ScalarKind};
use adir::{Body, Callee, Op, ValueId};

/// `helper(dst', bytes[, src'])`: for each real of the copied bytes, src' += dst' and dst' = 0.
/// Where source and destination overlap (memmove), elements are taken in the order that gives each
/// adjoint once. Other threads may add to a source that is shared.
pub fn helper(module: Module, fields: &[Field], period: u64, source: Source, end: End) -> Function {
    let has_source = source != Source::None;
    let reals: Vec<Field> = fields.iter().copied().filter(|f| f.1.is_real()).collect();
    let (reals, period) = dense(&reals, period);
    let name = format!(
        "__adcc.uncopy.{period}.{}{}",
        spelling(&reals),
        match source {
            Source::None => ".none",
            Source::Own => "",
            Source::Shared => ".shared",
        }
    );
    let layout = Layout { name, fields: reals, period, has_source, end };
    let shadow = |v: Value, scalar: ScalarKind| {
        v.set_alignment(1 << scalar.bytes().trailing_zeros());
        v.set_space(Space::Shadow);
        v
    };
    let take = |b: &Builder, field: &CopiedField| {
        let ty = composite::real_type(b.context(), field.scalar);
        let taken = shadow(b.load(ty, field.to), field.scalar);
        shadow(b.store(ty.zero(), field.to), field.scalar);
        taken
    };
    let give = |b: &Builder, field: &CopiedField, taken: Value| {
        if let Some(from) = field.from {
            if source == Source::Shared {
                let alignment = 1 << field.scalar.bytes().trailing_zeros();
                return sums::add(module, b, taken, from, alignment);
            }
            let old = shadow(b.load(taken.ty(), from), field.scalar);
            shadow(b.store(b.fadd(old, taken), from), field.scalar);
        }
    };
    // The fields of the second element may lie where those of the first do not.
    let enter = |b: &Builder, from: Value, bytes: Value| {
        let period = b.context().int(64).int(layout.period);
        let has_more = b.icmp(IntPredicate::LLVMIntUGT, bytes, period);
        let second = b.select(has_more, b.byte_offset(from, period), from);
        for at in [from, second] {
            unaligned::note(module, b, at, layout.fields.iter().copied());
        }
    };
    elementwise(module, &layout, Order::Reverse, enter, take, give)
}

/// `helper(dst', bytes[, src'])`: copies the shadows of the pointers among the copied bytes, as the
/// primal copies them; without a source they become null.
pub fn pointer_helper(
    module: Module,
    fields: &[Field],
    period: u64,
    has_source: bool,
    end: End,
) -> Function {
    let pointers: Vec<Field> = fields.iter().copied().filter(|f| f.1 == ScalarKind::Ptr).collect();
    let kind = if has_source { "copy" } else { "clear" };
    let name = format!("__adcc.{kind}.{period}.{}", spelling(&pointers));
    let layout = Layout { name, fields: pointers, period, has_source, end };
    let take = |b: &Builder, field: &CopiedField| {
        let ptr = b.context().ptr();
        let Some(from) = field.from else { return ptr.zero() };
        let pointer = b.load(ptr, from);
        pointer.set_space(Space::Shadow);
        pointer
    };
    let give = |b: &Builder, field: &CopiedField, taken: Value| {
        b.store(taken, field.to).set_space(Space::Shadow)
    };
    elementwise(module, &layout, Order::Copy, |_, _, _| {}, take, give)
}

/// The source of a copy whose adjoints are given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// It has no shadow.
    None,
    /// No other thread adds to its shadow.
    Own,
    /// Others may.
    Shared,
}

/// Where a copy ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// After a whole number of periods.
    Whole,
    /// Anywhere: fields of a last, incomplete period count if they are copied completely.
    Anywhere,
}

impl End {
    /// Of a copy whose fields repeat with that period. `realloc` keeps as much of a block as there
    /// is.
    pub fn of(body: &Body, copy: ValueId, period: u64) -> End {
        let length = &body[body.operand(copy, 2)];
        match length.op {
            Op::Call(Callee::KeptBytes) => End::Anywhere,
            _ if length.constant.map_or(length.factor, |n| n as u64).is_multiple_of(period) => {
                End::Whole
            }
            _ => End::Anywhere,
        }
    }
}

fn spelling(fields: &[Field]) -> String {
    let letter = |scalar| match scalar {
        ScalarKind::F64 => 'd',
        ScalarKind::F32 => 'f',
        ScalarKind::F80 => 'e',
        ScalarKind::F128 => 'g',
        ScalarKind::F16 => 'h',
        ScalarKind::BF16 => 'b',
        ScalarKind::Ptr => 'p',
        ScalarKind::Int => 'i',
    };
    fields
        .iter()
        .map(|(at, scalar)| format!("{}{at}", letter(*scalar)))
        .collect::<Vec<_>>()
        .join(".")
}

/// The order of elements that is right where source and destination overlap.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Each source element is read before it is overwritten.
    Copy,
    /// Each destination's adjoint is taken before a source's is added to it.
    Reverse,
}

/// What a helper copies.
struct Layout {
    name: String,
    fields: Vec<Field>,
    period: u64,
    has_source: bool,
    end: End,
}

/// One field of one period of what is copied.
struct CopiedField {
    scalar: ScalarKind,
    /// Where it goes, and where it comes from.
    to: Value,
    from: Option<Value>,
}

/// A function `name(dst, bytes[, src])` that takes every field of every period in the bytes, and
/// gives it: all fields of a period are taken before the first is given, for they may overlap as
/// well. First it looks at the source, if there is one (`enter`).
fn elementwise(
    module: Module,
    layout: &Layout,
    order: Order,
    enter: impl Fn(&Builder, Value, Value),
    take: impl Fn(&Builder, &CopiedField) -> Value,
    give: impl Fn(&Builder, &CopiedField, Value),
) -> Function {
    let Layout { fields, period, has_source, .. } = layout;
    let is_dense = matches!(fields[..], [(0, scalar)] if scalar.stride() == *period);
    let has_tail = layout.end == End::Anywhere && !is_dense;
    let name = format!("{}{}", layout.name, if has_tail { ".tail" } else { "" });
    if let Some(f) = module.function(&name) {
        return f;
    }
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let mut params = vec![ptr, i64];
    if *has_source {
        params.push(ptr);
    }
    let f = module.add_function(&name, Type::function(context.void(), &params, false));
    f.set_external(false);
    f.add_attribute("nounwind");
    let params = f.params();
    let (to, bytes, from) = (params[0], params[1], params.get(2).copied());
    let move_all = |b: &Builder, start: Value, fields: &[Field]| {
        let place = |&(at, scalar): &Field| {
            let offset = b.add(start, i64.int(at));
            CopiedField {
                scalar,
                to: b.byte_offset(to, offset),
                from: from.map(|from| b.byte_offset(from, offset)),
            }
        };
        let taken: Vec<(Value, CopiedField)> =
            fields.iter().map(place).map(|field| (take(b, &field), field)).collect();
        taken.iter().for_each(|(taken, field)| give(b, field, *taken));
    };

    let [entry, head, step, done] = ["entry", "head", "step", "done"].map(|n| f.append_block(n));
    let b = Builder::at_end(context, entry);
    if let Some(from) = from {
        enter(&b, from, bytes);
    }
    let count = b.udiv(bytes, i64.int(*period));
    let ascending = match from {
        Some(from) => {
            let above = match order {
                Order::Reverse => IntPredicate::LLVMIntUGT,
                Order::Copy => IntPredicate::LLVMIntULT,
            };
            b.icmp(
                above,
                b.cast(Opcode::LLVMPtrToInt, to, i64),
                b.cast(Opcode::LLVMPtrToInt, from, i64),
            )
        }
        None => context.int(1).int(1),
    };
    // The fields of a last, incomplete period, whose turn comes last or first.
    let tail = |turn: Value, fields: &mut dyn Iterator<Item = &Field>| {
        let start = b.mul(count, i64.int(*period));
        let rest = b.sub(bytes, start);
        for &(at, scalar) in fields.filter(|_| has_tail) {
            let [copied, next] = ["copied", "next"].map(|n| f.append_block(n));
            let fits = b.icmp(IntPredicate::LLVMIntULE, i64.int(at + scalar.bytes()), rest);
            b.cond_br(b.and(turn, fits), copied, next);
            b.position_at_end(copied);
            move_all(&b, start, &[(at, scalar)]);
            b.br(next);
            b.position_at_end(next);
        }
    };
    tail(
        b.icmp(IntPredicate::LLVMIntEQ, ascending, context.int(1).zero()),
        &mut fields.iter().rev(),
    );
    let start = b.block();
    b.br(head);

    b.position_at_end(head);
    let i = b.phi(i64, "i");
    i.add_incoming(i64.zero(), start);
    let more = b.icmp(IntPredicate::LLVMIntULT, i, count);
    b.cond_br(more, step, done);

    b.position_at_end(step);
    let backwards = b.sub(b.sub(count, i64.int(1)), i);
    let element = b.select(ascending, i, backwards);
    let start = b.mul(element, i64.int(*period));
    move_all(&b, start, fields);
    let next = b.add(i, i64.int(1));
    i.add_incoming(next, step);
    b.br(head);
    b.position_at_end(done);
    tail(ascending, &mut fields.iter());
    b.ret_void();
    f
}

/// An array of one kind of real repeats with that real's size; what a longer period would leave out
/// at the end, if the length is no multiple of it, is then included.
fn dense(reals: &[Field], period: u64) -> (Vec<Field>, u64) {
    let Some(&(_, scalar)) = reals.first() else { return (vec![], period.max(1)) };
    let bytes = scalar.stride();
    let uniform = period.is_multiple_of(bytes)
        && reals.len() as u64 == period / bytes
        && reals.iter().enumerate().all(|(i, f)| *f == (i as u64 * bytes, scalar));
    if uniform { (vec![(0, scalar)], bytes) } else { (reals.to_vec(), period.max(1)) }
}
