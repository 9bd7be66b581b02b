//! Reading a request: function, markers, values and shadows.

use super::{
    Gain, Parameter, Request, Returns, TapeStorage,
    arguments::Arguments,
    markers::{MARKERS, Marker, misspelt_marker, unknown_marker},
    split::tape_bytes,
    trace,
};
use crate::{
    annotations::{
        registry,
        requests::{RequestKind, kind},
    },
    diagnostics::{Code, Diagnostic},
    frontend::{
        Host,
        by_value::{Argument, Layout, Piece, Returned},
    },
    llvm::{Builder, Function, Opcode, Type, Value, demangled},
};
use adanalysis::activity::Param;

/// Directions that one request may have.
const MOST_DIRECTIONS: i64 = 64;

/// The remedy for a marker at the wrong place.
const USES: &str = "use ad_dup for pointers, ad_out (adjoint) or ad_dup (tangent) for reals by \
    value, and ad_const for all other arguments";

impl Request {
    /// Reads a request. What is wrong with its arguments may come from a marker that is none.
    pub(super) fn read(host: &mut dyn Host, call: Value) -> Result<Request, Diagnostic> {
        Request::read_arguments(host, call).map_err(|d| {
            let arguments = (0..call.argument_count()).map(|i| call.operand(i));
            let slip = arguments
                .filter(|_| matches!(d.code, Code::RequestArguments | Code::RequestMarker))
                .find_map(misspelt_marker);
            let Some((name, near)) = slip else { return d };
            let text = format!("'{name}' is not a marker; did you mean '{near}'?");
            Diagnostic::new(
                Code::RequestName,
                Some(call),
                text,
                "see docs/reference/requests.md for the markers",
            )
        })
    }

    fn read_arguments(host: &mut dyn Host, call: Value) -> Result<Request, Diagnostic> {
        let callee = call.called().as_function().expect("requests are calls by name");
        let kind = kind(callee).expect("requests are found by their names");
        let fail = |code, reason: String, remedy: &str| {
            Err(Diagnostic::new(code, Some(call), reason, remedy))
        };
        if let RequestKind::Later(what) = kind {
            let text = format!("'{}': {what} is not supported yet", callee.name());
            return fail(
                Code::RequestUnsupported,
                text,
                "use __ad_tangent, __ad_adjoint, or __ad_augmented and __ad_reverse",
            );
        }
        // What forwards its arguments takes addresses of the user's pointers, not the pointers.
        if demangled(&callee.name())
            .is_some_and(|name| name.contains("*&") || name.contains("* const&"))
        {
            let text = format!(
                "'{}' takes a pointer by reference: the request would get the \
                address of the pointer",
                callee.name()
            );
            return fail(
                Code::RequestArguments,
                text,
                "declare its parameters by value: Args..., not Args &&...",
            );
        }
        let sret = call.call_sret().map(|_| call.operand(0));
        let mut args = Arguments::new(host.module(), call, usize::from(sret.is_some()));
        let Some(function) = args.next().and_then(function_of) else {
            return fail(
                Code::RequestFunction,
                format!("the first argument of '{}' is not the name of a function", callee.name()),
                "pass the function itself, cast to void * where the prototype requires it",
            );
        };
        if function.is_declaration() && registry::of(function).is_none() {
            return fail(
                Code::RequestFunction,
                format!("function '{}' has no body in this file", function.name()),
                "define it in the same file, or include its source",
            );
        }
        let b = Builder::new(host.module().context());
        b.position_before(call);
        let (differentiated, shape) =
            host.by_value(function).map_err(|d| Diagnostic { site: Some(call), ..d })?;
        let mut request = Request {
            call,
            kind,
            named: function,
            function: differentiated,
            sret,
            parameters: vec![],
            gains: vec![],
            tape: None,
            storage: TapeStorage::Returned,
            seeds: vec![],
            returns: Returns::Derivatives,
            width: 1,
            shape: shape.clone(),
        };
        for (i, argument) in shape.arguments.iter().enumerate() {
            let marker = request.markers(&mut args, i)?;
            match argument {
                Argument::Plain(ty) => request.number(&b, &mut args, i, *ty, marker)?,
                Argument::Aggregate(layout, pieces) => {
                    request.aggregate(&b, &mut args, i, layout, pieces, marker)?
                }
            }
        }
        request.after_arguments(&b, &mut args)?;
        if args.peek().is_some() {
            let text = format!(
                "{} argument(s) too many for '{}' with {} parameter(s)",
                args.left(),
                function.name(),
                shape.arguments.len()
            );
            return fail(
                Code::RequestArguments,
                text,
                "pass each value once, and a shadow after each ad_dup",
            );
        }
        Ok(request)
    }

