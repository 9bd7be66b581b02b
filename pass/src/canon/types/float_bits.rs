//! Reals that are taken apart into exponent and fraction by their bits, and put together again:
//! `frexp`, `ldexp` and the logarithms of libraries written out in integers.
//!
//! Exponent and sign of a real are constant between powers of two, and so is what integers make of
//! them and of a few bits of the fraction. A real with the fraction of x and such an exponent is a
//! constant multiple of x there. So
//! - an integer that depends on reals in steps only is computed from `adrt_bits(x)`, a function
//!   without derivative;
//! - a real that has the fraction of x, below an exponent that makes steps, is
//!   `adrt_fraction(x, bits)`.
//!
//! Both are private functions that import knows by their rule (rules/table.rs); `expand` turns them
//! back into the bits that they are.
//!
//! Per bit of an integer: a constant, the bit of a real, or how many bits of the fraction of reals
//! decide it, at most:
//!   x << n, x >> n, casts:   bits move
//!   x & y, x | y, x ^ y:     bit by bit; with constants that leave it, a bit stays that of the real
//!   x + y, x - y:            below the first bit that both may have, bits of one; from there on both decide
//!   a choice, x * y:         both decide
//!   what else there is:      nothing of reals; where that is not so, it stays in the result, and check.rs refuses it
//! Errs towards bits that depend on more: those are refused as before.

use super::integers::is_integer_access;
use crate::{
    annotations::attributes::RULE,
    llvm::{Builder, Function, Module, Opcode, Type, Value},
};
use adir::hashed::HashMap;
use std::rc::Rc;

/// How many bits of the fraction may choose among steps: indices of tables are as long.
const MOST_BITS: u32 = 8;
/// How far back an integer is followed.
const DEPTH: u32 = 40;

const BITS: &str = "adrt_bits";
const FRACTION_F64: &str = "adrt_fraction_double";
const FRACTION_F32: &str = "adrt_fraction_float";

/// What is known of one bit.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Bit {
    Known(bool),
    /// That of a real.
    Of(Value, u32),
    /// As many bits of fractions decide it, with the exponents.
    Steps(u32),
}

/// Rewrites them in a canonical copy.
pub fn restore(module: Module, function: Function) {
    let instructions =
        || function.blocks().into_iter().flat_map(|b| b.instructions()).collect::<Vec<Value>>();
    let has_bits = |v: &Value| real_of(*v).is_some() || is_untyped(*v);
    if !instructions().iter().any(has_bits) {
        return;
    }
    access_reals(module, &instructions());
    let insts = instructions();
    let mut fractions = Fractions::new(module, false);
    let found: Vec<(Value, Value)> =
        insts.iter().filter_map(|&inst| Some((inst, fractions.rewritten(inst)?))).collect();
    for &(inst, new) in &found {
        inst.replace_uses(new);
    }
    // What they replace would be looked at for its bits.
    let mut gone = !found.is_empty();
    let mut left = insts;
    while std::mem::take(&mut gone) {
        let is_dead = |v: &Value| {
            (is_arithmetic(*v) || v.opcode() == Opcode::LLVMBitCast) && v.users().is_empty()
        };
        let (dead, live): (Vec<Value>, Vec<Value>) = left.into_iter().partition(is_dead);
        gone = !dead.is_empty();
        dead.into_iter().for_each(Value::erase);
        left = live;
    }
}

/// Loads and stores bits as reals where others with the same fraction are seen as a real, or
/// stored.
fn access_reals(module: Module, insts: &[Value]) {
    let mut fractions = Fractions::new(module, true);
    let found: Vec<(Value, Value)> = insts.iter().filter_map(|&i| fractions.loaded(i)).collect();
    let b = Builder::new(module.context());
    let mut done = vec![];
    for (inst, load) in found {
        let ty = load.ty();
        let real = match ty.scalar() {
            t if t.is_float() => ty,
            t if t.int_width() == 64 => ty.with_scalar(module.context().f64()),
            _ => ty.with_scalar(module.context().f32()),
        };
        if real != ty && !done.contains(&load) {
            b.position_before(load);
            let new = b.load(real, load.operand(0));
            new.set_alignment(load.alignment());
            load.copy_location(new);
            load.replace_uses(b.bitcast(new, ty));
            done.push(load);
        }
        if inst.opcode() == Opcode::LLVMStore {
            b.position_before(inst);
            inst.set_operand(0, b.bitcast(inst.operand(0), real));
        }
    }
    done.into_iter().for_each(Value::erase);
}

