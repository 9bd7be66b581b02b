//! Random instructions, in all forms that have rules: run as they are and under the translator,
//! alone and in sequences. Registers, flags and memory must be the same bits, and dots those that
//! the rules say, instruction by instruction.

// It is made of code for x86-64.
#![cfg(target_arch = "x86_64")]

#[path = "rules/forms.rs"]
#[allow(dead_code)] // `rules.rs` uses the rest.
mod forms;
#[path = "random/frame.rs"]
mod frame;
#[path = "random/model.rs"]
mod model;
#[path = "random/steps.rs"]
mod steps;

use std::collections::BTreeMap;

use adshadow::{
    memory::space,
    rules::Element,
    translate::{Mode, engine},
};
use forms::Numbers;
use frame::{Frame, STATUS, library, run, run_translated};
use iced_x86::Instruction;
use model::{differences, dots_for, expected, filled, without_signs};
use steps::{all_forms, calm, element_of, is_elsewhere, undefined, varied};

/// Whether a test of all registers must be left out.
fn lacks_registers() -> bool {
    let are_hidden = frame::registers().1 < 64 && admachine::has(&frame::WORDS);
    if are_hidden {
        println!("{}SURVEY_REGISTERS leaves registers out", admachine::SKIPPED);
    }
    are_hidden || admachine::lacks(&frame::WORDS)
}

#[test]
fn random_instructions_do_what_rules_say() {
    if lacks_registers() {
        return;
    }
    space::install_on_thread().expect("shadow memory");
    let mut seeds = Numbers(7);
    let steps: Vec<Instruction> =
        all_forms().iter().flat_map(|i| [varied(i, &mut seeds), varied(i, &mut seeds)]).collect();
    let singles: Vec<Vec<Instruction>> = steps.iter().map(|i| vec![*i]).collect();
    let (driver, functions) = library("randomsingles", &singles, false);
    let entry = engine::entry(driver, Mode::Tangent).expect("an entry");
    let (mut wrong, mut compared, mut active) = (BTreeMap::<String, String>::new(), 0, 0);
    for (i, function) in steps.iter().zip(&functions) {
        for round in 0..3 {
            let element = element_of(i);
            let start = filled(&mut seeds, element);
            let mut dots = if round == 0 { Frame::zero() } else { dots_for(&mut seeds, element) };
            let mut says = expected(i, &start, &dots);
            if says.is_none() && !is_elsewhere(i) {
                calm(i, &mut dots);
                says = expected(i, &start, &dots);
            }
            if std::env::var_os("SHOW").is_some() {
                println!("{i}");
            }
            let (mut native, mut translated) = (start.clone(), start.clone());
            run(driver, *function, &mut native);
            run_translated(entry, *function, &mut translated, &mut dots);
            let flags = STATUS & !undefined(i);
            (native.flags, translated.flags) = (native.flags & flags, translated.flags & flags);
            native.target = translated.target;
            if *native != *translated {
                wrong.insert(
                    i.to_string(),
                    format!("values differ: {:?}", differences(&translated, &native)),
                );
            }
            if let Some(says) = says.filter(|_| !is_elsewhere(i)) {
                compared += 1;
                active += usize::from(round > 0);
                let found = differences(&dots, &says);
                if !found.is_empty() {
                    wrong.entry(i.to_string()).or_insert(found.join("; "));
                }
            }
        }
    }
    println!("{} instructions, {compared} compared, {active} with dots", steps.len());
    let text: Vec<String> = wrong.iter().take(40).map(|(i, why)| format!("{i}: {why}")).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), steps.len(), text.join("\n"));
    assert!(compared > 10_000 && active > 5_000);
}

/// Steps of one sequence at most.
const STEPS: usize = 24;
const SEQUENCES: usize = 1500;

