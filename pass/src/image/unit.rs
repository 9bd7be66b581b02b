//! A function ready to be differentiated: canonical copy, image, and the facts that do not depend
//! on the request.

use crate::{
    canon::{self, Canon},
    diagnostics::{Code, Diagnostic},
    image::{self, Imported},
    llvm::{Function, Module, Opcode, Type, Value},
};
use adanalysis::{
    bits::{Bits, Boundaries, Boundary},
    context::Context,
    in_out::InOut,
    locations::Locations,
    points_to::PointsTo,
    stats,
    summary::{self, Callees, Known, Summary},
    types::{Field, ScalarKind, Types},
};
use adir::{self, Body, Callee, Op, ValueId};
use llvm_sys::LLVMTypeKind as TypeKind;
use std::rc::Rc;

/// A function and what is known of it.
pub struct Unit {
    /// Canonical form.
    pub canon: Canon,
    /// Its image.
    pub body: Imported,
    /// What its pointers name.
    pub memory: Rc<PointsTo>,
    /// What its memory holds.
    pub types: Rc<Types>,
    /// The reals in its integers.
    pub bits: Bits,
    /// What of them its callers see.
    pub boundary: Rc<Boundary>,
    /// The same of those that it calls.
    pub boundaries: Boundaries,
    /// What its callers read of it.
    pub summary: Rc<Summary>,
    /// What it reads of those that it calls.
    pub callees: Callees,
    /// What it reads of inner adjoints that it calls: what they do to memory.
    pub stand_ins: Callees,
    /// All reals that it moves are doubles (driver/doubles.rs).
    pub has_only_doubles: bool,
}

impl Unit {
    /// Its memory in pieces, for one context.
    pub fn locations(&self, context: &Context) -> Locations {
        Locations::compute(&self.body, &self.memory, &|call| self.in_out(call), context)
    }
    /// What a call does to memory, if that is known.
    pub fn in_out(&self, call: ValueId) -> Option<Rc<InOut>> {
        summary::in_out(&self.callees, &self.stand_ins, call)
    }
    /// Whether a copy of memory moves characters and nothing else.
    pub fn copies_text(&self, v: ValueId) -> bool {
        self.types.is_text(&self.body, &self.memory, v)
    }
    /// What an access to `bytes` bytes of bits at `address` may touch.
    pub fn accessed(&self, access: ValueId, address: ValueId, bytes: u64) -> Rc<[ScalarKind]> {
        self.bits.accessed(&self.types, &self.body, &self.memory, access, address, bytes)
    }
    /// Whether there may be a real, before or after, where a store stores an integer.
    pub fn may_store_real(&self, store: ValueId, address: ValueId) -> bool {
        let bytes = self.body[self.body.operand(store, 0)].bytes;
        let scalar = self.accessed(store, address, bytes);
        let is_real = |all: &[ScalarKind]| all.iter().any(|h| h.is_real());
        scalar.is_empty()
            || is_real(&scalar)
            || is_real(&self.types.all_kinds(&self.memory, address, bytes))
    }
    /// Whether accesses show that there are reals behind a pointer.
    pub fn holds_real(&self, pointer: ValueId) -> bool {
        const EVERYTHING: u64 = u64::MAX >> 2;
        self.types.scalar(&self.memory, pointer, EVERYTHING).iter().any(|h| h.is_real())
    }
    /// Whether what a pointer leads to holds reals of one kind and nothing else, as far as all that
    /// is known of it says.
    pub fn holds_reals_only(&self, pointer: ValueId) -> bool {
        [ScalarKind::F64, ScalarKind::F32]
            .into_iter()
            .any(|scalar| self.types.holds_only(&self.memory, pointer, scalar))
    }
    /// What analyses for one context read.
    pub fn known<'a>(&'a self, locations: &'a Locations) -> Known<'a> {
        Known {
            body: &self.body,
            memory: &self.memory,
            types: &self.types,
            bits: &self.bits,
            locations,
            callees: &self.callees,
        }
    }
}

/// A canonical function and its image.
pub struct Image {
    /// Canonical form.
    pub canon: Canon,
    /// Its image.
    pub body: Imported,
}

