//! Models of flang's runtime (pass/models/fortran/): functions over descriptors, in C.
//!
//! A call that shows the ranks and types of its descriptors leads to a copy of the model for these,
//! which is inlined: descriptors that are variables of the caller become registers, and a loop over
//! elements is a loop over reals. Others lead to the model as it is, which finds out when the
//! program runs, and moves elements as words of unknown type.
//!
//! Rank and type of a descriptor never change, but for those of polymorphic objects, whose
//! descriptors have an addendum: of these only the rank is taken. What is allocated by a descriptor
//! that is no variable, a dummy argument, is of the type that is stored there in front of the call.
//! Of components, and of dummy arguments as far as it goes, the front end spells the type of the
//! descriptor: that is noted at calls before LLVM simplifies ([`note`]).

use super::extended;
use crate::{
    annotations::attributes::MODEL,
    llvm::{Debug, Described, Function, Member, Module, Value},
};
use adir::{hashed::HashSet, target};
use std::ops::RangeInclusive;

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

/// The code of derived types.
const DERIVED: u8 = 42;

/// Makes places behind dimensions constants.
const PLACE: &str = "instcombine<no-verify-fixpoint>,simplifycfg,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg";
/// Unrolls loops over dimensions, and simplifies what is left.
const FOLD: &str = "instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa,loop(loop-rotate,indvars,loop-unroll-full),sroa<modify-cfg>,\
                    early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,early-cse<memssa>,simplifycfg";

/// Where dimensions begin, and how long each is: the addendum is behind them.
const DIMENSIONS: u32 = 24;
const DIMENSION: u32 = 24;
/// Where the description of a derived type says how many bytes an object has.
const BYTES_OF_TYPE: u32 = 88;

/// Where it says whether that has a parent type, and whether its objects need no finalization.
const HAS_PARENT_TYPE: u32 = 428;
const NEEDS_NO_FINALIZATION: u32 = 431;

/// Functions that the compiler calls for objects that are not polymorphic, beside others for those
/// that are: all descriptors of such a variable have the same type.
const OF_ONE_TYPE: &[&str] = &["_FortranAAllocatableDeallocate", "_FortranAPointerDeallocate"];
/// Functions that it calls for all objects, where one of [`OF_ANY_TYPE`] says before which type a
/// polymorphic one is to have.
const ALLOCATES: &[&str] = &["_FortranAAllocatableAllocate", "_FortranAPointerAllocate"];
/// Has a model for arrays of these types: real(4), real(8) and the complex ones.
const READS_ARRAY: &str = "_FortranAioInputDescriptor";
const READ_TYPES: &[u8] = &[27, 28, 34, 35];
/// How the names of functions begin that give an object its type.
const OF_ANY_TYPE: &[&str] = &[
    "_FortranAAllocatableApplyMold",
    "_FortranAAllocatableInitDerived",
    "_FortranAPointerApplyMold",
    "_FortranAPointerNullifyDerived",
];

/// How the names of the runtime's functions begin.
const RUNTIME: &str = "_FortranA";

/// Whether a call gives an object its type.
fn gives_type(call: &Value) -> bool {
    call.called().as_function().is_some_and(|f| {
        let name = f.name();
        OF_ANY_TYPE.iter().any(|begin| name.starts_with(begin))
    })
}

/// The descriptors that calls of a function give types: those of polymorphic objects are among
/// them.
pub fn polymorphic(calls: &[Value]) -> HashSet<Value> {
    calls.iter().filter(|call| gives_type(call)).map(|call| call.operand(0)).collect()
}