    /// Reads a number or a pointer, and its shadows.
    fn number(
        &mut self,
        b: &Builder,
        args: &mut Arguments,
        i: usize,
        ty: Type,
        marker: Option<Marker>,
    ) -> Result<(), Diagnostic> {
        let (is_pointer, is_real) = (ty.is_pointer(), ty.is_float());
        let adjoint = self.kind != RequestKind::Tangent;
        let activity = match marker {
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
            Marker::Dup | Marker::DupNoNeed if is_real => {
                Some("a by-value argument has no shadow in adjoint mode: its adjoint is returned")
            }
            Marker::Out if is_pointer => {
                Some("ad_out is for floating-point arguments by value; mark a pointer ad_dup")
            }
            Marker::Out if is_real => Some("ad_out applies to adjoint mode only"),
            _ => Some("this argument is neither a pointer nor a floating-point value"),
        };
        if let Some(why) = misplaced {
            return self.misplaced(i, why);
        }
        let primal = args.plain(b, ty, &self.name("value", i))?;
        let param = match activity {
            Marker::Const => Param::Const,
            _ if is_pointer => Param::Shadowed,
            _ => Param::Active,
        };
        let count =
            if matches!(activity, Marker::Dup | Marker::DupNoNeed) { self.width } else { 0 };
        let shadow = |_| args.plain(b, ty, &self.name("shadow", i));
        let shadows = (0..count).map(shadow).collect::<Result<_, _>>()?;
        self.parameters.push(Parameter {
            argument: i,
            primal,
            activity: param,
            shadows,
            is_marked: marker.is_some(),
            is_needed: activity != Marker::DupNoNeed,
        });
        if adjoint && param == Param::Active {
            self.gains.push(Gain::Number);
        }
        Ok(())
    }

    /// Reads a value with members, and its shadows.
    fn aggregate(
        &mut self,
        b: &Builder,
        args: &mut Arguments,
        i: usize,
        layout: &Layout,
        pieces: &[Piece],
        marker: Option<Marker>,
    ) -> Result<(), Diagnostic> {
        let (reals, pointers) = (layout.holds_real(), layout.holds_pointer());
        let adjoint = self.kind != RequestKind::Tangent;
        let activity = match marker {
            None if pointers || reals && !adjoint => Marker::Dup,
            None if reals => Marker::Out,
            None => Marker::Const,
            Some(m) => m,
        };
        let misplaced = match activity {
            Marker::Const => None,
            _ if !reals && !pointers => {
                Some("this argument is neither a pointer nor a floating-point value")
            }
            Marker::Out if !adjoint => Some("ad_out applies to adjoint mode only"),
            Marker::Out if pointers => Some("mark a struct that holds a pointer ad_dup"),
            _ => None,
        };
        if let Some(why) = misplaced {
            return self.misplaced(i, why);
        }
        let primals = args.members(b, layout, pieces, &self.name("value", i))?;
        let param = |ty: Type| match activity {
            Marker::Const => Param::Const,
            _ if ty.is_pointer() => Param::Shadowed,
            _ if ty.is_float() => Param::Active,
            _ => Param::Const,
        };
        // The members of each shadow, by direction.
        let mut shadows: Vec<Vec<Value>> = vec![];
        match activity {
            Marker::Dup | Marker::DupNoNeed if !adjoint || !reals => {
                for _ in 0..self.width {
                    shadows.push(args.members(b, layout, pieces, &self.name("shadow", i))?);
                }
            }
            // Adjoints of reals are added to the struct that is the shadow.
            Marker::Dup | Marker::DupNoNeed => {
                let (ptr, name) = (b.context().ptr(), self.name("pointer to the shadow", i));
                let all = (0..self.width)
                    .map(|_| args.plain(b, ptr, &name))
                    .collect::<Result<Vec<_>, _>>()?;
                shadows.extend(all.iter().map(|&at| layout.load(b, at)));
                self.gains.push(Gain::Memory(layout.clone(), all));
            }
            Marker::Out => self.gains.push(Gain::Members(layout.clone())),
            _ => {}
        }
        for (m, (primal, member)) in primals.into_iter().zip(&layout.members).enumerate() {
            let own_activity = param(member.ty);
            let has_shadow = match own_activity {
                Param::Shadowed => true,
                Param::Active => !adjoint,
                Param::Const => false,
            };
            let own = shadows.iter().filter(|_| has_shadow).map(|all| all[m]).collect();
            self.parameters.push(Parameter {
                argument: i,
                primal,
                activity: own_activity,
                shadows: own,
                is_marked: marker.is_some(),
                is_needed: activity != Marker::DupNoNeed || own_activity != Param::Shadowed,
            });
        }
        Ok(())
    }

