//! Requests in the source: calls to functions that nobody defines, read and replaced.

use crate::{
    analysis::{activity::Param, context::Context},
    diag::{Code, Diagnostic, Origin},
    llvm::{Builder, Function, Module, Opcode, Value},
    session::Session,
    signature, wrapper,
};

/// What a request asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Tangent,
    Adjoint,
    /// A known spelling that is not supported yet.
    Later(&'static str),
}

/// A function is a request by containing one of these names; the longest match counts.
const SPELLINGS: &[(&str, Kind)] = &[
    ("__ad_tangent", Kind::Tangent),
    ("__enzyme_fwddiff", Kind::Tangent),
    ("__ad_adjoint", Kind::Adjoint),
    ("__enzyme_autodiff", Kind::Adjoint),
    ("__ad_augmented", Kind::Later("split mode")),
    ("__ad_reverse", Kind::Later("split mode")),
    ("__enzyme_augmentfwd", Kind::Later("split mode")),
    ("__enzyme_reverse", Kind::Later("split mode")),
    ("__enzyme_fwdsplit", Kind::Later("split mode")),
    ("__enzyme_virtualreverse", Kind::Later("derivatives of virtual functions")),
];

/// Spellings that steer differentiation through globals rather than calls.
const GLOBAL_SPELLINGS: &[&str] = &[
    "__enzyme_register_gradient_", "__enzyme_register_derivative_", "__enzyme_inactivefn", "__enzyme_inactive_global",
    "__enzyme_function_like", "__enzyme_allocation_like",
];

/// What stands before an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Marker {
    Const,
    Dup,
    /// As Dup, and nobody reads the primal memory afterwards.
    DupNoNeed,
    Out,
    Width,
    Later,
}

const MARKERS: &[(&str, Marker)] = &[
    ("ad_const", Marker::Const),
    ("enzyme_const", Marker::Const),
    ("ad_dup", Marker::Dup),
    ("enzyme_dup", Marker::Dup),
    ("ad_dupnoneed", Marker::DupNoNeed),
    ("enzyme_dupnoneed", Marker::DupNoNeed),
    ("ad_out", Marker::Out),
    ("enzyme_out", Marker::Out),
    ("ad_width", Marker::Width),
    ("enzyme_width", Marker::Width),
    ("enzyme_tape", Marker::Later),
    ("enzyme_allocated", Marker::Later),
    ("enzyme_primal_return", Marker::Later),
    ("enzyme_inactive", Marker::Later),
];

fn kind(f: Function) -> Option<Kind> {
    if !f.is_declaration() {
        return None;
    }
    let name = f.name();
    SPELLINGS.iter().find(|(s, _)| name.contains(s)).map(|(_, k)| *k)
}

/// Whether a call of `f` is a request.
pub fn is_request(f: Function) -> bool {
    kind(f).is_some()
}

/// All request calls of the module, in order.
pub fn calls(module: Module) -> Vec<Value> {
    let mut calls = vec![];
    for f in module.functions().into_iter().filter(|f| kind(*f).is_some()) {
        let is_call = |u: &Value| {
            u.is_instruction() && matches!(u.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke) && u.called() == f.value()
        };
        calls.extend(f.value().users().into_iter().filter(is_call).collect::<Vec<_>>().into_iter().rev());
    }
    calls
}

/// How diagnostics name the request.
pub fn origin(call: Value) -> Origin {
    let called = call.called().name();
    let within = call.block().function().name();
    Origin { call: Some(call), text: format!("call of {called} in function '{within}'") }
}

/// A request in a scope with destructors is an invoke. What it becomes does not throw: it is a call.
pub fn as_call(request: Value) -> Value {
    if request.opcode() == Opcode::LLVMInvoke { request.invoke_to_call() } else { request }
}

/// Replaces a request by its derivative.
pub fn lower(session: &mut Session, call: Value) -> Result<(), Vec<Diagnostic>> {
    let request = Request::read(session, call).map_err(|d| vec![d])?;
    request.check_globals(session).map_err(|d| vec![d])?;
    let b = Builder::new(session.module.context());
    b.position_before(call);
    let result = match request.kind {
        Kind::Tangent => request.tangent(session, &b)?,
        _ => request.adjoint(session, &b)?,
    };
    if let Some(result) = result {
        call.replace_uses(result);
    }
    erase(call);
    Ok(())
}