/// Notes at calls of the runtime what the front end spells of their descriptors, which LLVM's
/// simplification forgets. Whether there was any.
pub fn note(module: Module) -> bool {
    let is_runtime = |f: &Function| f.is_declaration() && f.name().starts_with(RUNTIME);
    let runtime: Vec<Function> = module.functions().into_iter().filter(is_runtime).collect();
    let users = runtime.iter().flat_map(|f| f.value().users().into_iter().map(|u| (*f, u)));
    let is_call = |(f, u): &(Function, Value)| u.is_call() && u.called().as_function() == Some(*f);
    let calls: Vec<Value> = users.filter(is_call).map(|(_, call)| call).collect();
    // Components of polymorphic type, wherever one of their objects gets its type.
    let given = calls.iter().filter(|call| gives_type(call));
    let polymorphic: HashSet<(Value, u64)> =
        given.filter_map(|call| call.operand(0).component()).collect();
    let mut is_any = false;
    for call in calls {
        for i in (0..call.argument_count()).filter(|&i| call.operand(i).ty().is_pointer()) {
            let is_one = call.operand(i).component().is_some_and(|c| !polymorphic.contains(&c));
            is_any |= call.note_descriptor(i as u32, is_one);
        }
    }
    is_any
}

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
    /// With `is_one`, all descriptors of this variable have one type.
    fn of(pointer: Value, is_one: bool) -> Shown {
        let byte = |offset| pointer.constant_byte(offset);
        let described = pointer.descriptor_rank();
        let rank = described.map(|(rank, _)| rank).or_else(|| byte(RANK));
        let has_addendum = match described {
            Some((_, has)) => Some(has),
            None => byte(EXTRA).map(|extra| extra & HAS_ADDENDUM != 0),
        };
        // Memory is the processor's: no other allocator is told of.
        let extra = has_addendum.map(|has| if has { HAS_ADDENDUM } else { 0 });
        let is_plain = has_addendum == Some(false);
        let [ty, attribute] = [TYPE, ATTRIBUTE].map(|o| byte(o).filter(|_| is_plain));
        let derived = match (rank, has_addendum) {
            (Some(rank), Some(true)) => {
                let at = DIMENSIONS + DIMENSION * u32::from(rank);
                pointer.constant_pointer(at, is_one)
            }
            _ => None,
        };
        let ty = ty.or(derived.map(|_| DERIVED));
        Shown { rank, ty, attribute, extra, derived }
    }
    /// What stores in front of the call show of a descriptor that is no variable: of a pointer that
    /// is a dummy argument or a component.
    fn before(call: Value, pointer: Value) -> Shown {
        let byte = |offset| call.byte_before(pointer, offset);
        let (Some(rank), Some(ty), Some(attribute), Some(extra)) =
            (byte(RANK), byte(TYPE), byte(ATTRIBUTE), byte(EXTRA))
        else {
            return Shown::default();
        };
        let at = DIMENSIONS + DIMENSION * u32::from(rank);
        let has_addendum = extra & HAS_ADDENDUM != 0;
        let derived = has_addendum.then(|| call.pointer_before(pointer, at)).flatten();
        let is_known = !has_addendum || derived.is_some();
        Shown {
            rank: Some(rank),
            ty: is_known.then_some(ty),
            attribute: is_known.then_some(attribute),
            extra: Some(extra & HAS_ADDENDUM),
            derived,
        }
    }
    /// What the front end spells; of polymorphic objects, but for `is_one`, only the rank.
    fn noted(found: Described, is_one: bool) -> Shown {
        let is_plain = !found.has_addendum;
        let derived = found.derived.filter(|_| is_one);
        Shown {
            rank: Some(found.rank),
            ty: found.ty.filter(|_| is_plain).or(derived.map(|_| DERIVED)),
            attribute: found.attribute.filter(|_| is_plain),
            extra: Some(if is_plain { 0 } else { HAS_ADDENDUM }),
            derived,
        }
    }
    /// With what `other` knows beside.
    fn or(self, other: Shown) -> Shown {
        Shown {
            rank: self.rank.or(other.rank),
            ty: self.ty.or(other.ty),
            attribute: self.attribute.or(other.attribute),
            extra: self.extra.or(other.extra),
            derived: self.derived.or(other.derived),
        }
    }
    /// As part of a name.
    fn name(self) -> String {
        let part = |letter: &str, byte: Option<u8>| byte.map(|b| format!("{letter}{b}"));
        let parts = [
            part("r", self.rank),
            part("t", self.ty),
            part("a", self.attribute),
            part("x", self.extra),
            self.derived.map(|t| format!("({})", t.name())),
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
    }
    /// The same of the type's description, whose place is a constant where the rank has been one.
    fn fix_type(self, f: Function, parameter: u32) {
        if let (Some(rank), Some(t)) = (self.rank, self.derived) {
            let at = DIMENSIONS + DIMENSION * u32::from(rank);
            f.fix_member(parameter, at, Member::Variable(t));
        }
    }
}

