//! Derivatives of the user's own: what their functions take and return, found from their types.
//!
//! For `R f(P…)`, where a shadow may follow a pointer (and in the tangent a derivative a real):
//! - tangent(P with shadows) -> void | R (an integer: the result; a real: its derivative) |
//!   {result, derivative};
//! - augmented(P with shadows of pointers) -> void | R | tape | {tape, R};
//! - reverse(P with shadows of pointers[, adjoint of a real result][, tape]) -> adjoints of the
//!   real parameters: nothing, one value, or a struct.
//!
//! Which parameters have shadows must follow from the types alone. C returns structs in registers
//! or through a first parameter; both are met.

use crate::{
    annotations::signature,
    llvm::{Builder, Function, Module, Opcode, Type, Value},
};

/// A function of the user's and what it returns.
#[derive(Clone)]
pub struct Rule {
    /// The function.
    pub function: Function,
    /// Members of what it returns, in order.
    members: Vec<Type>,
    /// Whether it is prepared for null pointers as shadows whatever its body looks like.
    takes_null: bool,
}

/// The tangent of a function.
#[derive(Clone)]
pub struct Tangent {
    /// What is called.
    pub rule: Rule,
    /// Which parameters are followed by their shadow or derivative.
    pub shadows: Vec<bool>,
    /// Member that is the primal result; without, the function itself is called for it.
    pub result: Option<u32>,
    /// Member that is the derivative of the result.
    pub derivative: Option<u32>,
}

/// The two sweeps of a function.
#[derive(Clone)]
pub struct Adjoint {
    /// The forward sweep.
    pub augmented: Rule,
    /// The reverse sweep.
    pub reverse: Rule,
    /// Which parameters are followed by their shadow.
    pub shadows: Vec<bool>,
    /// Member of the forward sweep's result that is the primal result; without, the function itself
    /// is called for it.
    pub result: Option<u32>,
    /// Member that is the shadow of a pointer that is returned.
    pub result_shadow: Option<u32>,
    /// Member that is the tape.
    pub tape: Option<u32>,
    /// Whether the reverse sweep returns the adjoints of the real parameters.
    pub returns_adjoints: bool,
}

impl Rule {
    /// A function that we wrote, and what it returns.
    pub fn prebuilt(function: Function, members: Vec<Type>) -> Rule {
        Rule { function, members, takes_null: true }
    }
    /// A function that we wrote, which uses all shadows, and what it returns.
    pub fn own(function: Function, members: Vec<Type>) -> Rule {
        Rule { function, members, takes_null: false }
    }
    /// The arguments of a call, and memory for the struct that it returns through memory.
    pub fn arguments(&self, b: &Builder, args: &[Value]) -> (Vec<Value>, Option<Value>) {
        let through = sret(self.function).map(|ty| signature::slot(b, ty));
        (through.into_iter().chain(args.iter().copied()).collect(), through)
    }
    /// What the call returned, member by member.
    pub fn returned(
        &self,
        module: Module,
        b: &Builder,
        call: Value,
        through: Option<Value>,
    ) -> Vec<Value> {
        signature::members(module, b, through.unwrap_or(call), &self.members, through.is_some())
    }
    /// Calls the function; what it returns, member by member.
    pub fn call(&self, module: Module, b: &Builder, args: &[Value]) -> (Value, Vec<Value>) {
        let (all, through) = self.arguments(b, args);
        let call = b.call(self.function, &all);
        (call, self.returned(module, b, call, through))
    }
    /// Whether it is prepared for a null pointer as the shadow of parameter `i`: it does not use
    /// it, or compares it.
    fn accepts_null(&self, shadows: &[bool], i: usize) -> bool {
        if self.takes_null {
            return true;
        }
        let at = (0..=i).map(|k| 1 + usize::from(shadows[k])).sum::<usize>() - 1;
        let all = self.function.params();
        !self.function.is_declaration() && accepts_null(all[all.len() - self.params().len() + at])
    }
    /// Its parameters, without the one through which it returns a struct.
    fn params(&self) -> Vec<Type> {
        params(self.function)
    }
}

fn params(f: Function) -> Vec<Type> {
    f.ty().function_params().split_off(usize::from(sret(f).is_some()))
}

fn sret(f: Function) -> Option<Type> {
    f.param_type_attribute(0, "sret")
}

/// What `f` returns, through memory or not.
fn returned(f: Function) -> Type {
    sret(f).unwrap_or_else(|| f.ty().function_result())
}

