//! Emission of the functions that heads ask for.

use super::{Mode, Resolved, plan, variables::Stand};
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
    let ty = function_type(host, head);
    let symbol = plan::symbol(&head.named.name(), head.mode, head.fortran);
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
    let (mut tangent, mut gradient) = (None, None);
    let body = match head.mode {
        Mode::Tangent => {
            let made = wrapper::tangent(host, head.function, &head.params, &context, Carried::ONE)?;
            tangent = Some(made);
            Body::Tangent(made)
        }
        Mode::Pattern => {
            let carried = Carried::Sets;
            Body::Tangent(wrapper::tangent(host, head.function, &head.params, &context, carried)?)
        }
        Mode::Adjoint => {
            let made = wrapper::gradient(host, head.function, &head.params, &context, 1, false)?;
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
                width: 1,
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
    let option = head.mode.option();
    Origin { call: None, text: format!("--{option} of '{}'", head.named.source_name()) }
}

/// What tells one head from another that would generate the same name.
fn identity(head: &Resolved) -> String {
    let variables: Vec<String> = head.variables.iter().map(|v| v.variable.name()).collect();
    format!("{} {:?} {} {}", head.named.name(), head.params, head.result, variables.join(" "))
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
    let is_adjoint = head.mode == Mode::Adjoint;
    let added = usize::from(head.result) + head.variables.len();
    let mut at = 0;
    let mut all: Vec<usize> = vec![];
    let mut add = |at: usize| {
        // The value of a result, but not its adjoint; and the shadows of variables.
        let of_result = usize::from(head.result && is_adjoint);
        all.extend(at + of_result..at + added);
        added
    };
    let mut of_own: Vec<usize> = vec![];
    for (i, param) in head.params[..head.own()].iter().enumerate() {
        if i == head.before_lengths() {
            at += add(at);
        }
        let is_needed = match param {
            Param::Shadowed => is_adjoint || head.is_written[i] || inside.contains(&i),
            _ => false,
        };
        if is_needed {
            of_own.extend([at, at + 1]);
        }
        if *param == Param::Active && is_adjoint {
            of_own.push(at + 1);
        }
        at += if *param == Param::Const { 1 } else { 2 };
    }
    if head.lengths == 0 {
        add(at);
    }
    all.extend(of_own);
    let all: Vec<String> = all.iter().map(usize::to_string).collect();
    all.join(",")
}

enum Body {
    Tangent(Function),
    Adjoint(wrapper::Gradient),
}

fn function_type(host: &dyn Host, head: &Resolved) -> Type {
    let context = host.module().context();
    let source = head.named.ty();
    let result = source.function_result();
    let mut types = vec![];
    let of_variables = || head.variables.iter().map(|_| context.ptr());
    for (i, (&ty, param)) in source.function_params().iter().zip(&head.params).enumerate() {
        if i == head.before_lengths() {
            types.extend(of_result(host, head));
            types.extend(of_variables());
        }
        types.push(ty);
        match (param, head.mode) {
            (Param::Const, _) => {}
            (Param::Active, Mode::Adjoint) => types.push(context.ptr()),
            (Param::Active | Param::Shadowed, _) => types.push(ty),
        }
    }
    if head.lengths == 0 {
        types.extend(of_result(host, head));
        types.extend(of_variables());
    }
    let result = if head.mode == Mode::Adjoint { context.void() } else { result };
    Type::function(result, &types, false)
}

/// The type of the argument for a result that is a dependent: the value, or its adjoint.
fn of_result(host: &dyn Host, head: &Resolved) -> Option<Type> {
    let by_reference = head.fortran || head.mode != Mode::Adjoint;
    let result = head.function.ty().function_result();
    let ty = if by_reference { host.module().context().ptr() } else { result };
    head.result.then_some(ty)
}

/// Names the parameters for debuggers.
fn name_parameters(head: &Resolved, f: Function) {
    let is_adjoint = head.mode == Mode::Adjoint;
    let words = if is_adjoint { Words::ADJOINT } else { Words::TANGENT };
    let mut given = f.params().into_iter();
    for (i, param) in head.params[..head.own()].iter().enumerate() {
        if i == head.before_lengths() {
            let added = usize::from(head.result) + head.variables.len();
            (0..added).for_each(|_| _ = given.next());
        }
        let of = (head.named, i);
        let Some(primal) = given.next() else { return };
        f.name_parameter(primal, of, None, false);
        if *param != Param::Const {
            let Some(shadow) = given.next() else { return };
            f.name_parameter(shadow, of, Some(words), is_adjoint && *param == Param::Active);
        }
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
    let mut given = f.params().into_iter();
    let mut next = || given.next().expect("the type has as many parameters");
    let (mut primals, mut shadows): (Vec<Value>, Vec<Value>) = (vec![], vec![]);
    let mut of_result = None;
    let mut of_variables = vec![];
    for (i, param) in head.params[..head.own()].iter().enumerate() {
        if i == head.before_lengths() {
            of_result = head.result.then(&mut next);
            of_variables = head.variables.iter().map(|_| next()).collect();
        }
        primals.push(next());
        if *param != Param::Const {
            shadows.push(next());
        }
    }
    if head.lengths == 0 {
        of_result = head.result.then(&mut next);
        of_variables = head.variables.iter().map(|_| next()).collect();
    }
    let module = host.module();
    let stands: Vec<Stand> = head
        .variables
        .iter()
        .zip(of_variables)
        .map(|(v, given)| v.begin(module, &b, f, given))
        .collect();
    primals.extend(stands.iter().map(|s| s.primal));
    shadows.extend(stands.iter().map(|s| s.shadow));
    let ends = |b: &Builder| {
        head.variables.iter().zip(&stands).for_each(|(v, stand)| v.end(module, b, f, stand));
    };
    let active = head.params.iter().filter(|p| **p != Param::Const);
    let shadowed = active.zip(&shadows).filter(|(p, _)| **p == Param::Shadowed);
    validate(host, &b, primals.clone(), shadowed.map(|(_, s)| *s).collect())?;
    let result = head.function.ty().function_result();
    match body {
        Body::Tangent(tangent) => {
            primals.extend(&shadows);
            let call = b.call(tangent, &primals);
            ends(&b);
            if result.is_void() {
                b.ret_void();
            } else if let Some(value) = of_result {
                b.store(b.extract(call, 0), value);
                b.ret(b.extract(call, 1));
            } else {
                b.ret(b.extract(call, 0));
            }
        }
        Body::Adjoint(gradient) => {
            let mut args = primals;
            let mut by_value = vec![];
            let active = head.params.iter().filter(|p| **p != Param::Const);
            for (param, &shadow) in active.zip(&shadows) {
                match param {
                    Param::Active => by_value.push(shadow),
                    _ => args.push(shadow),
                }
            }
            if gradient.has_seed {
                args.push(match of_result {
                    Some(seed) if head.fortran => b.load(result, seed),
                    Some(seed) => seed,
                    None => result.zero(),
                });
            }
            let call = match head.is_inner {
                true => {
                    let asked = (head.function, &head.params[..]);
                    inner::call(host, &b, asked, gradient, &args, origin(head).text)?
                }
                false => b.call(gradient.function, &args),
            };
            ends(&b);
            for (i, bar) in by_value.into_iter().enumerate() {
                let d = b.extract(call, i as u32);
                b.store(b.fadd(b.load(d.ty(), bar), d), bar);
            }
            b.ret_void();
        }
    }
    Ok(())
}
