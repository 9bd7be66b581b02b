//! Reals that are handled as integers become reals again, as far as code shows that they are some.
//!
//! Passes load a real as an integer where it is masked, and shuffles of a target take pairs of
//! doubles for four integers. Here
//! - a shuffle of narrow integers that moves whole reals, before or after which the vector is seen
//!   as one of reals, is one of reals;
//! - `and`, `or` and `xor` with the sign bit of what is seen as a real are `fabs` and a change of
//!   sign;
//! - a load of integers that are only seen as reals is one of reals.
//!
//! Each says the same of the same bits. What is left is for the analysis of types
//! (`types/uses.rs`).

use super::integers::is_integer_access;
use crate::llvm::{Builder, Function, Intrinsic, Module, Opcode, Type, Value};

/// Rounds: a shuffle tells the next one what it moves.
const ROUNDS: usize = 4;

/// Rewrites them in a canonical copy.
pub fn restore(module: Module, function: Function) {
    let reals = Reals { module, builder: Builder::new(module.context()) };
    for _ in 0..ROUNDS {
        let insts: Vec<Value> =
            function.blocks().into_iter().flat_map(|b| b.instructions()).collect();
        let mut changed = false;
        for inst in insts {
            changed |= match inst.opcode() {
                Opcode::LLVMShuffleVector => reals.shuffle(inst),
                Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor => reals.sign(inst),
                Opcode::LLVMLoad => reals.load(inst),
                _ => false,
            };
        }
        if !changed {
            return;
        }
    }
}

struct Reals {
    module: Module,
    builder: Builder,
}

fn is_cast(v: Value) -> bool {
    v.is_instruction() && v.opcode() == Opcode::LLVMBitCast
}

/// Types of reals that `v` is seen as.
fn seen_as(v: Value) -> impl Iterator<Item = Type> {
    v.users().into_iter().filter(|u| is_cast(*u) && u.ty().holds_float()).map(|u| u.ty())
}

impl Reals {
    /// Bits of a real.
    fn width(&self, real: Type) -> u32 {
        self.module.store_size(real) as u32 * 8
    }

    /// Integers that a shuffle moves in groups, each a real.
    fn shuffle(&self, inst: Value) -> bool {
        let ty = inst.ty();
        let is_narrow = ty.is_vector() && ty.element().is_int() && ty.element().int_width() < 64;
        if !is_narrow {
            return false;
        }
        let narrow = ty.element().int_width();
        let known = (0..2)
            .map(|i| inst.operand(i))
            .filter(|o| is_cast(*o))
            .map(|o| o.operand(0).ty())
            .filter(|t| t.holds_float());
        let all: Vec<Type> = seen_as(inst).chain(known).map(|t| t.scalar()).collect();
        let Some(real) = all
            .into_iter()
            .find(|t| self.width(*t) > narrow && self.width(*t).is_multiple_of(narrow))
        else {
            return false;
        };
        let group = self.width(real) / narrow;
        let count = inst.operand(0).ty().vector_length();
        let Some(mask) =
            widened(&inst.shuffle_mask(), group).filter(|_| count.is_multiple_of(group))
        else {
            return false;
        };
        let b = &self.builder;
        b.position_before(inst);
        let whole = real.vector(count / group);
        let operand = |i: usize| {
            let o = inst.operand(i);
            if o.is_undef() { whole.poison() } else { b.bitcast(o, whole) }
        };
        let moved = b.shuffle(operand(0), operand(1), &mask);
        inst.replace_uses(b.bitcast(moved, ty));
        inst.erase();
        true
    }

    /// The sign bit of reals is cleared, set or flipped.
    fn sign(&self, inst: Value) -> bool {
        let ty = inst.ty();
        if let Some(result) = self.signs_by_element(inst) {
            inst.replace_uses(self.builder.bitcast(result, ty));
            inst.erase();
            return true;
        }
        let Some(real) = seen_as(inst).find(|t| {
            t.is_vector() == ty.is_vector() && self.width(t.scalar()) == ty.scalar().int_width()
        }) else {
            return false;
        };
        let width = ty.scalar().int_width();
        if width > 64 || ty.is_vector() && real.vector_length() != ty.vector_length() {
            return false;
        }
        let sign = 1u64 << (width - 1);
        let b = &self.builder;
        b.position_before(inst);
        let all = |bits: u64| b.splat(ty.scalar().int(bits), ty);
        let (set, clear) = (all(sign), all(sign - 1));
        let is = |i: usize, mask: Value| inst.operand(i) == mask;
        let Some(x) = (0..2).find(|&i| is(i, set) || is(i, clear)).map(|i| inst.operand(1 - i))
        else {
            return false;
        };
        let clears = is(0, clear) || is(1, clear);
        let seen = || b.bitcast(x, real);
        let magnitude = || b.call(self.module.intrinsic(Intrinsic::Fabs, &[real]), &[seen()]);
        let result = match (inst.opcode(), clears) {
            (Opcode::LLVMAnd, true) => magnitude(),
            (Opcode::LLVMXor, false) => b.fneg(seen()),
            (Opcode::LLVMOr, false) => b.fneg(magnitude()),
            _ => return false,
        };
        inst.replace_uses(b.bitcast(result, ty));
        inst.erase();
        true
    }

