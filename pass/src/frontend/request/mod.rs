//! Requests in the source: calls to functions without definition, read and replaced.

mod arguments;
pub mod declared;
mod fit;
mod markers;
pub mod memory;
mod options;
mod read;
mod result;
mod shadows;
mod spelling;
mod split;
mod trace;
mod unknown;

use crate::{
    annotations::requests::{RequestKind, kind},
    codegen::{
        inner,
        prebuilt::{objects, runtime::Runtime},
        tangent::Carried,
        validate, wrapper,
    },
    diagnostics::{Code, Diagnostic, Origin, names::readable},
    frontend::{
        Host,
        by_value::{Layout, Shape},
        escapes,
    },
    llvm::{Builder, Function, Module, Opcode, Value},
};
use adanalysis::{activity::Param, context::Context};
use adir::ValueId;
pub use read::{asked_of, known_arguments, subject};
pub use result::is_unread;
use std::rc::Rc;
pub use unknown::{uncalled, unknown};

/// Lets functions be inlined that are given markers for their requests. Whether there are any.
pub fn inline_forwarders(module: Module) -> bool {
    markers::inline_forwarders(module)
}

/// Keeps markers from being replaced by their values. Whether there are any that might be.
pub fn keep_markers(module: Module) -> bool {
    markers::keep(module)
}

/// Undoes [`keep_markers`]. Whether there is anything to undo.
pub fn release_markers(module: Module) -> bool {
    markers::release(module)
}

/// Whether a global variable is a marker.
pub fn is_marker(global: Value) -> bool {
    markers::is_marker(global)
}

/// All request calls of the module, in order.
pub fn calls(module: Module) -> Vec<Value> {
    let mut calls = vec![];
    for f in module.functions().into_iter().filter(|f| kind(*f).is_some()) {
        let is_call = |u: &Value| {
            u.is_instruction()
                && matches!(u.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
                && u.called() == f.value()
        };
        calls.extend(
            f.value().users().into_iter().filter(is_call).collect::<Vec<_>>().into_iter().rev(),
        );
    }
    calls
}

/// The function of the source in which a request stood that stayed open until the link.
const OPENED_IN: &str = "adcc.opened_in";

/// How diagnostics name the request.
pub fn origin(call: Value) -> Origin {
    let called = call.called().name();
    let within = call.block().function();
    let within = within.attribute_string(OPENED_IN).unwrap_or_else(|| within.name());
    Origin { call: Some(call), text: format!("call of {called} in function '{within}'") }
}

/// Replaces a request by its derivative.
pub fn lower(host: &mut dyn Host, call: Value) -> Result<(), Vec<Diagnostic>> {
    if call.called().as_function().and_then(kind) == Some(RequestKind::TapeSize) {
        if call.ty().is_int() {
            call.replace_uses(call.ty().int(split::tape_bytes() as u64));
        }
        erase(call);
        return Ok(());
    }
    if call.called().as_function().and_then(kind) == Some(RequestKind::FunctionShadow) {
        // Calls in differentiated code look at the pointer of the primal, and functions are their
        // own shadows.
        let given =
            (call.argument_count() == 1).then(|| call.operand(0)).filter(|p| p.ty() == call.ty());
        let Some(function) = given else {
            let text =
                format!("'{}' must take a pointer and return a pointer", call.called().name());
            return Err(vec![Diagnostic::new(
                Code::RequestArguments,
                Some(call),
                text,
                "declare it as void *(void *)",
            )]);
        };
        call.replace_uses(function);
        erase(call);
        return Ok(());
    }
    let request = Request::read(host, call).map_err(|d| vec![d])?;
    request.check_globals(host).map_err(|d| vec![d])?;
    request.check_registers(host).map_err(|d| vec![d])?;
    request.check_inner(host).map_err(|d| vec![d])?;
    let b = Builder::new(host.module().context());
    b.position_before(call);
    b.locate(call.debug_location());
    let described = match objects::are_needed(host.module()) {
        true => objects::describe_arguments(host.module(), &b, request.pointers()),
        false => 0,
    };
    let result = match request.kind {
        RequestKind::Tangent => request.tangent(host, &b)?,
        RequestKind::Pattern => request.pattern(host, &b)?,
        RequestKind::Adjoint => request.adjoint(host, &b)?,
        RequestKind::Augmented => request.augmented(host, &b)?,
        RequestKind::Reverse => request.reverse(host, &b)?,
        RequestKind::TapeSize | RequestKind::FunctionShadow | RequestKind::Later(_) => {
            unreachable!("settled when it was read")
        }
    };
    if described > 0 {
        Runtime { module: host.module(), b: &b }.object_pop(described);
    }
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
    kind: RequestKind,
    /// The function that the user named.
    named: Function,
    /// What is differentiated: the same, or one of scalars in its place.
    function: Function,
    /// What the user's function takes and returns.
    shape: Rc<Shape>,
    sret: Option<Value>,
    /// What each parameter of the differentiated function is given, in order.
    parameters: Vec<Parameter>,
    /// Where adjoints of by-value arguments go.
    gains: Vec<Gain>,
    /// Split mode: the tape, or memory for it.
    tape: Option<Value>,
    storage: TapeStorage,
    /// Reverse sweep, and results with members: the adjoints of the result, one for each direction;
    /// or none.
    seeds: Vec<Value>,
    /// Whether the request returns the primal result, if a marker says so.
    returns_primal: Option<bool>,
    /// What markers say of the result.
    result: ResultActivity,
    /// Number of directions.
    width: usize,
    /// Arguments that are empty classes by value and were not met yet: their markers have nothing
    /// behind them.
    empty: usize,
}

/// A parameter of the differentiated function.
struct Parameter {
    /// The argument of the user's function to which it belongs.
    argument: usize,
    primal: Value,
    activity: Param,
    /// Its shadows or tangents, one for each direction; none of constants, nor of by-value ones in
    /// adjoint mode.
    shadows: Vec<Value>,
    /// Whether the user marked the argument.
    is_marked: bool,
    /// Whether somebody reads its primal memory afterwards.
    is_needed: bool,
}

/// Where the tape is between both sweeps of split mode.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TapeStorage {
    /// The forward sweep returns it.
    Returned,
    /// In memory of the user's.
    UserMemory,
}

