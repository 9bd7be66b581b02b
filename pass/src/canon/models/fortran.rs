//! Models of flang's runtime (pass/models/fortran/): functions over descriptors, in C.
//!
//! A call that shows the ranks and types of its descriptors leads to a copy of the model for these,
//! which is inlined: descriptors that are variables of the caller become registers, and a loop over
//! elements is a loop over reals. Others lead to the model as it is, which finds out when the
//! program runs, and moves elements as words of unknown type.
//!
//! Rank and type of a descriptor never change, but for those of polymorphic objects, whose
//! descriptors have an addendum: of these only the rank is taken.

use crate::{
    annotations::attributes::MODEL,
    llvm::{Debug, Function, Member, Module, Value},
};
use adir::target;

/// Symbols, and the bitcode that defines each.
static MODELS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/fortran.rs"));

/// Members of a descriptor, by offset.
const LENGTH: u32 = 8;
const RANK: u32 = 20;
const TYPE: u32 = 21;
const ATTRIBUTE: u32 = 22;
const EXTRA: u32 = 23;
/// In the last of these: whether there is an addendum.
const HAS_ADDENDUM: u8 = 1;

/// Unrolls loops over dimensions, and simplifies what is left.
const FOLD: &str = "instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa,loop(loop-rotate,indvars,loop-unroll-full),sroa<modify-cfg>,\
                    early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,early-cse<memssa>,simplifycfg";

/// Where dimensions begin, and how long each is: the addendum is behind them.
const DIMENSIONS: u32 = 24;
const DIMENSION: u32 = 24;
/// Where the description of a derived type says how many bytes an object has.
const BYTES_OF_TYPE: u32 = 88;

/// Functions that the compiler calls for objects that are not polymorphic, beside others for those
/// that are: all descriptors of such a variable have the same type.
const OF_ONE_TYPE: &[&str] = &[
    "_FortranAAllocatableDeallocate",
    "_FortranAPointerDeallocate",
    "_FortranAAllocatableAllocate",
    "_FortranAPointerAllocate",
];

/// What a call shows of a descriptor.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Shown {
    rank: Option<u8>,
    ty: Option<u8>,
    attribute: Option<u8>,
    extra: Option<u8>,
    /// The description of a derived type.
    derived: Option<Value>,
}

impl Shown {
    fn of(pointer: Value, symbol: &str) -> Shown {
        let byte = |offset| pointer.constant_byte(offset);
        let described = pointer.descriptor_rank();
        let rank = described.map(|(rank, _)| rank).or_else(|| byte(RANK));
        let has_addendum = match described {
            Some((_, has)) => Some(has),
            None => byte(EXTRA).map(|extra| extra & HAS_ADDENDUM != 0),
        };
        let extra = byte(EXTRA);
        let is_plain = has_addendum == Some(false);
        let [ty, attribute] = [TYPE, ATTRIBUTE].map(|o| byte(o).filter(|_| is_plain));
        let derived = match (rank, has_addendum) {
            (Some(rank), Some(true)) => {
                let at = DIMENSIONS + DIMENSION * u32::from(rank);
                let is_one = OF_ONE_TYPE.contains(&symbol);
                pointer.constant_pointer(at, is_one)
            }
            _ => None,
        };
        Shown { rank, ty, attribute, extra, derived }
    }
    /// As part of a name.
    fn name(self) -> String {
        let part = |letter: &str, byte: Option<u8>| byte.map(|b| format!("{letter}{b}"));
        let parts = [
            part("r", self.rank), part("t", self.ty), part("a", self.attribute),
            part("x", self.extra), self.derived.map(|t| format!("({})", t.name())),
        ];
        parts.into_iter().flatten().collect()
    }
    /// The bytes of an element of an intrinsic type that is no character, or of a derived type.
    fn length(self) -> Option<u64> {
        if let Some(t) = self.derived {
            let byte = |i| t.constant_byte(BYTES_OF_TYPE + i).map(|b| u64::from(b) << (8 * i));
            return (0..8).map(byte).sum();
        }
        Some(match self.ty? {
            7 | 39 | 45 => 1,
            8 | 13 | 25 | 26 | 46 => 2,
            9 | 14 | 27 | 32 | 33 | 47 => 4,
            10 | 15 | 28 | 34 | 48 => 8,
            11 | 29 | 31 | 35 | 49 => 16,
            36 | 38 => 32,
            _ => return None,
        })
    }
    fn fix(self, f: Function, parameter: u32) {
        let number = |offset, bytes, number: Option<u64>| {
            if let Some(number) = number {
                f.fix_member(parameter, offset, Member::Number { bytes, number });
            }
        };
        number(RANK, 1, self.rank.map(u64::from));
        number(TYPE, 1, self.ty.map(u64::from));
        number(ATTRIBUTE, 1, self.attribute.map(u64::from));
        number(EXTRA, 1, self.extra.map(u64::from));
        number(LENGTH, 8, self.length());
        if let (Some(rank), Some(t)) = (self.rank, self.derived) {
            let at = DIMENSIONS + DIMENSION * u32::from(rank);
            f.fix_member(parameter, at, Member::Variable(t));
        }
    }
}

/// The model for a call with these arguments, and whether it is a copy for what they show.
pub fn model(module: Module, callee: Function, arguments: &[Value]) -> Option<(Function, bool)> {
    let symbol = callee.name();
    let general = general(module, &symbol).filter(|f| f.ty() == callee.ty())?;
    let shown: Vec<Shown> = arguments
        .iter()
        .map(|a| if a.ty().is_pointer() { Shown::of(*a, &symbol) } else { Shown::default() })
        .collect();
    let is_special = shown.iter().any(|s| s.rank.is_some());
    let parts: Vec<String> = shown.iter().map(|s| s.name()).collect();
    let name = format!("{MODEL}{symbol}.{}", parts.join("."));
    if let Some(f) = module.function(&name) {
        return Some((f, is_special));
    }
    let f = module.add_function(&name, general.ty());
    f.clone_body(general, Debug::Keep, |_, _| {});
    f.set_external(false);
    for (i, s) in shown.iter().enumerate() {
        s.fix(f, i as u32);
    }
    // Where a pass fails, what is there is still the model.
    _ = f.run_passes(FOLD);
    f.forget_loops();
    Some((f, is_special))
}

fn general(module: Module, symbol: &str) -> Option<Function> {
    let bitcode = find(symbol)?;
    let known = module.function(&format!("{MODEL}{symbol}")).filter(|f| !f.is_declaration());
    known.or_else(|| module.link_model(bitcode, symbol, MODEL))
}

fn find(symbol: &str) -> Option<&'static [u8]> {
    if target::pointer() == 4 {
        return None;
    }
    MODELS.iter().find(|(name, _)| *name == symbol).map(|(_, bitcode)| *bitcode)
}

/// Whether a function of flang's runtime has a model.
pub fn has_model(symbol: &str) -> bool {
    find(symbol).is_some()
}
