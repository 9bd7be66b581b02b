//! Split mode: the two sweeps as requests of their own, with a tape between them.
//!
//! Both requests on one function with the same markers lead to the same pair of sweeps. Whatever happens between them is
//! not known, so they rely on nothing.

use super::{Request, result::Item};
use crate::{
    adjoint::{self, recording},
    analysis::context::Context,
    diag::{Code, Diagnostic},
    globals::{self, Settled},
    llvm::{Builder, Value},
    session::Session,
};
use std::rc::Rc;

/// Bytes of a tape in memory of the user's: it is one pointer.
pub(super) const TAPE_BYTES: i64 = 8;

impl Request {
    /// The sweeps, and what each of them does about global variables when it starts: another request may have used the
    /// shadows in between.
    fn pair(&self, session: &mut Session) -> Result<(Rc<adjoint::Pair>, Settled), Vec<Diagnostic>> {
        let unknown = Context::unknown(self.params.len());
        let mut globals = globals::settle(session, self.function, &self.params, &unknown)?;
        let pair = session.adjoint(self.function, &self.params, globals.context.without_claims());
        let pair = globals.check(pair)?;
        Ok((pair, globals))
    }

    /// The forward sweep: a tape, and the primal result where the prototype has room for it.
    pub(super) fn augmented(&self, session: &mut Session, b: &Builder) -> Result<Option<Value>, Vec<Diagnostic>> {
        let (pair, globals) = self.pair(session)?;
        let module = session.module;
        globals.emit_begin(module, b, &self.primals);
        let token = recording::begin(module, b);
        let mut args = self.primals.clone();
        args.extend(&self.shadows);
        let swept = b.call(pair.forward, &args);
        let is_void = self.function.ty().function_result().is_void();
        let frame = if is_void { swept } else { b.extract(swept, 1) };
        let tape = recording::end(module, b, token, frame, pair.reverse, &self.shadows);
        let result = (!is_void).then(|| self.result(b, b.extract(swept, 0)));
        if let Some(at) = self.tape {
            b.store(tape, at);
            return self.returned(session, b, &result.into_iter().collect::<Vec<_>>());
        }
        let ty = self.sret.and_then(|_| self.call.call_sret()).unwrap_or(self.call.ty());
        let values = match result {
            Some(result) if ty.is_struct() => vec![Item::Value(tape), result],
            _ => vec![Item::Value(tape)],
        };
        self.returned(session, b, &values)
    }

    /// The reverse sweep: adjoints of the active by-value arguments.
    pub(super) fn reverse(&self, session: &mut Session, b: &Builder) -> Result<Option<Value>, Vec<Diagnostic>> {
        let (pair, globals) = self.pair(session)?;
        let module = session.module;
        globals.emit_begin(module, b, &self.primals);
        let Some(mut tape) = self.tape else {
            let text = format!("'{}' is given no tape", self.call.called().name());
            let remedy = "pass what the forward sweep returned as the last argument";
            return Err(vec![Diagnostic::new(Code::RequestArguments, Some(self.call), text, remedy)]);
        };
        if self.allocated {
            tape = b.load(module.context().ptr(), tape);
        }
        let frame = recording::read(module, b, tape, pair.reverse, &self.shadows);
        let mut args = vec![frame];
        args.extend(self.seed);
        let swept = b.call(pair.reverse, &args);
        recording::release(module, b, tape);
        let adjoints = self.gained(b, swept, 0);
        self.returned(session, b, &adjoints)
    }
}
