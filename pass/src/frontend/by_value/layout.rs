//! A value with members, as scalars at offsets.

use crate::llvm::{Builder, Context, Module, Type, Value};
use llvm_sys::LLVMTypeKind as TypeKind;

/// Scalars that a value may have.
pub const MOST: usize = 256;

/// Scalar members of a value, and the size and alignment of all.
#[derive(Clone, PartialEq, Eq)]
pub struct Layout {
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub alignment: u64,
    /// The members, by offset.
    pub members: Vec<Member>,
}

/// One scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Where it starts.
    pub offset: u64,
    /// Its type.
    pub ty: Type,
}

impl Layout {
    /// The layout of values of type `ty`; `None` where it has too many members, or members that
    /// have no name here.
    pub fn of(module: Module, ty: Type) -> Option<Layout> {
        let mut members = vec![];
        collect(module, ty, 0, &mut members)?;
        let members = words(module.context(), members);
        if members.len() > MOST || members.iter().any(|m| letter(m.ty).is_none()) {
            return None;
        }
        Some(Layout { size: module.alloc_size(ty), alignment: module.alignment(ty), members })
    }

    /// Whether it is one number or pointer of type `ty` and nothing else.
    pub fn is_just(&self, ty: Type) -> bool {
        matches!(self.members[..], [Member { offset: 0, ty: t }] if t == ty)
    }

    /// Whether a member is real.
    pub fn holds_real(&self) -> bool {
        self.members.iter().any(|m| m.ty.is_float())
    }

    /// Whether a member is a pointer.
    pub fn holds_pointer(&self) -> bool {
        self.members.iter().any(|m| m.ty.is_pointer())
    }

    /// The struct of the members, for values in registers; one member is that member.
    pub fn value_type(&self, context: Context) -> Type {
        match self.members[..] {
            [one] => one.ty,
            _ => context.structure(&self.members.iter().map(|m| m.ty).collect::<Vec<_>>()),
        }
    }

    /// The members of a value of [`Self::value_type`].
    pub fn take_apart(&self, b: &Builder, value: Value) -> Vec<Value> {
        match self.members.len() {
            1 => vec![value],
            count => (0..count).map(|i| b.extract(value, i as u32)).collect(),
        }
    }

    /// A value of [`Self::value_type`] from its members.
    pub fn put_together(&self, b: &Builder, members: &[Value]) -> Value {
        if let [one] = members {
            return *one;
        }
        let ty = self.value_type(b.context());
        members
            .iter()
            .enumerate()
            .fold(ty.poison(), |all, (i, &m)| b.insert_value(all, m, i as u32))
    }

    /// Room for such a value, and for what a register holds beyond its end, with zeros in what has
    /// no member.
    pub fn room(&self, b: &Builder) -> Value {
        let context = b.context();
        let bytes = self.size.next_multiple_of(16).max(16);
        let at = crate::annotations::signature::slot(b, context.int(8).array(bytes));
        at.set_alignment(self.alignment.max(16) as u32);
        b.memset(at, context.int(8).zero(), context.int(64).int(bytes));
        at
    }

    /// The members of the value at an address.
    pub fn load(&self, b: &Builder, at: Value) -> Vec<Value> {
        self.members.iter().map(|m| load(b, m.ty, at, m.offset)).collect()
    }

    /// Stores the members of a value at an address.
    pub fn store(&self, b: &Builder, members: &[Value], at: Value) {
        self.members.iter().zip(members).for_each(|(m, &v)| store(b, v, at, m.offset));
    }

    /// As text, with the number of parameters it comes in.
    pub fn text(&self, count: usize) -> String {
        let members = self
            .members
            .iter()
            .map(|m| format!(",{}@{}", letter(m.ty).expect("seen by `of`"), m.offset));
        format!("{count}:{},{}{}", self.size, self.alignment, members.collect::<String>())
    }

