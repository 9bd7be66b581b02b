//! Reading a request: function, markers, values and shadows.

use super::{
    Gain, Parameter, Request, ResultActivity, TapeStorage,
    arguments::Arguments,
    markers::{Marker, marker_of, marker_variable, misspelt_marker},
    options::Said,
    spelling, trace,
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
    llvm::{Builder, Function, Known, Opcode, Type, Value, demangled},
};
use adanalysis::activity::Param;

/// Why a marker with a distance is at the wrong place.
const STRIDED: &str =
    "ad_dupv and ad_dupnoneedv are for pointers, whose shadows lie side by side in memory";

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
        if let RequestKind::Later(remedy) = kind {
            let text = format!("'{}' is not supported", spelling::name_in_source(&callee.name()));
            return fail(Code::RequestUnsupported, text, remedy);
        }
        // What forwards its arguments takes addresses of the user's pointers, not the pointers.
        let is_reference = |ty: &str| ty.contains("*&") || ty.contains("* const&");
        let name = demangled(&callee.name()).unwrap_or_default();
        if spelling::parameters(&name).iter().skip(1).any(|ty| is_reference(ty)) {
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
                match host.config().link {
                    Some(_) => {
                        format!("no object of this link has the IR of '{}'", function.name())
                    }
                    None => format!("function '{}' has no body in this file", function.name()),
                },
                match host.config().link {
                    Some(_) => "compile the file that defines it with adcc -c",
                    None => "define it in the same file, or compile and link with adcc",
                },
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
            returns_primal: None,
            result: ResultActivity::Unsaid,
            width: 1,
            empty: 0,
            shape: shape.clone(),
        };
        // Calls do not pass empty classes.
        let source = demangled(&function.name()).unwrap_or_default();
        let written = spelling::parameters(&source).len();
        request.empty = written.saturating_sub(shape.arguments.len());
        for (i, argument) in shape.arguments.iter().enumerate() {
            let said = request.markers(&mut args, i)?;
            match argument {
                Argument::Plain(ty) => request.number(&b, &mut args, i, *ty, said)?,
                Argument::Aggregate(layout, pieces) => {
                    request.aggregate(&b, &mut args, i, layout, pieces, said)?
                }
            }
        }
        let taken = shape.arguments.len();
        let is_apart = args.are_apart();
        let mut args = args.behind(&function.name(), taken)?;
        request.after_arguments(&b, &mut args)?;
        args.end(&function.name(), taken)?;
        request.check_options(is_apart)?;
        Ok(request)
    }

    /// Reads a number or a pointer, and its shadows.
    fn number(
        &mut self,
        b: &Builder,
        args: &mut Arguments,
        i: usize,
        ty: Type,
        Said { marker, stride }: Said,
    ) -> Result<(), Diagnostic> {
        let (is_pointer, is_real) = (ty.is_pointer(), ty.is_float());
        let adjoint = !self.kind.is_forward();
        let activity = match marker {
            None if is_pointer => Marker::Dup,
            None if is_real && adjoint => Marker::Out,
            None if is_real => Marker::Dup,
            None => Marker::Const,
            Some(m) => m,
        };
        let misplaced = match activity {
            _ if stride.is_some() && !is_pointer => Some(STRIDED),
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
        let name = self.name("shadow", i);
        let shadows = match stride {
            Some(stride) => {
                let first = args.of_shadows().plain(b, ty, &name)?;
                let wide = b.context().int(64);
                let stride = if stride.ty() == wide {
                    stride
                } else {
                    b.cast(Opcode::LLVMSExt, stride, wide)
                };
                let at = |d: usize| b.byte_offset(first, b.mul(stride, wide.int(d as u64)));
                (0..count).map(|d| if d == 0 { first } else { at(d) }).collect()
            }
            None => (0..count)
                .map(|_| args.of_shadows().plain(b, ty, &name))
                .collect::<Result<_, _>>()?,
        };
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
        Said { marker, stride }: Said,
    ) -> Result<(), Diagnostic> {
        let (reals, pointers) = (layout.holds_real(), layout.holds_pointer());
        let adjoint = !self.kind.is_forward();
        let activity = match marker {
            None if pointers || reals && !adjoint => Marker::Dup,
            None if reals => Marker::Out,
            None => Marker::Const,
            Some(m) => m,
        };
        let misplaced = match activity {
            _ if stride.is_some() => Some(STRIDED),
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
                    let name = self.name("shadow", i);
                    shadows.push(args.of_shadows().members(b, layout, pieces, &name)?);
                }
            }
            // Adjoints of reals are added to the struct that is the shadow.
            Marker::Dup | Marker::DupNoNeed => {
                let (ptr, name) = (b.context().ptr(), self.name("pointer to the shadow", i));
                let all = (0..self.width)
                    .map(|_| args.of_shadows().plain(b, ptr, &name))
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
                Param::Const | Param::Exception => false,
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
        let ending = |args: &mut Arguments, this: &mut Request| {
            let name = args.peek().and_then(marker_of).map(|(name, _)| name);
            match this.markers(args, this.shape.arguments.len())?.marker {
                None => Ok(()),
                Some(Marker::Const) if this.take_empty() => Ok(()),
                Some(_) => fail(
                    format!("marker '{}' follows the last argument", name.unwrap_or_default()),
                    "remove the marker",
                ),
            }
        };
        ending(args, self)?;
        let has_adjoint = match self.kind {
            RequestKind::Reverse => true,
            RequestKind::Adjoint => !self.function.ty().function_result().is_float(),
            _ => false,
        };
        if has_adjoint && self.result != ResultActivity::Const {
            for _ in 0..self.width {
                let seed = self.seed(b, args)?;
                self.seeds.extend(seed);
            }
            ending(args, self)?;
        }
        if self.result == ResultActivity::Const && self.has_real_result() {
            let zero = self.function.ty().function_result().zero();
            self.seeds = vec![zero; self.width];
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
}

/// The function that a request names, with or without a body.
pub fn asked_of(call: Value) -> Option<Function> {
    let first = usize::from(call.call_sret().is_some());
    (first < call.argument_count()).then(|| call.operand(first)).and_then(function_of)
}

/// What is known of each argument of a request, wherever its call stands: the function, markers,
/// constants.
pub fn known_arguments(call: Value) -> Vec<Option<Known>> {
    let first = usize::from(call.call_sret().is_some());
    let known = |i: usize| {
        let argument = call.operand(i);
        if i == first {
            return asked_of(call).map(|f| Known::Value(f.value()));
        }
        if argument.is_metadata() {
            return Some(Known::Value(argument));
        }
        if let Some(marker) = marker_variable(argument) {
            let is_value = !argument.ty().is_pointer();
            return Some(if is_value { Known::Loaded(marker) } else { Known::Value(marker) });
        }
        let origin = trace::constant(argument);
        if origin.ty() == argument.ty() {
            return origin.is_constant().then_some(Known::Value(origin));
        }
        // Through conversions that keep what is not negative.
        let number = origin.as_int().filter(|&n| n >= 0 && argument.ty().is_int())?;
        Some(Known::Value(argument.ty().int(number as u64)))
    };
    (0..call.argument_count()).map(known).collect()
}

/// The function that a request asks about, if there is anything to differentiate.
pub fn subject(call: Value) -> Option<Function> {
    let function = asked_of(call)?;
    (!function.is_declaration() || registry::of(function).is_some()).then_some(function)
}

/// The function whose address a value is, through stack variables that hold nothing else, constants and
/// functions that only return it, as what makes a pointer of a lambda (code at -O0).
pub(super) fn function_of(value: Value) -> Option<Function> {
    let value = trace::constant(value);
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