#[test]
fn random_sequences_do_what_rules_say() {
    if lacks_registers() {
        return;
    }
    space::install_on_thread().expect("shadow memory");
    let mut seeds = Numbers(11);
    // Forms before AVX, those of AVX, and all together.
    let legacy = |i: &Instruction| i.encoding() == iced_x86::EncodingKind::Legacy;
    let steps: Vec<Instruction> =
        all_forms().iter().map(|i| varied(i, &mut seeds)).filter(|i| !is_elsewhere(i)).collect();
    let kinds: [Vec<usize>; 3] = [
        (0..steps.len()).filter(|&k| legacy(&steps[k])).collect(),
        (0..steps.len())
            .filter(|&k| legacy(&steps[k]) || steps[k].encoding() == iced_x86::EncodingKind::VEX)
            .collect(),
        (0..steps.len()).collect(),
    ];
    let singles: Vec<Vec<Instruction>> = steps.iter().map(|i| vec![*i]).collect();
    let (one, singles_at) = library("randomsteps", &singles, true);
    // What is run, from what, and what comes out by the rules.
    let mut all = Vec::new();
    for n in 0..SEQUENCES {
        let element = if seeds.next() & 1 == 0 { Element::F64 } else { Element::F32 };
        let (start, dots) = (filled(&mut seeds, element), dots_for(&mut seeds, element));
        let (mut frame, mut says, mut taken) = (start.clone(), dots.clone(), Vec::new());
        for _ in 0..4 * STEPS {
            let kind = &kinds[n % kinds.len()];
            let k = kind[seeds.next() as usize % kind.len()];
            let Some(after) = expected(&steps[k], &frame, &says) else {
                continue;
            };
            says = after;
            without_signs(&mut says);
            run(one, singles_at[k], &mut frame);
            taken.push(k);
            if taken.len() == STEPS {
                break;
            }
        }
        all.push((taken, start, dots, says));
    }
    let sequences: Vec<Vec<Instruction>> =
        all.iter().map(|(taken, ..)| taken.iter().map(|&k| steps[k]).collect()).collect();
    let (driver, functions) = library("randomsequences", &sequences, false);
    let entry = engine::entry(driver, Mode::Tangent).expect("an entry");
    let (mut wrong, mut ran, mut left_out) = (Vec::new(), 0, 0);
    let step = engine::entry(one, Mode::Tangent).expect("an entry");
    for (((taken, start, dots_before, says), sequence), function) in
        all.iter().zip(&sequences).zip(&functions)
    {
        let flags = STATUS & !sequence.iter().map(undefined).fold(0, |a, b| a | b);
        // The sign of a float's dot that is zero is nobody's business, but other steps may take it
        // for digits, and then a rule may refuse.
        let (mut frame, mut dots) = (start.clone(), dots_before.clone());
        let is_allowed = taken.iter().all(|&k| {
            let is = expected(&steps[k], &frame, &dots).is_some();
            if is {
                run_translated(step, singles_at[k], &mut frame, &mut dots);
            }
            is
        });
        if !is_allowed {
            left_out += 1;
            continue;
        }
        // The first time code is found, the second time it is there.
        for _ in 0..2 {
            let (mut native, mut translated, mut dots) =
                (start.clone(), start.clone(), dots_before.clone());
            run(driver, *function, &mut native);
            run_translated(entry, *function, &mut translated, &mut dots);
            (native.flags, translated.flags) = (native.flags & flags, translated.flags & flags);
            let at_end = dots.clone();
            let mut found = differences(&dots, says);
            if *native != *translated {
                found.extend(
                    differences(&translated, &native).into_iter().map(|d| format!("value {d}")),
                );
                found.push(format!("flags {:x}, {:x}", translated.flags, native.flags));
            }
            if !found.is_empty() {
                // Which step is it, on its own? What is no number, and the sign of a float that is
                // zero, have many forms, which other steps may take for digits: so each is asked
                // from what it found.
                let (mut frame, mut dots) = (start.clone(), dots_before.clone());
                let mut wrong_steps = Vec::new();
                for &k in taken {
                    let rules = expected(&steps[k], &frame, &dots);
                    run_translated(step, singles_at[k], &mut frame, &mut dots);
                    let found = rules.map_or_else(
                        || vec!["no rule from here".into()],
                        |rules| differences(&dots, &rules),
                    );
                    if !found.is_empty() {
                        wrong_steps.push(format!("step {}: {}", steps[k], found.join("; ")));
                        break;
                    }
                }
                if *native == *translated
                    && wrong_steps.is_empty()
                    && differences(&at_end, &dots).is_empty()
                {
                    continue;
                }
                wrong.append(&mut wrong_steps);
                let text: Vec<String> = sequence.iter().map(|i| i.to_string()).collect();
                wrong.push(format!("{}\n    {}", text.join("; "), found.join("\n    ")));
            }
        }
        ran += 2 * sequence.len();
    }
    println!("{ran} steps, {left_out} sequences left out");
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        2 * all.len(),
        wrong.iter().take(6).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(ran > 10 * SEQUENCES && left_out < SEQUENCES / 50);
}
