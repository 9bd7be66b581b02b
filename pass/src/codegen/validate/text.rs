//! What the runtime is told of a function: its arguments, where they lie in the frame, and which
//! bytes are reals (runtime/src/validate/description.rs has the form).
//!
//! Bytes count as reals where all that is known of them says so: the rest keeps its value.

use super::{Frame, definition};
use crate::{
    annotations::registry::{self, Registered},
    canon::stand_ins,
    codegen::Queries,
    diagnostics::Diagnostic,
    image::unit::{self, Unit},
    llvm::{Function, Module, Type, TypeKind, Value},
};
use adanalysis::{
    activity::Param,
    points_to::{Object, Offset, gcd, overlap},
    types::{Field, ScalarKind},
};
use adir::{
    Callee, Op, ValueId,
    hashed::{HashMap, HashSet},
};
use std::fmt::Write;

/// Something at a place of an object.
type Known = (Offset, u64, ScalarKind);

/// Whether the body of a function says what its memory holds: that of one with a derivative of its
/// own is not looked at.
pub fn knows(queries: &mut dyn Queries, function: Function) -> bool {
    registry::of(function).is_none() && queries.unit(function).is_ok()
}

/// The text of a function, from its own accesses.
pub fn of_function(
    queries: &mut dyn Queries,
    function: Function,
    params: &[Param],
    frame: &Frame,
    variables: &[(Value, Value)],
    name: &str,
    place: &str,
) -> Result<String, Vec<Diagnostic>> {
    let unit = queries.unit(function).map_err(|d| vec![d])?;
    let mut text = Text::begin(queries.module(), function, name, place);
    let object = |i: usize| unit.memory.object_of_param(i as u32);
    text.items(params, frame, |i| object(i).unwrap_or(usize::MAX));
    text.variables(frame, variables);
    let mut named: Vec<usize> = (0..params.len()).filter_map(object).collect();
    let passed = passed(queries, &unit, &mut HashMap::default());
    let mut next = 0;
    while let Some(&holder) = named.get(next) {
        next += 1;
        let own = unit.types.entries(holder).into_iter().map(|e| (e.offset, e.bytes, e.scalar));
        let passed = passed.iter().filter(|(object, _)| *object == holder).map(|(_, known)| *known);
        text.object(holder, &own.chain(passed).collect::<Vec<_>>());
        for (target, object) in unit.memory.objects.iter().enumerate() {
            let Object::Behind(slot) = *object else { continue };
            let (of, at) = unit.memory.slot(slot);
            if of == holder {
                text.pointer(holder, at, target);
                if !named.contains(&target) {
                    named.push(target);
                }
            }
        }
    }
    Ok(text.finish())
}

/// The text of a function that is called, from what its caller knows of the arguments.
pub fn of_call(
    queries: &mut dyn Queries,
    (unit, call): (&Unit, ValueId),
    function: Function,
    params: &[Param],
    frame: &Frame,
    variables: &[(Value, Value)],
    place: &str,
) -> String {
    let (name, _) = definition(function);
    let accessed = queries.accesses(function);
    let mut text = Text::begin(queries.module(), function, &name, place);
    text.only_reads = registry::of(function) == Some(registry::Registered::Inactive);
    if text.only_reads {
        text.line(&["N"]);
    }
    text.items(params, frame, |i| i);
    text.variables(frame, variables);
    for (i, &o) in unit.body[call].operands.iter().enumerate() {
        let mut known: Vec<Known> = accessed
            .iter()
            .filter(|(param, ..)| *param as usize == i)
            .map(|&(_, at, scalar, _)| (at, scalar.bytes(), scalar))
            .collect();
        for (object, at) in unit.memory.places(o) {
            known.extend(unit.types.entries(object).into_iter().map(|e| {
                let from = e.offset.constant.wrapping_sub(at.constant);
                (Offset::new(from, gcd(e.offset.modulus, at.modulus)), e.bytes, e.scalar)
            }));
        }
        text.object(i, &known);
    }
    text.finish()
}

/// By object, what functions with derivatives of their own access there: analyses do not look into them.
type Passed = Vec<(usize, Known)>;

