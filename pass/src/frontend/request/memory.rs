//! What the memory holds that a request passes, as far as the function shows that asks:
//! variables by their types, other memory by accesses.
//!
//! Inside of the differentiated function, a real that is only loaded as an integer, and computed
//! with, is an integer: this says that it is none.

use super::{arguments::Arguments, markers::Marker, read, trace};
use crate::{
    annotations::requests::{RequestKind, kind},
    image::unit,
    llvm::{Function, Module, Opcode, Type, TypeKind, Value},
};
use adanalysis::{
    points_to::Offset,
    types::{Field, Pointee, ScalarKind},
};

/// Elements of an array that are described one by one.
const MOST_ELEMENTS: u64 = 64;
/// Instructions of a function beyond which its accesses are not looked through.
const MOST_INSTRUCTIONS: usize = 20_000;

/// What the memory holds that is passed to an open request, by parameter of the function that stands for it:
/// places and kinds, as a text.
const HOLDS: &str = "adcc.holds";
/// The kinds, as they are written there.
const KINDS: [ScalarKind; 8] = [
    ScalarKind::Int,
    ScalarKind::Ptr,
    ScalarKind::F16,
    ScalarKind::BF16,
    ScalarKind::F32,
    ScalarKind::F64,
    ScalarKind::F80,
    ScalarKind::F128,
];

/// Notes for the link what the memory holds that is passed to an open request.
pub fn note_arguments(module: Module, open: Function, arguments: &[Value]) {
    for (i, argument) in arguments.iter().enumerate().filter(|(_, a)| a.ty().is_pointer()) {
        let held = reals_behind(module, *argument);
        let text: Vec<String> = held
            .into_iter()
            .map(|(at, kind, declared)| {
                format!("{} {} {kind:?} {}", at.constant, at.modulus, u8::from(declared))
            })
            .collect();
        if !text.is_empty() {
            open.add_param_string(i as u32, HOLDS, &text.join("\n"));
        }
    }
}

/// What a unit has noted of a parameter.
fn noted(f: Function, param: Value) -> Vec<(Offset, ScalarKind, bool)> {
    let i = f.params().into_iter().position(|p| p == param);
    let text = i.and_then(|i| f.param_string(i as u32, HOLDS)).unwrap_or_default();
    let one = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [constant, modulus, kind, declared] = words[..] else { return None };
        let kind = KINDS.into_iter().find(|k| format!("{k:?}") == kind)?;
        Some((Offset::new(constant.parse().ok()?, modulus.parse().ok()?), kind, declared == "1"))
    };
    text.lines().filter_map(one).collect()
}

/// The function that a request differentiates, and what it passes; `None` where its arguments
/// are not read that simply.
pub fn passed(module: Module, call: Value) -> Option<(Function, Vec<Pointee>)> {
    let function = read::subject(call)?;
    let is_tangent = match kind(call.called().as_function()?)? {
        RequestKind::Tangent | RequestKind::Pattern => true,
        RequestKind::Adjoint => false,
        _ => return None,
    };
    let mut args = Arguments::new(module, call, usize::from(call.call_sret().is_some()) + 1);
    let (mut width, mut passed) = (1, vec![]);
    for (i, param) in function.params().into_iter().enumerate() {
        let (mut activity, mut shadows) = (None, None);
        while let Some((_, marker)) = args.marker() {
            match marker {
                Marker::Width => width = usize::try_from(args.next()?.as_int()?).ok()?,
                Marker::Const | Marker::Dup | Marker::DupNoNeed | Marker::Out => {
                    activity = Some(marker)
                }
                Marker::DupStrided | Marker::DupNoNeedStrided => {
                    args.next()?;
                    (activity, shadows) = (Some(Marker::Dup), Some(1));
                }
                Marker::PrimalReturn
                | Marker::NoReturn
                | Marker::ConstReturn
                | Marker::ActiveReturn
                | Marker::DupReturn
                | Marker::Idle => {}
                Marker::Tape | Marker::Allocated | Marker::Interleave | Marker::LeftOut(_) => {
                    return None;
                }
            }
        }
        let value = args.next()?;
        let (is_pointer, is_real) = (param.ty().is_pointer(), param.ty().is_float());
        if value.ty().is_pointer() != is_pointer || !(is_pointer || is_real || param.ty().is_int())
        {
            return None;
        }
        let has_shadow = match activity {
            Some(Marker::Const | Marker::Out) => false,
            Some(_) => true,
            None => is_pointer || is_real && is_tangent,
        };
        for _ in 0..if has_shadow { shadows.unwrap_or(width) } else { 0 } {
            args.of_shadows().next()?;
        }
        if is_pointer && has_shadow {
            passed.extend(
                reals_behind(module, value)
                    .into_iter()
                    .map(|(at, scalar, declared)| (i as u32, at, scalar, declared)),
            );
        }
    }
    Some((function, passed))
}

/// The reals that a function itself loads or stores behind its parameters, before passes make
/// integers of those that are seen as integers next.
pub fn accesses(module: Module, function: Function) -> Vec<Pointee> {
    let pointers =
        function.params().into_iter().enumerate().filter(|(_, param)| param.ty().is_pointer());
    pointers
        .flat_map(|(i, param)| {
            accessed(module, param, function)
                .into_iter()
                .map(move |(at, scalar, declared)| (i as u32, at, scalar, declared))
        })
        .collect()
}

