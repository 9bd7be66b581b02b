//! Calls of complex functions as rules see them: real and imaginary parts as scalars, the result as
//! a struct of two.
//!
//! The convention of x86-64 (System V ABI 3.2.3) passes `_Complex double` that way;
//! `_Complex float` goes in one register as a vector of two, `_Complex long double` by a pointer to
//! a copy (byval). That of i386 passes all by such pointers, and returns `_Complex float` as an
//! integer of 64 bits, the others in memory of the caller's (sret). Calls of all these become calls
//! of a private function that converts both ways, which import knows by its attribute.

use crate::{
    annotations::attributes::{RULE, stands_for},
    llvm::{Builder, Function, Module, Opcode, Type, Value},
};

/// Rewrites the calls of complex functions in a canonical copy.
pub fn rewrite_calls(module: Module, function: Function) {
    let builder = Builder::new(module.context());
    for call in function.blocks().into_iter().flat_map(|b| b.instructions()) {
        if call.opcode() != Opcode::LLVMCall {
            continue;
        }
        let Some(callee) = call
            .called()
            .as_function()
            .filter(|f| f.is_declaration() && f.ty() == call.called_type())
        else {
            continue;
        };
        let Some(rule) = adrules::lookup(&callee.name()).map(|m| m.rule) else { continue };
        let Some(passed) = passings(call, callee) else { continue };
        // Exact lengths only: what else has this name is not the function of complex.h.
        let Some(returning) = Returning::of(call, callee, !rule.elements.is_empty()) else {
            continue;
        };
        let is_direct = passed.iter().all(|p| matches!(p, Passing::Scalar(_)))
            && matches!(returning, Returning::Direct);
        if is_direct || passed.iter().map(Passing::count).sum::<usize>() != rule.params.len() {
            continue;
        }
        let wrapper = wrapper(module, callee, &passed, &returning);
        builder.position_before(call);
        let first = returning.first();
        let parts: Vec<Value> = passed
            .iter()
            .enumerate()
            .flat_map(|(i, p)| p.parts(&builder, call.operand(first + i)))
            .collect();
        let new = builder.call(wrapper, &parts);
        new.set_fast_math(call.fast_math());
        call.copy_location(new);
        match returning {
            Returning::Direct => call.replace_uses(new),
            Returning::Vector(t) => call.replace_uses(vector_of(&builder, new, t)),
            Returning::Bits => call.replace_uses(bits_of(&builder, new)),
            Returning::Memory(t) => [0, 1].into_iter().for_each(|i| {
                builder.store(builder.extract(new, i), builder.member(t, call.operand(0), i));
            }),
        }
        call.erase();
    }
}

/// Deletes the functions that nothing calls any more.
pub fn drop_unused(module: Module) {
    for f in module
        .functions()
        .into_iter()
        .filter(|f| stands_for(*f).is_some() && f.value().users().is_empty())
    {
        f.delete();
    }
}

/// How one parameter is passed.
enum Passing {
    Scalar(Type),
    /// Both parts in a vector.
    Vector(Type),
    /// Both parts behind a pointer.
    Memory(Type),
}

/// How a result comes back.
enum Returning {
    /// As it is in the rule: a number, or a struct of both parts.
    Direct,
    /// Both parts in a vector.
    Vector(Type),
    /// Two floats as an integer.
    Bits,
    /// Both parts behind the first parameter.
    Memory(Type),
}

impl Returning {
    /// Of a call of a function that returns a complex number, or a real one; `None` where it is
    /// none of the ways.
    fn of(call: Value, f: Function, is_complex: bool) -> Option<Returning> {
        let result = f.ty().function_result();
        // Declarations of the compiler's own functions do not say it.
        if let Some(memory) = call.call_sret() {
            let [re, im] = memory.is_struct().then(|| memory.struct_members())?[..] else {
                return None;
            };
            return (is_complex && re == im && re.is_float()).then_some(Returning::Memory(memory));
        }
        match is_complex {
            true if result.is_struct() => Some(Returning::Direct),
            true if result.is_vector() => Some(Returning::Vector(result)),
            true if result.is_int() && result.int_width() == 64 => Some(Returning::Bits),
            true => None,
            false => (!result.is_vector()).then_some(Returning::Direct),
        }
    }

    /// Where its other parameters begin.
    fn first(&self) -> usize {
        usize::from(matches!(self, Returning::Memory(_)))
    }

    /// What the private function returns.
    fn ty(&self, module: Module, callee: Function) -> Type {
        let context = module.context();
        match self {
            Returning::Direct => callee.ty().function_result(),
            Returning::Vector(t) | Returning::Memory(t) => context.structure(&t.parts()),
            Returning::Bits => context.structure(&[context.f32(), context.f32()]),
        }
    }
}