/// The model for a call with these arguments, and whether it is a copy for what they show.
pub fn model(
    module: Module,
    call: Value,
    callee: Function,
    arguments: &[Value],
    polymorphic: &HashSet<Value>,
) -> Option<(Function, bool)> {
    let symbol = extended::symbol(callee.name());
    let general = general(module, &symbol).filter(|f| f.ty() == callee.ty())?;
    let allocates = ALLOCATES.contains(&symbol.as_str());
    let is_one =
        |a: &Value| OF_ONE_TYPE.contains(&symbol.as_str()) || allocates && !polymorphic.contains(a);
    let show = |a: &Value| match a.ty().is_pointer() {
        true => Shown::of(*a, is_one(a)),
        false => Shown::default(),
    };
    let mut shown: Vec<Shown> = arguments.iter().map(show).collect();
    // Calls of which nothing is shown but components that hold objects stay calls, which the
    // analyses know more of.
    let is_shown = allocates || shown.iter().any(|s| s.rank.is_some());
    for (i, shown) in shown.iter_mut().enumerate() {
        let found = call.noted_descriptor(i as u32);
        if let Some(found) = found.filter(|found| is_shown || !found.has_addendum) {
            *shown = shown.or(Shown::noted(found, is_one(&arguments[i])));
        }
    }
    if symbol == READS_ARRAY && !shown[1].ty.is_some_and(|ty| READ_TYPES.contains(&ty)) {
        return None;
    }
    if allocates && shown[0].ty.is_none() {
        let before = Shown::before(call, arguments[0]);
        if before.rank.is_some() {
            shown[0] = before;
        }
    }
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
    if shown.iter().any(|s| s.derived.is_some()) {
        _ = f.run_passes(PLACE);
        shown.iter().enumerate().for_each(|(i, s)| s.fix_type(f, i as u32));
    }
    // Where a pass fails, what is there is still the model.
    _ = f.run_passes(FOLD);
    f.forget_loops();
    Some((f, is_special))
}

fn general(module: Module, symbol: &str) -> Option<Function> {
    let bitcode = find(symbol)?;
    let known = module.function(&format!("{MODEL}{symbol}")).filter(|f| !f.is_declaration());
    known.or_else(|| {
        let found = module.link_model(bitcode, symbol, MODEL);
        // Their functions that call themselves stay as they are.
        let is_part = |f: &Function| f.name().strip_prefix(MODEL).is_some_and(|s| !has_model(s));
        let functions = module.functions().into_iter().filter(|f| !f.is_declaration());
        functions.filter(is_part).for_each(Function::forget_loops);
        answer_questions(module);
        found
    })
}