    /// The same of some elements of a vector: those of imaginary parts, say. Others may be masked
    /// away.
    fn signs_by_element(&self, inst: Value) -> Option<Value> {
        let width = inst.ty().is_vector().then(|| inst.ty().element().int_width())?;
        let real = seen_as(inst).find(|t| {
            t.is_vector()
                && matches!(self.width(t.scalar()), 32 | 64)
                && self.width(t.scalar()) >= width
        })?;
        let (x, parts) =
            (0..2).find_map(|i| Some((inst.operand(1 - i), inst.operand(i).as_ints()?)))?;
        let sign = 1u64 << (self.width(real.scalar()) - 1);
        let ones = sign | (sign - 1);
        // Narrower integers lie side by side in a real, the lower ones first.
        let of_part = |part: &i64| *part as u64 & (u64::MAX >> (64 - width));
        let join = |parts: &[i64]| {
            parts.iter().rev().fold(0, |all, part| {
                if width == 64 { of_part(part) } else { all << width | of_part(part) }
            })
        };
        let masks: Vec<u64> =
            parts.chunks((self.width(real.scalar()) / width) as usize).map(join).collect();
        // The mask of elements that stay as they are, and those of elements that do not.
        let (keeps, changes) = match inst.opcode() {
            Opcode::LLVMXor => (0, vec![sign]),
            Opcode::LLVMOr => (0, vec![sign]),
            Opcode::LLVMAnd => (ones, vec![sign - 1, 0]),
            _ => return None,
        };
        let change = changes.into_iter().find(|c| masks.iter().all(|m| m == c || *m == keeps))?;
        if self.width(real.scalar()) == width && masks.iter().all(|m| *m == masks[0])
            || masks.len() != real.vector_length() as usize
        {
            return None;
        }
        let b = &self.builder;
        b.position_before(inst);
        let seen = b.bitcast(x, real);
        let magnitude = || b.call(self.module.intrinsic(Intrinsic::Fabs, &[real]), &[seen]);
        let changed = match inst.opcode() {
            Opcode::LLVMXor => b.fneg(seen),
            Opcode::LLVMOr => b.fneg(magnitude()),
            _ if change == 0 => real.zero(),
            _ => magnitude(),
        };
        let count = masks.len() as u32;
        let chosen: Vec<Option<u32>> = masks
            .iter()
            .zip(0..)
            .map(|(m, i)| Some(if *m == change { count + i } else { i }))
            .collect();
        Some(b.shuffle(seen, changed, &chosen))
    }

    /// Reals that are loaded as integers.
    fn load(&self, inst: Value) -> bool {
        let is_bits = inst.ty().scalar().is_int()
            && !inst.is_volatile()
            && !inst.is_atomic()
            && !is_integer_access(inst);
        let only = inst.users().iter().all(|u| is_cast(*u));
        let Some(real) = seen_as(inst).next().filter(|_| is_bits && only) else { return false };
        let b = &self.builder;
        b.position_before(inst);
        let load = b.load(real, inst.operand(0));
        load.set_alignment(inst.alignment());
        inst.copy_location(load);
        inst.replace_uses(b.bitcast(load, inst.ty()));
        inst.erase();
        true
    }
}

/// A mask of elements `group` times as wide, if each such element is moved whole.
fn widened(mask: &[Option<u32>], group: u32) -> Option<Vec<Option<u32>>> {
    if !mask.len().is_multiple_of(group as usize) {
        return None;
    }
    mask.chunks(group as usize)
        .map(|part| {
            let first = part.iter().enumerate().find_map(|(k, m)| m.map(|m| (m, k as u32)));
            let Some((m, k)) = first else { return Some(None) };
            let base = m.checked_sub(k).filter(|base| base % group == 0)?;
            let fits = part.iter().enumerate().all(|(k, m)| m.is_none_or(|m| m == base + k as u32));
            fits.then_some(Some(base / group))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::widened;

    #[test]
    fn groups_are_moved_whole_or_not_at_all() {
        let some = |list: &[u32]| list.iter().copied().map(Some).collect::<Vec<_>>();
        assert_eq!(widened(&some(&[2, 3, 0, 1]), 2), Some(some(&[1, 0])));
        assert_eq!(widened(&some(&[0, 1, 6, 7]), 2), Some(some(&[0, 3])));
        assert_eq!(widened(&[None, None, None, Some(5)], 2), Some(vec![None, Some(2)]));
        assert_eq!(widened(&some(&[1, 2, 3, 0]), 2), None);
        assert_eq!(widened(&some(&[1, 0, 2, 3]), 2), None);
        assert_eq!(widened(&some(&[0, 1, 2]), 2), None);
    }
}