/// How `f` takes its parameters, but for that of the result; `None` where it is none of the ways of
/// complex numbers.
fn passings(call: Value, f: Function) -> Option<Vec<Passing>> {
    let types = f.ty().function_params();
    let first = usize::from(call.call_sret().is_some());
    let of = |(i, t): (usize, &Type)| {
        if t.is_float() || t.is_int() {
            return Some(Passing::Scalar(*t));
        }
        if t.is_vector() && t.vector_length() == 2 && t.element().is_float() {
            return Some(Passing::Vector(*t));
        }
        let pointee = f.param_type_attribute(i, "byval").filter(|p| p.is_struct())?;
        let [re, im] = pointee.struct_members()[..] else { return None };
        (re == im && re.is_float()).then_some(Passing::Memory(pointee))
    };
    types.iter().enumerate().skip(first).map(of).collect()
}

impl Passing {
    fn count(&self) -> usize {
        if matches!(self, Passing::Scalar(_)) { 1 } else { 2 }
    }

    fn types(&self) -> Vec<Type> {
        match self {
            Passing::Scalar(t) => vec![*t],
            Passing::Vector(t) | Passing::Memory(t) => t.parts(),
        }
    }

    /// The scalars in an argument that is passed so.
    fn parts(&self, b: &Builder, argument: Value) -> Vec<Value> {
        match self {
            Passing::Scalar(_) => vec![argument],
            Passing::Vector(_) => elements(b, argument).into(),
            Passing::Memory(t) => {
                let member =
                    |i: usize| b.load(t.struct_members()[i], b.member(*t, argument, i as u32));
                vec![member(0), member(1)]
            }
        }
    }

    /// The argument made of its scalars.
    fn whole(&self, b: &Builder, parts: &[Value]) -> Value {
        match self {
            Passing::Scalar(_) => parts[0],
            Passing::Vector(t) => pair(b, parts[0], parts[1], *t),
            Passing::Memory(t) => {
                let at = b.alloca(*t, "");
                for (i, &part) in parts.iter().enumerate() {
                    b.store(part, b.member(*t, at, i as u32));
                }
                at
            }
        }
    }
}

fn elements(b: &Builder, vector: Value) -> [Value; 2] {
    let i32 = b.context().int(32);
    [0, 1].map(|i| b.extract_element(vector, i32.int(i)))
}

fn pair(b: &Builder, re: Value, im: Value, ty: Type) -> Value {
    let i32 = b.context().int(32);
    b.insert_element(b.insert_element(ty.poison(), re, i32.int(0)), im, i32.int(1))
}

/// The vector with the members of a struct of two.
fn vector_of(b: &Builder, structure: Value, ty: Type) -> Value {
    pair(b, b.extract(structure, 0), b.extract(structure, 1), ty)
}

/// The integer with the bits of the two floats of a struct.
fn bits_of(b: &Builder, structure: Value) -> Value {
    let (i32, i64) = (b.context().int(32), b.context().int(64));
    let [re, im] =
        [0, 1].map(|i| b.cast(Opcode::LLVMZExt, b.bitcast(b.extract(structure, i), i32), i64));
    b.or(re, b.shl(im, i64.int(32)))
}

/// The two floats whose bits an integer has.
fn floats_of(b: &Builder, bits: Value) -> [Value; 2] {
    let (i32, f32) = (b.context().int(32), b.context().f32());
    [bits, b.lshr(bits, bits.ty().int(32))]
        .map(|part| b.bitcast(b.cast(Opcode::LLVMTrunc, part, i32), f32))
}

/// The private function that takes and returns scalars and calls `callee`.
fn wrapper(
    module: Module,
    callee: Function,
    passed: &[Passing],
    returning: &Returning,
) -> Function {
    let name = format!("adcc.{}", callee.name());
    if let Some(known) = module.function(&name) {
        return known;
    }
    let result = returning.ty(module, callee);
    let types: Vec<Type> = passed.iter().flat_map(Passing::types).collect();
    let f = module.add_function(&name, Type::function(result, &types, false));
    f.set_external(false);
    f.add_attribute_string(RULE, &callee.name());
    for attribute in ["nounwind", "willreturn"] {
        f.add_attribute(attribute);
    }
    let b = Builder::at_end(module.context(), f.append_block("entry"));
    let mut rest = &f.params()[..];
    let mut arguments = vec![];
    let memory =
        if let Returning::Memory(t) = returning { Some((*t, b.alloca(*t, ""))) } else { None };
    arguments.extend(memory.map(|m| m.1));
    for p in passed {
        let (own, more) = rest.split_at(p.count());
        arguments.push(p.whole(&b, own));
        rest = more;
    }
    let call = b.call(callee, &arguments);
    for (i, p) in passed.iter().enumerate() {
        if let Passing::Memory(t) = p {
            call.add_call_type_attribute(returning.first() + i, "byval", *t);
        }
    }
    if let Some((t, _)) = memory {
        call.add_call_type_attribute(0, "sret", t);
    }
    let parts = match returning {
        Returning::Direct => None,
        Returning::Vector(_) => Some(elements(&b, call)),
        Returning::Bits => Some(floats_of(&b, call)),
        Returning::Memory(t) => memory.map(|(_, at)| {
            [0, 1].map(|i| b.load(t.struct_members()[i], b.member(*t, at, i as u32)))
        }),
    };
    let together = |parts: [Value; 2]| {
        parts
            .into_iter()
            .zip(0..)
            .fold(result.poison(), |all, (part, i)| b.insert_value(all, part, i))
    };
    b.ret(parts.map_or(call, together));
    f
}
