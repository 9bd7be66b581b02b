//! Intrinsics that this crate asks for or makes, by the numbers that LLVM gives them.
//!
//! LLVM adds the types of its operands to the name of an overloaded intrinsic; its number is the
//! same for all of them. Two families stay with their names, which tell more than a number: those
//! of x86 ([`Function::x86_intrinsic`]) and those with rules ([`Intrinsic::named`]).

use super::{Function, Module, Opcode, Type, Value};
use adir::hashed::HashMap;
use llvm_sys::core::*;
use std::sync::OnceLock;

macro_rules! intrinsics {
    ($($(#[$doc:meta])* $variant:ident $name:literal,)*) => {
        /// An intrinsic of LLVM.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum Intrinsic {
            $($(#[$doc])* $variant,)*
        }
        impl Intrinsic {
            const ALL: &[Intrinsic] = &[$(Intrinsic::$variant,)*];
            /// Its name without `llvm.` and without types.
            fn name(self) -> &'static str {
                match self {
                    $(Intrinsic::$variant => $name,)*
                }
            }
        }
    };
}

intrinsics! {
    Memcpy "memcpy",
    MemcpyInline "memcpy.inline",
    MemcpyElements "memcpy.element.unordered.atomic",
    Memmove "memmove",
    MemmoveElements "memmove.element.unordered.atomic",
    Memset "memset",
    MemsetInline "memset.inline",
    MemsetElements "memset.element.unordered.atomic",
    LifetimeStart "lifetime.start",
    LifetimeEnd "lifetime.end",
    NoaliasScope "experimental.noalias.scope.decl",
    Assume "assume",
    TypeTest "type.test",
    PublicTypeTest "public.type.test",
    DebugDeclare "dbg.declare",
    DebugValue "dbg.value",
    DebugAssign "dbg.assign",
    DebugLabel "dbg.label",
    AnnotatedVariable "var.annotation",
    AnnotatedPointer "ptr.annotation",
    InitTrampoline "init.trampoline",
    AdjustTrampoline "adjust.trampoline",
    ThreadLocalAddress "threadlocal.address",
    VaStart "va_start",
    VaCopy "va_copy",
    VaEnd "va_end",
    PointerMask "ptrmask",
    UmulWithOverflow "umul.with.overflow",
    Umin "umin",
    Umax "umax",
    Smin "smin",
    Smax "smax",
    MaskedLoad "masked.load",
    MaskedStore "masked.store",
    MaskedGather "masked.gather",
    MaskedScatter "masked.scatter",
    MaskedExpandLoad "masked.expandload",
    MaskedCompressStore "masked.compressstore",
    VectorReverse "vector.reverse",
    VectorSpliceLeft "vector.splice.left",
    VectorSpliceRight "vector.splice.right",
    VectorExtract "vector.extract",
    VectorInsert "vector.insert",
    VectorDeinterleave2 "vector.deinterleave2",
    VectorInterleave2 "vector.interleave2",
    ReduceOr "vector.reduce.or",
    ReduceFadd "vector.reduce.fadd",
    ReduceFmul "vector.reduce.fmul",
    ReduceFmax "vector.reduce.fmax",
    ReduceFmin "vector.reduce.fmin",
    ReduceFmaximum "vector.reduce.fmaximum",
    ReduceFminimum "vector.reduce.fminimum",
    Sqrt "sqrt",
    Powi "powi",
    Pow "pow",
    Sin "sin",
    Cos "cos",
    Tan "tan",
    Asin "asin",
    Acos "acos",
    Atan "atan",
    Atan2 "atan2",
    Sinh "sinh",
    Cosh "cosh",
    Tanh "tanh",
    Exp "exp",
    Exp2 "exp2",
    Exp10 "exp10",
    Log "log",
    Log2 "log2",
    Log10 "log10",
    Ldexp "ldexp",
    Fma "fma",
    Fmuladd "fmuladd",
    Fabs "fabs",
    Copysign "copysign",
    Maxnum "maxnum",
    Minnum "minnum",
    Maximum "maximum",
    Minimum "minimum",
    Maximumnum "maximumnum",
    Minimumnum "minimumnum",
    Floor "floor",
    Ceil "ceil",
    Trunc "trunc",
    Rint "rint",
    Nearbyint "nearbyint",
    Round "round",
    Roundeven "roundeven",
    Lround "lround",
    Llround "llround",
    Lrint "lrint",
    Llrint "llrint",
    Canonicalize "canonicalize",
    ArithmeticFence "arithmetic.fence",
    IsFpclass "is.fpclass",
    FptosiSat "fptosi.sat",
    FptouiSat "fptoui.sat",
    Sincos "sincos",
    Sincospi "sincospi",
    Modf "modf",
    Frexp "frexp",
}

/// How the names begin that LLVM keeps for itself: of intrinsics, and of variables such as
/// `llvm.used`.
const RESERVED: &str = "llvm.";

/// The numbers of all intrinsics, in the order of [`Intrinsic::ALL`]. They are those of the LLVM
/// that is linked, the same in all modules.
fn numbers() -> &'static [u32] {
    static NUMBERS: OnceLock<Vec<u32>> = OnceLock::new();
    NUMBERS.get_or_init(|| {
        let number = |i: &Intrinsic| {
            let name = format!("{RESERVED}{}", i.name());
            // SAFETY: LLVM reads `len` bytes of a table of its own that it does not change.
            unsafe { LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len()) }
        };
        Intrinsic::ALL.iter().map(number).collect()
    })
}

