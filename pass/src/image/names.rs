//! Names, places and short texts of values, in the words of the source as far as debug information
//! and names of the IR tell.

use crate::{
    annotations::config::Config,
    diagnostics::names::readable,
    image::{Imported, unit::Unit},
    llvm::{Location, Opcode},
};
use adanalysis::{locations::Component, points_to::Object};
use adir::{BlockId, Callee, Cast, LoopId, Op, Ty, ValueId, hashed::HashMap};
use serde::{Serialize, Serializer};
use std::{cell::RefCell, collections::BTreeMap};

/// Names something of the function's image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Id {
    /// A value.
    Value(ValueId),
    /// A block.
    Block(BlockId),
    /// A loop.
    Loop(LoopId),
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Id::Value(v) => serializer.collect_str(&format_args!("{v:?}")),
            Id::Block(b) => serializer.collect_str(&format_args!("{b:?}")),
            Id::Loop(l) => serializer.collect_str(&format_args!("{l:?}")),
        }
    }
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SourcePlace {
    /// Its file, as debug information has it.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// 0: not known.
    pub column: u32,
    /// Where the function that holds it was inlined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inlined_at: Option<Box<SourcePlace>>,
}

/// A step of a chain, or a reader of a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Step {
    /// A value, a block or a loop.
    pub id: Id,
    /// The source as text, as far as it is known.
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// Where it stands.
    pub place: Option<SourcePlace>,
}

/// The name of an object of memory in a function, in the words of its source.
pub fn object_name(config: &Config, unit: &Unit, object: usize) -> String {
    Names::new(config, unit).object(object)
}

/// How deep the text of an expression goes; deeper operands are `…`.
const TEXT_DEPTH: u32 = 5;
/// Characters that the text of an expression should not exceed: it then goes less deep.
const TEXT_LENGTH: usize = 48;
/// How deep the text of an index goes.
const INDEX_DEPTH: u32 = 2;
/// How many places of inlining are shown of one location.
const INLINED_DEPTH: u32 = 8;
/// Names that front ends and LLVM give to values that are no variables.
const GENERIC: &[&str] = &[
    "ad", "cond", "retval", "indvars", "lsr", "iv", "spec", "tmp", "merge", "storemerge", "split",
    "add", "sub", "mul", "div", "inc", "dec", "conv", "call",
];

/// Words for the values of one unit.
pub struct Names<'a> {
    unit: &'a Unit,
    params: Vec<String>,
    folders: RefCell<BTreeMap<String, String>>,
    variables: RefCell<HashMap<ValueId, Option<String>>>,
}

impl<'a> Names<'a> {
    /// Looks at the names of parameters, which the options may give.
    pub fn new(config: &Config, unit: &'a Unit) -> Names<'a> {
        let source = unit.canon.source;
        let mut params: Vec<String> =
            (1..=unit.body.params.len()).map(|i| format!("${i}")).collect();
        let symbol = source.name();
        let given = config
            .argnames
            .iter()
            .find(|(s, _)| *s == symbol)
            .map(|(_, names)| names.iter().cloned().enumerate());
        let known = source.parameter_names().into_iter().chain(given.into_iter().flatten());
        for (i, name) in known.filter(|(_, name)| !name.is_empty()) {
            if let Some(slot) = params.get_mut(i) {
                *slot = name;
            }
        }
        Names { unit, params, folders: RefCell::default(), variables: RefCell::default() }
    }
    /// Folders that relative names of the files of places start from.
    pub fn into_folders(self) -> BTreeMap<String, String> {
        self.folders.into_inner()
    }
    fn body(&self) -> &'a Imported {
        &self.unit.body
    }