/// Takes a request that failed out of the code: the compilation fails, and says no more of it.
pub fn erase(call: Value) {
    if !call.ty().is_void() {
        call.replace_uses(call.ty().poison());
    }
    call.erase();
}

struct Request {
    call: Value,
    kind: Kind,
    function: Function,
    sret: Option<Value>,
    params: Vec<Param>,
    /// Parameters whose primal memory nobody reads afterwards.
    unneeded: Vec<bool>,
    primals: Vec<Value>,
    /// Shadows and derivatives of active parameters, in order; none for by-value ones in adjoint mode.
    shadows: Vec<Value>,
}

impl Request {
    fn read(session: &Session, call: Value) -> Result<Request, Diagnostic> {
        let callee = call.called().as_function().expect("requests are calls by name");
        let kind = kind(callee).expect("requests are found by their names");
        let fail = |code, reason: String, remedy: &str| Err(Diagnostic::new(code, Some(call), reason, remedy));
        if let Kind::Later(what) = kind {
            let text = format!("'{}': {what} is not supported yet", callee.name());
            return fail(Code::RequestUnsupported, text, "use __ad_tangent or __ad_adjoint");
        }
        let sret = call.call_sret().map(|_| call.operand(0));
        let mut args = (usize::from(sret.is_some())..call.argument_count()).map(|i| call.operand(i)).peekable();
        let Some(function) = args.next().and_then(function_of) else {
            return fail(
                Code::RequestFunction,
                format!("the first argument of '{}' is not the name of a function", callee.name()),
                "pass the function itself, cast to void * where the prototype wants it",
            );
        };
        if function.is_declaration() {
            return fail(
                Code::RequestFunction,
                format!("function '{}' has no body in this file", function.name()),
                "define it in the same file, or include its source",
            );
        }
        let b = Builder::new(session.module.context());
        b.position_before(call);
        let mut request =
            Request { call, kind, function, sret, params: vec![], unneeded: vec![], primals: vec![], shadows: vec![] };
        let types = function.ty().function_params();
        for (i, &ty) in types.iter().enumerate() {
            if function.param_type_attribute(i, "byval").is_some() || function.param_type_attribute(i, "sret").is_some() {
                let text = format!("'{}' takes or returns a struct by value: not supported yet", function.name());
                return fail(Code::RequestUnsupported, text, "pass a pointer to the struct");
            }
            let said = request.markers(&mut args)?;
            if said != Some(Marker::Const) && !ty.is_pointer() && !ty.is_int() && !ty.is_float() {
                let text = format!("argument {} of '{}' has type {ty}: not differentiated yet", i + 1, function.name());
                return fail(Code::Type, text, "mark it ad_const, or pass float or double values or a pointer");
            }
            let is_pointer = ty.is_pointer();
            let is_real = ty.is_float();
            let adjoint = kind == Kind::Adjoint;
            let activity = match said {
                None if is_pointer => Marker::Dup,
                None if is_real && adjoint => Marker::Out,
                None if is_real => Marker::Dup,
                None => Marker::Const,
                Some(m) => m,
            };
            let misplaced = match activity {
                Marker::Const => None,
                Marker::Dup | Marker::DupNoNeed if is_pointer || (is_real && !adjoint) => None,
                Marker::Out if is_real && adjoint => None,
                Marker::Dup | Marker::DupNoNeed if is_real => Some("a by-value argument has no shadow in adjoint mode: its adjoint is returned"),
                Marker::Out if is_pointer => Some("ad_out is for by-value floating-point arguments; a pointer is ad_dup"),
                Marker::Out if is_real => Some("ad_out has no meaning in tangent mode"),
                _ => Some("this argument is neither a pointer nor a floating-point value"),
            };
            if let Some(why) = misplaced {
                let text = format!("marker before argument {} of '{}': {why}", i + 1, function.name());
                return fail(Code::RequestMarker, text, "use ad_dup for pointers, ad_out (adjoint) or ad_dup (tangent) for values, ad_const for all else");
            }
            let primal = request.argument(&b, &mut args, ty, i, "value")?;
            request.primals.push(primal);
            request.params.push(match activity {
                Marker::Const => Param::Const,
                _ if is_pointer => Param::Shadowed,
                _ => Param::Active,
            });
            request.unneeded.push(activity == Marker::DupNoNeed);
            if matches!(activity, Marker::Dup | Marker::DupNoNeed) {
                let shadow = request.argument(&b, &mut args, ty, i, "shadow")?;
                request.shadows.push(shadow);
            }
        }
        if args.peek().is_some() {
            let text = format!(
                "{} argument(s) too many for '{}' with {} parameter(s)",
                args.count(),
                function.name(),
                types.len()
            );
            return fail(Code::RequestArguments, text, "pass each value once, and a shadow after each ad_dup");
        }
        Ok(request)
    }

