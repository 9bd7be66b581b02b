//! Refusals of data that come from elsewhere or go there, and of numbers that are read from text
//! with active digits (analysis/src/activity/foreign/).

use crate::{
    annotations::outside::culprit,
    diagnostics::{Code, Diagnostic, names::readable},
    image::unit::Unit,
};
use adanalysis::{
    activity::{
        Activity,
        foreign::{self, Why},
    },
    context::Context,
    summary::Known,
};
use adir::{
    Cast, Op, ValueId,
    library::outside::{self, Outside},
};

/// All of them in a function.
pub fn check(unit: &Unit, known: Known, context: &Context, activity: &Activity) -> Vec<Diagnostic> {
    foreign::compute(known, context, activity)
        .into_iter()
        .map(|(v, why)| refusal(unit, v, why))
        .collect()
}

fn refusal(unit: &Unit, v: ValueId, why: Why) -> Diagnostic {
    let body = &unit.body;
    let direction = match why {
        Why::Sent => Outside::SENDS,
        Why::Received => Outside::RECEIVES,
        Why::Read | Why::Published => Outside::READS_TEXT,
    };
    let direct = body[v].symbol.as_deref().map(|s| outside::base(s).to_owned()).unwrap_or_default();
    let here = body.llvm(v);
    let (name, site) = culprit(here, direction)
        .filter(|_| !matches!(body[v].op, Op::Cast(_)))
        .unwrap_or((direct, here));
    // A copy of a function that is inlined here has the place of the call in its caller.
    let site = Some(if site.debug_location().is_some() { site } else { here });
    let family = outside::find(&name).map(|(family, _)| family);
    let kind = family.map_or("memory that processes share", |f| f.name);
    let remedy = family
        .map_or("use memory of this process alone, or keep active data out of it", |f| f.remedy);
    let name = readable(&name);
    match why {
        Why::Sent => {
            let text = format!(
                "'{name}' ({kind}) receives active data: derivatives of what is computed from them \
                elsewhere would be lost"
            );
            Diagnostic::new(Code::UnknownCallee, site, text, remedy)
        }
        Why::Received => {
            let text = format!(
                "'{name}' ({kind}) receives data from elsewhere, and the result depends on them: their derivatives are not known"
            );
            Diagnostic::new(Code::UnknownCallee, site, text, remedy)
        }
        Why::Read if matches!(body[v].op, Op::Cast(Cast::IntToFloat)) => {
            let text = "a number is computed from the digits of text that holds active data: the \
                derivative is lost";
            Diagnostic::new(Code::Text, site, text, READ_REMEDY)
        }
        Why::Read if matches!(body[v].op, Op::Load) => {
            let text = "a number is loaded from the memory of a file to which active data were \
                written: the derivative is lost";
            Diagnostic::new(Code::Text, site, text, READ_REMEDY)
        }
        Why::Published => {
            let text = format!(
                "'{name}' makes text that holds active data visible to other files: a number that \
                is read from it has lost its derivative"
            );
            Diagnostic::new(Code::Text, site, text, READ_REMEDY)
        }
        Why::Read => Diagnostic::new(
            Code::Text,
            site,
            format!(
                "'{name}' reads a number from text that holds active data: the derivative is lost"
            ),
            READ_REMEDY,
        ),
    }
}

const READ_REMEDY: &str = "pass the number itself, beside its text; or keep text of active data \
    apart from text of constants";
