//! Emission of the functions that heads ask for.

use super::{
    Mode, Resolved, plan,
    slots::{self, Given, Slot},
    variables::Stand,
};
use crate::{
    codegen::{inner, tangent::Carried, validate, wrapper},
    diagnostics::{Code, Diagnostic, Origin, names::readable},
    frontend::{Host, request},
    llvm::{Builder, Function, Type, Value, Words},
};
use adanalysis::{activity::Param, context::Context};

/// The generated function; `None` where an earlier run in this process made it.
pub(super) fn emit(
    host: &mut dyn Host,
    head: &Resolved,
) -> Result<Option<Function>, Vec<Diagnostic>> {
    let ty = slots::function_type(host, head);
    let symbol = plan::symbol(&head.named.name(), &head.asked, head.fortran);
    let previous = host.module().function(&symbol);
    if previous.is_some_and(|f| !f.is_declaration()) {
        let maker = previous.and_then(|f| f.attribute_string(MADE));
        if maker == Some(identity(head)) {
            return Ok(None);
        }
        let (text, remedy) = match maker {
            Some(_) => (
                format!("another head already generates '{symbol}'"),
                "give the functions different names",
            ),
            None => (
                format!("this file already defines '{symbol}'"),
                "rename that function: the head generates this name",
            ),
        };
        return Err(vec![Diagnostic::new(Code::HeadFunction, None, text, remedy)]);
    }
    if let Some(f) = previous.filter(|f| f.ty() != ty) {
        let text =
            format!("this file declares '{symbol}' as {}, but the head generates {ty}", f.ty());
        let remedy = "correct the prototype: a shadow follows each active parameter (--ad-header \
            writes the prototype)";
        return Err(vec![Diagnostic::new(Code::HeadParameter, None, text, remedy)]);
    }
    // The derivative first: an error must not leave half a function.
    let context = Context::of_request(&vec![false; head.params.len()]);
    let width = head.width();
    let (mut tangent, mut gradient) = (None, None);
    let body = match head.mode() {
        Mode::Tangent => {
            let carried = Carried::Derivatives(width);
            let made = wrapper::tangent(host, head.function, &head.params, &context, carried)?;
            tangent = Some(made);
            Body::Tangent(made)
        }
        Mode::Pattern => {
            let carried = Carried::Sets;
            Body::Tangent(wrapper::tangent(host, head.function, &head.params, &context, carried)?)
        }
        Mode::Adjoint => {
            let made =
                wrapper::gradient(host, head.function, &head.params, &context, width, false)?;
            gradient = Some(made);
            Body::Adjoint(made)
        }
    };
    let f = previous.unwrap_or_else(|| host.module().add_function(&symbol, ty));
    f.set_external(true);
    host.adopt(f, head.named);
    f.add_attribute_string(MADE, &identity(head));
    f.add_attribute_string(SHADOWED, &shadowed(head));
    fill(host, head, f, body, &|host: &mut dyn Host, b, primals, shadows| {
        validate::request(
            host,
            b,
            &validate::Asked {
                function: head.function,
                name: readable(&head.named.source_name()),
                params: &head.params,
                width,
                context: context.clone(),
                tangent,
                gradient,
                primals,
                shadows,
                variables: vec![],
                origin: &origin(head),
                is_variable: &|g| !request::is_marker(g),
            },
        )
    })?;
    name_parameters(head, f);
    host.finish(f)?;
    Ok(Some(f))
}

/// How messages name a head.
fn origin(head: &Resolved) -> Origin {
    let option = head.mode().option();
    Origin { call: None, text: format!("--{option} of '{}'", head.named.source_name()) }
}

/// What tells one head from another that would generate the same name.
fn identity(head: &Resolved) -> String {
    let variables: Vec<String> = head.variables.iter().map(|v| v.variable.name()).collect();
    let directions = head.asked.directions.map(|n| format!(" *{n}")).unwrap_or_default();
    let variables = variables.join(" ");
    format!("{} {:?} {} {variables}{directions}", head.named.name(), head.params, head.result)
}

/// String attribute of what heads generated, with the head's identity: a host may run the pass
/// twice on one module.
const MADE: &str = "adcc-head";

/// String attribute of what heads generated: the positions of the parameters that heads which name it
/// take with their shadows.
const SHADOWED: &str = "adcc-head-shadows";

/// The parameters of a generated function that have shadows whatever heads name: those that lead to
/// memory to which the function writes reals, or which an adjoint inside has active.
pub(super) fn needed_shadows(f: Function) -> Vec<usize> {
    let list = f.attribute_string(SHADOWED).unwrap_or_default();
    list.split(',').filter_map(|i| i.parse().ok()).collect()
}

/// Those of what the head generates.
fn shadowed(head: &Resolved) -> String {
    let inside = needed_shadows(head.named);
    let is_adjoint = head.is_adjoint();
    let is_needed = |i: usize| match head.params[i] {
        Param::Shadowed => is_adjoint || head.is_written[i] || inside.contains(&i),
        _ => false,
    };
    let has_shadow = |slot: &Slot| match *slot {
        Slot::Own(i) | Slot::Shadow(i, _) => is_needed(i),
        Slot::Numbers(_) => is_adjoint,
        // The value of a result, but not its adjoint.
        Slot::Value | Slot::Variable(..) => true,
        Slot::Results => !is_adjoint,
        Slot::Seed => false,
    };
    let all = slots::of(head).into_iter().enumerate();
    let all: Vec<String> =
        all.filter(|(_, slot)| has_shadow(slot)).map(|(at, _)| at.to_string()).collect();
    all.join(",")
}

