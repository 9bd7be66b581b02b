//! A survey of the forms: each form of an instruction that has a rule, and that this processor runs, is run by cases, natively and under the translator, in tangents and
//! in recordings. Values are the same bits. Shadows are compared with what running the instruction itself tells of it (`survey/oracle.rs`): where bytes come from,
//! and partials by central differences. What kind of instruction it is says a table by names (`survey/table.rs`), not the runtime.
//!
//! The census at the end fails when a form with a rule has no case, and is not in the list of those that are tested elsewhere.

#[path = "survey/case.rs"]
mod case;
#[path = "survey/check.rs"]
mod check;
#[path = "rules/forms.rs"]
#[allow(dead_code)] // `rules.rs` uses the rest.
mod forms;
#[path = "random/frame.rs"]
mod frame;
#[path = "survey/general.rs"]
mod general;
#[path = "survey/guard.rs"]
mod guard;
#[path = "survey/instances.rs"]
mod instances;
#[path = "survey/machine.rs"]
mod machine;
#[path = "survey/oracle.rs"]
mod oracle;
#[path = "survey/processor.rs"]
mod processor;
#[path = "survey/table.rs"]
mod table;

#[path = "survey/unit.rs"]
mod unit;

use std::collections::{BTreeMap, BTreeSet};

use adshadow::{emit::Mode, mirror::space, rules::{self, Rule}};
use case::{Case, wrapped};
use check::Check;
use forms::Numbers;
use iced_x86::Code;
use machine::Machine;

/// The slow way is called with registers laid out here: the runtime has to find them.
#[test]
fn registers_are_found() {
    let (mut frame, mut seeds) = (frame::Frame::zero(), Numbers(3));
    frame.vectors.as_flattened_mut().iter_mut().for_each(|b| *b = seeds.next() as u8);
    frame.masks = std::array::from_fn(|_| seeds.next());
    assert!(machine::agrees_with_the_runtime(&frame));
}

/// Cases of all forms that a table knows and that run here.
fn cases() -> Vec<Case> {
    let rows = table::by_name(&[table::TABLE, general::TABLE, unit::TABLE]);
    let mut all = Vec::new();
    for code in instances::forms().filter(|c| processor::is_here(*c) && !matches!(rules::rule(*c), Rule::Refused(_) | Rule::Unknown) && general::elsewhere(*c).is_none()) {
        let Some(row) = rows.get(&table::name_of(code)) else { continue };
        if unit::is_of(row.expect) {
            all.extend(unit::instance(code).map(|i| unit::case(i, row, 2 * all.len())));
            continue;
        }
        for i in instances::instances(code, row.immediates) {
            all.push(Case::new(i, row, 2 * all.len()));
        }
    }
    all
}

#[test]
fn each_form_does_what_it_does_to_numbers() {
    if !std::arch::is_x86_feature_detected!("avx512bw") || !std::arch::is_x86_feature_detected!("avx512dq") {
        println!("only where there are all vector registers");
        return;
    }
    space::install_on_thread().expect("shadow memory");
    let cases = cases();
    let mut machine = Machine::new("survey", &cases.iter().map(|c| if unit::is_of(c.row.expect) { unit::surrounded(&c.i) } else { wrapped(&c.i) }).collect::<Vec<_>>());
    let only = std::env::var("ONLY").ok();
    let cases: Vec<Case> = cases.into_iter().filter(|c| only.as_ref().is_none_or(|o| if o == "unit" { unit::is_of(c.row.expect) } else if o == "general" { general::TABLE.iter().any(|r| std::ptr::eq(r, c.row)) } else { format!("{:?}", c.form()).contains(o) })).collect();
    let (mut wrong, mut compared) = (BTreeMap::<String, String>::new(), 0);
    for mode in [Mode::Tangent, Mode::Recording] {
        machine.enter(mode);
        let (count, found) = guard::each(cases.len(), |n| {
            let mut check = Check { machine: &machine, seeds: Numbers(n as u64), compared: 0 };
            check.case(&cases[n]).map(|()| check.compared)
        });
        println!("{mode:?}: {count} compared with something active");
        compared += count;
        for (n, why) in found {
            wrong.entry(format!("{mode:?} {:?}", cases[n].form())).or_insert(format!("{}: {why}", cases[n].i));
        }
    }
    let tried: BTreeSet<Code> = cases.iter().map(|c| c.form()).collect();
    println!("{} forms, {} cases, {compared} compared with something active", tried.len(), cases.len());
    let untried: Vec<Code> = instances::forms().filter(|c| !matches!(rules::rule(*c), Rule::Unknown | Rule::Refused(_)) && !tried.contains(c)).collect();
    println!("without a case: {} ({} of them not here)", untried.len(), untried.iter().filter(|c| !processor::is_here(**c)).count());
    println!("{:?}", untried.iter().filter(|c| processor::is_here(**c) && general::elsewhere(**c).is_none()).collect::<Vec<_>>());
    let text: Vec<String> = wrong.iter().take(4000).map(|(form, why)| format!("{form}: {why}")).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), text.join("\n"));
}
