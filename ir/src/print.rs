//! Textual form of a body, for `-ad-print=body` and for the bodies that tests write by hand.
//!
//! One line per thing; what is written in any order is read in that order, `//` starts a comment:
//!
//! ```text
//! body @f(v0: ptr noalias, v1: f64)
//!   loop l0 header b1 preheader b0 latch b1 counter v4 taken v3 exits b2:v9 single
//!   grows v11 by v12, v13
//!   v2: i64 = const 0
//!   v3: ptr = global const @table
//! b0:
//!   v5: f64 = load v0 align 4
//!   v6 = br -> b1
//! b1:
//!   v4: i64 = phi [b0 v2] [b1 v7]
//!   v7: i64 = add v4, v2 nsw
//!   v8: ptr = gep v0 + 8 + v4*8          // all operands where they are not v0, v4: gep … of v0, v2, v4
//!   v10 = call defined @g(v8, v1)
//! ```
//!
//! - Parameters, then loops, then what is the same in every run (constants, globals, functions,
//!   undef), then blocks in reverse postorder, then blocks that are not reached.
//! - Each value has its id, also where it has no result (`: void` is left out), so that a dump of
//!   an analysis can name it. A void line of hand-written text may leave out `vN =`; it gets the
//!   lowest id that the text does not use.
//! - Successors follow the block's last instruction: of `condbr` those for true and for false, of
//!   `switch` the default first.
//! - A name is `@` and what the linker knows it by, in quotes where it has odd characters. The name
//!   of a call's target stands between what it is to us (`defined`, `rule sin.f64`, `memcpy`) and
//!   its arguments.
//! - Attributes stand at the end and only where they are not what one expects: `bytes` (4 for i32),
//!   `holds` (what memory holds of a vector or struct: offset and type of each part), `factor` (1,
//!   or the constant itself), `align` (of an access: that of its bytes; else 1), `integer`, `once`,
//!   `nsw`.
//! - What follows from the rest (predecessors, dominators, users, nesting of loops) is a comment or
//!   absent.

use super::{Body, Callee, Cast, Field, IntOp, Op, ScalarKind, Ty, Update, ValueId};
use adrules::Precision;
use std::fmt::{self, Display, Formatter};

