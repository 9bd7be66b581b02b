//! Heads of the command line across units: what a unit generates for them gives way to what the link
//! makes where that knows more, and functions that are not in the unit are the link's.

use super::{
    SECTION,
    carry::Carried,
    list::List,
    reach::{self, Reach},
};
use crate::{
    annotations::config::Config,
    diagnostics::{self, Code, Diagnostic, Origin},
    frontend::heads::{self, Generated, Head, Mode},
    llvm::{Function, Linkage, Module, Severity, Value},
};
use serde::Serialize;

/// A head that a unit is compiled with.
#[derive(Serialize)]
pub struct OpenHead {
    mode: Mode,
    /// As the user wrote it.
    text: String,
    /// The function, if the unit has it.
    symbol: Option<String>,
    /// Names of its parameters that only the unit's compilation knows.
    names: Vec<String>,
    /// Whether only a link can generate it.
    is_needed: bool,
    /// What the function reaches in other units.
    reach: Reach,
}

/// Those of a unit; `symbol` is the name by which other units reach something.
pub fn of(module: Module, config: &Config, symbol: &dyn Fn(Value) -> String) -> Vec<OpenHead> {
    let all = heads::of(config).into_iter();
    let open = all.filter_map(|(mode, text)| {
        let head = Head::parse(&text).ok()?;
        let Some(f) = heads::find(module, &head.function) else {
            // Of a build's many files, one has it.
            let is_needed = !config.heads_optional;
            let open = OpenHead {
                mode,
                text,
                symbol: None,
                names: vec![],
                is_needed,
                reach: Reach::default(),
            };
            return is_needed.then_some(open);
        };
        let names = config.argnames.iter().find(|(symbol, _)| *symbol == f.name());
        Some(OpenHead {
            mode,
            text,
            symbol: Some(symbol(f.value())),
            names: names.map(|(_, names)| names.clone()).unwrap_or_default(),
            is_needed: false,
            // The unit's policies are not the link's.
            reach: match config.prebuilt.are_plain() {
                true => reach::of(f, config).0,
                false => Reach::default(),
            },
        })
    });
    open.collect()
}

/// Has the plugin generate the heads of a link.
pub fn take(module: Module, config: &mut Config) {
    let Some(list) = List::of(module, config) else { return };
    config.tangents.clear();
    config.adjoints.clear();
    for head in &list.heads {
        match head.mode {
            Mode::Tangent => config.tangents.push(head.text.clone()),
            Mode::Adjoint => config.adjoints.push(head.text.clone()),
        }
    }
    config.argnames.extend(list.names);
}

/// What becomes of a head: what was generated may give way to what the link makes, and is returned
/// then; what cannot be generated may be left to the link; or, at the link, to its unit.
///
/// # Errors
/// What is wrong with the head.
pub fn settle(
    module: Module,
    config: &Config,
    carried: Option<&mut Carried>,
    generated: Generated,
) -> Result<Option<Function>, (Origin, Vec<Diagnostic>)> {
    let Generated { mode, text, made } = generated;
    let origin = heads::origin(mode, &text);
    let mut heads = carried.into_iter().flat_map(|carried| carried.heads.iter_mut());
    let open = heads.find(|head| head.mode == mode && head.text == text);
    let found = match made {
        Ok(function) => {
            // Each unit that has a function of a header makes its derivative.
            let is_of_several = || {
                let source = Head::parse(&text).ok().and_then(|h| heads::find(module, &h.function));
                source
                    .is_some_and(|f| !matches!(f.linkage(), Linkage::External | Linkage::Internal))
            };
            let may_be_replaced =
                open.is_some_and(|head| !head.reach.is_empty()) || is_of_several();
            return Ok(function.filter(|_| may_be_replaced));
        }
        Err(found) => found,
    };
    // With link-time optimisation the pass runs a second time: what is not here, or no longer, the first
    // run has made or left to the link.
    let is_absent =
        || Head::parse(&text).is_ok_and(|head| heads::find(module, &head.function).is_none());
    if open.is_none() && module.has_section(SECTION) && is_absent() {
        return Ok(None);
    }
    let is_of_head = |d: &Diagnostic| {
        matches!(d.code, Code::HeadFunction | Code::HeadParameter | Code::HeadSyntax)
    };
    if let Some(head) = open {
        let is_here = || {
            Head::parse(&text)
                .is_ok_and(|head| !heads::candidates(module, &head.function).is_empty())
        };
        let is_elsewhere = head.symbol.is_none() && !is_here();
        if is_elsewhere || !(head.reach.is_empty() || found.iter().any(is_of_head)) {
            head.is_needed = true;
            return Ok(None);
        }
    }
    let list = List::of(module, config);
    let is_tried = |list: &List| {
        list.heads.iter().any(|head| head.is_tried && head.mode == mode && head.text == text)
    };
    if list.as_ref().is_some_and(is_tried) {
        let found: Vec<Diagnostic> =
            found.into_iter().map(|d| super::of_own_file(&text, d)).collect();
        diagnostics::report_as(Severity::Warning, module.context(), "", &origin, &found);
        return Ok(None);
    }
    Err((origin, found))
}
