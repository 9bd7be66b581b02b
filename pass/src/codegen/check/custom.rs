//! Calls to functions with rules of the user's: refused where the rule cannot take what it is
//! given.

use crate::canon::stand_ins;
use crate::{
    annotations::registry::{Adjoint, Registry, Tangent},
    codegen::{check::Mode, globals, inner, refusal},
    diagnostics::{Code, Diagnostic},
    image::unit::Unit,
};
use adanalysis::{
    activity::{Activity, Shadow},
    in_out::{InOut, MemoryRange},
    points_to::Object,
    types::ScalarKind,
};
use adir::{
    Callee, Op, Ty, ValueId, foreign,
    library::ranks::{self, Role},
};

impl Registry {
    /// Collects what is wrong with active calls to functions that have rules.
    pub fn check_calls(
        &self,
        unit: &Unit,
        activity: &Activity,
        mode: Mode,
    ) -> Result<(), Vec<Diagnostic>> {
        let body = &unit.body;
        let is_custom = |v: &ValueId| {
            matches!(body[*v].op, Op::Call(Callee::Custom)) && activity.is_active_call(*v)
        };
        // Where a pointer need not lead to the function, it is an error at run time should it do
        // so.
        let is_certain = |v: &ValueId| !refusal::is_possible(body.llvm(*v));
        let custom = body.insts().filter(is_custom).filter(is_certain);
        let found: Vec<Diagnostic> =
            custom.flat_map(|v| self.problems(unit, activity, mode, v)).collect();
        if found.is_empty() { Ok(()) } else { Err(found) }
    }

    /// The registered tangent of an active call; else what is wrong with the call.
    pub fn tangent_of(
        &self,
        unit: &Unit,
        activity: &Activity,
        call: ValueId,
    ) -> Result<&Tangent, Vec<Diagnostic>> {
        let problems = self.problems(unit, activity, Mode::Tangent, call);
        self.tangent(unit.body.callee(call)).filter(|_| problems.is_empty()).ok_or(problems)
    }

    /// The registered adjoint of an active call; else what is wrong with the call.
    pub fn adjoint_of(
        &self,
        unit: &Unit,
        activity: &Activity,
        call: ValueId,
    ) -> Result<&Adjoint, Vec<Diagnostic>> {
        let problems = self.problems(unit, activity, Mode::Adjoint, call);
        self.adjoint(unit.body.callee(call)).filter(|_| problems.is_empty()).ok_or(problems)
    }