    /// The place of a location; `None` for code without a line.
    pub fn at(&self, location: Option<Location>) -> Option<SourcePlace> {
        self.at_depth(location?, INLINED_DEPTH)
    }
    fn at_depth(&self, location: Location, depth: u32) -> Option<SourcePlace> {
        let outer =
            location.inlined_at().filter(|_| depth > 0).and_then(|l| self.at_depth(l, depth - 1));
        if location.line() == 0 {
            return outer;
        }
        let file = location.file()?;
        self.folders.borrow_mut().insert(file.name.clone(), file.folder);
        Some(SourcePlace {
            file: file.name,
            line: location.line(),
            column: location.column(),
            inlined_at: outer.map(Box::new),
        })
    }
    /// Where the function is defined.
    pub fn definition(&self) -> Option<SourcePlace> {
        let (file, line) = self.unit.canon.source.definition()?;
        self.folders.borrow_mut().insert(file.name.clone(), file.folder);
        Some(SourcePlace { file: file.name, line, column: 0, inlined_at: None })
    }
    /// Where a value is computed.
    pub fn place(&self, v: ValueId) -> Option<SourcePlace> {
        self.body()[v].block?;
        self.at(self.body().llvm(v).debug_location())
    }
    /// Where a loop begins.
    pub fn loop_place(&self, l: LoopId) -> Option<SourcePlace> {
        self.at(loop_location(self.body(), l))
    }
    /// Where a value is computed; of a phi, which has no place, where its loop begins.
    pub fn record_place(&self, v: ValueId) -> Option<SourcePlace> {
        self.place(v).or_else(|| self.loop_place(self.body().loop_of(v)?))
    }
    /// Where control was divided that comes together in `b`.
    pub fn join_place(&self, b: BlockId) -> Option<SourcePlace> {
        let fork = self.body().idom(b)?;
        self.place(self.body().terminator(fork)).or_else(|| self.place(self.body().terminator(b)))
    }
    /// A value as a step of a chain.
    pub fn step(&self, v: ValueId) -> Step {
        Step { id: Id::Value(v), text: self.text(v), place: self.place(v) }
    }

    /// The source variable that `v` is.
    pub fn variable(&self, v: ValueId) -> Option<String> {
        if let Some(known) = self.variables.borrow().get(&v) {
            return known.clone();
        }
        let found = self.find_variable(v);
        self.variables.borrow_mut().insert(v, found.clone());
        found
    }
    /// The variable that stands for `v` in an expression: not where `v` is the variable's next
    /// value in a loop.
    fn name(&self, v: ValueId) -> Option<String> {
        let name = self.variable(v)?;
        let is_phi = |u: ValueId| matches!(self.body()[u].op, Op::Phi(_));
        let is_next = !is_phi(v)
            && self.body().users[v]
                .iter()
                .any(|&u| is_phi(u) && self.variable(u).as_ref() == Some(&name));
        (!is_next).then_some(name)
    }
    fn find_variable(&self, v: ValueId) -> Option<String> {
        let data = &self.body()[v];
        if let Op::Param(i) = data.op {
            return self.params.get(i as usize).cloned();
        }
        let llvm = Some(self.body().llvm(v)).filter(|_| data.block.is_some())?;
        let known = llvm.variable_name().filter(|n| !n.is_empty());
        known.or_else(|| match data.op {
            Op::Phi(ref from) if from.len() == 1 => None,
            Op::Phi(_) | Op::Alloca(_) => {
                let name = llvm.name();
                let stem = name.split('.').next().unwrap_or_default().to_string();
                let is_generic = stem.is_empty()
                    || GENERIC.contains(&stem.trim_end_matches(|c: char| c.is_ascii_digit()));
                (!is_generic).then_some(stem)
            }
            _ => None,
        })
    }

    /// What `v` is, as short text.
    pub fn text(&self, v: ValueId) -> String {
        let at = |depth| self.expression(v, depth);
        let fits = |text: &String| text.chars().count() <= TEXT_LENGTH;
        let expression = (2..=TEXT_DEPTH).rev().map(at).find(fits).unwrap_or_else(|| at(1));
        match self.variable(v) {
            Some(name)
                if name != expression
                    && !matches!(self.body()[v].op, Op::Param(_) | Op::Phi(_)) =>
            {
                format!("{name} = {expression}")
            }
            _ => expression,
        }
    }

    /// An operand that stands alone, as an argument does.
    fn argument(&self, v: ValueId, depth: u32) -> String {
        match self.name(v) {
            Some(name) => name,
            None if depth == 0 && !self.body().is_leaf(v) => "…".into(),
            None => self.expression(v, depth),
        }
    }

    /// An operand beside a sign.
    fn operand(&self, v: ValueId, depth: u32) -> String {
        let text = self.argument(v, depth);
        let is_compound =
            text.contains(' ') && !matches!(self.body()[v].op, Op::Call(_) | Op::Load | Op::Phi(_));
        if is_compound { format!("({text})") } else { text }
    }

