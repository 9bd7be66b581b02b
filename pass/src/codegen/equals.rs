//! Calls whose values are what partials of others ask for: the derivative of `sin x` is `cos x`,
//! which the program often computes as well. Such a value is read instead of being computed once
//! more.

use crate::codegen::partial::Partials;
use adir::{Body, Callee, Op, ValueId};
use adrules::Expr;
use std::borrow::Cow;

/// A call that computes what a partial asks for.
#[derive(Clone, Copy, Debug)]
pub struct Equal {
    /// The function.
    name: &'static str,
    /// The operand of which the partial asks for it.
    arg: usize,
    /// The call.
    pub value: ValueId,
}

/// Calls of functions of one number that compute what the partials of `v` ask for, among those that
/// are `at_hand`.
pub fn equals(
    body: &Body,
    v: ValueId,
    partials: &Partials,
    at_hand: impl Fn(ValueId) -> bool,
) -> Vec<Equal> {
    let mut found: Vec<Equal> = vec![];
    let Op::Call(Callee::Rule(_, precision)) = body[v].op else { return found };
    let computes = |w: ValueId, name: &str, operand: ValueId| match body[w].op {
        Op::Call(Callee::Rule(rule, of)) => {
            rule.name == name && of == precision && body[w].operands == [operand]
        }
        _ => false,
    };
    for (_, _, expr) in &partials.terms {
        expr.any(&mut |e| {
            let Some((name, arg)) = function_of_operand(e) else { return false };
            let operand = body.operand(v, arg);
            let is_new = !found.iter().any(|f| f.name == name && f.arg == arg);
            let mut all = body.users[operand].iter().copied();
            if let Some(value) =
                all.find(|&w| is_new && w != v && computes(w, name, operand) && at_hand(w))
            {
                found.push(Equal { name, arg, value });
            }
            false
        });
    }
    found
}

/// The partials of an operation with `operands` operands that read the values of these calls.
pub fn reading(partials: Partials, operands: usize, equals: &[Equal]) -> Partials {
    let read = |e: &Expr| {
        let (name, arg) = function_of_operand(e)?;
        let i = equals.iter().position(|f| f.name == name && f.arg == arg)?;
        Some(Expr::Arg(operands + i))
    };
    let terms =
        partials.terms.into_iter().map(|(o, i, e)| (o, i, Cow::Owned(e.replaced(&read)))).collect();
    Partials { terms, others: equals.iter().map(|f| f.value).collect(), ..partials }
}

fn function_of_operand(e: &Expr) -> Option<(&'static str, usize)> {
    match e {
        Expr::Call(name, args) => match args[..] {
            [Expr::Arg(i)] => Some((name, i)),
            _ => None,
        },
        _ => None,
    }
}