/// A question that models ask about the types of the file, and what answers it.
type Question = (&'static str, fn(Module) -> bool);

const QUESTIONS: &[Question] = &[
    ("adcc_file_has_final", |module| has_special(module, 7..=u8::MAX)),
    ("adcc_file_has_assignment", |module| has_special(module, 1..=2)),
    ("adcc_file_has_final_extension", has_final_extension),
];

/// Puts constants in place of these questions, and leaves out what they exclude.
fn answer_questions(module: Module) {
    for (question, answer) in QUESTIONS {
        let Some(asked) = module.function(question) else { continue };
        let is_there = answer(module);
        for call in asked.value().users() {
            let f = call.block().function();
            call.replace_uses(call.ty().int(is_there.into()));
            call.erase();
            _ = f.run_passes("instcombine<no-verify-fixpoint>,simplifycfg");
        }
        asked.delete();
    }
}

/// Whether a derived type of the file extends another, and its objects are finalized: flang
/// describes it in a variable `.dt.TYPE`.
fn has_final_extension(module: Module) -> bool {
    let is_description = |g: &Value| g.name().contains("EXdtX");
    module.globals().into_iter().filter(is_description).any(|description| {
        // What is not known may be any.
        let says = |at: u32| description.constant_byte(at).map(|byte| byte != 0);
        says(HAS_PARENT_TYPE) != Some(false) && says(NEEDS_NO_FINALIZATION) != Some(true)
    })
}

/// Whether a derived type of the file has a procedure for one of these purposes: flang lists them
/// in a table `.s.TYPE`.
fn has_special(module: Module, purposes: RangeInclusive<u8>) -> bool {
    const ROW: u64 = 16;
    let is_table = |g: &Value| g.name().contains("EXsX") && g.is_global_constant();
    module.globals().into_iter().filter(is_table).any(|table| {
        let rows = module.alloc_size(table.global_type()) / ROW;
        let purpose = |row: u64| table.constant_byte((row * ROW) as u32);
        // What is not known may be any.
        (0..rows).any(|row| purpose(row).is_none_or(|p| purposes.contains(&p)))
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::{path::Path, process::Command};

    /// How the names of functions begin that have no model: calls of them with active data go
    /// through their machine code, or are refused there.
    const WITHOUT_MODEL: &[(&str, &str)] = &[
        // Of types and kinds that have none: characters, quadruple precision, mixtures of integers.
        ("Matmul", "other combinations of types"),
        ("DotProduct", "other types"),
        ("CppDotProduct", "other types"),
        ("Sum", "other types"),
        ("CppSum", "other types"),
        ("Product", "other types"),
        ("CppProduct", "other types"),
        ("Maxval", "other types"),
        ("Minval", "other types"),
        ("Maxloc", "other types"),
        ("Minloc", "other types"),
        ("Reduce", "other types, and objects along a dimension"),
        ("CppReduce", "quadruple precision"),
        ("Norm2", "quadruple precision"),
        ("IAll", "integers"),
        ("IAny", "integers"),
        ("IParity", "integers"),
        ("Parity", "logicals"),
        ("Bessel", "several orders at once"),
        // Memory.
        ("InitializeClone", "OpenMP"),
        ("AllocatableSetDerivedLength", "parameterised types"),
        ("PointerSetDerivedLength", "parameterised types"),
        ("Pop", "stacks"),
        ("RaggedArray", "masks of FORALL"),
        ("Malloc", "an extension"),
        ("Free", "an extension"),
        ("AllocatableSetCoBounds", "coarrays"),
        ("PointerSetCoBounds", "coarrays"),
        // Text, integers, the machine.
        ("Character", "text"),
        ("Concat", "text"),
        ("Index", "texts in arrays"),
        ("LenTrim", "texts in arrays"),
        ("Scan", "texts in arrays"),
        ("Verify", "texts in arrays"),
        ("Mod", "integers and remainders of quadruple precision"),
        ("UPow", "unsigned integers"),
        ("IsNaN", "a question"),
        ("Selected", "kinds"),
        ("Spacing2By4", "half precision"),
        ("Spacing3By4", "half precision"),
        ("FPow16", "quadruple precision"),
        ("cqpow", "quadruple precision"),
        ("Random", "numbers at random"),
        ("Rand", "numbers at random"),
        ("Irand", "numbers at random"),
        ("IRand", "numbers at random"),
        ("Get", "the machine"),
        ("Set", "the machine"),
        ("DateAndTime", "time"),
        ("Etime", "time"),
        ("Dsecnds", "time"),
        ("Secnds", "time"),
        ("time", "time"),
        ("fe", "the state of arithmetic"),
        ("MapException", "the state of arithmetic"),
        ("SupportHalting", "the state of arithmetic"),
        ("io", "input and output"),
        ("Abort", "the process"),
        ("ArgumentCount", "the process"),
        ("ByteswapOption", "the process"),
        ("Chdir", "the process"),
        ("ExecuteCommandLine", "the process"),
        ("Exit", "the process"),
        ("FailImageStatement", "the process"),
        ("Flush", "files"),
        ("Fseek", "files"),
        ("Ftell", "files"),
        ("Hostnm", "the machine"),
        ("PauseStatement", "the process"),
        ("Perror", "the process"),
        ("PutEnv", "the process"),
        ("RegisterConfigureEnv", "the process"),
        ("Rename", "files"),
        ("ShowDescriptor", "the process"),
        ("Signal", "the process"),
        ("Sleep", "the process"),
        ("Unlink", "files"),
    ];

    fn library() -> Option<String> {
        let tools = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
        let libraries = Path::new(&tools).join("lib/clang/22/lib");
        let archive = std::fs::read_dir(libraries)
            .ok()?
            .map(|place| place.expect("a folder").path().join("libflang_rt.runtime.a"))
            .find(|file| file.exists())?;
        let output = Command::new(Path::new(&tools).join("bin/llvm-nm"))
            .args(["--defined-only", "--extern-only", "--just-symbol-name"])
            .arg(archive)
            .output()
            .expect("llvm-nm runs");
        Some(String::from_utf8(output.stdout).expect("names are text"))
    }

    /// Each entry of the installed library has a model, a rule, a class, or a line above.
    #[test]
    fn no_entry_of_the_library_is_forgotten() {
        let Some(names) = library() else { return };
        let entries = names.lines().filter(|name| name.starts_with("_FortranA"));
        let is_known = |name: &str| {
            let base = &name["_FortranA".len()..];
            has_model(name)
                || adir::library::classify(name).is_some()
                || WITHOUT_MODEL.iter().any(|(begin, _)| base.starts_with(begin))
        };
        let forgotten: Vec<&str> = entries.filter(|name| !is_known(name)).collect();
        assert!(forgotten.is_empty(), "{forgotten:?}");
    }

    #[test]
    fn models_stand_for_functions_of_the_library() {
        let Some(names) = library() else { return };
        // Functions of real(16) are in a library of their own, which not every flang has.
        for (symbol, _) in MODELS.iter().filter(|(symbol, _)| !symbol.ends_with("F128")) {
            assert!(names.lines().any(|name| name == *symbol), "{symbol}");
        }
    }
}
