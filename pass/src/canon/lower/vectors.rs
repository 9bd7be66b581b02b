//! Vector code as analyses and rules see it: what the vectoriser or intrinsics of a target wrote
//! becomes elementwise operations, shuffles, and accesses element by element.
//!
//! Each form is replaced by what its definition says, with the same rounding: reductions without
//! `reassoc` go through the elements in order. Masked accesses, gathers and scatters become plain
//! ones under branches (LLVM's own expansion), and in a function with vectors of pointers all
//! vectors are taken apart.

use super::x86;
use crate::llvm::{
    Builder, FastMath, Function, IntPredicate, Intrinsic, Module, Opcode, RealPredicate, Type,
    Value,
};

/// Masked loads and stores, gathers, scatters, expanding loads, compressing stores.
const UNMASK: &str = "scalarize-masked-mem-intrin";
/// Comes after it: the addresses are taken from their vector by then.
const TAKE_APART: &str = "scalarizer";

/// Rewrites the vector forms of a canonical copy.
pub fn rewrite(module: Module, function: Function) -> Result<(), String> {
    let forms = Forms { module, builder: Builder::new(module.context()) };
    for call in calls(function) {
        forms.rewrite(call);
    }
    if calls(function).iter().any(|c| c.intrinsic().is_some_and(Intrinsic::is_masked)) {
        function.run_passes(UNMASK)?;
    }
    let has_pointers = |v: Value| v.ty().is_vector() && v.ty().element().is_pointer();
    if function.blocks().into_iter().flat_map(|b| b.instructions()).any(has_pointers) {
        function.run_passes(TAKE_APART)?;
    }
    Ok(())
}

/// Takes parts of vectors as such. GVN forwards half of a stored vector to a load as an integer:
/// the vector is seen as one of wide integers, of which one is taken and seen as what was loaded.
pub fn take_parts(module: Module, function: Function) {
    let builder = Builder::new(module.context());
    let mut parts = vec![];
    for cast in function
        .blocks()
        .into_iter()
        .flat_map(|b| b.instructions())
        .filter(|i| i.opcode() == Opcode::LLVMBitCast)
        .collect::<Vec<_>>()
    {
        let is = |v: Value, op: Opcode| v.is_instruction() && v.opcode() == op;
        let part = cast.operand(0);
        if !is(part, Opcode::LLVMExtractElement) || !is(part.operand(0), Opcode::LLVMBitCast) {
            continue;
        }
        let (whole, at, ty) = (part.operand(0).operand(0), part.operand(1).as_int(), cast.ty());
        let Some(at) = at.filter(|_| {
            whole.ty().is_vector() && whole.ty().element() == ty.scalar() && ty.holds_float()
        }) else {
            continue;
        };
        let length = if ty.is_vector() { ty.vector_length() } else { 1 };
        let first = at as u32 * length;
        builder.position_before(cast);
        let value = match ty.is_vector() {
            true => builder.shuffle(
                whole,
                whole.ty().poison(),
                &(first..first + length).map(Some).collect::<Vec<_>>(),
            ),
            false => builder.extract_element(whole, module.context().int(32).int(first.into())),
        };
        cast.replace_uses(value);
        parts.push(part);
    }
    // Each after its casts, which are unused now; a wide vector after its parts.
    let unused = |v: &Value| {
        v.users().iter().all(|u| u.opcode() == Opcode::LLVMBitCast && u.users().is_empty())
    };
    parts.sort_unstable();
    parts.dedup();
    let mut wide: Vec<Value> = vec![];
    for part in parts.into_iter().filter(unused) {
        part.users().into_iter().for_each(Value::erase);
        wide.push(part.operand(0));
        part.erase();
    }
    wide.sort_unstable();
    wide.dedup();
    wide.into_iter().filter(|w| w.users().is_empty()).for_each(Value::erase);
}

