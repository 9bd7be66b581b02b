//! Cases of numbers: dots and bars, and the partials by differences.

use std::collections::HashMap;

use adshadow::{
    recording,
    rules::Element,
    translate::{Mode, slow_path::record},
};

use super::{
    case::Case,
    check::{Check, Execution, Found, clear, filled, without_drivers},
    frame::{Frame, MEMORY},
    machine::{bytes, bytes_mut, memory},
    oracle::{Lane, Partials},
    table::{Expect, name},
};

impl Check<'_> {
    /// Numbers: dots are the partials' of dots, bars those of bars.
    pub fn numbers(
        &mut self,
        case: &Case,
        from: Element,
        to: Element,
        mask: Option<(usize, u64)>,
    ) -> Found {
        let operands = case.operands();
        let is_positive = matches!(case.row.expect, Expect::Approximates(_))
            || name(case.form().mnemonic()).contains("sqrt");
        for round in 0..4 {
            let mut start = filled(&mut self.seeds, from, is_positive);
            if round == 1 {
                start.masks = [u64::MAX; 8];
            }
            let last = *operands.last().expect("an operand");
            let mut inputs: Vec<(usize, Lane)> = Vec::new();
            for &k in &operands {
                let place = case.operand(k).expect("it is one");
                if let Some((operand, mask)) = mask
                    && operand == k
                {
                    bytes_mut(&mut start)[place]
                        .chunks_mut(8)
                        .for_each(|c| c.copy_from_slice(&mask.to_le_bytes()[..c.len()]));
                    continue;
                }
                let element = if k == last { from } else { to };
                let values = self.seeds.reals(element, k, is_positive);
                bytes_mut(&mut start)[place.clone()].copy_from_slice(&values[..place.len()]);
                inputs.extend(Lane::all(place, element).map(|lane| (k, lane)));
            }
            let results: Vec<Lane> = Lane::all(case.operand(0).expect("a result"), to).collect();
            let lanes = inputs.iter().map(|(_, lane)| *lane).collect();
            let partials = match case.row.expect {
                Expect::Approximates(derivative) => Partials::approximated(
                    self.machine, case.function, &start, lanes, results, derivative,
                ),
                _ => Partials::by_differences(self.machine, case.function, &start, lanes, results),
            };
            // All are active, only one operand is, none is.
            // What is only written may have been unknown.
            let overwritten: Vec<bool> = inputs
                .iter()
                .enumerate()
                .map(|(n, (k, _))| {
                    round == 1
                        && *k == 0
                        && case.overwrites()
                        && !partials.all.iter().any(|p| p.1 == n)
                })
                .collect();
            let choices: Vec<Option<usize>> = match round {
                0 | 1 => vec![None],
                2 => operands.iter().map(|&k| Some(k)).collect(),
                _ => vec![Some(usize::MAX)],
            };
            for choice in choices {
                let active: Vec<bool> =
                    inputs.iter().map(|(k, _)| choice.is_none_or(|c| c == *k)).collect();
                for &execution in self.executions(case) {
                    let done = if self.machine.mode() == Mode::Recording {
                        self.bars(case, execution, &start, &partials, (&active, &overwritten))
                    } else {
                        self.dots(case, execution, &start, &partials, (&active, &overwritten))
                    };
                    done.map_err(|e| {
                        format!("{execution:?}, active {choice:?}, mask {:x}: {e}", start.masks[1])
                    })?;
                    self.compared += usize::from(round < 3);
                }
            }
        }
        Ok(())
    }

    /// Shadows of what an instruction does not touch.
    pub fn others(&mut self, case: &Case) -> Box<Frame> {
        let mut before = filled(&mut self.seeds, Element::F64, false);
        without_drivers(&mut before);
        case.touched.iter().for_each(|t| clear(&mut before, t.place.clone()));
        clear(&mut before, memory());
        before
    }

    pub fn unchanged(&self, case: &Case, before: &Frame, left: &Frame) -> Found {
        let result = case.result.clone().or_else(|| case.operand(0)).expect("a result");
        let is_place = |b: usize| result.contains(&b);
        match (0..bytes(left).len()).find(|&b| !is_place(b) && bytes(left)[b] != bytes(before)[b]) {
            Some(b) => Err(format!(
                "the shadow of byte {b} changes{}",
                if b >= MEMORY { ", in memory" } else { "" }
            )),
            None => Ok(()),
        }
    }

    pub fn dots(
        &mut self,
        case: &Case,
        execution: Execution,
        start: &Frame,
        partials: &Partials,
        (active, overwritten): (&[bool], &[bool]),
    ) -> Found {
        let mut before = self.others(case);
        let mut dots = Vec::new();
        for (n, (lane, is_active)) in partials.inputs.iter().zip(active).enumerate() {
            if overwritten[n] {
                bytes_mut(&mut before)[lane.at..lane.at + lane.bytes()].fill(0xff);
                dots.push(0.0);
                continue;
            }
            let dot =
                if *is_active { (self.seeds.next() % 2000) as f64 / 1024.0 - 1.0 } else { 0.0 };
            lane.set(&mut before, dot);
            dots.push(dot);
        }
        let left = self.shadows(case, execution, start, &before)?;
        self.unchanged(case, &before, &left)?;
        for (lane, expected) in partials.results.iter().zip(partials.forward(&dots)) {
            let dot = lane.get(&left);
            let is_right = if active.contains(&true) {
                (dot - expected).abs() <= partials.tolerance(*lane) * (1.0 + expected.abs())
            } else {
                dot == 0.0
            };
            if !is_right {
                return Err(format!("dot at {}: {dot}, by differences {expected}", lane.at));
            }
        }
        Ok(())
    }

    pub fn bars(
        &mut self,
        case: &Case,
        execution: Execution,
        start: &Frame,
        partials: &Partials,
        (active, overwritten): (&[bool], &[bool]),
    ) -> Found {
        let mut before = self.others(case);
        let segment = recording::begin().expect("a segment");
        let mut indices = HashMap::new();
        for (k, lane) in partials.inputs.iter().enumerate().filter(|(k, _)| active[*k]) {
            if overwritten[k] {
                bytes_mut(&mut before)[lane.at..lane.at + lane.bytes()].fill(0xff);
                continue;
            }
            let index = recording::inputs(1).expect("an index");
            record::put(index, &mut bytes_mut(&mut before)[lane.at..], lane.bytes());
            indices.insert(k, index);
        }
        let left = self.shadows(case, execution, start, &before);
        recording::end(&segment).expect("it was begun");
        let mut bars = vec![0.0; partials.results.len()];
        let mut wrong = None;
        if let Ok(left) = &left {
            for (lane, bar) in partials.results.iter().zip(&mut bars) {
                match record::index(&bytes(left)[lane.at..], lane.bytes()) {
                    Ok(0) => *bar = (self.seeds.next() % 2000) as f64 / 1024.0 - 1.0,
                    Ok(index) => {
                        *bar = (self.seeds.next() % 2000) as f64 / 1024.0 - 1.0;
                        recording::add_bar(index, *bar);
                    }
                    Err(why) => wrong = Some(format!("the result at {}: {why}", lane.at)),
                }
            }
        }
        recording::evaluate(segment).expect("the last");
        let left = left?;
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        self.unchanged(case, &before, &left)?;
        for (k, expected) in partials
            .backward(&bars)
            .into_iter()
            .enumerate()
            .filter(|(k, _)| indices.contains_key(k))
        {
            let bar = recording::bar(indices[&k]);
            let tolerance = partials
                .results
                .iter()
                .map(|lane| partials.tolerance(*lane))
                .fold(partials.inputs[k].tolerance(), f64::max);
            let is_right = (bar - expected).abs() <= tolerance * (1.0 + expected.abs());
            if !is_right {
                return Err(format!(
                    "bar of the number at {}: {bar}, by differences {expected}",
                    partials.inputs[k].at
                ));
            }
        }
        Ok(())
    }
}
