//! Reading a request: function, markers, values and shadows.

use super::{
    Kind, Request, kind,
    markers::{Marker, marker_of},
    split::TAPE_BYTES,
};
use crate::{
    analysis::activity::Param,
    diag::{Code, Diagnostic},
    llvm::{Builder, Function, Opcode, Value},
    registry,
    session::Session,
    signature,
};

/// Directions that one request may have.
const MOST_DIRECTIONS: i64 = 64;

impl Request {
    pub(super) fn read(session: &Session, call: Value) -> Result<Request, Diagnostic> {
        let callee = call.called().as_function().expect("requests are calls by name");
        let kind = kind(callee).expect("requests are found by their names");
        let fail = |code, reason: String, remedy: &str| Err(Diagnostic::new(code, Some(call), reason, remedy));
        if let Kind::Later(what) = kind {
            let text = format!("'{}': {what} is not supported yet", callee.name());
            return fail(Code::RequestUnsupported, text, "use __ad_tangent, __ad_adjoint, or __ad_augmented and __ad_reverse");
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
        if function.is_declaration() && registry::of(function).is_none() {
            return fail(
                Code::RequestFunction,
                format!("function '{}' has no body in this file", function.name()),
                "define it in the same file, or include its source",
            );
        }
        let b = Builder::new(session.module.context());
        b.position_before(call);
        let mut request = Request {
            call,
            kind,
            function,
            sret,
            params: vec![],
            unneeded: vec![],
            unsaid: vec![],
            primals: vec![],
            shadows: vec![],
            tape: None,
            allocated: false,
            seed: None,
            primal_return: false,
            width: 1,
        };
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
            let adjoint = kind != Kind::Tangent;
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
            request.unsaid.push(said.is_none());
            request.unneeded.push(activity == Marker::DupNoNeed);
            if matches!(activity, Marker::Dup | Marker::DupNoNeed) {
                for _ in 0..request.width {
                    let shadow = request.argument(&b, &mut args, ty, i, "shadow")?;
                    request.shadows.push(shadow);
                }
            }
        }
        request.after_arguments(&b, &mut args)?;
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

    /// Split mode: the adjoint of the result, and the tape.
    fn after_arguments(&mut self, b: &Builder, args: &mut std::iter::Peekable<impl Iterator<Item = Value>>) -> Result<(), Diagnostic> {
        let said = self.markers(args)?;
        let result = self.function.ty().function_result();
        let fail = |text: String, remedy: &str| Err(Diagnostic::new(Code::RequestArguments, Some(self.call), text, remedy));
        if let Some(m) = said {
            return fail(format!("a marker ({m:?}) follows the last argument"), "drop it");
        }
        if self.kind != Kind::Reverse {
            let takes_tape = self.kind == Kind::Augmented && self.allocated;
            if self.tape.is_some() && !takes_tape {
                return fail("a tape is given where none is taken".into(), "give it to the reverse sweep; or say how large its memory is (ad_allocated)");
            }
            return Ok(());
        }
        if result.is_float() {
            let remedy = "after the arguments comes the adjoint of the result, then the tape";
            let Some(seed) = args.next().filter(|v| v.ty().is_float()) else {
                return fail(format!("the adjoint of the result of '{}' is missing", self.function.name()), remedy);
            };
            self.seed = signature::convert(b, seed, result);
            if let Some(m) = self.markers(args)? {
                return Err(Diagnostic::new(Code::RequestArguments, Some(self.call), format!("a marker ({m:?}) follows the last argument"), "drop it"));
            }
        }
        if self.tape.is_none() {
            self.tape = args.next();
        }
        match self.tape {
            Some(tape) if !tape.ty().is_pointer() => {
                let text = format!("the tape has type {}, but a pointer is expected", tape.ty());
                Err(Diagnostic::new(Code::RequestArguments, Some(self.call), text, "pass what the forward sweep returned as the last argument"))
            }
            _ => Ok(()),
        }
    }

    /// The marker before the next argument, if any.
    fn markers(&mut self, args: &mut std::iter::Peekable<impl Iterator<Item = Value>>) -> Result<Option<Marker>, Diagnostic> {
        let mut said = None;
        while let Some((name, marker)) = args.peek().copied().and_then(marker_of) {
            args.next();
            let fail = |code, text: String| Err(Diagnostic::new(code, Some(self.call), text, "see docs/user-guide.md for the markers"));
            match marker {
                Marker::Later => return fail(Code::RequestUnsupported, format!("marker '{name}' is not supported yet")),
                Marker::Width => match args.next().and_then(|n| n.as_int()) {
                    Some(n) if !self.params.is_empty() && n != self.width as i64 => {
                        return fail(Code::RequestMarker, format!("'{name}' comes after the first argument"));
                    }
                    Some(n) if n > 1 && self.kind != Kind::Tangent => {
                        return fail(Code::RequestUnsupported, format!("{n} directions at once are not supported yet in adjoint mode"));
                    }
                    Some(n) if !(1..=MOST_DIRECTIONS).contains(&n) => {
                        return fail(Code::RequestMarker, format!("'{name}' is followed by {n}, but 1 to {MOST_DIRECTIONS} directions are possible"));
                    }
                    Some(n) => self.width = n as usize,
                    None => return fail(Code::RequestMarker, format!("'{name}' is not followed by a constant number")),
                },
                Marker::Tape => match args.next() {
                    Some(tape) if tape.ty().is_pointer() && self.kind.is_split() => self.tape = Some(tape),
                    Some(_) if self.kind.is_split() => return fail(Code::RequestMarker, format!("'{name}' is not followed by a pointer")),
                    _ => return fail(Code::RequestMarker, format!("'{name}' has a meaning in split mode only")),
                },
                Marker::Allocated => match args.next().and_then(|n| n.as_int()) {
                    _ if !self.kind.is_split() => return fail(Code::RequestMarker, format!("'{name}' has a meaning in split mode only")),
                    Some(n) if n >= TAPE_BYTES => self.allocated = true,
                    Some(n) => return fail(Code::RequestArguments, format!("{n} bytes for a tape that has {TAPE_BYTES}")),
                    None => return fail(Code::RequestMarker, format!("'{name}' is not followed by a constant number")),
                },
                Marker::PrimalReturn if self.kind.is_split() => {
                    return fail(Code::RequestMarker, format!("'{name}' has no meaning in split mode: the forward sweep returns the result behind the tape"));
                }
                Marker::PrimalReturn => self.primal_return = true,
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
}

/// The function that a request asks about, if there is anything to differentiate.
pub fn subject(call: Value) -> Option<Function> {
    let first = usize::from(call.call_sret().is_some());
    let function = (first < call.argument_count()).then(|| call.operand(first)).and_then(function_of)?;
    (!function.is_declaration() || registry::of(function).is_some()).then_some(function)
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
