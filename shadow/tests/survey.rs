//! A survey of the forms: each form of an instruction that has a rule, and that this processor
//! runs, is run by cases, natively and under the translator, in tangents and in recordings. Values
//! are the same bits. Shadows are compared with what running the instruction itself tells of it
//! (`survey/oracle.rs`): where bytes come from, and partials by central differences. What kind of
//! instruction it is says a table by names (`survey/table.rs`), not the runtime.
//!
//! The census at the end fails when a form with a rule has no case, and is not in the list of those
//! that are tested elsewhere.

// It is made of code for x86-64.
#![cfg(target_arch = "x86_64")]

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
#[path = "survey/integers.rs"]
mod integers;
#[path = "survey/machine.rs"]
mod machine;
#[path = "survey/numbers.rs"]
mod numbers;
#[path = "survey/oracle.rs"]
mod oracle;
#[path = "survey/processor.rs"]
mod processor;
#[path = "survey/table.rs"]
mod table;

#[path = "survey/unit.rs"]
mod unit;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use adshadow::{
    memory::space,
    rules::{self, Rule},
    translate::Mode,
};
use case::{Case, wrapped};
use check::Check;
use forms::Numbers;
use iced_x86::{Code, Encoder, Instruction};
use machine::Machine;
use table::{Expect, Row};

/// The slow path is called with registers laid out here: the runtime has to find them.
#[test]
fn registers_are_found() {
    let (mut frame, mut seeds) = (frame::Frame::zero(), Numbers(3));
    frame.vectors.as_flattened_mut().iter_mut().for_each(|b| *b = seeds.next() as u8);
    frame.masks = std::array::from_fn(|_| seeds.next());
    assert!(machine::agrees_with_the_runtime(&frame));
}

fn rows() -> HashMap<String, &'static Row> {
    table::by_name(&[table::TABLE, general::TABLE, unit::TABLE])
}

/// Forms that have a rule, and are none of what only systems use.
fn forms_with_rules() -> impl Iterator<Item = Code> {
    instances::forms().filter(|&c| {
        !c.op_code().is_privileged() && !matches!(rules::rule(c), Rule::Refused(_) | Rule::Unknown)
    })
}

