//! Whether what a request returns fits the type that its prototype returns.
//!
//! The prototype's type is that of the calling convention: members of a struct in registers are put
//! together by eight bytes, as `<2 x float>`, or as an integer where one of them is no real. So a
//! real must meet a real of its own type at its own offset, or an integer register that holds an
//! integer member as well. Anything else would be the bits of a real, read as something else.

use super::result::Item;
use crate::llvm::{Module, Type};
use adir::target;
use llvm_sys::LLVMTypeKind as TypeKind;

/// A scalar at an offset.
struct Scalar {
    offset: u64,
    bytes: u64,
    ty: Type,
    /// It is an element of a vector.
    is_element: bool,
}

impl Scalar {
    fn end(&self) -> u64 {
        self.offset + self.bytes
    }
    fn meets(&self, other: &Scalar) -> bool {
        self.offset < other.end() && other.offset < self.end()
    }
    fn is_half(&self) -> bool {
        matches!(self.ty.kind(), TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind)
    }
}

/// The scalars of a value of type `ty` that starts at `offset`.
fn scalars(module: Module, ty: Type, offset: u64, found: &mut Vec<Scalar>) {
    match ty.kind() {
        TypeKind::LLVMStructTypeKind => {
            for (i, member) in ty.struct_members().into_iter().enumerate() {
                scalars(module, member, offset + module.member_offset(ty, i as u32), found);
            }
        }
        TypeKind::LLVMArrayTypeKind => {
            let stride = module.alloc_size(ty.element());
            (0..ty.array_length())
                .for_each(|i| scalars(module, ty.element(), offset + i * stride, found));
        }
        TypeKind::LLVMVectorTypeKind => {
            let bytes = module.store_size(ty.element());
            let element = |i: u64| Scalar {
                offset: offset + i * bytes,
                bytes,
                ty: ty.element(),
                is_element: true,
            };
            found.extend((0..u64::from(ty.vector_length())).map(element));
        }
        _ => found.push(Scalar { offset, bytes: module.store_size(ty), ty, is_element: false }),
    }
}

/// The scalars of the items that a request returns.
fn scalars_of(module: Module, items: &[Item], offsets: &[u64]) -> Vec<Scalar> {
    let mut found = vec![];
    for (item, &offset) in items.iter().zip(offsets) {
        match item {
            Item::Value(v) => scalars(module, v.ty(), offset, &mut found),
            Item::Members(layout, _) => {
                layout
                    .members
                    .iter()
                    .for_each(|m| scalars(module, m.ty, offset + m.offset, &mut found));
            }
        }
    }
    found
}

/// Whether a prototype's `ty` holds the items at their offsets as what they are. `in_registers`: it
/// is returned there, not through memory.
pub(super) fn fits(
    module: Module,
    ty: Type,
    in_registers: bool,
    items: &[Item],
    offsets: &[u64],
) -> bool {
    let items_are_one_value = matches!(items, [Item::Members(..)]);
    let members = scalars_of(module, items, offsets);
    let mut places = vec![];
    scalars(module, ty, 0, &mut places);
    let holds = |place: &Scalar| {
        let met: Vec<&Scalar> = members.iter().filter(|m| m.meets(place)).collect();
        let is_same = |m: &Scalar| m.offset == place.offset && m.ty == place.ty;
        if met.is_empty() {
            return true;
        }
        if place.ty.is_float() {
            // Clang passes eight bytes that begin with a half as four halves, whatever follows.
            let is_carrier = in_registers
                && place.is_element
                && place.is_half()
                && met.iter().all(|m| m.ty.is_float());
            return met.iter().all(|m| is_same(m)) || is_carrier;
        }
        if met.iter().all(|m| m.ty.is_float()) {
            // i386 returns a complex number of two floats in two integer registers.
            return in_registers
                && items_are_one_value
                && target::pointer() == 4
                && place.bytes == 8
                && met.len() == 2;
        }
        match met[..] {
            // An integer by itself has a register of its size.
            [one] => one.offset != place.offset || one.bytes >= place.bytes,
            _ => in_registers || met.iter().all(|m| !m.ty.is_float()),
        }
    };
    let is_held = |m: &Scalar| {
        let at = |p: &&Scalar| p.meets(m);
        let first = places.iter().filter(at).map(|p| p.offset).min();
        let last = places.iter().filter(at).map(Scalar::end).max();
        first.is_some_and(|f| f <= m.offset) && last.is_some_and(|l| l >= m.end())
    };
    places.iter().all(holds) && members.iter().all(is_held)
}