/// Whether an instruction loads or stores an integer that may be the bits of a real.
fn is_untyped(v: Value) -> bool {
    let ty = match v.opcode() {
        Opcode::LLVMLoad => v.ty(),
        Opcode::LLVMStore => v.operand(0).ty(),
        _ => return false,
    };
    ty.scalar().is_int()
        && fraction_bits(ty).is_some()
        && !v.is_volatile()
        && !v.is_atomic()
        && !is_integer_access(v)
}

fn is_untyped_load(v: Value) -> bool {
    v.is_instruction() && v.opcode() == Opcode::LLVMLoad && is_untyped(v)
}

/// Puts the bits back in place of the private functions.
pub fn expand(module: Module) {
    let b = Builder::new(module.context());
    let is_ours = |f: &Function| {
        crate::annotations::attributes::stands_for(*f)
            .is_some_and(|r| [BITS, FRACTION_F64, FRACTION_F32].contains(&&*r))
    };
    for f in module.functions().into_iter().filter(is_ours) {
        for call in f
            .value()
            .users()
            .into_iter()
            .filter(|c| c.is_instruction() && c.opcode() == Opcode::LLVMCall)
        {
            b.position_before(call);
            call.replace_uses(b.bitcast(call.operand(call.argument_count() - 1), call.ty()));
            call.erase();
        }
    }
}

/// The real whose bits an integer is, as a cast shows.
fn real_of(v: Value) -> Option<Value> {
    let is_cast =
        v.is_instruction() && v.opcode() == Opcode::LLVMBitCast && v.ty().scalar().is_int();
    let real = is_cast.then(|| v.operand(0)).filter(|r| r.ty().scalar().is_float())?;
    (fraction_bits(real.ty()).is_some()
        && real.ty().is_vector() == v.ty().is_vector()
        && lanes(real.ty()) == lanes(v.ty()))
    .then_some(real)
}

fn lanes(ty: Type) -> u32 {
    if ty.is_vector() { ty.vector_length() } else { 1 }
}

/// Bits of the fraction of a real, or of that whose bits an integer may be.
fn fraction_bits(ty: Type) -> Option<u32> {
    use llvm_sys::LLVMTypeKind::*;
    match ty.scalar().kind() {
        LLVMDoubleTypeKind => Some(52),
        LLVMFloatTypeKind => Some(23),
        LLVMIntegerTypeKind if ty.scalar().int_width() == 64 => Some(52),
        LLVMIntegerTypeKind if ty.scalar().int_width() == 32 => Some(23),
        _ => None,
    }
}

struct Fractions {
    module: Module,
    builder: Builder,
    bits: HashMap<Value, Rc<Vec<Bit>>>,
    /// Integers that depend on reals, computed from `adrt_bits`.
    stepped: HashMap<Value, Option<Value>>,
    /// Whether what is loaded as an integer counts as the bits of a real.
    loads: bool,
}

impl Bit {
    /// How many bits of fractions decide it.
    fn steps(self) -> u32 {
        match self {
            Bit::Known(_) => 0,
            Bit::Of(real, at) => {
                fraction_bits(real.ty()).map_or(u32::MAX, |n| n.saturating_sub(at))
            }
            Bit::Steps(n) => n,
        }
    }
}

fn is_coarse(bits: &[Bit]) -> bool {
    bits.iter().all(|b| b.steps() <= MOST_BITS)
}

impl Fractions {
    fn new(module: Module, loads: bool) -> Fractions {
        Fractions {
            module,
            builder: Builder::new(module.context()),
            bits: HashMap::default(),
            stepped: HashMap::default(),
            loads,
        }
    }