/// Makes shuffles of narrow integers that move pairs of neighbours shuffles of integers of twice the
/// size, as long as it goes: code swaps and spreads doubles by `_mm_shuffle_epi32`.
pub fn widen_shuffles(module: Module, function: Function) {
    let builder = Builder::new(module.context());
    let is_shuffle = |i: &Value| i.opcode() == Opcode::LLVMShuffleVector;
    let mut work: Vec<Value> =
        function.blocks().into_iter().flat_map(|b| b.instructions()).filter(is_shuffle).collect();
    while let Some(shuffle) = work.pop() {
        let [x, y] = [0, 1].map(|i| shuffle.operand(i));
        let (from, element) = (x.ty(), shuffle.ty().element());
        let is_narrow = element.is_int() && matches!(element.int_width(), 8 | 16 | 32);
        let Some(pairs) = pairs(&shuffle.shuffle_mask()).filter(|_| is_narrow) else { continue };
        let count = from.vector_length();
        if !count.is_multiple_of(2) {
            continue;
        }
        let wide = module.context().int(2 * element.int_width()).vector(count / 2);
        builder.position_before(shuffle);
        let [x, y] = [x, y].map(|v| builder.cast(Opcode::LLVMBitCast, v, wide));
        let value = builder.shuffle(x, y, &pairs);
        shuffle.replace_uses(builder.cast(Opcode::LLVMBitCast, value, shuffle.ty()));
        shuffle.erase();
        if is_shuffle(&value) {
            work.push(value);
        }
    }
}

/// The mask of a shuffle of pairs, if that is what a mask says.
fn pairs(mask: &[Option<u32>]) -> Option<Vec<Option<u32>>> {
    let pair = |two: &[Option<u32>]| match *two {
        [None, None] => Some(None),
        [Some(a), Some(b)] if a % 2 == 0 && b == a + 1 => Some(Some(a / 2)),
        _ => None,
    };
    mask.chunks(2).map(pair).collect()
}

fn calls(function: Function) -> Vec<Value> {
    function
        .blocks()
        .into_iter()
        .flat_map(|b| b.instructions())
        .filter(|i| i.opcode() == Opcode::LLVMCall)
        .collect()
}

/// What rewriting needs.
pub(super) struct Forms {
    pub module: Module,
    pub builder: Builder,
}

impl Forms {
    fn rewrite(&self, call: Value) {
        let Some(function) = call.called().as_function() else { return };
        self.builder.position_before(call);
        let value = match function.intrinsic() {
            Some(intrinsic) => self.vector(intrinsic, call),
            None => function.x86_intrinsic().and_then(|name| x86::rewrite(self, &name, call)),
        };
        let Some(value) = value else { return };
        if !call.ty().is_void() {
            call.replace_uses(value);
        }
        call.erase();
    }

    /// Forms of vectors; `None` where the call is left as it is.
    fn vector(&self, form: Intrinsic, call: Value) -> Option<Value> {
        let b = &self.builder;
        let of = |i| call.operand(i);
        let length = |t: Type| t.vector_length();
        match form {
            Intrinsic::ReduceFadd | Intrinsic::ReduceFmul => {
                self.reduce(form, Some(of(0)), of(1), call.fast_math())
            }
            Intrinsic::ReduceFmax
            | Intrinsic::ReduceFmin
            | Intrinsic::ReduceFmaximum
            | Intrinsic::ReduceFminimum => self.reduce(form, None, of(0), call.fast_math()),
            _ if call.ty().is_scalable() => None,
            Intrinsic::VectorReverse => Some(self.pick(of(0), (0..length(call.ty())).rev())),
            // From element `at` of both together, or the last `at` of the first.
            Intrinsic::VectorSpliceLeft | Intrinsic::VectorSpliceRight => {
                let n = i64::from(length(call.ty()));
                let at = of(2).as_int()?;
                let at = if form == Intrinsic::VectorSpliceRight { n - at } else { at };
                let mask: Vec<_> = (at..at + n).map(|i| Some(i as u32)).collect();
                Some(b.shuffle(of(0), of(1), &mask))
            }
            Intrinsic::VectorExtract => {
                let at = of(1).as_int()? as u32;
                Some(self.pick(of(0), at..at + length(call.ty())))
            }
            Intrinsic::VectorInsert => {
                let (n, m, at) = (length(call.ty()), length(of(1).ty()), of(2).as_int()? as u32);
                let widened = self.pick_some(of(1), (0..n).map(|i| (i < m).then_some(i)));
                let mask: Vec<_> = (0..n)
                    .map(|i| Some(if (at..at + m).contains(&i) { n + i - at } else { i }))
                    .collect();
                Some(b.shuffle(of(0), widened, &mask))
            }
            Intrinsic::VectorDeinterleave2 => {
                let n = length(of(0).ty()) / 2;
                let mut both = call.ty().poison();
                for k in 0..2 {
                    both = b.insert_value(both, self.pick(of(0), (0..n).map(|i| 2 * i + k)), k);
                }
                Some(both)
            }
            Intrinsic::VectorInterleave2 => {
                let n = length(of(0).ty());
                let mask: Vec<_> = (0..2 * n).map(|i| Some(i / 2 + (i % 2) * n)).collect();
                Some(b.shuffle(of(0), of(1), &mask))
            }
            _ => None,
        }
    }