/// Cases of all forms that run here.
fn cases() -> Vec<Case> {
    let rows = rows();
    let mut all = Vec::new();
    for code in
        forms_with_rules().filter(|&c| processor::is_here(c) && general::elsewhere(c).is_none())
    {
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

/// The functions of cases.
fn functions(cases: &[Case]) -> Vec<Vec<Instruction>> {
    cases
        .iter()
        .map(|c| if unit::is_of(c.row.expect) { unit::surrounded(&c.i) } else { wrapped(&c.i) })
        .collect()
}

/// Each form that has a rule has a family, or a reason why it has none, whatever processor this is;
/// each that this one has is run by a case.
#[test]
fn each_form_has_a_case() {
    let (rows, tried) = (rows(), cases().iter().map(|c| c.form()).collect::<BTreeSet<_>>());
    let (mut without, mut elsewhere, mut absent) = (Vec::new(), BTreeMap::<&str, usize>::new(), 0);
    let (mut unknown, mut encoder) = (Vec::new(), Encoder::new(64));
    for code in forms_with_rules() {
        if !processor::is_known(code) {
            unknown.push(code.cpuid_features());
        }
        // Whether there are instances does not depend on the processor.
        let mut is_encoded = |i: &Instruction| encoder.encode(i, 0).is_ok();
        let mut has_instances = || {
            let Some(row) = rows.get(&table::name_of(code)) else { return false };
            let all = if unit::is_of(row.expect) {
                Vec::from_iter(unit::instance(code))
            } else {
                instances::instances(code, row.immediates)
            };
            !all.is_empty() && all.iter().all(&mut is_encoded)
        };
        match general::elsewhere(code) {
            Some(why) => *elsewhere.entry(why).or_default() += 1,
            None if tried.contains(&code) => {}
            None if !processor::is_here(code) && has_instances() => absent += 1,
            None => without.push(code),
        }
    }
    println!(
        "{} forms are run, {absent} are not on this processor; elsewhere: {elsewhere:#?}",
        tried.len()
    );
    assert_eq!(elsewhere.values().sum::<usize>(), 231, "the list is exact");
    unknown.sort();
    unknown.dedup();
    assert!(unknown.is_empty(), "whether the processor has these is not asked: {unknown:?}");
    assert!(without.is_empty(), "{} forms have a rule and no case: {without:?}", without.len());
    assert_eq!(tried.len() + absent, 3480, "the same on all processors");
    // A name that no form has is a slip.
    let names: BTreeSet<String> = Code::values().map(table::name_of).collect();
    assert_eq!(
        rows.keys().filter(|name| !names.contains(*name)).collect::<Vec<_>>(),
        Vec::<&String>::new()
    );
}

/// Runs all cases in one mode.
fn run(mode: Mode) {
    // Parts of names, for who looks for an error.
    let only = std::env::var("SURVEY").ok();
    let (cases, machine) = prepared(&format!("survey{mode:?}"), mode, cases());
    let is_meant = |c: &Case| only.as_ref().is_none_or(|o| format!("{:?}", c.form()).contains(o));
    let (compared, found) = guard::each(cases.len(), |n| {
        let mut check = Check { machine: &machine, seeds: Numbers(n as u64), compared: 0 };
        if is_meant(&cases[n]) { check.case(&cases[n]).map(|()| check.compared) } else { Ok(0) }
    });
    println!("{mode:?}: {} cases, {compared} comparisons with something active", cases.len());
    // The first of each form.
    let mut wrong = BTreeMap::new();
    for (n, why) in found {
        wrong.entry(cases[n].form() as usize).or_insert(format!(
            "{:?}: {}: {why}",
            cases[n].form(),
            cases[n].i
        ));
    }
    assert!(
        wrong.is_empty(),
        "{} forms:\n{}",
        wrong.len(),
        wrong.into_values().take(100).collect::<Vec<_>>().join("\n")
    );
    // Some cases are of what has no shadow; the others are compared in several ways, each with
    // several sets of numbers. Without VEX forms fewer cases have three operands.
    let least = if frame::registers().1 > 16 { 8 } else { 7 };
    assert!(
        only.is_some() || compared > least * cases.len(),
        "{compared} of {} cases",
        cases.len()
    );
}

/// Cases in a library of their own, and this thread in a mode.
fn prepared(name: &str, mode: Mode, cases: Vec<Case>) -> (Vec<Case>, Machine) {
    let _alone = guard::alone();
    space::install_on_thread().expect("shadow memory");
    let mut machine = Machine::new(name, &functions(&cases));
    machine.enter(mode);
    (cases, machine)
}

#[test]
fn each_form_has_the_dots_of_its_numbers() {
    run(Mode::Tangent);
}

#[test]
fn each_form_has_the_bars_of_its_numbers() {
    run(Mode::Recording);
}

/// Forms that have no derivative: integer arithmetic, and what is refused. One instance of each.
fn without_derivative() -> Vec<Case> {
    static REFUSED: Row = table::row("", Expect::Integers);
    let touches_vectors =
        |i: &Instruction| (0..i.op_count()).any(|k| i.op_register(k).is_vector_register());
    let refused = instances::forms()
        .filter(|&c| processor::is_here(c) && matches!(rules::rule(c), Rule::Refused(_)));
    let refused = refused
        .filter_map(|c| instances::instances(c, &[0]).first().copied())
        .filter(touches_vectors)
        .map(|i| (i, &REFUSED));
    let mut integers: Vec<_> = cases()
        .into_iter()
        .filter(|c| matches!(c.row.expect, Expect::Integers) && !c.is_wrapped)
        .map(|c| (c.i, c.row))
        .collect();
    integers.dedup_by_key(|(i, _)| i.code());
    integers
        .into_iter()
        .chain(refused)
        .enumerate()
        .map(|(n, (i, row))| Case::new(i, row, 2 * n))
        .collect()
}

fn refuses_or_marks_unknown(mode: Mode) {
    let (cases, machine) = prepared(&format!("refused{mode:?}"), mode, without_derivative());
    let (unknown, found) = guard::each(cases.len(), |n| {
        let mut check = Check { machine: &machine, seeds: Numbers(n as u64), compared: 0 };
        check.refused_or_unknown(&cases[n]).map(|()| check.compared)
    });
    let (ended, wrong): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(_, why)| why.starts_with(guard::ABORTED));
    println!(
        "{mode:?}: {} forms, {} ended the process, {unknown} went on with what is unknown",
        cases.len(),
        ended.len()
    );
    let text: Vec<String> =
        wrong.iter().map(|(n, why)| format!("{}: {why}", cases[*n].i)).collect();
    assert!(wrong.is_empty(), "{} forms:\n{}", wrong.len(), text.join("\n"));
    assert_eq!(ended.len() + unknown, cases.len(), "each is reported");
}

#[test]
fn what_has_no_derivative_is_refused_or_unknown_in_tangents() {
    refuses_or_marks_unknown(Mode::Tangent);
}

#[test]
fn what_has_no_derivative_is_refused_or_unknown_in_recordings() {
    refuses_or_marks_unknown(Mode::Recording);
}

/// The same as on processors that have no AVX-512, and none of AVX either.
#[test]
fn processors_with_fewer_registers_have_a_survey() {
    if std::env::var_os("SURVEY_REGISTERS").is_some() {
        return;
    }
    for registers in ["ymm", "xmm"] {
        let program = std::env::current_exe().expect("this program");
        let done = std::process::Command::new(program)
            .env("SURVEY_REGISTERS", registers)
            .output()
            .expect("it runs");
        assert!(done.status.success(), "{registers}: {}", String::from_utf8_lossy(&done.stdout));
    }
}