    /// The load of bits whose fraction an instruction sees as a real, or stores below another
    /// exponent; the real whose fraction it stores. With the instruction.
    fn loaded(&mut self, inst: Value) -> Option<(Value, Value)> {
        let is_cast = inst.opcode() == Opcode::LLVMBitCast && inst.ty().scalar().is_float();
        let is_store = inst.opcode() == Opcode::LLVMStore && is_untyped(inst);
        let from = (is_cast || is_store).then(|| inst.operand(0)).filter(|f| is_arithmetic(*f))?;
        let n = fraction_bits(from.ty())?;
        let bits = self.bits(from, DEPTH);
        let Bit::Of(load, 0) = bits[0] else { return None };
        let is_moved = |k: u32| bits[k as usize] == Bit::Of(load, k);
        let sign = bits.len() as u32 - 1;
        let is_fraction =
            (0..n).all(is_moved) && !(n..sign).any(is_moved) && is_coarse(&bits[n as usize..]);
        let is_load = is_untyped_load(load) && load.ty() == from.ty();
        let is_real =
            is_store && load.ty().scalar().is_float() && fraction_bits(load.ty()) == Some(n);
        (is_fraction && (is_load || is_real)).then_some((inst, load))
    }

    /// What an instruction is in other terms.
    fn rewritten(&mut self, inst: Value) -> Option<Value> {
        let ty = inst.ty();
        if inst.opcode() == Opcode::LLVMBitCast && ty.scalar().is_float() {
            return self.fraction(inst);
        }
        let is_used = inst.users().iter().any(|u| u.opcode() != Opcode::LLVMICmp);
        // The first of a chain that makes steps.
        if !is_arithmetic(inst) || !is_used || !is_coarse(&self.bits(inst, DEPTH)) {
            return None;
        }
        let is_first = data_operands(inst).any(|o| !is_coarse(&self.bits(inst.operand(o), DEPTH)));
        if is_first { self.stepped(inst, DEPTH) } else { None }
    }

    /// A real whose fraction is that of another.
    fn fraction(&mut self, cast: Value) -> Option<Value> {
        let from = cast.operand(0);
        if !from.is_instruction()
            || !is_arithmetic(from)
            || lanes(from.ty()) != lanes(cast.ty())
            || from.ty().is_vector() != cast.ty().is_vector()
        {
            return None;
        }
        let n = fraction_bits(cast.ty())?;
        let bits = self.bits(from, DEPTH);
        let Bit::Of(real, 0) = bits[0] else { return None };
        let is_moved = |k: u32| bits[k as usize] == Bit::Of(real, k);
        if real.ty() != cast.ty() || !(0..n).all(is_moved) {
            return None;
        }
        if (n..bits.len() as u32).all(is_moved) {
            return Some(real);
        }
        if !is_coarse(&bits[n as usize..]) {
            return None;
        }
        let bits = self.stepped(from, DEPTH)?;
        let rule = if n == 52 { FRACTION_F64 } else { FRACTION_F32 };
        self.builder.position_before(cast);
        Some(self.call(rule, &[real, bits], cast))
    }

    /// An integer, computed from the bits of reals without their derivatives; `None` where it has
    /// none.
    fn stepped(&mut self, v: Value, depth: u32) -> Option<Value> {
        if !v.is_instruction() || depth == 0 {
            return None;
        }
        if let Some(known) = self.stepped.get(&v) {
            return *known;
        }
        let new = if let Some(real) = real_of(v) {
            self.builder.position_before(v);
            Some(self.call(BITS, &[real], v))
        } else if is_arithmetic(v) {
            let new: Vec<(usize, Value)> = data_operands(v)
                .filter_map(|i| Some((i, self.stepped(v.operand(i), depth - 1)?)))
                .collect();
            (!new.is_empty()).then(|| {
                let copy = v.clone_instruction();
                new.into_iter().for_each(|(i, o)| copy.set_operand(i, o));
                self.builder.position_before(v);
                self.builder.insert(copy);
                copy
            })
        } else {
            None
        };
        self.stepped.insert(v, new);
        new
    }

    fn bits(&mut self, v: Value, depth: u32) -> Rc<Vec<Bit>> {
        if let Some(known) = self.bits.get(&v) {
            return known.clone();
        }
        let bits = Rc::new(self.compute_bits(v, depth));
        self.bits.insert(v, bits.clone());
        bits
    }