/// What markers say of the result of the differentiated function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ResultActivity {
    Unsaid,
    /// It has no derivative, and adjoint 0.
    Const,
    /// It has adjoint 1.
    Active,
    /// Its derivative is returned.
    Dup,
}

/// Where the adjoints of an active by-value argument go.
enum Gain {
    /// They are one number, which is returned.
    Number,
    /// They are returned as a value of the same layout.
    Members(Layout),
    /// They are added to the user's memory, in each direction to another.
    Memory(Layout, Vec<Value>),
}

impl Request {
    /// A small struct that comes in an integer register beside a real is not constant unless the
    /// user says so.
    fn check_registers(&self, host: &mut dyn Host) -> Result<(), Diagnostic> {
        let unit = host.unit(self.function)?;
        let hides = |(p, v): &(&Parameter, &ValueId)| {
            !p.is_marked && p.activity == Param::Const && unit.bits.has_reals(**v)
        };
        let mut parameters = self.parameters.iter().zip(&unit.body.params);
        let Some((hidden, _)) = parameters.find(hides) else { return Ok(()) };
        let text = format!(
            "argument {} of '{}' is a struct that holds a real and is passed in an integer \
            register: the derivative would treat it as constant",
            hidden.argument + 1,
            self.named.name()
        );
        let remedy = "pass a pointer to the struct, or mark the argument ad_const";
        Err(Diagnostic::new(Code::Type, Some(self.call), text, remedy))
    }

    /// A global variable that is an active argument must not be reached by its name as well: there
    /// it has another shadow, or none.
    fn check_globals(&self, host: &mut dyn Host) -> Result<(), Diagnostic> {
        let unit = host.unit(self.function)?;
        for p in self.parameters.iter().filter(|p| p.activity == Param::Shadowed) {
            let Some(global) = global_of(p.primal) else { continue };
            let by_name = unit.body.value_ids().find(|&v| unit.body.llvm(v) == global);
            if by_name.is_some() {
                let text = format!(
                    "argument {} of '{}' is the global variable '{}', which the function also uses \
                    by name: the variable would have two shadows",
                    p.argument + 1,
                    self.named.name(),
                    global.name()
                );
                let remedy =
                    "inside the function, use only the argument; or pass a copy of the variable";
                return Err(Diagnostic::new(Code::InactiveMemory, Some(self.call), text, remedy));
            }
        }
        Ok(())
    }