enum Body {
    Tangent(Function),
    Adjoint(wrapper::Gradient),
}

/// Names the parameters for debuggers.
fn name_parameters(head: &Resolved, f: Function) {
    let is_adjoint = head.is_adjoint();
    let words = if is_adjoint { Words::ADJOINT } else { Words::TANGENT };
    let several = head.asked.directions;
    for (slot, value) in Given::new(head, f).iter() {
        let (i, shadow, is_place) = match slot {
            Slot::Own(i) => (i, None, false),
            Slot::Shadow(i, d) => (i, Some((words, several.map(|_| d + 1))), false),
            Slot::Numbers(i) => (i, Some((words, None)), true),
            _ => continue,
        };
        f.name_parameter(value, (head.named, i), shadow, is_place);
    }
}

/// Has the derivatives validated, of arguments and of shadows of pointers.
type Validate<'v> =
    dyn Fn(&mut dyn Host, &Builder, Vec<Value>, Vec<Value>) -> Result<(), Vec<Diagnostic>> + 'v;

fn fill(
    host: &mut dyn Host,
    head: &Resolved,
    f: Function,
    body: Body,
    validate: &Validate,
) -> Result<(), Vec<Diagnostic>> {
    let b = Builder::at_end(host.module().context(), f.append_block("entry"));
    let given = Given::new(head, f);
    let module = host.module();
    let of_variable = |v: usize| given.all(|s| matches!(s, Slot::Variable(of, _) if of == v));
    let stands: Vec<Stand> = head
        .variables
        .iter()
        .enumerate()
        .map(|(i, v)| v.begin(module, &b, f, of_variable(i)))
        .collect();
    let ends = |b: &Builder| {
        head.variables.iter().zip(&stands).for_each(|(v, stand)| v.end(module, b, f, stand));
    };
    let mut args = given.all(|s| matches!(s, Slot::Own(_)));
    args.extend(stands.iter().map(|s| s.primal));
    let primals = args.len();
    let of_memory = |i: usize| given.all(|s| matches!(s, Slot::Shadow(of, _) if of == i));
    let shadowed = (0..head.own()).filter(|&i| head.params[i] == Param::Shadowed);
    let mut shadows: Vec<Value> = shadowed.flat_map(of_memory).collect();
    shadows.extend(stands.iter().flat_map(|s| s.shadows.clone()));
    validate(host, &b, args.clone(), shadows.clone())?;
    let result = head.function.ty().function_result();
    // In each direction, the place of a number.
    let place = |b: &Builder, ty: Type, array: Value, direction: usize| {
        let offset = module.alloc_size(ty) * direction as u64;
        b.byte_offset(array, module.context().int(64).int(offset))
    };
    let numbers = |b: &Builder, ty: Type, array: Value| -> Vec<Value> {
        (0..head.width()).map(|d| b.load(ty, place(b, ty, array, d))).collect()
    };
    let types = head.named.ty().function_params();
    match body {
        Body::Tangent(tangent) => {
            for i in (0..head.own()).filter(|&i| head.params[i] != Param::Const) {
                match given.get(Slot::Numbers(i)) {
                    Some(array) => args.extend(numbers(&b, types[i], array)),
                    None => args.extend(of_memory(i)),
                }
            }
            args.extend(stands.iter().flat_map(|s| s.shadows.clone()));
            let call = b.call(tangent, &args);
            ends(&b);
            if let Some(value) = given.get(Slot::Value) {
                b.store(b.extract(call, 0), value);
            }
            if let Some(array) = given.get(Slot::Results) {
                for d in 0..head.width() {
                    b.store(b.extract(call, 1 + d as u32), place(&b, result, array, d));
                }
                b.ret_void();
            } else if result.is_void() {
                b.ret_void();
            } else {
                b.ret(b.extract(call, u32::from(head.result)));
            }
        }
        Body::Adjoint(gradient) => {
            args.truncate(primals);
            args.extend(shadows);
            if gradient.has_seed {
                match (given.get(Slot::Seed), given.get(Slot::Results)) {
                    (Some(seed), _) if head.fortran => args.push(b.load(result, seed)),
                    (Some(seed), _) => args.push(seed),
                    (None, Some(array)) => args.extend(numbers(&b, result, array)),
                    (None, None) => args.extend(vec![result.zero(); head.width()]),
                }
            }
            let call = match head.is_inner {
                true => {
                    let asked = (head.function, &head.params[..]);
                    inner::call(host, &b, asked, gradient, &args, origin(head).text)?
                }
                false => b.call(gradient.function, &args),
            };
            ends(&b);
            let mut next = 0..;
            for i in (0..head.own()).filter(|&i| head.params[i] == Param::Active) {
                let array = given.get(Slot::Numbers(i)).expect("a number has a place");
                for d in 0..head.width() {
                    let bar = b.extract(call, next.next().expect("it has no end"));
                    let at = place(&b, types[i], array, d);
                    b.store(b.fadd(b.load(bar.ty(), at), bar), at);
                }
            }
            b.ret_void();
        }
    }
    Ok(())
}