    fn compute_bits(&mut self, v: Value, depth: u32) -> Vec<Bit> {
        let ty = v.ty();
        if !ty.scalar().is_int() {
            return vec![];
        }
        let width = ty.scalar().int_width();
        if let Some(values) = v.as_ints().filter(|_| width <= 64) {
            let of = |k: u32| {
                values.iter().map(|c| c >> k & 1 != 0).reduce(|a, b| if a == b { a } else { false })
            };
            let same = |k: u32| values.iter().all(|c| (c >> k & 1) == (values[0] >> k & 1));
            return (0..width)
                .map(|k| if same(k) { Bit::Known(of(k).unwrap_or(false)) } else { Bit::Steps(0) })
                .collect();
        }
        if let Some(real) = real_of(v) {
            return (0..width).map(|k| Bit::Of(real, k)).collect();
        }
        if self.loads && is_untyped_load(v) {
            return (0..width).map(|k| Bit::Of(v, k)).collect();
        }
        if !is_arithmetic(v) || depth == 0 {
            // Where the search ends, nothing is known of what would have come.
            let steps = if v.is_instruction() && is_arithmetic(v) { u32::MAX } else { 0 };
            return vec![Bit::Steps(steps); width as usize];
        }
        let operands: Vec<Rc<Vec<Bit>>> =
            data_operands(v).map(|i| self.bits(v.operand(i), depth - 1)).collect();
        let x = &operands[0];
        let all = || operands.iter().flat_map(|o| o.iter()).map(|b| b.steps()).max().unwrap_or(0);
        let zero = Bit::Known(false);
        let extended = |k: usize, beyond: Bit| x.get(k).copied().unwrap_or(beyond);
        let shift = || {
            v.operand(1)
                .as_ints()
                .filter(|s| s.iter().all(|n| *n == s[0]))
                .map(|s| s[0])
                .filter(|n| (0..i64::from(width)).contains(n))
        };
        let by_bit = |of: &dyn Fn(usize) -> Bit| (0..width as usize).map(of).collect::<Vec<_>>();
        match v.opcode() {
            Opcode::LLVMTrunc | Opcode::LLVMZExt => by_bit(&|k| extended(k, zero)),
            Opcode::LLVMSExt => by_bit(&|k| extended(k, x[x.len() - 1])),
            Opcode::LLVMFreeze | Opcode::LLVMBitCast => x.to_vec(),
            Opcode::LLVMShl if shift().is_some() => {
                let n = shift().unwrap_or(0) as usize;
                by_bit(&|k| if k < n { zero } else { x[k - n] })
            }
            Opcode::LLVMLShr if shift().is_some() => {
                let n = shift().unwrap_or(0) as usize;
                by_bit(&|k| extended(k + n, zero))
            }
            Opcode::LLVMAShr if shift().is_some() => {
                let n = shift().unwrap_or(0) as usize;
                by_bit(&|k| extended(k + n, x[x.len() - 1]))
            }
            Opcode::LLVMAnd => by_bit(&|k| logical(x[k], operands[1][k], false)),
            Opcode::LLVMOr => by_bit(&|k| logical(x[k], operands[1][k], true)),
            Opcode::LLVMXor => by_bit(&|k| match (x[k], operands[1][k]) {
                (Bit::Known(a), Bit::Known(b)) => Bit::Known(a != b),
                (Bit::Known(false), b) | (b, Bit::Known(false)) => b,
                (a, b) => both(a, b),
            }),
            Opcode::LLVMSelect => {
                by_bit(&|k| if x[k] == operands[1][k] { x[k] } else { both(x[k], operands[1][k]) })
            }
            Opcode::LLVMAdd => sum(x, &operands[1], false),
            Opcode::LLVMSub => sum(x, &operands[1], true),
            _ => vec![Bit::Steps(all()); width as usize],
        }
    }

