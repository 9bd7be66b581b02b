//! What the markers of a request say: of the argument that follows, and of the request itself.

use super::{
    Request, ResultActivity, TapeStorage,
    arguments::Arguments,
    markers::{Marker, misspelt_marker, unknown_marker},
    split::tape_bytes,
    trace,
};
use crate::{
    annotations::{heads::MOST_DIRECTIONS, requests::RequestKind},
    diagnostics::{Code, Diagnostic},
    llvm::Value,
};

/// The remedy for a marker at the wrong place.
const SEE: &str = "see docs/reference/requests.md for the markers";

/// What the markers before an argument say of it.
#[derive(Clone, Copy, Default)]
pub(super) struct Said {
    /// Its activity, if one says so.
    pub marker: Option<Marker>,
    /// The bytes between its shadows of two directions, where they are passed as one pointer.
    pub stride: Option<Value>,
}

impl Request {
    /// What the markers before argument `i` say.
    pub(super) fn markers(&mut self, args: &mut Arguments, i: usize) -> Result<Said, Diagnostic> {
        let mut said = Said::default();
        loop {
            if let Some(name) = args.peek().and_then(unknown_marker) {
                let near = args.peek().and_then(misspelt_marker);
                let text = format!("marker '{name}' is not supported");
                return Err(match near {
                    Some((_, near)) => {
                        let text = format!("{text}; did you mean '{near}'?");
                        self.error(Code::RequestUnsupported, text)
                    }
                    None => self.error(Code::RequestUnsupported, text),
                });
            }
            let Some((name, marker)) = args.marker() else { return Ok(said) };
            self.marker(args, i, &name, marker, &mut said)?;
        }
    }

    /// Reads one marker, and what follows it.
    fn marker(
        &mut self,
        args: &mut Arguments,
        i: usize,
        name: &str,
        marker: Marker,
        said: &mut Said,
    ) -> Result<(), Diagnostic> {
        let misplaced = |this: &Request, text: String| Err(this.error(Code::RequestMarker, text));
        let is_split = self.kind.is_split();
        match marker {
            Marker::Tape | Marker::Allocated if !is_split => {
                misplaced(self, format!("'{name}' applies to split mode only"))
            }
            Marker::Width => {
                match self.number_behind(args, name)? {
                    n if i > 0 && n != self.width as i64 => {
                        return misplaced(
                            self,
                            format!("'{name}' must stand before the first argument"),
                        );
                    }
                    n if !(1..=MOST_DIRECTIONS as i64).contains(&n) => {
                        let text = format!(
                            "'{name}' asks for {n} directions, but 1 to {MOST_DIRECTIONS} are \
                            possible"
                        );
                        return misplaced(self, text);
                    }
                    n => self.width = n as usize,
                }
                Ok(())
            }
            Marker::Tape => match args.next() {
                Some(tape) if tape.ty().is_pointer() => {
                    self.tape = Some(tape);
                    Ok(())
                }
                _ => misplaced(self, format!("'{name}' must be followed by a pointer")),
            },
            Marker::Allocated => {
                let n = self.number_behind(args, name)?;
                if n < tape_bytes() {
                    let text =
                        format!("'{name}' states {n} bytes, but a tape takes {}", tape_bytes());
                    return Err(self.error(Code::RequestArguments, text));
                }
                self.storage = TapeStorage::UserMemory;
                Ok(())
            }
            Marker::PrimalReturn if self.kind == RequestKind::Reverse => {
                let text = format!(
                    "'{name}' does not apply to the reverse sweep: the forward sweep returns the \
                    result"
                );
                misplaced(self, text)
            }
            Marker::PrimalReturn | Marker::NoReturn => {
                let wanted = marker == Marker::PrimalReturn;
                if self.returns_primal.is_some_and(|before| before != wanted) {
                    let text = format!("'{name}' contradicts another marker of the request");
                    return misplaced(self, text);
                }
                self.returns_primal = Some(wanted);
                Ok(())
            }
            Marker::ConstReturn | Marker::ActiveReturn | Marker::DupReturn => {
                let result = match marker {
                    Marker::ConstReturn => ResultActivity::Const,
                    Marker::ActiveReturn => ResultActivity::Active,
                    _ => ResultActivity::Dup,
                };
                if self.result != ResultActivity::Unsaid && self.result != result {
                    let text = format!("'{name}' contradicts another marker of the request");
                    return misplaced(self, text);
                }
                self.result = result;
                Ok(())
            }
            Marker::Idle => Ok(()),
            Marker::LeftOut(remedy) => {
                let text = format!("marker '{name}' is not supported");
                Err(Diagnostic {
                    remedy: remedy.into(),
                    ..self.error(Code::RequestUnsupported, text)
                })
            }
            Marker::Interleave => {
                let text = format!(
                    "'{name}' must stand once, between the values of all arguments and their \
                    shadows"
                );
                misplaced(self, text)
            }
            Marker::Const
            | Marker::Dup
            | Marker::DupNoNeed
            | Marker::DupStrided
            | Marker::DupNoNeedStrided
            | Marker::Out => {
                if said.marker.is_some()
                    && !(said.marker == Some(Marker::Const) && self.take_empty())
                {
                    return misplaced(self, format!("marker '{name}' follows another marker"));
                }
                said.marker = Some(match marker {
                    Marker::DupStrided => Marker::Dup,
                    Marker::DupNoNeedStrided => Marker::DupNoNeed,
                    other => other,
                });
                if matches!(marker, Marker::DupStrided | Marker::DupNoNeedStrided) {
                    said.stride = args.next().filter(|n| n.ty().is_int());
                    if said.stride.is_none() {
                        let text = format!(
                            "'{name}' must be followed by the distance of two shadows in bytes"
                        );
                        return misplaced(self, text);
                    }
                }
                Ok(())
            }
        }
    }