    fn expression(&self, v: ValueId, depth: u32) -> String {
        let data = &self.body()[v];
        let operand = |i: usize| self.operand(data.operands[i], depth.saturating_sub(1));
        let argument = |i: usize| self.argument(data.operands[i], depth.saturating_sub(1));
        let list = || (0..data.operands.len()).map(argument).collect::<Vec<_>>().join(", ");
        match &data.op {
            Op::Param(i) => self.params[*i as usize].clone(),
            Op::Constant | Op::ConstantExpr => self.constant(v),
            Op::Global(_) | Op::Function => readable(&self.body().llvm(v).name()),
            Op::Undef => "undefined".into(),
            Op::FNeg => format!("-{}", operand(0)),
            Op::FAdd => format!("{} + {}", operand(0), operand(1)),
            Op::FSub => format!("{} - {}", operand(0), operand(1)),
            Op::FMul => format!("{} * {}", operand(0), operand(1)),
            Op::FDiv => format!("{} / {}", operand(0), operand(1)),
            Op::FRem => format!("fmod({})", list()),
            Op::ICmp | Op::FCmp => format!("compare({})", list()),
            Op::Cast(Cast::FloatToInt | Cast::PtrToInt) => format!("(int){}", operand(0)),
            Op::Cast(Cast::IntToFloat) => format!("(real){}", operand(0)),
            Op::Cast(_) | Op::Freeze => self.expression(data.operands[0], depth),
            Op::Select => format!("{} ? {} : {}", operand(0), operand(1), operand(2)),
            // What leaves a loop under a new name.
            Op::Phi(from) if from.len() == 1 => self.argument(data.operands[0], depth),
            Op::Phi(_) => self.variable(v).unwrap_or_else(|| match self.body()[v].block {
                Some(b)
                    if self.body().loop_headed_by(b).is_some() && matches!(data.ty, Ty::Int(_)) =>
                {
                    format!("loop index {v:?}")
                }
                Some(b) if self.body().loop_headed_by(b).is_some() => {
                    format!("carried value {v:?}")
                }
                _ => format!("joined value {v:?}"),
            }),
            Op::Gep(..) => format!("&{}", self.memory(v, 0)),
            Op::Alloca(_) => self.variable(v).unwrap_or_else(|| format!("local {v:?}")),
            Op::Load => self.memory(data.operands[0], data.bytes),
            Op::Store => format!(
                "{} = {}",
                self.memory(data.operands[1], self.body()[data.operands[0]].bytes),
                argument(0)
            ),
            Op::Call(callee) if self.body().llvm(v).is_call() => self.call(v, callee, &list),
            // What the image has for a call: a sum that is there to round, the exception that a
            // call has thrown.
            Op::Call(_) if self.body().llvm(v).opcode() == Opcode::LLVMLandingPad => {
                "caught exception".into()
            }
            Op::ExtractValue(path) => {
                let path: Vec<String> = path.iter().map(|i| i.to_string()).collect();
                format!("{}.{}", operand(0), path.join("."))
            }
            Op::Ret if data.operands.is_empty() => "return".into(),
            Op::Ret => format!("return {}", argument(0)),
            Op::Br | Op::CondBr | Op::Switch | Op::Invoke => "branch".into(),
            Op::Unreachable => "unreachable".into(),
            _ => match (self.sign(v), data.operands.len()) {
                (Some(sign), 2) => difference(format!("{} {sign} {}", operand(0), operand(1))),
                _ => format!("{}({})", self.opcode(v), list()),
            },
        }
    }

    fn call(&self, v: ValueId, callee: &Callee, list: &dyn Fn() -> String) -> String {
        let operands = &self.body()[v].operands;
        match callee {
            Callee::Rule(rule, _) => format!("{}({})", rule.name, list()),
            Callee::MemCpy | Callee::MemMove => {
                format!(
                    "copy from {} to {}",
                    self.memory(operands[1], 0),
                    self.memory(operands[0], 0)
                )
            }
            Callee::MemSet => format!("fill of {}", self.memory(operands[0], 0)),
            _ => {
                let name = self.body().called(v).map(|f| readable(&f.source_name()));
                format!("{}({})", name.unwrap_or_else(|| "pointer".into()), list())
            }
        }
    }

