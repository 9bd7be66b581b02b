//! Split mode: the two sweeps as requests of their own, with a tape between them.
//!
//! Both requests on one function with the same markers lead to the same pair of sweeps. Whatever
//! happens between them is not known, so they rely on nothing.

use super::{Request, TapeStorage, result::Item};
use crate::{
    codegen::{
        adjoint::{FrameStorage, Pair, recording},
        files,
        globals::{self, Settled, Start},
        unwinding,
    },
    diagnostics::{Code, Diagnostic},
    frontend::Host,
    llvm::{Builder, Function, Module, Type, Value},
};
use adanalysis::context::Context;
use adir::target;
use std::rc::Rc;

/// Bytes of a tape in memory of the user's: it is one pointer.
pub(super) fn tape_bytes() -> i64 {
    target::pointer() as i64
}

/// A forward sweep that is recorded.
struct Recorded {
    /// The recording that is under way.
    token: Value,
    /// What the end of the request is given.
    began: Option<Value>,
    call: Value,
    tape: Value,
    /// The primal result.
    result: Option<Value>,
}

impl Request {
    /// The sweeps, and what each of them does about global variables when it starts: another
    /// request may have used the shadows in between.
    fn pair(&self, host: &mut dyn Host) -> Result<(Rc<Pair>, Settled), Vec<Diagnostic>> {
        let activities = self.activities();
        let unknown = Context::unknown(activities.len()).with_hidden(self.hidden());
        let mut globals = globals::settle(host, self.function, &activities, &unknown, self.width)?;
        globals.check_directions(self.function, self.width)?;
        let context = globals
            .context
            .without_claims()
            .with_own_rest(globals.context.rest_own)
            .with_private(vec![true; activities.len()]);
        let pair =
            host.adjoint(self.function, &activities, context, self.width, FrameStorage::Arena);
        let pair = globals.check(pair)?;
        Ok((pair, globals))
    }

    /// The forward sweep: a tape, and the primal result where the prototype has room for it.
    pub(super) fn augmented(
        &self,
        host: &mut dyn Host,
        b: &Builder,
    ) -> Result<Option<Value>, Vec<Diagnostic>> {
        let (pair, globals) = self.pair(host)?;
        let module = host.module();
        self.check_shadows(host, b, pair.forward)?;
        self.validate(host, b, None, None)?;
        globals.emit_begin(module, b, &self.primals(), Start::Forward(&self.shadows()));
        let args = self.given();
        let (tape, result) = if unwinding::may_leave(module, pair.forward) {
            // A function of its own, which exceptions leave as they leave the user's.
            let f = self.recorder(host, &pair);
            host.finish(f)?;
            let call = b.call(f, &args);
            (b.extract(call, 0), self.has_result().then(|| b.extract(call, 1)))
        } else {
            let recorded = self.record(module, b, &pair, &args);
            (recorded.tape, recorded.result)
        };
        globals.emit_end(module, b);
        let result = result.map(|r| self.result(b, r));
        let result = result.filter(|_| self.returns_primal != Some(false));
        if let Some(at) = self.tape {
            b.store(tape, at);
            return self.returned(host, b, &result.into_iter().collect::<Vec<_>>());
        }
        let ty = self.sret.and_then(|_| self.call.call_sret()).unwrap_or(self.call.ty());
        let values = match result.filter(|_| self.returns_primal.unwrap_or(ty.is_struct())) {
            Some(result) => vec![Item::Value(tape), result],
            None => vec![Item::Value(tape)],
        };
        self.returned(host, b, &values)
    }

    /// Whether the function returns anything.
    pub(super) fn has_result(&self) -> bool {
        !self.function.ty().function_result().is_void()
    }

    /// Emits the recording of a forward sweep.
    fn record(&self, module: Module, b: &Builder, pair: &Pair, args: &[Value]) -> Recorded {
        let token = recording::begin(module, b, self.function);
        let began = files::begin(module, b);
        let call = b.call(pair.forward, args);
        files::end(module, b, began);
        let frame = if self.has_result() { b.extract(call, 1) } else { call };
        let shadows = &args[self.parameters.len()..];
        let tape = recording::end(module, b, token, frame, pair.reverse, shadows);
        let result = self.has_result().then(|| b.extract(call, 0));
        Recorded { token, began, call, tape, result }
    }

    /// A function that records and returns {tape[, result]}. What an exception leaves unfinished is
    /// given up.
    fn recorder(&self, host: &dyn Host, pair: &Pair) -> Function {
        let module = host.module();
        let context = module.context();
        let mut types = self.function.ty().function_params();
        types.extend(self.shadows().iter().map(|s| s.ty()));
        let mut returned = vec![context.ptr()];
        if self.has_result() {
            returned.push(self.function.ty().function_result());
        }
        let ty = Type::function(context.structure(&returned), &types, false);
        let f =
            host.new_function(&format!("{}.augmented", self.function.name()), ty, self.function);
        let b = Builder::at_end(context, f.append_block("entry"));
        let Recorded { token, began, call, tape, result } =
            self.record(module, &b, pair, &f.params());
        let all = b.insert_value(context.structure(&returned).poison(), tape, 0);
        b.ret(result.map_or(all, |r| b.insert_value(all, r, 1)));
        let call = unwinding::guard_recording(module, pair.forward, call, token);
        unwinding::guard_files(module, pair.forward, call, began);
        f
    }

    /// The reverse sweep: adjoints of the active by-value arguments.
    pub(super) fn reverse(
        &self,
        host: &mut dyn Host,
        b: &Builder,
    ) -> Result<Option<Value>, Vec<Diagnostic>> {
        let (pair, globals) = self.pair(host)?;
        let module = host.module();
        globals.emit_begin(module, b, &self.primals(), Start::Reverse);
        let Some(mut tape) = self.tape else {
            let text = format!(
                "'{}' needs the tape of the forward sweep, but the request passes \
                none",
                self.call.called().name()
            );
            let remedy = "pass what the forward sweep returned as the last argument";
            return Err(vec![Diagnostic::new(
                Code::RequestArguments,
                Some(self.call),
                text,
                remedy,
            )]);
        };
        if self.storage == TapeStorage::UserMemory {
            tape = b.load(module.context().ptr(), tape);
        }
        let frame = recording::read(module, b, tape, pair.reverse, &self.shadows());
        let mut args = vec![frame];
        args.extend(&self.seeds);
        let swept = b.call(pair.reverse, &args);
        globals.emit_end(module, b);
        recording::release(module, b, tape);
        let adjoints = self.gained(b, swept, 0);
        self.returned(host, b, &adjoints)
    }
}