/// What calls of a function pass to it, by call: the program runs it as it is, too.
pub fn calls(module: Module, function: Function) -> Vec<Vec<Pointee>> {
    const MOST: usize = 16;
    let is_call = |u: &Value| {
        u.is_instruction()
            && matches!(u.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
            && u.called() == function.value()
    };
    let params = function.params();
    let passed = |call: Value| {
        let pointers = params.iter().enumerate().filter(|(i, param)| {
            param.ty().is_pointer()
                && *i < call.argument_count()
                && call.operand(*i).ty().is_pointer()
        });
        pointers
            .flat_map(|(i, _)| {
                reals_behind(module, call.operand(i))
                    .into_iter()
                    .map(move |(at, scalar, declared)| (i as u32, at, scalar, declared))
            })
            .collect()
    };
    function.value().users().into_iter().filter(is_call).take(MOST).map(passed).collect()
}

/// What lies behind a pointer. Where integers are all that is known, accesses of the differentiated
/// function know better.
fn reals_behind(module: Module, pointer: Value) -> Vec<(Offset, ScalarKind, bool)> {
    let all = behind(module, pointer);
    if all.iter().any(|(_, scalar, _)| scalar.is_real()) { all } else { vec![] }
}

/// What lies behind a pointer.
fn behind(module: Module, pointer: Value) -> Vec<(Offset, ScalarKind, bool)> {
    let Some((base, 0)) = base(module, pointer) else { return vec![] };
    if base.is_global_variable() {
        return declared(module, base.global_type());
    }
    if base.is_instruction() && base.opcode() == Opcode::LLVMAlloca {
        return declared(module, base.allocated_type());
    }
    if base.is_instruction() {
        accessed(module, base, base.block().function())
    } else {
        let of = |f| [noted(f, base), accessed(module, base, f)].concat();
        base.parameter_of().map_or(vec![], of)
    }
}

/// What a pointer is a copy of, and how many bytes behind that; `None` where the distance is not
/// known.
fn base(module: Module, pointer: Value) -> Option<(Value, u64)> {
    let (mut at, mut distance) = (trace::origin(pointer), 0);
    while at.is_instruction() && at.opcode() == Opcode::LLVMGetElementPtr {
        distance += offset(module, at)?;
        at = trace::origin(at.operand(0));
    }
    Some((at, distance))
}

/// The constant distance of a step; of its first index only, or with nothing but zeros behind it.
fn offset(module: Module, step: Value) -> Option<u64> {
    let indices: Vec<i64> =
        (1..step.operand_count()).map(|k| step.operand(k).as_int()).collect::<Option<_>>()?;
    let (first, rest) = indices.split_first()?;
    let is_start = rest.iter().all(|i| *i == 0);
    is_start
        .then(|| u64::try_from(*first).ok())?
        .map(|first| first * module.alloc_size(step.gep_type()))
}

/// What a variable of this type holds, element by element.
fn declared(module: Module, ty: Type) -> Vec<(Offset, ScalarKind, bool)> {
    let (bytes, mut element) = (module.alloc_size(ty), ty);
    while element.kind() == TypeKind::LLVMArrayTypeKind {
        element = element.element();
    }
    let mut fields: Vec<Field> = vec![];
    let stride = module.alloc_size(element);
    if stride == 0 || !unit::collect(module, element, 0, &mut fields) {
        return vec![];
    }
    let all = fields
        .iter()
        .filter(|_| stride < bytes)
        .map(|f| (Offset::new(f.0 as i64, stride), f.1, true));
    let each = (0..(bytes / stride).min(MOST_ELEMENTS)).flat_map(|k| {
        fields.iter().map(move |f| (Offset::new((f.0 + k * stride) as i64, 0), f.1, true))
    });
    all.chain(each).collect()
}

/// The reals that a function loads or stores behind a pointer.
fn accessed(module: Module, from: Value, function: Function) -> Vec<(Offset, ScalarKind, bool)> {
    let instructions: Vec<Value> = function
        .blocks()
        .into_iter()
        .flat_map(|b| b.instructions())
        .take(MOST_INSTRUCTIONS + 1)
        .collect();
    if instructions.len() > MOST_INSTRUCTIONS {
        return vec![];
    }
    let mut found = vec![];
    for access in instructions {
        let (pointer, ty) = match access.opcode() {
            Opcode::LLVMLoad => (access.operand(0), access.ty()),
            Opcode::LLVMStore => (access.operand(1), access.operand(0).ty()),
            _ => continue,
        };
        let mut fields: Vec<Field> = vec![];
        if !ty.is_float() || !unit::collect(module, ty, 0, &mut fields) {
            continue;
        }
        let (scalar, bytes) = (fields[0].1, module.alloc_size(ty));
        match base(module, pointer) {
            Some((at, distance)) if at == from => {
                found.push((Offset::new(distance as i64, 0), scalar, false))
            }
            Some(_) => {}
            None => {
                let step = trace::origin(pointer);
                let is_element = step.gep_type() == ty && step.operand_count() == 2;
                if is_element && base(module, step.operand(0)) == Some((from, 0)) {
                    found.push((Offset::new(0, bytes), scalar, false));
                    found.extend(
                        (0..8).map(|k| (Offset::new((k * bytes) as i64, 0), scalar, false)),
                    );
                }
            }
        }
    }
    found.sort_by_key(|(at, scalar, _)| (at.constant, at.modulus, *scalar));
    found.dedup();
    found
}