impl Image {
    /// Brings `source` into canonical form and imports it.
    pub fn new(
        module: Module,
        source: Function,
        shared: &mut canon::Shared,
    ) -> Result<Image, Diagnostic> {
        if source.is_interposable() {
            return Err(Diagnostic::new(
                Code::Interposable,
                None,
                format!(
                    "function '{}' is weak: another definition may replace it at link time",
                    source.name()
                ),
                "make it static, inline or a strong definition",
            ));
        }
        if source.is_variadic() {
            let text = format!(
                "function '{}' takes a variable number of arguments, which cannot be \
                differentiated yet",
                source.name()
            );
            return Err(Diagnostic::new(
                Code::RequestUnsupported,
                None,
                text,
                "give it a fixed list of parameters",
            ));
        }
        if source.has_attribute("naked") {
            let text = format!(
                "function '{}' is naked: its body is assembly, which has no derivative",
                source.name()
            );
            return Err(Diagnostic::new(
                Code::Assembly,
                None,
                text,
                "write its body in C, C++ or Fortran, or register a derivative of its own",
            ));
        }
        let canon = stats::time("canonicalise", || canon::canonicalize(module, source, shared))
            .map_err(|failure| match failure {
                canon::Failure::Internal(reason) => internal(source, &reason),
                canon::Failure::Refused(diagnostic) => diagnostic,
            })?;
        Image::of(module, canon)
    }

    /// Imports a canonical function.
    pub fn of(module: Module, canon: Canon) -> Result<Image, Diagnostic> {
        let source = canon.source;
        if let Some(site) = scalable(canon.function) {
            let text = format!(
                "function '{}' uses a vector whose length is known only at run time",
                source.name()
            );
            return Err(Diagnostic::new(
                Code::Type,
                Some(site).filter(|s| s.is_instruction()),
                text,
                "use vectors of a fixed length",
            ));
        }
        if let Some((site, alias)) = weak_alias(canon.function) {
            let text = format!(
                "variable '{}' is a weak alias: another variable may replace it at link time",
                alias.name()
            );
            return Err(Diagnostic::new(
                Code::Interposable,
                Some(site),
                text,
                "make it a strong alias, or use the name of the variable itself",
            ));
        }
        let body = stats::time("import", || image::import(module, &canon)).map_err(|r| {
            let text = format!("{} in function '{}'", r.reason, source.name());
            Diagnostic::new(
                Code::Control,
                r.site,
                text,
                "rewrite the control flow with loops and branches",
            )
        })?;
        stats::time("import", || body.verify()).map_err(|reason| internal(source, &reason))?;
        Ok(Image { canon, body })
    }
}

/// A bug of ours.
fn internal(source: Function, reason: &str) -> Diagnostic {
    Diagnostic::new(
        Code::Internal,
        None,
        format!("{reason} in function '{}'", source.name()),
        "report this as a bug of adcc with the source file",
    )
}

/// A parameter or instruction that has to do with a vector of scalable length.
fn scalable(f: Function) -> Option<Value> {
    let is_scalable = |v: &Value| {
        let of_memory = match v.is_instruction().then(|| v.opcode()) {
            Some(Opcode::LLVMAlloca) => Some(v.allocated_type()),
            Some(Opcode::LLVMGetElementPtr) => Some(v.gep_type()),
            _ => None,
        };
        v.ty().is_scalable() || of_memory.is_some_and(Type::is_scalable)
    };
    f.params()
        .into_iter()
        .chain(f.blocks().into_iter().flat_map(|b| b.instructions()))
        .find(is_scalable)
}

/// An instruction that names a variable by an alias that may be replaced, and the alias.
fn weak_alias(f: Function) -> Option<(Value, Value)> {
    fn find(value: Value) -> Option<Value> {
        if value.aliased().is_some() {
            return Some(value).filter(|alias| alias.is_interposable_global());
        }
        let is_expression = value.const_opcode().is_some();
        is_expression.then(|| operands(value).find_map(find)).flatten()
    }
    fn operands(value: Value) -> impl Iterator<Item = Value> {
        (0..value.operand_count()).map(move |i| value.operand(i)).filter(|o| o.is_constant())
    }
    let instructions = f.blocks().into_iter().flat_map(|b| b.instructions());
    let is_call = |i: &Value| matches!(i.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke);
    // A call of one is a matter of the called function.
    let named = |i: Value| operands(i).filter(move |o| !is_call(&i) || i.called() != *o);
    instructions.filter_map(|i| Some((i, named(i).find_map(find)?))).next()
}