/// Why `f` can have no rule: a parameter or a result of a type that rules cannot take.
fn unsuited(f: Function) -> Option<String> {
    let result = f.ty().function_result();
    if f.is_variadic() {
        return Some("it takes a variable number of arguments".into());
    }
    if !(result.is_void() || result.is_int() || result.is_float()) {
        return Some(format!("its result has type {result}; only numbers are supported"));
    }
    f.ty().function_params().into_iter().enumerate().find_map(|(i, ty)| {
        let by_value = ["sret", "byval"].iter().any(|a| f.param_type_attribute(i, a).is_some());
        let plain = ty.is_pointer() || ty.is_int() || ty.is_float();
        (by_value || !plain).then(|| {
            format!(
                "parameter {} is a struct by value, or of a type other than numbers and pointers",
                i + 1
            )
        })
    })
}

/// Which of the parameters `own` are followed by a shadow of the same type in `given`. An error
/// where no choice fits, or several do.
fn shadows(
    own: &[Type],
    given: &[Type],
    may: &dyn Fn(Type) -> bool,
) -> Result<Vec<bool>, &'static str> {
    fn go(
        own: &[Type],
        given: &[Type],
        may: &dyn Fn(Type) -> bool,
        so_far: &mut Vec<bool>,
        found: &mut Vec<Vec<bool>>,
    ) {
        if found.len() > 1 || given.len() < own.len() {
            return;
        }
        let Some((&first, rest)) = own.split_first() else {
            if given.is_empty() {
                found.push(so_far.clone());
            }
            return;
        };
        if given[0] != first {
            return;
        }
        if may(first) && given.get(1) == Some(&first) {
            so_far.push(true);
            go(rest, &given[2..], may, so_far, found);
            so_far.pop();
        }
        so_far.push(false);
        go(rest, &given[1..], may, so_far, found);
        so_far.pop();
    }
    let mut found = vec![];
    go(own, given, may, &mut vec![], &mut found);
    match found.len() {
        0 => Err("its parameters do not match"),
        1 => Ok(found.swap_remove(0)),
        _ => Err("its types leave open which parameters have a shadow"),
    }
}

/// Parameters with a shadow after each that may have one.
fn with_shadows(own: &[Type], may: &dyn Fn(Type) -> bool) -> Vec<Type> {
    own.iter().flat_map(|&ty| if may(ty) { vec![ty, ty] } else { vec![ty] }).collect()
}

/// The message for a function that does not fit.
fn mismatch(f: Function, what: &str, why: &str, rule: Function, expected: Type) -> String {
    format!(
        "'{}' cannot be the {what} of '{}': {why}; expected {expected}, found {}",
        rule.name(),
        f.name(),
        rule.ty()
    )
}

/// Whether a pointer is never used, or compared with null first. Code at -O0 keeps parameters in
/// stack variables.
fn accepts_null(pointer: Value) -> bool {
    let (mut used, mut seen) = (false, vec![pointer]);
    let mut next = 0;
    while let Some(&v) = seen.get(next) {
        next += 1;
        for user in v.users() {
            match user.opcode() {
                Opcode::LLVMICmp if user.operand(0).is_null() || user.operand(1).is_null() => {
                    return true;
                }
                Opcode::LLVMStore if user.operand(0) == v => {
                    let slot = user.operand(1);
                    if !slot.is_instruction() || slot.opcode() != Opcode::LLVMAlloca {
                        used = true;
                        continue;
                    }
                    for load in slot
                        .users()
                        .into_iter()
                        .filter(|u| u.opcode() == Opcode::LLVMLoad && !seen.contains(u))
                        .collect::<Vec<_>>()
                    {
                        // `(void)shadow` loads it for nothing.
                        seen.push(load);
                    }
                }
                _ => used = true,
            }
        }
    }
    !used
}