    /// The function that a call names.
    pub fn callee(&self, call: ValueId) -> String {
        let called = self.body().called(call);
        called.map_or_else(|| "a pointer".into(), |f| readable(&f.source_name()))
    }

    /// The memory behind a pointer, of which `bytes` are accessed (0: unknown).
    pub fn memory(&self, pointer: ValueId, bytes: u64) -> String {
        let memory = &self.unit.memory;
        let objects: Vec<usize> = memory.points_to(pointer).collect();
        let names: Vec<String> = match &objects[..] {
            [] => return "memory".into(),
            [0] => vec![self.unknown_base(pointer)],
            _ => objects.iter().take(3).map(|&o| self.object(o)).collect(),
        };
        let name = names.join("|");
        let offset = memory.offset(pointer);
        let is_scalar = matches!(&objects[..], [o] if self.is_scalar(*o));
        match offset.modulus {
            0 if is_scalar && offset.constant == 0 => name,
            0 if bytes > 0 && objects != [0] && offset.constant % bytes as i64 == 0 => {
                format!("{name}[{}]", offset.constant / bytes as i64)
            }
            0 if bytes == 0 && objects != [0] && offset.constant == 0 => name,
            _ => format!("{name}[{}]", self.index(pointer)),
        }
    }

    /// What a pointer was loaded as, through the address arithmetic on it.
    fn unknown_base(&self, pointer: ValueId) -> String {
        let mut at = pointer;
        while let Op::Gep(..) = self.body()[at].op {
            at = self.body().operand(at, 0);
        }
        if let Some(name) = self.variable(at) {
            return name;
        }
        match self.body()[at].op {
            // Names no memory of its own: one level is enough for orientation.
            Op::Load => {
                let address = self.body().operand(at, 0);
                let named = self.unit.memory.points_to(address).find(|&o| o != 0);
                named.map_or_else(|| "memory".into(), |o| format!("{}[…]", self.object(o)))
            }
            _ => "memory".into(),
        }
    }

    /// What indexes, where it is one sum of variables and the address starts where the memory does.
    fn index(&self, pointer: ValueId) -> String {
        let (mut at, mut bytes, mut strides) = (pointer, 0, vec![]);
        while let Op::Gep(constant, own) = &self.body()[at].op {
            bytes += constant;
            strides.extend(own);
            at = self.body().operand(at, 0);
        }
        let is_whole =
            matches!(self.body()[at].op, Op::Param(_) | Op::Alloca(_) | Op::Global(_) | Op::Load);
        let found = match strides[..] {
            [(index, stride)] if is_whole && stride != 0 && bytes % stride == 0 => {
                self.sum(index, INDEX_DEPTH).map(|text| match bytes / stride {
                    0 => text,
                    n if n < 0 => format!("{text} - {}", -n),
                    n => format!("{text} + {n}"),
                })
            }
            _ => None,
        };
        found.unwrap_or_else(|| "…".into())
    }

    /// An integer as a sum or product of variables and numbers.
    fn sum(&self, v: ValueId, depth: u32) -> Option<String> {
        if let Some(name) = self.name(v) {
            return Some(name);
        }
        let data = &self.body()[v];
        match &data.op {
            Op::Constant => Some(self.constant(v)),
            Op::Cast(Cast::Int | Cast::ZeroExtend) => self.sum(data.operands[0], depth),
            _ if depth == 0 || data.operands.len() != 2 => None,
            _ => {
                let (a, sign, b) = (
                    self.sum(data.operands[0], depth - 1)?,
                    self.sign(v)?,
                    self.sum(data.operands[1], depth - 1)?,
                );
                let apart =
                    |text: String| if text.contains(' ') { format!("({text})") } else { text };
                Some(difference(format!("{} {sign} {}", apart(a), apart(b))))
            }
        }
    }

    /// A piece of memory: `a`, `a[8..16)`, `a[8..16) every 24 bytes`.
    pub fn component(&self, c: &Component) -> String {
        let object = self.object(c.object);
        let range =
            |from: i64| format!("{object}[{from}..{})", from.saturating_add_unsigned(c.bytes));
        match c.offset.modulus {
            _ if c.is_rest => object,
            0 => range(c.offset.constant),
            1 => object,
            m if c.bytes >= m => object,
            m => format!("{} every {m} bytes", range(c.offset.constant)),
        }
    }