    fn name(&self, what: &str, i: usize) -> String {
        format!("the {what} of argument {} of '{}'", i + 1, self.named.name())
    }

    fn misplaced(&self, i: usize, why: &str) -> Result<(), Diagnostic> {
        let text = format!("marker before argument {} of '{}': {why}", i + 1, self.named.name());
        Err(Diagnostic::new(Code::RequestMarker, Some(self.call), text, USES))
    }

    /// What follows the arguments: the adjoints of the result, where it has some that are not 1,
    /// and the tape of split mode.
    fn after_arguments(&mut self, b: &Builder, args: &mut Arguments) -> Result<(), Diagnostic> {
        let call = self.call;
        let fail = |text: String, remedy: &str| {
            Err(Diagnostic::new(Code::RequestArguments, Some(call), text, remedy))
        };
        let count = self.shape.arguments.len();
        let describe = |m: Marker| {
            let name = MARKERS.iter().find(|(_, known)| *known == m).map_or("", |(name, _)| name);
            format!("marker '{name}' follows the last argument")
        };
        if let Some(m) = self.markers(args, count)? {
            return fail(describe(m), "remove the marker");
        }
        let takes_seed = match self.kind {
            RequestKind::Reverse => true,
            RequestKind::Adjoint => !self.function.ty().function_result().is_float(),
            _ => false,
        };
        if takes_seed {
            for _ in 0..self.width {
                let seed = self.seed(b, args)?;
                self.seeds.extend(seed);
            }
            if let Some(m) = self.markers(args, count)? {
                return fail(describe(m), "remove the marker");
            }
        }
        if self.kind != RequestKind::Reverse {
            let takes_tape =
                self.kind == RequestKind::Augmented && self.storage == TapeStorage::UserMemory;
            if self.tape.is_some() && !takes_tape {
                return fail(
                    "the request passes a tape, but takes none".into(),
                    "pass the tape to the reverse sweep; or state the size of its memory \
                    (ad_allocated)",
                );
            }
            return Ok(());
        }
        if self.tape.is_none() {
            self.tape = args.next();
        }
        match self.tape {
            Some(tape) if !tape.ty().is_pointer() => {
                let text = format!("the tape has type {}, but a pointer is expected", tape.ty());
                fail(text, "pass what the forward sweep returned as the last argument")
            }
            _ => Ok(()),
        }
    }

    /// The adjoint of the result in one direction, if it has one.
    fn seed(&self, b: &Builder, args: &mut Arguments) -> Result<Option<Value>, Diagnostic> {
        let of = format!("the adjoint of the result of '{}'", self.named.name());
        let remedy = "after the arguments, pass the adjoint of the result, of the type of the \
            result; in split mode, then pass the tape";
        let layout = match &self.shape.returned {
            Returned::Plain => {
                let result = self.function.ty().function_result();
                if !result.is_float() {
                    return Ok(None);
                }
                if args.peek().is_none_or(|v| !v.ty().is_float()) {
                    return Err(Diagnostic::new(
                        Code::RequestArguments,
                        Some(self.call),
                        format!("{of} is missing"),
                        remedy,
                    ));
                }
                return args.plain(b, result, &of).map(Some);
            }
            Returned::Registers(layout) | Returned::Memory(layout, _) => layout,
        };
        let members = args
            .members(b, layout, &[], &of)
            .map_err(|d| Diagnostic { remedy: remedy.into(), ..d })?;
        // Only reals have an adjoint.
        let members: Vec<Value> = members
            .into_iter()
            .map(|v| if v.ty().is_float() { v } else { v.ty().zero() })
            .collect();
        Ok(Some(layout.put_together(b, &members)))
    }