impl Display for Body {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "body {}(", Name(&self.name))?;
        for (i, &p) in self.params.iter().enumerate() {
            write!(f, "{}{p:?}: {}", if i == 0 { "" } else { ", " }, self[p].ty)?;
            for (flags, word) in [(&self.noalias, "noalias"), (&self.readonly, "readonly")] {
                if flags.get(i) == Some(&true) {
                    write!(f, " {word}")?;
                }
            }
            self.print_attributes(f, p)?;
        }
        writeln!(f, ")")?;
        self.print_loops(f)?;
        for v in self.value_ids().filter(|&v| self[v].block.is_none() && !self.params.contains(&v))
        {
            self.print_value(f, v)?;
            writeln!(f)?;
        }
        let mut is_reached = vec![false; self.blocks.len()];
        for b in &self.order {
            is_reached[b.index()] = true;
        }
        let unreached = self.block_ids().filter(|b| !is_reached[b.index()]);
        for b in self.order.iter().copied().chain(unreached) {
            write!(f, "{b:?}:")?;
            match (is_reached[b.index()], self[b].innermost) {
                (false, _) => write!(f, " // not reached")?,
                (true, Some(l)) => write!(f, " // in {l:?}, from {}", List(" ", &self[b].preds))?,
                (true, None) if !self[b].preds.is_empty() => {
                    write!(f, " // from {}", List(" ", &self[b].preds))?
                }
                (true, None) => {}
            }
            writeln!(f)?;
            for (i, &v) in self[b].insts.iter().enumerate() {
                self.print_value(f, v)?;
                if i + 1 == self[b].insts.len() && !self[b].succs.is_empty() {
                    write!(f, " -> {}", List(" ", &self[b].succs))?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

impl Body {
    fn print_loops(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, l) in self.loops.iter().enumerate() {
            write!(
                f,
                "  loop l{i} header {:?} preheader {:?} latch {:?}",
                l.header, l.preheader, l.latch
            )?;
            write!(f, " counter {:?}", l.counter)?;
            if let Some(taken) = l.taken {
                write!(f, " taken {taken:?}")?;
            }
            for (i, (block, last)) in l.exits.iter().enumerate() {
                write!(f, "{}{block:?}:{last:?}", if i == 0 { " exits " } else { " " })?;
            }
            writeln!(f, "{}", if l.single_exiting { " single" } else { "" })?;
        }
        for g in &self.growths {
            write!(f, "  grows {:?} by {:?}", g.phi, g.first)?;
            match g.second {
                Some(second) => writeln!(f, ", {second:?}")?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }

    fn print_value(&self, f: &mut Formatter<'_>, v: ValueId) -> fmt::Result {
        let data = &self[v];
        write!(f, "  {v:?}")?;
        if (data.ty, default_ty(&data.op, data.constant)) != (Ty::Void, Some(Ty::Void)) {
            write!(f, ": {}", data.ty)?;
        }
        write!(f, " = {}", Mnemonic(&data.op))?;
        if let Some(symbol) = &data.symbol {
            write!(f, " {}", Name(symbol))?;
        }
        match &data.op {
            Op::Constant => {
                if let Some(k) = data.constant {
                    write!(f, " {k}")?;
                }
            }
            Op::Call(_) => write!(f, "({})", List(", ", &data.operands))?,
            Op::Phi(from) => {
                for (b, o) in from.iter().zip(&data.operands) {
                    write!(f, " [{b:?} {o:?}]")?;
                }
            }
            Op::Gep(constant, strides) => self.print_gep(f, v, *constant, strides)?,
            Op::Shuffle(mask) => {
                print_operands(f, &data.operands)?;
                let numbers: Vec<String> =
                    mask.iter().map(|m| m.map_or("_".into(), |m| m.to_string())).collect();
                write!(f, " [{}]", numbers.join(", "))?;
            }
            Op::ExtractValue(indices) | Op::InsertValue(indices) => {
                print_operands(f, &data.operands)?;
                write!(f, " {indices:?}")?;
            }
            Op::Param(_)
            | Op::ConstantExpr
            | Op::Global(_)
            | Op::Function
            | Op::Undef
            | Op::FNeg
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::IntBinary(_)
            | Op::ICmp
            | Op::FCmp
            | Op::Cast(_)
            | Op::Select
            | Op::Freeze
            | Op::Alloca(_)
            | Op::Load
            | Op::Store
            | Op::ExtractElement
            | Op::InsertElement
            | Op::Update(_)
            | Op::Atomic
            | Op::Br
            | Op::CondBr
            | Op::Switch
            | Op::Invoke
            | Op::Ret
            | Op::Unreachable
            | Op::Other => print_operands(f, &data.operands)?,
        }
        self.print_attributes(f, v)
    }

    fn print_gep(
        &self,
        f: &mut Formatter<'_>,
        v: ValueId,
        constant: i64,
        strides: &[(ValueId, i64)],
    ) -> fmt::Result {
        let operands = &self[v].operands;
        print_operands(f, &operands[..operands.len().min(1)])?;
        if constant != 0 {
            write!(f, " + {constant}")?;
        }
        for (index, unit) in strides {
            write!(f, " + {index:?}*{unit}")?;
        }
        if operands.iter().skip(1).ne(strides.iter().map(|(index, _)| index)) {
            write!(f, " of")?;
            print_operands(f, operands)?;
        }
        Ok(())
    }

    fn print_attributes(&self, f: &mut Formatter<'_>, v: ValueId) -> fmt::Result {
        let data = &self[v];
        if data.bytes != default_bytes(data.ty) {
            write!(f, " bytes {}", data.bytes)?;
        }
        if data.fields != default_fields(data.ty) {
            let name = |scalar: ScalarKind| match scalar {
                ScalarKind::Int => "int",
                ScalarKind::Ptr => "ptr",
                ScalarKind::F16 => "f16",
                ScalarKind::BF16 => "bf16",
                ScalarKind::F32 => "f32",
                ScalarKind::F64 => "f64",
                ScalarKind::F80 => "f80",
                ScalarKind::F128 => "f128",
            };
            let fields: Vec<String> =
                data.fields.iter().map(|&(at, scalar)| format!("{at} {}", name(scalar))).collect();
            write!(f, " holds [{}]", fields.join(", "))?;
        }
        if data.factor != default_factor(data.ty, data.constant) {
            write!(f, " factor {}", data.factor)?;
        }
        if data.alignment != self.default_alignment(v) {
            write!(f, " align {}", data.alignment)?;
        }
        if let Some(steps) = data.steps {
            write!(f, " steps {steps}")?;
        }
        for (flag, word) in [
            (data.is_integer, "integer"),
            (data.is_member, "member"),
            (data.is_of_numbers, "numbers"),
            (data.is_untold, "untold"),
            (data.is_to_data, "data"),
            (data.is_to_table, "table"),
            (data.is_once, "once"),
            (data.nowrap, "nsw"),
            (data.is_hidden, "hidden"),
        ] {
            if flag {
                write!(f, " {word}")?;
            }
        }
        Ok(())
    }

    /// Alignment of an access where the text does not say: that of a scalar of its size.
    pub fn default_alignment(&self, v: ValueId) -> u32 {
        const MOST: u64 = 16;
        let bytes = match self[v].op {
            Op::Load => self[v].bytes,
            Op::Store => self[v]
                .operands
                .first()
                .and_then(|o| self.values.get(o.index()))
                .map_or(0, |o| o.bytes),
            _ => 0,
        };
        if bytes == 0 { 1 } else { (1 << bytes.trailing_zeros()).min(MOST) as u32 }
    }
}

/// Type of a result where the text does not say; `None` where it must.
pub fn default_ty(op: &Op, constant: Option<i64>) -> Option<Ty> {
    match op {
        Op::Store | Op::Br | Op::CondBr | Op::Switch | Op::Invoke | Op::Ret | Op::Unreachable => {
            Some(Ty::Void)
        }
        Op::Global(_) | Op::Function | Op::Alloca(_) | Op::Gep(..) => Some(Ty::Ptr),
        Op::ICmp | Op::FCmp => Some(Ty::Int(1)),
        Op::Constant => constant.map(|_| Ty::Int(64)),
        Op::Call(callee) => match callee {
            Callee::Rule(..) | Callee::PureInt => None,
            Callee::Allocate(_) => Some(Ty::Ptr),
            Callee::KeptBytes => Some(Ty::Int(64)),
            Callee::MemCpy
            | Callee::MemMove
            | Callee::MemSet
            | Callee::Free
            | Callee::Inactive
            | Callee::Defined
            | Callee::Passive
            | Callee::Custom
            | Callee::Unknown
            | Callee::Indirect
            | Callee::Assembly
            | Callee::Unwound => Some(Ty::Void),
        },
        Op::Param(_)
        | Op::ConstantExpr
        | Op::Undef
        | Op::FNeg
        | Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::FRem
        | Op::IntBinary(_)
        | Op::Cast(_)
        | Op::Select
        | Op::Freeze
        | Op::Phi(_)
        | Op::Load
        | Op::ExtractValue(_)
        | Op::InsertValue(_)
        | Op::ExtractElement
        | Op::InsertElement
        | Op::Shuffle(_)
        | Op::Update(_)
        | Op::Atomic
        | Op::Other => None,
    }
}

/// Bytes of a type where the text does not say.
pub fn default_bytes(ty: Ty) -> u64 {
    match ty {
        Ty::Void | Ty::Vector(_) | Ty::Aggregate(_) | Ty::Other => 0,
        Ty::Int(bits) => bits.div_ceil(8).into(),
        Ty::F16 | Ty::BF16 => 2,
        Ty::F32 => 4,
        Ty::F64 => 8,
        Ty::Ptr => crate::target::pointer(),
        Ty::F80 => 10,
        Ty::F128 => 16,
    }
}

/// What memory holds of a type where the text does not say.
pub fn default_fields(ty: Ty) -> Vec<Field> {
    ScalarKind::of(ty).map(|scalar| (0, scalar)).into_iter().collect()
}

/// Divisor of a value where the text does not say.
pub fn default_factor(ty: Ty, constant: Option<i64>) -> u64 {
    match (ty, constant) {
        (Ty::Int(_), Some(k)) => k.unsigned_abs(),
        _ => 1,
    }
}

impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Void => write!(f, "void"),
            Ty::Int(bits) => write!(f, "i{bits}"),
            Ty::F32 => write!(f, "f32"),
            Ty::F64 => write!(f, "f64"),
            Ty::F16 => write!(f, "f16"),
            Ty::BF16 => write!(f, "bf16"),
            Ty::F80 => write!(f, "f80"),
            Ty::F128 => write!(f, "f128"),
            Ty::Ptr => write!(f, "ptr"),
            Ty::Vector(false) => write!(f, "vector"),
            Ty::Vector(true) => write!(f, "floatvector"),
            Ty::Aggregate(false) => write!(f, "aggregate"),
            Ty::Aggregate(true) => write!(f, "floataggregate"),
            Ty::Other => write!(f, "other"),
        }
    }
}

/// What an operation is called, without operands.
struct Mnemonic<'a>(&'a Op);