    /// A call of the private function with a rule.
    fn call(&self, rule: &str, args: &[Value], at: Value) -> Value {
        let context = self.module.context();
        let params: Vec<Type> = args.iter().map(|a| a.ty()).collect();
        let ty = at.ty();
        let count =
            if ty.is_vector() { format!(".v{}", ty.vector_length()) } else { String::new() };
        let name = format!("adcc.{rule}{count}.{}", self.module.store_size(ty.scalar()) * 8);
        let known = self.module.function(&name);
        let f = known.unwrap_or_else(|| {
            let f = self.module.add_function(&name, Type::function(ty, &params, false));
            f.set_external(false);
            f.add_attribute_string(RULE, rule);
            for attribute in ["nounwind", "willreturn", "nofree", "nosync", "noinline"] {
                f.add_attribute(attribute);
            }
            let b = Builder::at_end(context, f.append_block("entry"));
            let last = f.params()[args.len() - 1];
            b.ret(b.bitcast(last, ty));
            f
        });
        let call = self.builder.call(f, args);
        call.add_call_attribute("memory");
        at.copy_location(call);
        call
    }
}

fn both(a: Bit, b: Bit) -> Bit {
    Bit::Steps(a.steps().max(b.steps()))
}

/// `a | b` where `one` decides alone, `a & b` where zero does.
fn logical(a: Bit, b: Bit, one: bool) -> Bit {
    match (a, b) {
        (Bit::Known(k), other) | (other, Bit::Known(k)) => {
            if k == one {
                Bit::Known(one)
            } else {
                other
            }
        }
        (a, b) if a == b => a,
        (a, b) => both(a, b),
    }
}

/// x + y, or x - y.
fn sum(x: &[Bit], y: &[Bit], subtracts: bool) -> Vec<Bit> {
    let zero = Bit::Known(false);
    let is_constant = |bits: &[Bit]| bits.iter().all(|b| matches!(b, Bit::Known(_)));
    // Of bits as they lie in a real, carries from below are as many as numbers that they count to:
    // half as many with each bit.
    let halves = is_constant(x) && is_window(y) || is_constant(y) && is_window(x);
    let mut carries: Option<u32> = None;
    let one = |a: Bit, b: Bit| match (a, b) {
        (a, b) if b == zero => Some(a),
        (a, b) if a == zero && !subtracts => Some(b),
        _ => None,
    };
    x.iter()
        .zip(y)
        .map(|(&a, &b)| match one(a, b) {
            Some(bit) if carries.is_none() => bit,
            _ => {
                let below = carries.unwrap_or(0);
                let below = if halves { below.saturating_sub(1) } else { below };
                let steps = below.max(a.steps()).max(b.steps());
                carries = Some(steps);
                Bit::Steps(steps)
            }
        })
        .collect()
}

/// Whether bits are those of one real, one after the other, with zeros around them.
fn is_window(bits: &[Bit]) -> bool {
    let is_zero = |b: &Bit| *b == Bit::Known(false);
    let Some(start) = bits.iter().position(|b| !is_zero(b)) else { return true };
    let Bit::Of(real, at) = bits[start] else { return false };
    let length = bits[start..].iter().take_while(|b| !is_zero(b)).count();
    let follows = |k: usize| bits[start + k] == Bit::Of(real, at + k as u32);
    (0..length).all(follows) && bits[start + length..].iter().all(is_zero)
}

/// Whether an instruction computes an integer from integers.
fn is_arithmetic(v: Value) -> bool {
    use Opcode::*;
    if !v.is_instruction() || !v.ty().scalar().is_int() && v.opcode() != LLVMBitCast {
        return false;
    }
    match v.opcode() {
        LLVMAnd | LLVMOr | LLVMXor | LLVMShl | LLVMLShr | LLVMAShr | LLVMAdd | LLVMSub
        | LLVMMul | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMSelect | LLVMFreeze => true,
        LLVMBitCast => {
            v.operand(0).ty().scalar().is_int() && lanes(v.operand(0).ty()) == lanes(v.ty())
        }
        _ => false,
    }
}

/// Which operands hold what it computes with.
fn data_operands(v: Value) -> std::ops::Range<usize> {
    if v.opcode() == Opcode::LLVMSelect { 1..3 } else { 0..v.operand_count() }
}
