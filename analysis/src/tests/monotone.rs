//! Who knows less gets larger results: more active parameters, a context of which less is known,
//! more that is asked for.

use super::{Facts, context};
use crate::{
    adjoint_out::AdjointOut,
    context::Context,
    dependency::{Dependences, Dependency, Port},
    diff_liveness::DiffLiveness,
    in_out::{InOut, MemoryRange},
    tbr::Tbr,
};
use adir::{Body, ValueId};
use adir_testing::programs;
use proptest::prelude::*;

/// Values chosen by the bits of a number.
fn chosen(body: &Body, bits: u64) -> Vec<ValueId> {
    body.value_ids().filter(|v| bits >> (v.0 % 61) & 1 == 1).collect()
}

fn is_subset<T: PartialEq>(few: &[T], many: &[T]) -> bool {
    few.iter().all(|x| many.contains(x))
}

/// Reads, writes and kills of a function whose calls to `returning` return.
fn in_out(facts: &Facts, returning: &[ValueId]) -> InOut {
    InOut::compute(&facts.body, &facts.memory, &facts.locations, &|call| returning.contains(&call))
}

/// The values that the reverse sweep finds in memory.
fn found(facts: &Facts, tbr: &Tbr) -> Vec<(ValueId, bool)> {
    let values = facts.body.value_ids();
    values
        .flat_map(|v| {
            [tbr.is_reloadable(v).then_some((v, true)), tbr.stored(v).map(|_| (v, false))]
        })
        .flatten()
        .collect()
}

/// The values that are live and the instructions that are present.
fn live(
    facts: &Facts,
    context: &Context,
    used: &[ValueId],
    runs: &[ValueId],
) -> Vec<(ValueId, bool)> {
    let live = DiffLiveness::compute(facts.known(), context, used, &|call| runs.contains(&call));
    let insts =
        facts.body.insts().filter(|&v| live.is_present(v)).map(|v| (v, true)).collect::<Vec<_>>();
    facts.body.value_ids().filter(|&v| live.is_live(v)).map(|v| (v, false)).chain(insts).collect()
}

fn inputs(all: &Dependences, output: &Port) -> Vec<Port> {
    all.iter().filter(|(o, _)| o == output).flat_map(|(_, from)| from.to_vec()).collect()
}

proptest! {
    #[test]
    fn in_out_of_calls_that_return(body in programs(), bits in any::<[u64; 2]>()) {
        let facts = Facts::new(body);
        let few = in_out(&facts, &chosen(&facts.body, bits[0]));
        let many = in_out(&facts, &chosen(&facts.body, bits[0] | bits[1]));
        prop_assert!(is_subset(&few.reads, &many.reads) && is_subset(&few.writes, &many.writes));
        prop_assert!(!few.returns() || many.returns());
        if let (Some(sure), Some(less)) = (few.kills, many.kills) {
            // What the other ways write is in `less` only if they overwrite it surely too.
            let written = |p: &&MemoryRange| few.writes.contains(p);
            prop_assert!(less.iter().filter(written).all(|p| sure.contains(p)));
        }
    }

    #[test]
    fn a_request_reloads_what_an_unknown_caller_reloads(body in programs()) {
        let facts = Facts::new(body);
        let n = facts.body.params.len();
        let of = |context: &Context| found(&facts, &Tbr::compute(facts.known(), context, &|_| true));
        let (unknown, request) = (of(&Context::unknown(n)), of(&Context::of_request(&vec![false; n])));
        prop_assert!(is_subset(&unknown, &request));
        prop_assert!(is_subset(&found(&facts, &Tbr::nothing(&facts.body)), &unknown));
    }

    #[test]
    fn reloads_where_less_is_written_and_more_is_stable(
        body in programs(),
        bits in any::<[u64; 2]>(),
        skipped in any::<[u64; 2]>(),
    ) {
        let facts = Facts::new(body);
        let (less, more) = (chosen(&facts.body, skipped[0] & skipped[1]), chosen(&facts.body, skipped[0]));
        let of = |bits: u64, absent: &[ValueId]| {
            Tbr::compute(facts.known(), &context(&facts.body, bits), &|v| !absent.contains(&v))
        };
        let (few, many) = (of(bits[0] | bits[1], &less), of(bits[0], &more));
        for v in facts.body.value_ids() {
            prop_assert!(!few.is_reloadable(v) || many.is_reloadable(v), "{v:?}");
            // A store that is absent leaves nothing in memory.
            let stays = few.stored(v).is_some_and(|store| !more.contains(&store));
            prop_assert!(!stays || many.stored(v).is_some(), "{v:?}");
        }
    }

    #[test]
    fn adjoint_out_of_what_is_present(body in programs(), skipped in any::<[u64; 2]>()) {
        let facts = Facts::new(body);
        let of = |bits: u64| {
            let absent = chosen(&facts.body, bits);
            AdjointOut::compute(facts.known(), &|v| !absent.contains(&v))
        };
        let (few, many) = (of(skipped[0]), of(skipped[0] & skipped[1]));
        for v in facts.body.insts() {
            let members = |out: &AdjointOut| out.after_call(v).map_or(vec![], |set| set.iter_ones().collect());
            prop_assert!(is_subset(&members(&few), &members(&many)), "{v:?}");
        }
    }

    #[test]
    fn what_is_live_where_more_is_asked_for(
        body in programs(),
        bits in any::<[u64; 2]>(),
        used in any::<[u64; 3]>(),
    ) {
        let facts = Facts::new(body);
        let few = live(
            &facts,
            &context(&facts.body, bits[0]),
            &chosen(&facts.body, used[0] & used[1]),
            &chosen(&facts.body, used[2] & used[1]),
        );
        let many = live(
            &facts,
            &context(&facts.body, bits[0] | bits[1]),
            &chosen(&facts.body, used[0]),
            &chosen(&facts.body, used[2]),
        );
        prop_assert!(is_subset(&few, &many));
    }

    #[test]
    fn what_depends_differentiably_depends(body in programs()) {
        let facts = Facts::new(body);
        let all = Dependency::compute(&facts.body, &facts.memory, &facts.locations, &|_| None);
        for (output, from) in &all.differentiable {
            let any = inputs(&all.any, output);
            prop_assert!(is_subset(from, &any), "{output:?} on {from:?} but only {any:?}");
        }
    }
}