    /// The elements of one vector, by number.
    pub fn pick(&self, x: Value, elements: impl Iterator<Item = u32>) -> Value {
        self.pick_some(x, elements.map(Some))
    }

    fn pick_some(&self, x: Value, elements: impl Iterator<Item = Option<u32>>) -> Value {
        self.builder.shuffle(x, x.ty().poison(), &elements.collect::<Vec<_>>())
    }

    /// Element `i` of a vector.
    pub fn element(&self, x: Value, i: u32) -> Value {
        self.builder.extract_element(x, self.module.context().int(32).int(i.into()))
    }

    /// The vector with element `i` replaced.
    pub fn with_element(&self, x: Value, element: Value, i: u32) -> Value {
        self.builder.insert_element(x, element, self.module.context().int(32).int(i.into()))
    }

    /// A call of an intrinsic that is overloaded on the type of its first argument.
    pub fn intrinsic(&self, intrinsic: Intrinsic, args: &[Value]) -> Value {
        self.builder.call(self.module.intrinsic(intrinsic, &[args[0].ty()]), args)
    }

    /// Whether the sign bits of a vector are set.
    pub fn signs(&self, x: Value) -> Value {
        let element = x.ty().element();
        let bits = if element.is_int() {
            element.int_width()
        } else {
            self.module.store_size(element) as u32 * 8
        };
        let x = self.builder.bitcast(x, x.ty().with_scalar(self.module.context().int(bits)));
        self.builder.icmp(IntPredicate::LLVMIntSLT, x, x.ty().zero())
    }

    fn reduce(
        &self,
        kind: Intrinsic,
        start: Option<Value>,
        vector: Value,
        flags: FastMath,
    ) -> Option<Value> {
        // The first flag is `reassoc`; maxima and minima have no order.
        let any_order = flags.0 & 1 != 0 || start.is_none();
        let combine = |x: Value, y: Value| -> Option<Value> {
            let value = match kind {
                Intrinsic::ReduceFadd => self.builder.fadd(x, y),
                Intrinsic::ReduceFmul => self.builder.fmul(x, y),
                Intrinsic::ReduceFmax => self.intrinsic(Intrinsic::Maxnum, &[x, y]),
                Intrinsic::ReduceFmin => self.intrinsic(Intrinsic::Minnum, &[x, y]),
                Intrinsic::ReduceFmaximum => self.intrinsic(Intrinsic::Maximum, &[x, y]),
                Intrinsic::ReduceFminimum => self.intrinsic(Intrinsic::Minimum, &[x, y]),
                _ => return None,
            };
            value.set_fast_math(flags);
            Some(value)
        };
        let mut rest = vector;
        let mut length = vector.ty().vector_length();
        while any_order && length > 2 && length.is_multiple_of(2) {
            let (low, high) = (self.pick(rest, 0..length / 2), self.pick(rest, length / 2..length));
            rest = combine(low, high)?;
            length /= 2;
        }
        (0..length).map(|i| self.element(rest, i)).map(Some).fold(start.map(Some), |sum, x| {
            match sum {
                Some(sum) => Some(combine(sum?, x?)),
                None => Some(x),
            }
        })?
    }

    /// c ? x : y for a comparison of floating-point values.
    pub fn choose(&self, p: RealPredicate, x: Value, y: Value) -> Value {
        self.builder.select(self.builder.fcmp(p, x, y), x, y)
    }
}