impl Intrinsic {
    fn number(self) -> u32 {
        let number = numbers()[self as usize];
        assert!(number != 0, "{RESERVED}{} is no intrinsic of this LLVM", self.name());
        number
    }
    fn of_number(number: u32) -> Option<Intrinsic> {
        static KNOWN: OnceLock<HashMap<u32, Intrinsic>> = OnceLock::new();
        let known = KNOWN.get_or_init(|| {
            let all = numbers().iter().copied().zip(Intrinsic::ALL.iter().copied());
            all.filter(|(number, _)| *number != 0).collect()
        });
        known.get(&number).copied()
    }
    /// The intrinsic of that name, without `llvm.` and types: those that rules name.
    pub fn named(name: &str) -> Option<Intrinsic> {
        Intrinsic::ALL.iter().copied().find(|i| i.name() == name)
    }
    /// Whether it copies memory that does not overlap.
    pub fn is_memcpy(self) -> bool {
        matches!(self, Intrinsic::Memcpy | Intrinsic::MemcpyInline | Intrinsic::MemcpyElements)
    }
    /// Whether it copies memory that may overlap.
    pub fn is_memmove(self) -> bool {
        matches!(self, Intrinsic::Memmove | Intrinsic::MemmoveElements)
    }
    /// Whether it fills memory.
    pub fn is_memset(self) -> bool {
        matches!(self, Intrinsic::Memset | Intrinsic::MemsetInline | Intrinsic::MemsetElements)
    }
    /// Whether it says where the life of a variable begins or ends.
    pub fn is_lifetime(self) -> bool {
        matches!(self, Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd)
    }
    /// Whether it tells debuggers of variables and labels.
    pub fn is_debug(self) -> bool {
        use Intrinsic::*;
        matches!(self, DebugDeclare | DebugValue | DebugAssign | DebugLabel)
    }
    /// Whether it accesses memory under a mask.
    pub fn is_masked(self) -> bool {
        use Intrinsic::*;
        matches!(
            self,
            MaskedLoad
                | MaskedStore
                | MaskedGather
                | MaskedScatter
                | MaskedExpandLoad
                | MaskedCompressStore
        )
    }
}

impl Module {
    /// The declaration of an intrinsic for the types that it is overloaded on.
    pub fn intrinsic(self, intrinsic: Intrinsic, types: &[Type]) -> Function {
        let mut types: Vec<_> = types.iter().map(|t| t.0).collect();
        // SAFETY: the handle names a live module (see `from_raw`); the number is one of LLVM's.
        Function::new(unsafe {
            LLVMGetIntrinsicDeclaration(self.0, intrinsic.number(), types.as_mut_ptr(), types.len())
        })
    }
}

impl Function {
    /// Which of these intrinsics it is.
    pub fn intrinsic(self) -> Option<Intrinsic> {
        // SAFETY: the handle names a live function (module rule).
        Intrinsic::of_number(unsafe { LLVMGetIntrinsicID(self.raw()) })
    }
    /// Whether it is an intrinsic at all, one of these or another.
    pub fn is_intrinsic(self) -> bool {
        self.value().has_reserved_name()
    }
    /// The name of an intrinsic of x86, without `llvm.x86.`: instruction set, operation, form.
    pub fn x86_intrinsic(self) -> Option<String> {
        self.name().strip_prefix(RESERVED)?.strip_prefix("x86.").map(str::to_owned)
    }
}

/// How the names of operations begin, after `llvm.`, that obey the floating-point environment.
const CONSTRAINED: &str = "experimental.constrained.";

/// What an operation that obeys the floating-point environment computes.
pub enum Unconstrained {
    /// The same as an instruction.
    Instruction(Opcode),
    /// The same as the intrinsic of that name.
    Function(String),
}

impl Value {
    /// What a constrained operation (`-frounding-math`, `FENV_ACCESS`) computes, from its operands
    /// that are no metadata; `None` for everything else.
    pub fn unconstrained(self) -> Option<Unconstrained> {
        use Opcode::*;
        let name = self.called().as_function().filter(|f| f.is_intrinsic())?.name();
        let rest = name.strip_prefix(RESERVED)?.strip_prefix(CONSTRAINED)?;
        Some(Unconstrained::Instruction(match rest.split('.').next()? {
            "fadd" => LLVMFAdd,
            "fsub" => LLVMFSub,
            "fmul" => LLVMFMul,
            "fdiv" => LLVMFDiv,
            "frem" => LLVMFRem,
            "fptosi" => LLVMFPToSI,
            "fptoui" => LLVMFPToUI,
            "sitofp" => LLVMSIToFP,
            "uitofp" => LLVMUIToFP,
            "fptrunc" => LLVMFPTrunc,
            "fpext" => LLVMFPExt,
            "fcmp" | "fcmps" => LLVMFCmp,
            _ => return Some(Unconstrained::Function(format!("{RESERVED}{rest}"))),
        }))
    }
    /// The opcode of an instruction, or of what it is without the floating-point environment.
    pub fn operation(self) -> Opcode {
        let opcode = self.opcode();
        match (opcode == Opcode::LLVMCall).then(|| self.unconstrained()).flatten() {
            Some(Unconstrained::Instruction(plain)) => plain,
            _ => opcode,
        }
    }
    /// Which of these intrinsics it calls, if it is such a call.
    pub fn intrinsic(self) -> Option<Intrinsic> {
        self.called().as_function()?.intrinsic()
    }
    /// Whether a function or variable has a name that LLVM keeps for itself.
    pub fn has_reserved_name(self) -> bool {
        self.name().starts_with(RESERVED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_name_those_that_are_here() {
        for name in adrules::rules().iter().filter_map(|r| adrules::intrinsic(r.name)) {
            assert!(Intrinsic::named(name).is_some(), "{name}");
        }
    }

    #[test]
    fn llvm_has_them_all() {
        for &i in Intrinsic::ALL {
            assert_eq!(Intrinsic::of_number(i.number()), Some(i), "{}", i.name());
        }
    }
}