    /// The marker before the next argument, if any.
    fn markers(&self, args: &mut std::iter::Peekable<impl Iterator<Item = Value>>) -> Result<Option<Marker>, Diagnostic> {
        let mut said = None;
        while let Some((name, marker)) = args.peek().copied().and_then(marker_of) {
            args.next();
            let fail = |code, text: String| Err(Diagnostic::new(code, Some(self.call), text, "see docs/user-guide.md for the markers"));
            match marker {
                Marker::Later => return fail(Code::RequestUnsupported, format!("marker '{name}' is not supported yet")),
                Marker::Width => match args.next().and_then(|n| n.as_int()) {
                    Some(1) => {}
                    Some(n) => return fail(Code::RequestUnsupported, format!("{n} directions at once are not supported yet")),
                    None => return fail(Code::RequestMarker, format!("'{name}' is not followed by a constant number")),
                },
                m if said.is_none() => said = Some(m),
                _ => return fail(Code::RequestMarker, format!("marker '{name}' follows another marker")),
            }
        }
        Ok(said)
    }

    fn argument(
        &self,
        b: &Builder,
        args: &mut std::iter::Peekable<impl Iterator<Item = Value>>,
        ty: crate::llvm::Type,
        i: usize,
        what: &str,
    ) -> Result<Value, Diagnostic> {
        let fail = |text: String| {
            Err(Diagnostic::new(
                Code::RequestArguments,
                Some(self.call),
                text,
                "pass each value once, and a shadow after each ad_dup; mark arguments that have no shadow with ad_const",
            ))
        };
        let of = format!("the {what} of argument {} of '{}'", i + 1, self.function.name());
        match args.next() {
            None => fail(format!("{of} is missing")),
            Some(v) if marker_of(v).is_some() => fail(format!("{of} is missing: a marker stands in its place")),
            Some(v) => match signature::convert(b, v, ty) {
                Some(v) => Ok(v),
                None => fail(format!("{of} has type {}, but {} is expected", v.ty(), ty)),
            },
        }
    }

    /// A global variable that is an active argument must not be reached by its name as well: there it counts as constant.
    fn check_globals(&self, session: &mut Session) -> Result<(), Diagnostic> {
        let unit = session.unit(self.function)?;
        for (i, primal) in self.primals.iter().enumerate().filter(|(i, _)| self.params[*i] == Param::Shadowed) {
            let Some(global) = global_of(*primal) else { continue };
            let by_name = unit.body.value_ids().find(|&v| unit.body[v].llvm == Some(global));
            if by_name.is_some() {
                let text = format!(
                    "argument {} of '{}' is the global variable '{}', which the function also reaches by its name",
                    i + 1,
                    self.function.name(),
                    global.name()
                );
                let remedy = "use the argument alone inside the function, or give it a copy of the variable";
                return Err(Diagnostic::new(Code::InactiveMemory, Some(self.call), text, remedy));
            }
        }
        Ok(())
    }

    fn context(&self) -> Context {
        Context::of_request(&self.unneeded)
    }

    fn tangent(&self, session: &mut Session, b: &Builder) -> Result<Option<Value>, Vec<Diagnostic>> {
        let f = session.tangent(self.function, &self.params, self.context())?;
        let mut args = self.primals.clone();
        args.extend(&self.shadows);
        let call = b.call(f, &args);
        let result = self.function.ty().function_result();
        if result.is_float() {
            let derivative = b.extract(call, 1);
            return self.returned(session, b, &[derivative]);
        }
        self.returned(session, b, &[])
    }

    fn adjoint(&self, session: &mut Session, b: &Builder) -> Result<Option<Value>, Vec<Diagnostic>> {
        let gradient = wrapper::gradient(session, self.function, &self.params, &self.context())?;
        let mut args = self.primals.clone();
        args.extend(&self.shadows);
        if gradient.has_seed {
            args.push(self.function.ty().function_result().real(1.0));
        }
        let call = b.call(gradient.function, &args);
        let count = self.params.iter().filter(|p| **p == Param::Active).count();
        let adjoints: Vec<Value> = (0..count).map(|i| b.extract(call, i as u32)).collect();
        self.returned(session, b, &adjoints)
    }