    /// The marker before argument `i`, if any.
    fn markers(&mut self, args: &mut Arguments, i: usize) -> Result<Option<Marker>, Diagnostic> {
        let mut activity = None;
        loop {
            let fail = |code, text: String| {
                Err(Diagnostic::new(
                    code,
                    Some(self.call),
                    text,
                    "see docs/reference/requests.md for the markers",
                ))
            };
            if let Some(name) = args.peek().and_then(unknown_marker) {
                let near = args.peek().and_then(misspelt_marker);
                let meant =
                    near.map(|(_, near)| format!("; did you mean '{near}'?")).unwrap_or_default();
                return fail(
                    Code::RequestUnsupported,
                    format!("marker '{name}' is not supported{meant}"),
                );
            }
            let Some((name, marker)) = args.marker() else {
                return Ok(activity);
            };
            match marker {
                Marker::Width => match args.next().and_then(|n| trace::origin(n).as_int()) {
                    Some(n) if i > 0 && n != self.width as i64 => {
                        return fail(
                            Code::RequestMarker,
                            format!("'{name}' must stand before the first argument"),
                        );
                    }
                    Some(n) if !(1..=MOST_DIRECTIONS).contains(&n) => {
                        return fail(
                            Code::RequestMarker,
                            format!(
                                "'{name}' asks for {n} directions, but 1 to {MOST_DIRECTIONS} are \
                                possible"
                            ),
                        );
                    }
                    Some(n) => self.width = n as usize,
                    None => {
                        return fail(
                            Code::RequestMarker,
                            format!("'{name}' must be followed by a constant number"),
                        );
                    }
                },
                Marker::Tape => match args.next() {
                    Some(tape) if tape.ty().is_pointer() && self.kind.is_split() => {
                        self.tape = Some(tape)
                    }
                    Some(_) if self.kind.is_split() => {
                        return fail(
                            Code::RequestMarker,
                            format!("'{name}' must be followed by a pointer"),
                        );
                    }
                    _ => {
                        return fail(
                            Code::RequestMarker,
                            format!("'{name}' applies to split mode only"),
                        );
                    }
                },
                Marker::Allocated => match args.next().and_then(|n| trace::origin(n).as_int()) {
                    _ if !self.kind.is_split() => {
                        return fail(
                            Code::RequestMarker,
                            format!("'{name}' applies to split mode only"),
                        );
                    }
                    Some(n) if n >= tape_bytes() => self.storage = TapeStorage::UserMemory,
                    Some(n) => {
                        return fail(
                            Code::RequestArguments,
                            format!("'{name}' states {n} bytes, but a tape takes {}", tape_bytes()),
                        );
                    }
                    None => {
                        return fail(
                            Code::RequestMarker,
                            format!("'{name}' must be followed by a constant number"),
                        );
                    }
                },
                Marker::PrimalReturn if self.kind.is_split() => {
                    return fail(
                        Code::RequestMarker,
                        format!(
                            "'{name}' does not apply to split mode: the forward sweep returns the \
                            result after the tape"
                        ),
                    );
                }
                Marker::PrimalReturn => self.returns = Returns::PrimalAndDerivatives,
                Marker::Idle => {}
                m if activity.is_none() => activity = Some(m),
                _ => {
                    return fail(
                        Code::RequestMarker,
                        format!("marker '{name}' follows another marker"),
                    );
                }
            }
        }
    }
}

/// The function that a request asks about, if there is anything to differentiate.
pub fn subject(call: Value) -> Option<Function> {
    let first = usize::from(call.call_sret().is_some());
    let function =
        (first < call.argument_count()).then(|| call.operand(first)).and_then(function_of)?;
    (!function.is_declaration() || registry::of(function).is_some()).then_some(function)
}

/// The function whose address a value is, through casts, stack variables that hold nothing else and
/// functions that only return it, as what makes a pointer of a lambda (code at -O0).
pub(super) fn function_of(value: Value) -> Option<Function> {
    let value = trace::origin(value);
    if let Some(f) = value.as_function() {
        return Some(f);
    }
    if value.is_instruction() && value.opcode() == Opcode::LLVMCall {
        let [block] = value.called().as_function().filter(|f| !f.is_interposable())?.blocks()[..]
        else {
            return None;
        };
        let ret = block
            .terminator()
            .filter(|t| t.opcode() == Opcode::LLVMRet && t.operand_count() == 1)?;
        return ret.operand(0).as_function();
    }
    if value.is_instruction() && value.opcode() == Opcode::LLVMLoad {
        let slot = value.operand(0);
        if slot.is_instruction() && slot.opcode() == Opcode::LLVMAlloca {
            let mut stored = slot.users().into_iter().filter(|u| u.opcode() == Opcode::LLVMStore);
            let (Some(store), None) = (stored.next(), stored.next()) else {
                return None;
            };
            return (store.operand(1) == slot).then(|| function_of(store.operand(0))).flatten();
        }
    }
    None
}