    /// What [`Self::text`] wrote.
    pub fn parse(context: Context, text: &str) -> Option<(Layout, usize)> {
        let (count, rest) = text.split_once(':')?;
        let mut parts = rest.split(',');
        let (size, alignment) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let member = |text: &str| {
            let (letter, offset) = text.split_once('@')?;
            Some(Member { offset: offset.parse().ok()?, ty: named(context, letter)? })
        };
        let members = parts.map(member).collect::<Option<Vec<_>>>()?;
        Some((Layout { size, alignment, members }, count.parse().ok()?))
    }
}

/// The scalar at an offset, however it is aligned.
pub(super) fn load(b: &Builder, ty: Type, at: Value, offset: u64) -> Value {
    let value = b.load(ty, b.byte_offset(at, b.context().int(64).int(offset)));
    value.set_alignment(1);
    value
}

/// Stores a scalar at an offset, however that is aligned.
pub(super) fn store(b: &Builder, value: Value, at: Value, offset: u64) {
    b.store(value, b.byte_offset(at, b.context().int(64).int(offset))).set_alignment(1);
}

fn collect(module: Module, ty: Type, at: u64, members: &mut Vec<Member>) -> Option<()> {
    match ty.kind() {
        TypeKind::LLVMStructTypeKind => {
            for (i, t) in ty.struct_members().into_iter().enumerate() {
                collect(module, t, at + module.member_offset(ty, i as u32), members)?;
            }
        }
        TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => {
            let size = module.alloc_size(ty.element());
            let count =
                if ty.is_vector() { u64::from(ty.vector_length()) } else { ty.array_length() };
            // Characters become words.
            if count > 8 * MOST as u64 {
                return None;
            }
            (0..count).try_for_each(|i| collect(module, ty.element(), at + i * size, members))?;
        }
        _ => members.push(Member { offset: at, ty }),
    }
    Some(())
}

/// Characters may be storage of anything: as words, they are seen to hold reals where a function
/// reads such.
fn words(context: Context, members: Vec<Member>) -> Vec<Member> {
    let is_char = |m: &Member| m.ty.is_int() && m.ty.int_width() == 8;
    let mut all = vec![];
    let mut at = 0;
    while at < members.len() {
        let first = members[at];
        let follows = |bytes: usize| {
            let run = members.get(at..at + bytes).unwrap_or_default();
            run.len() == bytes
                && run
                    .iter()
                    .enumerate()
                    .all(|(i, m)| is_char(m) && m.offset == first.offset + i as u64)
        };
        let bytes = [8usize, 4]
            .into_iter()
            .find(|&n| first.offset.is_multiple_of(n as u64) && follows(n))
            .unwrap_or(1);
        all.push(if bytes == 1 {
            first
        } else {
            Member { offset: first.offset, ty: context.int(8 * bytes as u32) }
        });
        at += bytes;
    }
    all
}

/// The name of a scalar type.
fn letter(ty: Type) -> Option<String> {
    Some(match ty.kind() {
        TypeKind::LLVMDoubleTypeKind => "d".into(),
        TypeKind::LLVMFloatTypeKind => "f".into(),
        TypeKind::LLVMX86_FP80TypeKind => "x".into(),
        TypeKind::LLVMFP128TypeKind => "q".into(),
        TypeKind::LLVMHalfTypeKind => "h".into(),
        TypeKind::LLVMBFloatTypeKind => "b".into(),
        TypeKind::LLVMPointerTypeKind => "p".into(),
        TypeKind::LLVMIntegerTypeKind => format!("i{}", ty.int_width()),
        _ => return None,
    })
}

fn named(context: Context, letter: &str) -> Option<Type> {
    Some(match letter {
        "d" => context.f64(),
        "f" => context.f32(),
        "x" => context.f80(),
        "q" => context.f128(),
        "h" => context.f16(),
        "b" => context.bf16(),
        "p" => context.ptr(),
        _ => context.int(letter.strip_prefix('i')?.parse().ok()?),
    })
}