    /// What is wrong with an active call to a function that has a rule.
    fn problems(
        &self,
        unit: &Unit,
        activity: &Activity,
        mode: Mode,
        v: ValueId,
    ) -> Vec<Diagnostic> {
        let body = &unit.body;
        let site = Some(body.llvm(v));
        let f = body.callee(v);
        let (shadows, takes_reals) = match mode {
            Mode::Tangent => (self.tangent(f).map(|r| &r.shadows), true),
            Mode::Adjoint => (
                self.adjoint(f).map(|r| &r.shadows),
                self.adjoint(f).is_some_and(|r| r.returns_adjoints),
            ),
        };
        let accepts_null = |i: usize| match mode {
            Mode::Tangent => self.tangent(f).is_some_and(|r| r.accepts_null(i)),
            Mode::Adjoint => self.adjoint(f).is_some_and(|r| r.accepts_null(i)),
        };
        let is_prebuilt = site.is_some_and(stand_ins::is_called);
        // As the source has it.
        let symbol = f.name();
        let name = [foreign::SUFFIX, ranks::SUFFIX].iter().find_map(|end| symbol.strip_suffix(end));
        let name = name.unwrap_or(&symbol);
        let Some(shadows) = shadows else {
            let (has, lacks, array) = match mode {
                Mode::Tangent => ("adjoint", "tangent", "__ad_register_tangent_"),
                Mode::Adjoint => ("tangent", "adjoint", "__ad_register_adjoint_"),
            };
            let text =
                format!("function '{name}' has a registered {has}, but no registered {lacks}");
            return vec![Diagnostic::new(
                Code::UnknownCallee,
                site,
                text,
                format!("register one ({array}…)"),
            )];
        };
        let roles = ranks::roles_of(&body[v]);
        let mut found = vec![];
        if is_prebuilt && activity.is_varied(v) && matches!(body[v].ty, Ty::Int(_)) {
            let text = format!(
                "the result of '{}' is an integer that holds the bits of a real, or of a struct \
                with a real: the shadow runtime returns no derivative for an integer",
                name
            );
            found.push(Diagnostic::new(
                Code::RuleType,
                site,
                text,
                "let the function write the struct through a pointer",
            ));
        }
        for (i, &o) in body[v].operands.iter().enumerate() {
            let mut say = |code, text: String, remedy: &str| {
                found.push(Diagnostic::new(code, site, text, remedy))
            };
            // What describes a message has no derivative, wherever it lies.
            let is_buffer = |role: Option<&Role>| role.is_some_and(|role| role.is_buffer());
            if roles.as_ref().is_some_and(|roles| !is_buffer(roles.get(i))) {
                continue;
            }
            let argument = format!("argument {} of '{name}'", i + 1);
            let is_inner = f.attribute_string(inner::STAND_IN).is_some();
            let is_packed =
                is_prebuilt && activity.is_varied(o) && matches!(body[o].ty, Ty::Int(_));
            let takes = if body[o].ty == Ty::Ptr || mode == Mode::Tangent {
                shadows[i]
            } else {
                takes_reals
            };
            match body[o].ty {
                Ty::Ptr => match (activity.shadow(o), takes) {
                    (Shadow::Mixed, _) => say(
                        Code::MixedActivity,
                        format!(
                            "{argument} may point to memory with a shadow or to memory without one"
                        ),
                        "pass the memory as an active argument (ad_dup, value and shadow)",
                    ),
                    // Fortran passes integers by reference.
                    (Shadow::Yes, false) if is_inner && leads_to_integers(unit, o) => {}
                    (Shadow::Yes, false) if is_inner => say(
                        Code::RuleType,
                        "an adjoint is asked for here with a pointer that it calls constant, to \
                        memory that has a derivative"
                            .into(),
                        "mark the pointer active in the inner request",
                    ),
                    (Shadow::No, true) if is_inner && !is_used(unit, v, i) => {}
                    (Shadow::No, true) if is_inner => say(
                        Code::InactiveMemory,
                        "an adjoint is asked for here of memory that has no derivative".into(),
                        "pass the memory with a shadow to the outer request (zeros will do)",
                    ),
                    (Shadow::Yes, false) => say(
                        Code::RuleType,
                        format!(
                            "{argument} points to active memory, but the registered derivative \
                            takes no shadow for it"
                        ),
                        "add a shadow after this parameter to the registered functions",
                    ),
                    (Shadow::No, true) if !accepts_null(i) => say(
                        Code::InactiveMemory,
                        format!(
                            "{argument} points to memory without a shadow, but the registered \
                            derivative takes a shadow for it and does not test the shadow for null"
                        ),
                        "pass the memory as an active argument (ad_dup, value and shadow), or let \
                        the registered derivative accept a null shadow",
                    ),
                    (Shadow::Yes | Shadow::No | Shadow::None, true)
                    | (Shadow::No | Shadow::None, false) => {}
                },
                _ if is_packed => say(
                    Code::RuleType,
                    format!(
                        "{argument} is an integer that holds the bits of a real, or of a struct \
                        with a real: the shadow runtime takes no derivative for an integer"
                    ),
                    "pass a pointer to the struct, or the real by itself",
                ),
                ty if activity.is_varied(o) && !ty.is_real() && !is_prebuilt => say(
                    Code::Type,
                    format!(
                        "{argument} is active data of a type that registered derivatives \
                        cannot take"
                    ),
                    "use float or double for active data",
                ),
                _ if activity.is_varied(o) && !takes => say(
                    Code::RuleType,
                    format!(
                        "{argument} is active, but the registered derivative has no derivative \
                        for it"
                    ),
                    "add a derivative after this parameter to the tangent, or let the reverse \
                    sweep return the adjoint of the parameter",
                ),
                _ => {}
            }
        }
        found
    }
}

/// Whether an inner adjoint may access memory by way of its argument `i`.
fn is_used(unit: &Unit, call: ValueId, i: usize) -> bool {
    let Some(summary) = unit.stand_ins.get(&call) else { return true };
    let InOut { reads, writes, .. } = &*summary.in_out;
    let leads_there =
        |p: &MemoryRange| summary.memory.entry(p.object).is_some_and(|(of, _)| of as usize == i);
    reads.iter().chain(writes).any(leads_there)
}

/// Whether a pointer leads to variables of integers of this function, in which it and what it calls
/// store nothing else. Of other memory, the inner function may read reals that are not seen here.
fn leads_to_integers(unit: &Unit, pointer: ValueId) -> bool {
    let (body, memory) = (&unit.body, &unit.memory);
    let is_variable = |o: usize| match memory.objects[o] {
        Object::Local(v) if matches!(body[v].op, Op::Alloca(_)) => {
            globals::is_integers(body.llvm(v).allocated_type())
        }
        _ => false,
    };
    let seen = unit.types.seen(memory, pointer);
    !seen.is_empty()
        && seen.iter().all(|scalar| *scalar == ScalarKind::Int)
        && memory.points_to(pointer).all(is_variable)
}
