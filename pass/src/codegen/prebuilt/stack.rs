//! Where the ABI of i386 (System V, Intel386 supplement) passes arguments: all in words of four
//! bytes on the stack, the hidden pointer to a result in memory first. The runtime is told of each
//! word what it holds.

use super::{
    layout,
    passed::{Passed, Struct},
};
use crate::llvm::{Function, Module, Type, TypeKind};

const WORD: u64 = 4;
/// C's calling convention, as LLVM numbers them.
const C: u32 = 0;
/// Attributes of parameters that are passed elsewhere.
const ELSEWHERE: [&str; 2] = ["inreg", "inalloca"];

/// An argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Argument {
    Float,
    Double,
    LongDouble,
    Pointer,
    Integer {
        bytes: u64,
    },
    /// A struct, whose words lie there.
    Copy {
        bytes: u64,
        alignment: u64,
    },
}

/// Where arguments are.
#[derive(PartialEq, Eq, Debug, Default)]
struct Places {
    /// Bytes of all.
    bytes: u64,
    /// A letter for each word, as `adshadow_arguments` wants it.
    letters: String,
    /// Where each one begins.
    at: Vec<u64>,
}

/// Arguments of these types, of a call of the function; `None` where the runtime has no description
/// for them, or does not look.
pub fn passed(module: Module, function: Function, types: &[Type]) -> Option<Passed> {
    let result = function.ty().function_result();
    let is_elsewhere = |i| ELSEWHERE.iter().any(|name| function.param_has_attribute(i, name));
    if function.calling_convention() != C
        || result.is_struct()
        || result.is_vector()
        || (0..types.len()).any(is_elsewhere)
    {
        return None;
    }
    let kinds = types
        .iter()
        .enumerate()
        .map(|(i, &ty)| argument(module, function, i, ty))
        .collect::<Option<Vec<_>>>()?;
    let places = place(&kinds);
    let structs = types.iter().enumerate().filter_map(|(parameter, _)| {
        let attribute = |name| function.param_type_attribute(parameter, name);
        let (ty, copy) = match (attribute("byval"), attribute("sret")) {
            (Some(ty), _) => (ty, Some(places.at[parameter])),
            (None, Some(ty)) => (ty, None),
            (None, None) => return None,
        };
        Some(Struct {
            parameter,
            bytes: module.alloc_size(ty),
            copy,
            letters: layout::of_type(module, ty),
        })
    });
    Some(Passed {
        types: types.to_vec(),
        structs: structs.collect(),
        stack: places.bytes,
        floats: 0,
        words: Some(places.letters),
    })
}

fn argument(module: Module, function: Function, i: usize, ty: Type) -> Option<Argument> {
    if let Some(ty) = function.param_type_attribute(i, "byval") {
        let alignment = function.param_alignment(i).unwrap_or_else(|| module.alignment(ty));
        return Some(Argument::Copy { bytes: module.alloc_size(ty), alignment });
    }
    match ty.kind() {
        TypeKind::LLVMFloatTypeKind => Some(Argument::Float),
        TypeKind::LLVMDoubleTypeKind => Some(Argument::Double),
        TypeKind::LLVMX86_FP80TypeKind => Some(Argument::LongDouble),
        TypeKind::LLVMPointerTypeKind => Some(Argument::Pointer),
        TypeKind::LLVMIntegerTypeKind => Some(Argument::Integer { bytes: module.alloc_size(ty) }),
        _ => None,
    }
}

fn place(arguments: &[Argument]) -> Places {
    let mut places = Places::default();
    for argument in arguments {
        let (letter, bytes, alignment) = match *argument {
            Argument::Float => ('f', 4, WORD),
            Argument::Double => ('d', 8, WORD),
            Argument::LongDouble => ('x', 12, WORD),
            Argument::Pointer => ('p', 4, WORD),
            Argument::Integer { bytes } => ('i', bytes, WORD),
            Argument::Copy { bytes, alignment } => ('?', bytes, alignment.max(WORD)),
        };
        let at = places.bytes.next_multiple_of(alignment);
        places.at.push(at);
        let words = |bytes: u64| bytes.div_ceil(WORD) as usize;
        places.letters.extend(std::iter::repeat_n('i', words(at - places.bytes)));
        places.letters.extend(std::iter::repeat_n(letter, words(bytes)));
        places.bytes = at + bytes.next_multiple_of(WORD);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use Argument::*;

    #[test]
    fn each_word_has_a_letter() {
        let all = place(&[
            Pointer,
            Double,
            Integer { bytes: 1 },
            Float,
            LongDouble,
            Integer { bytes: 8 },
            Double,
        ]);
        assert_eq!((all.bytes, all.letters.as_str()), (48, "pddifxxxiidd"));
        assert_eq!(all.at, [0, 4, 12, 16, 20, 32, 40]);
    }

    #[test]
    fn structs_lie_among_the_words_where_they_are_aligned() {
        let all = place(&[
            Integer { bytes: 4 },
            Copy { bytes: 20, alignment: 4 },
            Float,
            Copy { bytes: 16, alignment: 16 },
            Copy { bytes: 6, alignment: 2 },
        ]);
        assert_eq!((all.bytes, all.letters.as_str()), (56, "i?????fi??????"));
        assert_eq!(all.at, [0, 4, 24, 32, 48]);
    }

    #[test]
    fn no_values_need_no_places() {
        assert_eq!(place(&[]), Places::default());
    }
}