    /// Pointers that are given, and their shadows: in the first direction.
    fn pointers(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.parameters.iter().filter_map(|p| Some((&p.primal, p.shadows.first()?)))
    }

    fn activities(&self) -> Vec<Param> {
        self.parameters.iter().map(|p| p.activity).collect()
    }

    fn primals(&self) -> Vec<Value> {
        self.parameters.iter().map(|p| p.primal).collect()
    }

    /// Shadows and tangents of all parameters, those of one for all directions side by side.
    fn shadows(&self) -> Vec<Value> {
        self.parameters.iter().flat_map(|p| &p.shadows).copied().collect()
    }

    /// The primals, then the shadows, as derivatives take them.
    fn given(&self) -> Vec<Value> {
        [self.primals(), self.shadows()].concat()
    }

    /// Parameters whose memory is unknown to foreign code when the request starts.
    fn hidden(&self) -> Vec<bool> {
        let is_hidden = |p: Value| p.ty().is_pointer() && escapes::is_argument_hidden(p);
        self.parameters.iter().map(|p| is_hidden(p.primal)).collect()
    }

    fn context(&self) -> Context {
        let unneeded: Vec<bool> = self.parameters.iter().map(|p| !p.is_needed).collect();
        Context::of_request(&unneeded).with_hidden(self.hidden())
    }

    /// Whether other requests differentiate the code in which this one stands.
    fn is_inner(&self, host: &mut dyn Host) -> bool {
        host.inner().requests.contains(&self.call)
    }

    /// Refuses forms of requests that cannot stand in differentiated code yet.
    fn check_inner(&self, host: &mut dyn Host) -> Result<(), Diagnostic> {
        if !self.is_inner(host) {
            return Ok(());
        }
        let result = self.function.ty().function_result();
        let what = match self.kind {
            RequestKind::Tangent | RequestKind::Pattern => return Ok(()),
            RequestKind::Adjoint if result.is_struct() || result.is_vector() => {
                "an adjoint of a function that returns several reals"
            }
            RequestKind::Adjoint => return Ok(()),
            _ => "an adjoint in two sweeps",
        };
        let text = format!(
            "other requests differentiate the code that asks for {what}: not supported yet"
        );
        let remedy = "ask for a tangent there, or for an adjoint in one sweep";
        Err(Diagnostic::new(Code::RequestUnsupported, Some(self.call), text, remedy))
    }

    fn tangent(&self, host: &mut dyn Host, b: &Builder) -> Result<Option<Value>, Vec<Diagnostic>> {
        let f = self.carrying(host, Carried::Derivatives(self.width))?;
        self.check_shadows(host, b, f)?;
        self.validate(host, b, Some(f), None)?;
        self.forward(host, b, f)
    }

    /// A tangent that carries sets of inputs; there are no directions.
    fn pattern(&self, host: &mut dyn Host, b: &Builder) -> Result<Option<Value>, Vec<Diagnostic>> {
        if self.width > 1 {
            let text = "a pattern has no directions: its sets hold all inputs".to_string();
            let remedy = "remove ad_width from the request";
            let found = Diagnostic::new(Code::RequestUnsupported, Some(self.call), text, remedy);
            return Err(vec![found]);
        }
        let f = self.carrying(host, Carried::Sets)?;
        self.check_shadows(host, b, f)?;
        self.forward(host, b, f)
    }

    /// The tangent that carries that.
    fn carrying(&self, host: &mut dyn Host, carried: Carried) -> Result<Function, Vec<Diagnostic>> {
        wrapper::tangent(host, self.function, &self.activities(), &self.context(), carried)
    }

    /// Calls a tangent; what the request returns of it.
    fn forward(
        &self,
        host: &mut dyn Host,
        b: &Builder,
        f: Function,
    ) -> Result<Option<Value>, Vec<Diagnostic>> {
        let call = b.call(f, &self.given());
        let mut items = vec![];
        if self.returns_primal == Some(true) && self.has_result() {
            items.push(self.result(b, b.extract(call, 0)));
        }
        if self.has_tangent() {
            items.extend((0..self.width).map(|i| self.result(b, b.extract(call, 1 + i as u32))));
        }
        self.returned(host, b, &items)
    }