/// What `unit` passes to them, and what those do that it calls.
fn passed(
    queries: &mut dyn Queries,
    unit: &Unit,
    seen: &mut HashMap<Function, Vec<(u32, Known)>>,
) -> Passed {
    let body = &unit.body;
    let mut found: Passed = vec![];
    for v in body.insts() {
        let Op::Call(callee) = &body[v].op else { continue };
        let Some(f) = body.llvm(v).called().as_function() else { continue };
        let known = match callee {
            Callee::Custom => queries
                .accesses(f)
                .into_iter()
                .map(|(param, at, scalar, _)| (param, (at, scalar.bytes(), scalar)))
                .collect(),
            Callee::Defined => behind(queries, f, seen),
            _ => continue,
        };
        for (param, (at, bytes, scalar)) in known {
            let Some(&o) = body[v].operands.get(param as usize) else { continue };
            let places = unit.memory.places(o);
            found.extend(places.map(|(object, from)| (object, (from.plus(at), bytes, scalar))));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The same of a function, by parameter.
fn behind(
    queries: &mut dyn Queries,
    function: Function,
    seen: &mut HashMap<Function, Vec<(u32, Known)>>,
) -> Vec<(u32, Known)> {
    if let Some(known) = seen.get(&function) {
        return known.clone();
    }
    seen.insert(function, vec![]);
    let Ok(unit) = queries.unit(function) else { return vec![] };
    let all = passed(queries, &unit, seen);
    let of_param = |(object, known): &(usize, Known)| match unit.memory.objects[*object] {
        Object::Param(i) => Some((i, *known)),
        _ => None,
    };
    let found: Vec<(u32, Known)> = all.iter().filter_map(of_param).collect();
    seen.insert(function, found.clone());
    found
}

/// What a variable or a block of a function holds; empty where no real is known.
pub fn of_object(queries: &mut dyn Queries, unit: &Unit, v: ValueId) -> String {
    let passed = passed(queries, unit, &mut HashMap::default());
    let objects: Vec<usize> = unit.memory.points_to(v).collect();
    let passed = passed.iter().filter(|(object, _)| objects.contains(object)).map(|(_, k)| *k);
    let known = unit.memory.places(v).flat_map(|(object, _)| unit.types.entries(object));
    layout(&known.map(|e| (e.offset, e.bytes, e.scalar)).chain(passed).collect::<Vec<_>>())
}

struct Text {
    module: Module,
    function: Function,
    names: Vec<(usize, String)>,
    text: String,
    /// Memory counts as read only: derivatives of what an inactive function writes do not change.
    only_reads: bool,
}

impl Text {
    fn begin(module: Module, function: Function, name: &str, place: &str) -> Text {
        let mut text = Text {
            module,
            function,
            names: function.parameter_names(),
            text: String::new(),
            only_reads: false,
        };
        let (_, definition) = definition(function);
        text.line(&["F", name, &definition, place.trim()]);
        match least_precise(function, &mut HashSet::default()) {
            Some(2) => text.line(&["K", "half"]),
            Some(4) => text.line(&["K", "single"]),
            _ => {}
        }
        text
    }

    fn line(&mut self, fields: &[&str]) {
        // No name of a file may end a field.
        let all: Vec<String> = fields.iter().map(|f| f.replace(['\t', '\n'], " ")).collect();
        writeln!(self.text, "{}", all.join("\t")).expect("a string takes all");
    }

    fn finish(self) -> String {
        self.text
    }

    fn name(&self, i: usize) -> String {
        let known = self.names.iter().find(|(n, _)| *n == i);
        known.map_or_else(|| format!("argument {}", i + 1), |(_, name)| name.clone())
    }

    fn items(&mut self, params: &[Param], frame: &Frame, object: impl Fn(usize) -> usize) {
        let ty = self.function.ty();
        for (i, (&param, ty)) in params.iter().zip(ty.function_params()).enumerate() {
            let Some(shadow) = frame.shadow(i, 0) else {
                if ty.is_pointer() {
                    let (name, value) = (self.name(i), frame.values[i].to_string());
                    self.line(&["C", &name, &value]);
                }
                continue;
            };
            let (name, value, shadow) =
                (self.name(i), frame.values[i].to_string(), shadow.to_string());
            match (param, ty.is_pointer()) {
                (Param::Shadowed, true) => {
                    let (spans, object) = (frame.spans[i].to_string(), object(i).to_string());
                    let kind = if self.only_reads { "I" } else { "P" };
                    self.line(&[kind, &name, &value, &shadow, &spans, &object]);
                }
                (Param::Active, false) => {
                    let layout = of_type(self.module, ty);
                    self.line(&["V", &name, &value, &shadow, &layout]);
                }
                _ => {}
            }
        }
        let result = ty.function_result();
        if !result.is_void() {
            let layout = of_type(self.module, result);
            let (value, shadow) = (frame.result.to_string(), frame.of_result(0).to_string());
            self.line(&["R", &value, &shadow, &layout]);
        }
    }

    fn variables(&mut self, frame: &Frame, variables: &[(Value, Value)]) {
        for (&(variable, _), &(value, shadow)) in variables.iter().zip(&frame.variables) {
            let ty = variable.global_type();
            let (bytes, layout) =
                (self.module.alloc_size(ty).to_string(), of_type(self.module, ty));
            let name = crate::diagnostics::names::readable(&variable.name());
            self.line(&["G", &name, &value.to_string(), &shadow.to_string(), &bytes, &layout]);
        }
    }

    fn object(&mut self, object: usize, known: &[Known]) {
        self.line(&["O", &object.to_string(), &layout(known)]);
    }

    fn pointer(&mut self, object: usize, at: Offset, target: usize) {
        let place = format!("{}/{}", at.constant, at.modulus);
        self.line(&["B", &object.to_string(), &place, &target.to_string()]);
    }
}

/// Bytes of the smallest reals with which a function computes, or what it calls. With which machine
/// code does, nobody knows: it may be `float`.
fn least_precise(function: Function, seen: &mut HashSet<Function>) -> Option<u64> {
    if !seen.insert(function) {
        return None;
    }
    if function.attribute_string(stand_ins::STAND_IN).is_some()
        || registry::of(function) == Some(Registered::Prebuilt)
    {
        return Some(4);
    }
    let of_type = |ty: Type| match ty.scalar().kind() {
        TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => Some(2),
        TypeKind::LLVMFloatTypeKind => Some(4),
        _ => None,
    };
    let mut least = function.params().into_iter().filter_map(|p| of_type(p.ty())).min();
    for i in function.blocks().into_iter().flat_map(|b| b.instructions()) {
        let called = i.is_call().then(|| i.called().as_function()).flatten();
        let inside = called.and_then(|f| least_precise(f, seen));
        let own = (0..i.operand_count()).filter_map(|k| of_type(i.operand(k).ty()));
        least = own.chain(of_type(i.ty())).chain(inside).chain(least).min();
    }
    least
}

/// The reals of a value or a variable of this type.
fn of_type(module: Module, ty: Type) -> String {
    let mut element = ty;
    while matches!(element.kind(), TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind) {
        element = element.element();
    }
    let stride = module.alloc_size(element);
    let mut fields: Vec<Field> = vec![];
    if stride == 0 || !unit::collect(module, element, 0, &mut fields) {
        return String::new();
    }
    let stride = if element == ty { 0 } else { stride };
    let known: Vec<Known> =
        fields.iter().map(|f| (Offset::new(f.0 as i64, stride), f.1.bytes(), f.1)).collect();
    match (ty.kind(), stride) {
        // The runtime knows no end of what lies in a frame.
        (TypeKind::LLVMVectorTypeKind, 1..) => {
            let count = module.store_size(ty) / stride;
            let each = (0..count).flat_map(|k| {
                fields
                    .iter()
                    .map(move |f| (Offset::new((f.0 + k * stride) as i64, 0), f.1.bytes(), f.1))
            });
            layout(&each.collect::<Vec<_>>())
        }
        _ => layout(&known),
    }
}

/// The reals among what is known, without those that something else overlaps.
fn layout(known: &[Known]) -> String {
    let letter = |scalar: ScalarKind| match scalar {
        ScalarKind::F32 => Some('f'),
        ScalarKind::F64 => Some('d'),
        ScalarKind::F80 => Some('x'),
        _ => None,
    };
    let is_apart = |(at, bytes, scalar): Known| {
        known.iter().all(|&(other, size, kind)| {
            let is_same = kind == scalar && {
                let g = gcd(at.modulus, other.modulus) as i64;
                let gap = other.constant - at.constant;
                let gap = if g == 0 { gap } else { gap.rem_euclid(g) };
                gap.rem_euclid(bytes.max(1) as i64) == 0
            };
            is_same || !overlap(at, bytes, other, size)
        })
    };
    let mut words: Vec<String> = known
        .iter()
        .filter(|(at, bytes, _)| at.modulus == 0 || at.modulus >= *bytes)
        .filter(|k| is_apart(**k))
        .filter_map(|(at, _, scalar)| {
            Some(format!("{}{}/{}", letter(*scalar)?, at.constant, at.modulus))
        })
        .collect();
    words.sort();
    words.dedup();
    words.join(",")
}