    /// The values as the request's prototype returns them.
    fn returned(&self, session: &Session, b: &Builder, values: &[Value]) -> Result<Option<Value>, Vec<Diagnostic>> {
        let module = session.module;
        let ty = self.call.ty();
        let fail = |what: String| {
            let text = format!("'{}' returns {what}", self.call.called().name());
            let remedy = "declare a prototype whose result is the adjoint, or a struct of the adjoints in order \
                          (docs/user-guide.md, section Requests)";
            Err(vec![Diagnostic::new(Code::RequestResult, Some(self.call), text, remedy)])
        };
        if let Some(at) = self.sret {
            let of = self.call.call_sret().expect("it has an sret argument");
            if values.is_empty() || !signature::store_at(module, b, values, at, of) {
                return fail(format!("{} value(s), but the prototype's struct is {of}", values.len()));
            }
            return Ok(None);
        }
        if ty.is_void() || self.call.users().is_empty() {
            return Ok(None);
        }
        if let [one] = values
            && one.ty().is_float()
            && ty.is_float()
        {
            return Ok(Some(b.float_cast(*one, ty)));
        }
        if values.is_empty() {
            return fail("nothing (no active by-value argument), but its result is used".into());
        }
        match signature::reinterpret(module, b, values, ty) {
            Some(v) => Ok(Some(v)),
            None => fail(format!("{} value(s), which do not fit the prototype's {ty}", values.len())),
        }
    }
}

/// The function whose address a value is, through casts and stack variables written once (code at -O0).
fn function_of(value: Value) -> Option<Function> {
    if let Some(f) = value.as_function() {
        return Some(f);
    }
    if value.is_instruction() && value.opcode() == Opcode::LLVMLoad {
        let slot = value.operand(0);
        if slot.is_instruction() && slot.opcode() == Opcode::LLVMAlloca {
            let mut stored = slot.users().into_iter().filter(|u| u.opcode() == Opcode::LLVMStore);
            let (Some(store), None) = (stored.next(), stored.next()) else { return None };
            return (store.operand(1) == slot).then(|| function_of(store.operand(0))).flatten();
        }
    }
    None
}

/// The mutable global variable into which an address leads by constant steps.
fn global_of(address: Value) -> Option<Value> {
    let mut at = address;
    loop {
        if at.is_global_variable() {
            return (!at.is_global_constant()).then_some(at);
        }
        let steps = match at.const_opcode() {
            Some(op) => op == Opcode::LLVMGetElementPtr,
            None => at.is_instruction() && at.opcode() == Opcode::LLVMGetElementPtr,
        };
        if !steps {
            return None;
        }
        at = at.operand(0);
    }
}

/// The marker that a value is: a load of one of the undefined integers.
fn marker_of(value: Value) -> Option<(String, Marker)> {
    if !value.is_instruction() || value.opcode() != Opcode::LLVMLoad {
        return None;
    }
    let source = value.operand(0);
    if !source.is_global_variable() {
        return None;
    }
    let name = source.name();
    MARKERS.iter().find(|(n, _)| *n == name).map(|(_, m)| (name.clone(), *m))
}

/// Deletes loads of markers, markers and request functions that nothing uses any more.
pub fn erase_markers(module: Module) {
    for g in module.globals() {
        let name = g.name();
        if MARKERS.iter().any(|(n, _)| *n == name) {
            for user in g.users() {
                if user.is_instruction() && user.opcode() == Opcode::LLVMLoad && user.users().is_empty() {
                    user.erase();
                }
            }
            if g.users().is_empty() {
                g.delete_global();
            }
        }
    }
    for f in module.functions() {
        if kind(f).is_some() && f.value().users().is_empty() {
            f.delete();
        }
    }
}

/// Globals whose names ask for something that is not supported yet: ignoring them would change derivatives.
pub fn unsupported_globals(module: Module) -> Option<(Origin, Vec<Diagnostic>)> {
    let names = module.globals().into_iter().map(|g| g.name());
    let found: Vec<Diagnostic> = names
        .filter(|n| GLOBAL_SPELLINGS.iter().any(|s| n.contains(s)))
        .map(|n| {
            let text = format!("'{n}': custom derivatives, inactive functions and globals are not supported yet");
            Diagnostic::new(Code::RequestUnsupported, None, text, "remove the declaration, and give the function a body")
        })
        .collect();
    (!found.is_empty()).then(|| (Origin { call: None, text: "global declarations".into() }, found))
}
