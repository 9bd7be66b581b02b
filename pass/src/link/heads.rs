//! Heads of the command line across units: what a unit generates for them gives way to what the link
//! makes where that knows more, and functions that are not in the unit are the link's.

use super::{
    SECTION,
    carry::Carried,
    list::{List, ListedHead},
    reach::{self, Reach},
};
use crate::{
    annotations::config::Config,
    diagnostics::{self, Code, Diagnostic, Origin},
    frontend::heads::{self, Asked, Generated, Head, Planned, Subject},
    llvm::{Function, Linkage, Module, Severity, Value},
};
use serde::Serialize;

/// A head that a unit is compiled with.
#[derive(Serialize)]
pub struct OpenHead {
    #[serde(flatten)]
    asked: Asked,
    /// The function, if the unit has it.
    symbol: Option<String>,
    /// What it generates then.
    generates: Option<String>,
    /// Names of its parameters that only the unit's compilation knows.
    names: Vec<String>,
    /// Whether only a link can generate it.
    is_needed: bool,
    /// What the function reaches in other units.
    reach: Reach,
}

impl OpenHead {
    /// Whether it is this one.
    pub fn is_it(&self, head: &Planned) -> bool {
        self.asked == head.asked
    }
    /// Whether other units may know more of what it differentiates.
    pub fn is_open(&self) -> bool {
        !self.reach.is_empty()
    }
    /// Leaves it to the link.
    pub fn leave(&mut self) {
        self.is_needed = true;
    }
}

/// Those of a unit; `of_value` is the name by which other units reach something.
pub fn of(module: Module, config: &Config, of_value: &dyn Fn(Value) -> String) -> Vec<OpenHead> {
    let all = heads::plan(module, config);
    let generated = heads::generated(module, config);
    let of = |at: usize| {
        let Planned { ref asked, ref symbol, .. } = all[at];
        let Some(source) = heads::source(&all, at) else {
            // Of a build's many files, one has it.
            let is_needed = !config.heads_optional && Head::parse(&asked.text).is_ok();
            return is_needed.then(|| OpenHead {
                asked: asked.clone(),
                symbol: None,
                generates: None,
                names: vec![],
                is_needed,
                reach: Reach::default(),
            });
        };
        let subject = match all[at].subject {
            Subject::Head(of) => all[of].symbol.clone(),
            Subject::Function(f) => Some(of_value(f.value())),
            Subject::Unknown => None,
        };
        let is_function = all[at].subject == Subject::Function(source);
        let names =
            config.argnames.iter().find(|(symbol, _)| is_function && *symbol == source.name());
        Some(OpenHead {
            asked: asked.clone(),
            symbol: subject,
            generates: symbol.clone(),
            names: names.map(|(_, names)| names.clone()).unwrap_or_default(),
            is_needed: false,
            // The unit's policies are not the link's.
            reach: match config.prebuilt.are_plain() {
                true => reach::of(source, config, &generated).0,
                false => Reach::default(),
            },
        })
    };
    (0..all.len()).filter_map(of).collect()
}

/// Has the plugin generate the heads of a link.
pub fn take(module: Module, config: &mut Config) {
    let Some(list) = List::of(module, config) else { return };
    let is_wanted = |head: &&ListedHead| !head.is_optional || is_called(module, &list, head);
    config.heads = list.heads.iter().filter(is_wanted).map(|head| head.asked.clone()).collect();
    config.heads.sort_by_key(|asked| asked.mode);
    config.argnames.extend(list.names);
}

/// Whether code of the link calls what a head generates, or another head that is generated names it.
fn is_called(module: Module, list: &List, head: &ListedHead) -> bool {
    let Some(generated) = &head.generated else { return false };
    let called = module.function(generated).filter(|f| f.is_declaration());
    let names_it = |other: &ListedHead| {
        Head::parse(&other.asked.text).is_ok_and(|parsed| parsed.function == *generated)
            && (!other.is_optional || is_called(module, list, other))
    };
    called.is_some_and(|f| !f.value().users().is_empty()) || list.heads.iter().any(names_it)
}

/// A function that was generated, and the linkage that it gets.
pub type Linked = (Function, Linkage);

/// What becomes of a head: what was generated may give way to what the link makes, or be for the link's
/// own code alone, and is returned then; what cannot be generated may be left to the link; or, at the
/// link, to its unit.
///
/// # Errors
/// What is wrong with the head.
pub fn settle(
    module: Module,
    config: &Config,
    carried: Option<&mut Carried>,
    generated: Generated,
) -> Result<Option<Linked>, (Origin, Vec<Diagnostic>)> {
    let Generated { asked, source, made } = generated;
    let origin = heads::origin(&asked);
    let mut heads = carried.into_iter().flat_map(|carried| carried.heads.iter_mut());
    let open = heads.find(|head| head.asked == asked);
    let found = match made {
        Ok(function) => {
            // Each unit that has a function of a header makes its derivative.
            let is_of_several = || {
                source
                    .is_some_and(|f| !matches!(f.linkage(), Linkage::External | Linkage::Internal))
            };
            let may_be_replaced =
                open.is_some_and(|head| !head.reach.is_empty()) || is_of_several();
            let is_own = || {
                let list = List::of(module, config);
                let is_it = |h: &ListedHead| h.is_optional && h.asked == asked;
                list.is_some_and(|list| list.heads.iter().any(is_it))
            };
            return Ok(function.and_then(|f| match () {
                () if may_be_replaced => Some((f, Linkage::Replaceable)),
                () if is_own() => Some((f, Linkage::Internal)),
                () => None,
            }));
        }
        Err(found) => found,
    };
    // With link-time optimisation the pass runs a second time: what was not made then, the first run has
    // made or left to the link.
    if open.is_none() && module.has_section(SECTION) {
        return Ok(None);
    }
    let is_of_head = |d: &Diagnostic| {
        matches!(d.code, Code::HeadFunction | Code::HeadParameter | Code::HeadSyntax)
    };
    if let Some(head) = open {
        let is_here = || {
            Head::parse(&asked.text)
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
        let may_fail = |head: &ListedHead| head.is_tried || head.is_optional;
        list.heads.iter().any(|head| may_fail(head) && head.asked == asked)
    };
    if list.as_ref().is_some_and(is_tried) {
        let found: Vec<Diagnostic> =
            found.into_iter().map(|d| super::of_own_file(&asked.text, d)).collect();
        diagnostics::report_as(Severity::Warning, module.context(), "", &origin, &found);
        return Ok(None);
    }
    Err((origin, found))
}