impl Display for Mnemonic<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let word = match self.0 {
            Op::Param(i) => return write!(f, "param {i}"),
            Op::Constant => "const",
            Op::ConstantExpr => "constexpr",
            Op::Global(false) => "global",
            Op::Global(true) => "global const",
            Op::Function => "function",
            Op::Undef => "undef",
            Op::FNeg => "fneg",
            Op::FAdd => "fadd",
            Op::FSub => "fsub",
            Op::FMul => "fmul",
            Op::FDiv => "fdiv",
            Op::FRem => "frem",
            Op::IntBinary(IntOp::Add) => "add",
            Op::IntBinary(IntOp::Sub) => "sub",
            Op::IntBinary(IntOp::Mul) => "mul",
            Op::IntBinary(IntOp::Shl) => "shl",
            Op::IntBinary(IntOp::LShr) => "lshr",
            Op::IntBinary(IntOp::And) => "and",
            Op::IntBinary(IntOp::Or) => "or",
            Op::IntBinary(IntOp::Xor) => "xor",
            Op::IntBinary(IntOp::Other) => "int",
            Op::ICmp => "icmp",
            Op::FCmp => "fcmp",
            Op::Cast(Cast::Float) => "floatcast",
            Op::Cast(Cast::FloatToInt) => "floattoint",
            Op::Cast(Cast::IntToFloat) => "inttofloat",
            Op::Cast(Cast::Int) => "intcast",
            Op::Cast(Cast::ZeroExtend) => "zeroextend",
            Op::Cast(Cast::Bits) => "bitcast",
            Op::Cast(Cast::AddressSpace) => "spacecast",
            Op::Cast(Cast::PtrToInt) => "ptrtoint",
            Op::Cast(Cast::IntToPtr) => "inttoptr",
            Op::Select => "select",
            Op::Freeze => "freeze",
            Op::Gep(..) => "gep",
            Op::Phi(_) => "phi",
            Op::Alloca(true) => "alloca",
            Op::Alloca(false) => "alloca dynamic",
            Op::Load => "load",
            Op::Store => "store",
            Op::Call(callee) => match callee {
                Callee::Rule(rule, Precision::F32) => {
                    return write!(f, "call rule {}.f32", rule.name);
                }
                Callee::Rule(rule, Precision::F64) => {
                    return write!(f, "call rule {}.f64", rule.name);
                }
                Callee::Rule(rule, Precision::F80) => {
                    return write!(f, "call rule {}.f80", rule.name);
                }
                Callee::MemCpy => "call memcpy",
                Callee::MemMove => "call memmove",
                Callee::MemSet => "call memset",
                Callee::Allocate(allocator) => return write!(f, "call {}", allocator.symbol),
                Callee::KeptBytes => "call keptbytes",
                Callee::Free => "call free",
                Callee::Inactive => "call inactive",
                Callee::PureInt => "call pureint",
                Callee::Defined => "call defined",
                Callee::Passive => "call passive",
                Callee::Custom => "call custom",
                Callee::Unknown => "call unknown",
                Callee::Indirect => "call indirect",
                Callee::Assembly => "call assembly",
                Callee::Unwound => "call unwound",
            },
            Op::ExtractValue(_) => "extractvalue",
            Op::InsertValue(_) => "insertvalue",
            Op::ExtractElement => "extractelement",
            Op::InsertElement => "insertelement",
            Op::Shuffle(_) => "shuffle",
            Op::Update(Update::Add) => "update add",
            Op::Update(Update::Sub) => "update sub",
            Op::Atomic => "atomic",
            Op::Br => "br",
            Op::CondBr => "condbr",
            Op::Switch => "switch",
            Op::Invoke => "invoke",
            Op::Ret => "ret",
            Op::Unreachable => "unreachable",
            Op::Other => "other",
        };
        write!(f, "{word}")
    }
}

/// A symbol, in quotes where it has characters that are no letters, digits, `_`, `.` or `$`.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.0.is_empty() && self.0.chars().all(is_word) {
            return write!(f, "@{}", self.0);
        }
        let protected = self.0.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        write!(f, "@\"{protected}\"")
    }
}

/// Characters of words and of names without quotes.
pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// Ids with a separator between them.
struct List<'a, T>(&'static str, &'a [T]);

impl<T: fmt::Debug> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, id) in self.1.iter().enumerate() {
            write!(f, "{}{id:?}", if i == 0 { "" } else { self.0 })?;
        }
        Ok(())
    }
}

fn print_operands(f: &mut Formatter<'_>, operands: &[ValueId]) -> fmt::Result {
    if operands.is_empty() { Ok(()) } else { write!(f, " {}", List(", ", operands)) }
}