/// Fields of the type that an alloca allocates, that a global variable has, that a parameter passes
/// by value, that address arithmetic steps over or that a copy is of, and the stride with which they repeat (0: they
/// do not). `inst` is what `v` is in LLVM.
pub fn declared(module: Module, body: &Body, inst: Value, v: ValueId) -> Option<(Vec<Field>, u64)> {
    let mut ty = match body[v].op {
        Op::Alloca(_) => inst.allocated_type(),
        Op::Global(_) => inst.global_type(),
        Op::Gep(..) => inst.gep_type(),
        // Structs that are returned or passed by value go by pointers to a known type.
        Op::Param(i) => {
            let function = inst.parameter_of()?;
            ["sret", "byval"]
                .iter()
                .find_map(|name| function.param_type_attribute(i as usize, name))?
        }
        Op::Call(Callee::MemCpy | Callee::MemMove | Callee::MemSet) => {
            let members = inst.tbaa_struct();
            if members.is_empty() {
                return elements(inst);
            }
            let fields: Option<Vec<Field>> = members
                .into_iter()
                .map(|(at, size, name)| Some((at, held_by_name(&name, size)?)))
                .collect();
            return Some((fields?, 0));
        }
        Op::Load | Op::Store => {
            let name = inst.tbaa_type()?;
            return Some((vec![(0, held_by_name(&name, moved_bytes(body, v))?)], 0));
        }
        _ => return None,
    };
    let mut stride = 0;
    while ty.kind() == TypeKind::LLVMArrayTypeKind {
        ty = ty.element();
        stride = module.alloc_size(ty);
    }
    // A step over scalars or bytes says nothing: `p + i` is spelled so for every p.
    if !ty.is_struct() && (stride == 0 || ty.is_int() && ty.int_width() == 8) {
        return None;
    }
    let mut fields = vec![];
    collect(module, ty, 0, &mut fields).then_some((fields, stride))
}

/// The elements of a loop that became a copy, or that set memory: accesses of reals or pointers, of
/// which the tag has remained. Integers may be bits of something else.
fn elements(inst: Value) -> Option<(Vec<Field>, u64)> {
    let name = inst.tbaa_type()?;
    let kinds = [4, 8, 16, 2].into_iter().filter_map(|size| held_by_name(&name, size));
    let mut known = kinds.filter(|kind| kind.is_real() || *kind == ScalarKind::Ptr);
    let kind = known.next()?;
    Some((vec![(0, kind)], kind.stride()))
}

/// Size of what a load or store moves.
fn moved_bytes(body: &Body, v: ValueId) -> u64 {
    match body[v].op {
        Op::Store => body[body.operand(v, 0)].bytes,
        _ => body[v].bytes,
    }
}

/// What a member holds whose scalar type TBAA names; `None` for what may hold anything (char,
/// unions).
fn held_by_name(name: &str, size: u64) -> Option<ScalarKind> {
    match (name, size) {
        ("double", 8) => Some(ScalarKind::F64),
        ("long double", 16) => Some(ScalarKind::F80),
        ("_Float16", 2) => Some(ScalarKind::F16),
        ("__bf16", 2) => Some(ScalarKind::BF16),
        ("__float128", 16) => Some(ScalarKind::F128),
        ("float", 4) => Some(ScalarKind::F32),
        (_, 8) if canon::names_pointer(name) => Some(ScalarKind::Ptr),
        _ if canon::names_integer(name) => Some(ScalarKind::Int),
        _ => None,
    }
}

/// Appends the scalar members of `ty` at `at`; false where there is one that has no name here, or
/// too many.
pub fn collect(module: Module, ty: Type, at: u64, fields: &mut Vec<Field>) -> bool {
    const MOST: usize = 256;
    let scalar =
        match ty.kind() {
            TypeKind::LLVMIntegerTypeKind => ScalarKind::Int,
            TypeKind::LLVMFloatTypeKind => ScalarKind::F32,
            TypeKind::LLVMDoubleTypeKind => ScalarKind::F64,
            TypeKind::LLVMHalfTypeKind => ScalarKind::F16,
            TypeKind::LLVMBFloatTypeKind => ScalarKind::BF16,
            TypeKind::LLVMX86_FP80TypeKind => ScalarKind::F80,
            TypeKind::LLVMFP128TypeKind => ScalarKind::F128,
            TypeKind::LLVMPointerTypeKind => ScalarKind::Ptr,
            // What a union holds, accesses tell.
            TypeKind::LLVMStructTypeKind if ty.is_union() => return true,
            TypeKind::LLVMStructTypeKind => {
                return ty.struct_members().into_iter().enumerate().all(|(i, t)| {
                    collect(module, t, at + module.member_offset(ty, i as u32), fields)
                });
            }
            TypeKind::LLVMArrayTypeKind => {
                // Characters say nothing: unions and padding are spelled with them.
                if ty.element().is_int() && ty.element().int_width() == 8 {
                    return true;
                }
                let size = module.alloc_size(ty.element());
                return (0..ty.array_length())
                    .all(|i| collect(module, ty.element(), at + i * size, fields));
            }
            _ => return false,
        };
    fields.push((at, scalar));
    fields.len() <= MOST
}
