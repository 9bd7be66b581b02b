//! A function ready to be differentiated: canonical copy, image, and the facts that do not depend on the request.

use crate::{
    analysis::{
        memory::Memory,
        types::{Field, Held, Types},
    },
    canon::{self, Canon},
    diag::{Code, Diagnostic},
    ir::{self, Body, Op, ValueId},
    llvm::{Function, Module, Type},
};
use llvm_sys::LLVMTypeKind as Kind;

/// A function and what is known of it.
pub struct Unit {
    /// Canonical form.
    pub canon: Canon,
    /// Its image.
    pub body: Body,
    /// What its pointers name.
    pub memory: Memory,
    /// What its memory holds.
    pub types: Types,
}

impl Unit {
    /// Brings `source` into canonical form and imports it.
    pub fn new(module: Module, source: Function) -> Result<Unit, Diagnostic> {
        if source.is_interposable() {
            return Err(Diagnostic::new(
                Code::Interposable,
                None,
                format!("function '{}' is weak: another definition may replace it at link time", source.name()),
                "make it static, inline or a strong definition",
            ));
        }
        if source.is_variadic() {
            let text = format!("function '{}' takes a variable number of arguments: not differentiated yet", source.name());
            return Err(Diagnostic::new(Code::RequestUnsupported, None, text, "give it a fixed list of parameters"));
        }
        let internal = |reason: String| {
            let text = format!("{reason} in function '{}'", source.name());
            Diagnostic::new(Code::Internal, None, text, "report this as a bug of adcc with the source file")
        };
        let canon = canon::canonicalize(module, source).map_err(internal)?;
        let body = ir::import(module, &canon).map_err(|r| {
            let text = format!("{} in function '{}'", r.reason, source.name());
            Diagnostic::new(Code::Control, r.site, text, "rewrite the control flow with loops and branches")
        })?;
        body.verify().map_err(internal)?;
        let memory = Memory::compute(&body);
        let types = Types::compute(&body, &memory, |v| declared(module, &body, v));
        Ok(Unit { canon, body, memory, types })
    }
}

/// Fields of the type that an alloca allocates or that address arithmetic steps over, and the stride with which they
/// repeat (0: they do not).
fn declared(module: Module, body: &Body, v: ValueId) -> Option<(Vec<Field>, u64)> {
    let inst = body[v].llvm?;
    let mut ty = match body[v].op {
        Op::Alloca(_) => inst.allocated_type(),
        Op::Gep(..) => inst.gep_type(),
        _ => return None,
    };
    let mut stride = 0;
    while ty.kind() == Kind::LLVMArrayTypeKind {
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

/// Appends the scalar members of `ty` at `at`; false where there is one that has no name here, or too many.
fn collect(module: Module, ty: Type, at: u64, fields: &mut Vec<Field>) -> bool {
    const MOST: usize = 256;
    let held = match ty.kind() {
        Kind::LLVMIntegerTypeKind => Held::Int,
        Kind::LLVMFloatTypeKind => Held::F32,
        Kind::LLVMDoubleTypeKind => Held::F64,
        Kind::LLVMPointerTypeKind => Held::Ptr,
        Kind::LLVMStructTypeKind => {
            return ty.struct_members().into_iter().enumerate().all(|(i, t)| {
                collect(module, t, at + module.member_offset(ty, i as u32), fields)
            });
        }
        Kind::LLVMArrayTypeKind => {
            // Characters say nothing: unions and padding are spelled with them.
            if ty.element().is_int() && ty.element().int_width() == 8 {
                return true;
            }
            let size = module.alloc_size(ty.element());
            return (0..ty.array_length()).all(|i| collect(module, ty.element(), at + i * size, fields));
        }
        _ => return false,
    };
    fields.push((at, held));
    fields.len() <= MOST
}
