//! Calls of complex functions as rules see them: real and imaginary parts as scalars, the result as a struct of two.
//!
//! The convention of x86-64 (System V ABI 3.2.3) passes `_Complex double` that way; `_Complex float` goes in one register as a
//! vector of two, `_Complex long double` by a pointer to a copy (byval). Calls of the latter two become calls of a private
//! function that converts both ways, which import knows by its attribute.

use crate::llvm::{Builder, Function, Module, Opcode, Type, Value};

/// String attribute of such a function: the symbol whose rule it follows.
pub(super) const RULE: &str = "adcc-rule";

/// The library function that `f` stands for, if it is one of these.
pub fn stands_for(f: Function) -> Option<String> {
    f.attribute_string(RULE)
}

/// Rewrites the calls of complex functions in a canonical copy.
pub fn rewrite_calls(module: Module, function: Function) {
    let builder = Builder::new(module.context());
    for call in function.blocks().into_iter().flat_map(|b| b.instructions()) {
        if call.opcode() != Opcode::LLVMCall {
            continue;
        }
        let Some(callee) = call.called().as_function().filter(|f| f.is_declaration() && f.ty() == call.called_type()) else { continue };
        let Some(rule) = adrules::lookup(&callee.name()).map(|m| m.rule) else { continue };
        let Some(passed) = passings(callee) else { continue };
        // Exact lengths only: what else has this name is not the function of complex.h.
        let result = callee.ty().function_result();
        let is_direct = passed.iter().all(|p| matches!(p, Passing::Scalar(_))) && !result.is_vector();
        let returns = if rule.elements.is_empty() { !result.is_vector() } else { result.is_vector() || result.is_struct() };
        if is_direct || passed.iter().map(Passing::count).sum::<usize>() != rule.params.len() || !returns {
            continue;
        }
        let wrapper = wrapper(module, callee, &passed);
        builder.position_before(call);
        let parts: Vec<Value> = passed.iter().enumerate().flat_map(|(i, p)| p.parts(&builder, call.operand(i))).collect();
        let new = builder.call(wrapper, &parts);
        new.set_fast_math(call.fast_math());
        let value = if result.is_vector() { vector_of(&builder, new, result) } else { new };
        call.copy_location(new);
        call.replace_uses(value);
        call.erase();
    }
}

/// Deletes the functions that nothing calls any more.
pub fn drop_unused(module: Module) {
    for f in module.functions().into_iter().filter(|f| stands_for(*f).is_some() && f.value().users().is_empty()) {
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

/// How `f` takes its parameters; `None` where it is none of the ways of complex numbers.
fn passings(f: Function) -> Option<Vec<Passing>> {
    let types = f.ty().function_params();
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
    types.iter().enumerate().map(of).collect()
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
                let member = |i: usize| b.load(t.struct_members()[i], b.member(*t, argument, i as u32));
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

/// The private function that takes and returns scalars and calls `callee`.
fn wrapper(module: Module, callee: Function, passed: &[Passing]) -> Function {
    let name = format!("adcc.{}", callee.name());
    if let Some(known) = module.function(&name) {
        return known;
    }
    let returned = callee.ty().function_result();
    let result = if returned.is_vector() { module.context().structure(&returned.parts()) } else { returned };
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
    for p in passed {
        let (own, more) = rest.split_at(p.count());
        arguments.push(p.whole(&b, own));
        rest = more;
    }
    let call = b.call(callee, &arguments);
    for (i, p) in passed.iter().enumerate() {
        if let Passing::Memory(t) = p {
            call.add_call_type_attribute(i, "byval", *t);
        }
    }
    let mut value = call;
    if returned.is_vector() {
        value = result.poison();
        for (i, part) in elements(&b, call).into_iter().enumerate() {
            value = b.insert_value(value, part, i as u32);
        }
    }
    b.ret(value);
    f
}