impl Tangent {
    /// A tangent that we wrote, of a function that returns nothing.
    pub fn own(function: Function, shadows: Vec<bool>) -> Tangent {
        Tangent { rule: Rule::own(function, vec![]), shadows, result: None, derivative: None }
    }
    /// Whether a null pointer may be passed as the shadow of parameter `i`.
    pub fn accepts_null(&self, i: usize) -> bool {
        self.rule.accepts_null(&self.shadows, i)
    }
    /// Reads the tangent `rule` of `f`.
    pub fn read(module: Module, f: Function, rule: Function) -> Result<Tangent, String> {
        if let Some(why) = unsuited(f) {
            return Err(format!("'{}' cannot have a tangent of its own: {why}", f.name()));
        }
        let own = f.ty().function_params();
        let result = f.ty().function_result();
        let may = |ty: Type| ty.is_pointer() || ty.is_float();
        let expected = Type::function(result, &with_shadows(&own, &may), false);
        let fail = |why: &str| mismatch(f, "tangent", why, rule, expected);
        let shadows = shadows(&own, &params(rule), &may).map_err(fail)?;
        let ty = returned(rule);
        let pair = [result, result];
        let (members, result, derivative) = if ty.is_void() && !result.is_float() {
            (vec![], None, None)
        } else if ty == result && result.is_float() {
            (vec![result], None, Some(0))
        } else if ty == result {
            (vec![result], Some(0), None)
        } else if result.is_float() && signature::fits(module, ty, &pair) {
            (pair.to_vec(), Some(0), Some(1))
        } else {
            return Err(fail(
                "its result does not match (the derivative of the result, or a struct of result \
                and derivative)",
            ));
        };
        Ok(Tangent {
            rule: Rule { function: rule, members, takes_null: false },
            shadows,
            result,
            derivative,
        })
    }
}

impl Adjoint {
    /// Sweeps that we wrote, of a function that returns nothing; the forward sweep returns a tape.
    pub fn own(augmented: Rule, reverse: Rule, shadows: Vec<bool>) -> Adjoint {
        let returns_adjoints = !reverse.members.is_empty();
        Adjoint {
            augmented,
            reverse,
            shadows,
            result: None,
            result_shadow: None,
            tape: Some(0),
            returns_adjoints,
        }
    }
    /// Whether a null pointer may be passed as the shadow of parameter `i`.
    pub fn accepts_null(&self, i: usize) -> bool {
        self.augmented.accepts_null(&self.shadows, i) && self.reverse.accepts_null(&self.shadows, i)
    }
    /// Reads the sweeps of `f`.
    pub fn read(
        module: Module,
        f: Function,
        augmented: Function,
        reverse: Function,
    ) -> Result<Adjoint, String> {
        if let Some(why) = unsuited(f) {
            return Err(format!("'{}' cannot have an adjoint of its own: {why}", f.name()));
        }
        let context = module.context();
        let own = f.ty().function_params();
        let result = f.ty().function_result();
        let may = |ty: Type| ty.is_pointer();
        let all = with_shadows(&own, &may);
        let expected = match result.is_void() {
            true => Type::function(context.ptr(), &all, false),
            false => Type::function(context.structure(&[context.ptr(), result]), &all, false),
        };
        let fail = |why: &str| mismatch(f, "forward sweep", why, augmented, expected);
        let forward_shadows = shadows(&own, &params(augmented), &may).map_err(fail)?;
        let ty = returned(augmented);
        let both = [context.ptr(), result];
        let (members, primal, tape) = if ty.is_void() {
            (vec![], None, None)
        } else if ty == result {
            (vec![result], Some(0), None)
        } else if ty.is_pointer() {
            (vec![ty], None, Some(0))
        } else if !result.is_void() && signature::fits(module, ty, &both) {
            (both.to_vec(), Some(1), Some(0))
        } else {
            return Err(fail(
                "its result does not match (the result, a pointer as tape, or a struct of tape and \
                result)",
            ));
        };
        let augmented = Rule { function: augmented, members, takes_null: false };

        let mut tail: Vec<Type> = if result.is_float() { vec![result] } else { vec![] };
        tail.extend(tape.map(|_| context.ptr()));
        let reals: Vec<Type> = own.iter().copied().filter(|t| t.is_float()).collect();
        let adjoints = match reals[..] {
            [] => context.void(),
            [one] => one,
            _ => context.structure(&reals),
        };
        let expected =
            Type::function(adjoints, &[augmented.params(), tail.clone()].concat(), false);
        let fail = |why: &str| mismatch(f, "reverse sweep", why, reverse, expected);
        let given = params(reverse);
        if given != [augmented.params(), tail].concat() {
            return Err(fail(
                "it must take the parameters of the forward sweep, then the adjoint of a real \
                result, then the tape",
            ));
        }
        let ty = returned(reverse);
        let members = if ty.is_void() {
            vec![]
        } else if !reals.is_empty() && signature::fits(module, ty, &reals) {
            reals
        } else {
            return Err(fail(
                "its result does not match (the adjoints of the reals by value, in order)",
            ));
        };
        let returns_adjoints = !members.is_empty();
        let reverse = Rule { function: reverse, members, takes_null: false };
        Ok(Adjoint {
            augmented,
            reverse,
            shadows: forward_shadows,
            result: primal,
            result_shadow: None,
            tape,
            returns_adjoints,
        })
    }
}