    /// An object of memory.
    pub(super) fn object(&self, o: usize) -> String {
        match self.unit.memory.objects[o] {
            Object::Unknown => "memory".into(),
            Object::Text => "characters of strings".into(),
            Object::Param(i) => self.params.get(i as usize).cloned().unwrap_or_default(),
            Object::Local(v) => self.variable(v).unwrap_or_else(|| match self.body()[v].op {
                Op::Alloca(_) => format!("local {v:?}"),
                _ => self
                    .place(v)
                    .map_or_else(|| format!("malloc({v:?})"), |p| format!("malloc@{}", p.line)),
            }),
            Object::Behind(slot) => {
                format!("what {} points to", self.object(self.unit.memory.slot(slot).0))
            }
            Object::Returned(call) => format!("what {} returned", self.callee(call)),
            Object::Global(v) => readable(&self.body().llvm(v).name()),
        }
    }

    fn is_scalar(&self, o: usize) -> bool {
        match self.unit.memory.objects[o] {
            Object::Local(v) if matches!(self.body()[v].op, Op::Alloca(true)) => {
                let ty = self.body().llvm(v).allocated_type();
                ty.is_float() || ty.is_int()
            }
            _ => false,
        }
    }

    /// LLVM's name of the operation.
    pub fn opcode(&self, v: ValueId) -> String {
        match self.body()[v].op {
            Op::Param(_) => "parameter".into(),
            _ => match Some(self.body().llvm(v)).filter(|l| l.is_instruction()) {
                Some(l) => format!("{:?}", l.opcode()).trim_start_matches("LLVM").to_lowercase(),
                None => "constant".into(),
            },
        }
    }

    fn sign(&self, v: ValueId) -> Option<&'static str> {
        use Opcode::*;
        let llvm = Some(self.body().llvm(v)).filter(|l| l.is_instruction())?;
        Some(match llvm.opcode() {
            LLVMAdd | LLVMFAdd => "+",
            LLVMSub | LLVMFSub => "-",
            LLVMMul => "*",
            LLVMUDiv | LLVMSDiv => "/",
            LLVMURem | LLVMSRem => "%",
            LLVMShl => "<<",
            LLVMLShr | LLVMAShr => ">>",
            LLVMAnd => "&",
            LLVMOr => "|",
            LLVMXor => "^",
            _ => return None,
        })
    }

    /// A constant as a number where it is one.
    fn constant(&self, v: ValueId) -> String {
        let llvm = self.body().llvm(v);
        if let Some(i) = llvm.as_int() {
            return i.to_string();
        }
        if llvm.is_null() && self.body()[v].ty == Ty::Ptr {
            return "null".into();
        }
        let text = llvm.to_string();
        let number = text.split_once(' ').map_or("", |(_, n)| n);
        let value = match number.strip_prefix("0x") {
            Some(bits) => u64::from_str_radix(bits, 16).ok().map(f64::from_bits),
            None => number.parse().ok(),
        };
        match value {
            Some(x) if self.body()[v].ty == Ty::F32 => format!("{}", x as f32),
            Some(x) => format!("{x}"),
            None => "constant".into(),
        }
    }
}

/// `n + -1` is `n - 1`.
fn difference(sum: String) -> String {
    sum.replace(" + -", " - ")
}

/// Where a loop begins: as its metadata says, else the first located instruction of its header.
pub fn loop_location(body: &Imported, l: LoopId) -> Option<Location> {
    let branch = body.llvm(body.terminator(body[l].latch));
    branch.loop_location().or_else(|| {
        let located =
            body[body[l].header].insts.iter().filter_map(|&v| body.llvm(v).debug_location());
        located.into_iter().find(|l| l.line() != 0)
    })
}

/// A type in the report's words.
pub fn type_name(ty: Ty) -> String {
    match ty {
        Ty::Void => "void".into(),
        Ty::Int(bits) => format!("i{bits}"),
        Ty::F32 => "float".into(),
        Ty::F64 => "double".into(),
        Ty::F16 => "half".into(),
        Ty::BF16 => "bfloat".into(),
        Ty::F80 => "long double".into(),
        Ty::F128 => "quadruple".into(),
        Ty::Ptr => "pointer".into(),
        Ty::Vector(_) => "vector".into(),
        Ty::Aggregate(_) => "aggregate".into(),
        Ty::Other => "other".into(),
    }
}