    /// Whether an argument is left that is an empty class by value, and takes it.
    pub(super) fn take_empty(&mut self) -> bool {
        let is_left = self.empty > 0;
        self.empty -= usize::from(is_left);
        is_left
    }

    /// The constant number behind a marker.
    fn number_behind(&self, args: &mut Arguments, name: &str) -> Result<i64, Diagnostic> {
        args.next().and_then(|n| trace::constant(n).as_int()).ok_or_else(|| {
            let text = format!("'{name}' must be followed by a constant number");
            self.error(Code::RequestMarker, text)
        })
    }

    fn error(&self, code: Code, text: String) -> Diagnostic {
        Diagnostic::new(code, Some(self.call), text, SEE)
    }

    /// Whether the function and the mode have what the markers say of the request.
    /// `are_shadows_apart`: behind the values of all arguments.
    pub(super) fn check_options(&self, are_shadows_apart: bool) -> Result<(), Diagnostic> {
        let is_tangent = self.kind.is_forward();
        let left_out = |text: &str, remedy: &str| {
            Err(Diagnostic::new(Code::RequestUnsupported, Some(self.call), text, remedy))
        };
        if are_shadows_apart && self.width > 1 {
            return left_out(
                "'ad_interleave' (enzyme_interleave) is not supported with several directions",
                "pass the shadows of each argument behind its value",
            );
        }
        if self.returns_primal == Some(false) && self.has_result() && !is_tangent {
            // It might as well mean that the result has no influence.
            if self.kind != RequestKind::Augmented && self.has_real_result() {
                return left_out(
                    "marker 'enzyme_noret' is not supported where a real result has an adjoint",
                    "remove the marker: the result is not returned, and its adjoint is 1; with \
                    ad_const_return it is 0",
                );
            }
        }
        match self.result {
            ResultActivity::Dup if !is_tangent => left_out(
                "marker 'enzyme_dup_return' is not supported in adjoint mode",
                "write the result through a pointer that is ad_dup",
            ),
            ResultActivity::Active if is_tangent => Err(self.error(
                Code::RequestMarker,
                "'enzyme_active_return' applies to adjoint mode only".into(),
            )),
            ResultActivity::Active | ResultActivity::Dup if !self.has_real_result() => Err(self
                .error(
                    Code::RequestMarker,
                    format!("'{}' returns no real that could be active", self.named.name()),
                )),
            _ => Ok(()),
        }
    }
}