    /// Has derivatives validated before they are computed, where that is wanted.
    fn validate(
        &self,
        host: &mut dyn Host,
        b: &Builder,
        tangent: Option<Function>,
        gradient: Option<wrapper::Gradient>,
    ) -> Result<(), Vec<Diagnostic>> {
        if !host.config().validate {
            return Ok(());
        }
        let is_shadowed = |p: &&Parameter| p.activity == Param::Shadowed;
        let shadowed = self.parameters.iter().filter(is_shadowed);
        let shadows: Vec<Value> = shadowed.flat_map(|p| &p.shadows).copied().collect();
        let pointers = self.primals().into_iter().chain(shadows.iter().copied());
        let reads_memory = self.parameters.iter().all(|p| p.is_needed);
        let asked = validate::Asked {
            function: self.function,
            name: readable(&self.named.source_name()),
            params: &self.activities(),
            width: self.width,
            context: Context::of_request(&vec![false; self.parameters.len()])
                .with_hidden(self.hidden()),
            tangent: tangent.filter(|_| reads_memory),
            gradient: gradient.filter(|_| reads_memory),
            variables: [
                shadows::variables(b, pointers),
                shadows::stored_variables(self.call.block().function()),
            ]
            .concat(),
            primals: self.primals(),
            shadows,
            origin: &origin(self.call),
            is_variable: &|g| !is_marker(g),
        };
        validate::request(host, b, &asked)
    }

    fn adjoint(&self, host: &mut dyn Host, b: &Builder) -> Result<Option<Value>, Vec<Diagnostic>> {
        let context = self.context();
        let gradient = wrapper::gradient(
            host,
            self.function,
            &self.activities(),
            &context,
            self.width,
            self.returns_primal == Some(true),
        )?;
        self.check_shadows(host, b, gradient.function)?;
        self.validate(host, b, None, Some(gradient))?;
        let mut args = self.given();
        if gradient.has_seed {
            match self.seeds[..] {
                [] => args.extend(vec![self.function.ty().function_result().real(1.0); self.width]),
                ref seeds => args.extend(seeds),
            }
        }
        let call = if self.is_inner(host) {
            let (asked, activities) = (origin(self.call).text, self.activities());
            inner::call(host, b, (self.function, &activities), gradient, &args, asked)?
        } else {
            b.call(gradient.function, &args)
        };
        let mut items = vec![];
        if gradient.has_result {
            items.push(self.result(b, b.extract(call, 0)));
        }
        items.extend(self.gained(b, call, usize::from(gradient.has_result)));
        self.returned(host, b, &items)
    }
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

/// Deletes a load of a marker, and the stack variables that hold copies of it and nothing else.
fn erase_copies(load: Value) {
    for user in load.users() {
        if user.is_instruction() && user.opcode() == Opcode::LLVMStore && user.operand(0) == load {
            erase_variable(user.operand(1));
        }
    }
    if load.users().is_empty() {
        load.erase();
    }
}

/// Deletes a stack variable that held a marker or its address, if nothing but copies reads it.
fn erase_variable(slot: Value) {
    if !slot.is_instruction() || slot.opcode() != Opcode::LLVMAlloca {
        return;
    }
    for load in
        slot.users().into_iter().filter(|u| u.is_instruction() && u.opcode() == Opcode::LLVMLoad)
    {
        for inner in load.users().into_iter().filter(|u| {
            u.is_instruction() && u.opcode() == Opcode::LLVMLoad && u.operand(0) == load
        }) {
            erase_copies(inner);
        }
        erase_copies(load);
    }
    let users = slot.users();
    let is_store =
        |u: &Value| u.is_instruction() && u.opcode() == Opcode::LLVMStore && u.operand(1) == slot;
    if users.iter().all(is_store) {
        users.into_iter().for_each(Value::erase);
        slot.erase();
    }
}

/// Deletes loads of markers, markers and request functions that nothing uses any more.
pub fn erase_markers(module: Module) {
    for g in module.globals() {
        if markers::is_marker(g) {
            for user in g.users() {
                if user.is_instruction() && user.opcode() == Opcode::LLVMLoad {
                    erase_copies(user);
                } else if user.is_instruction()
                    && user.opcode() == Opcode::LLVMStore
                    && user.operand(0) == g
                {
                    erase_variable(user.operand(1));
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
