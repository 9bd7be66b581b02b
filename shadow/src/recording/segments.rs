//! Segments: which part of a thread's recording is of which call.
//!
//! A segment may be evaluated before others that were recorded later. Its entries stay where they
//! are, until those behind them are evaluated as well, but none of their indices is known any more:
//! a later segment with an operand among them has come too late to hand its bars on
//! ([`Error::Stale`]). Nor may a segment have operands of another evaluation of derivatives: they
//! would be another gradient's.

use std::{ops::Range, sync::atomic::Ordering};

use super::{
    Error,
    entry::SPARE,
    storage::{
        HAS_DOTS, RECORDING, Recording, Run, clear_registers, make_room, prepare_thread, state,
        supply,
    },
};
use crate::{
    machine::state::State,
    memory::{
        indices::{self, powers},
        poisoned,
    },
};

/// A call that was recorded.
#[derive(Debug)]
pub struct Segment {
    ordinal: u64,
}

/// Where one begins or ends.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// Of the first entry behind it.
    cursor: u64,
    run: usize,
    index: u32,
}

/// A segment whose entries are there.
#[derive(Debug)]
struct Open {
    ordinal: u64,
    evaluation: u64,
    start: Position,
    end: Position,
    is_evaluated: bool,
}

/// All of a thread, in the order of their recording.
#[derive(Default)]
pub(super) struct Segments {
    all: Vec<Open>,
    /// Whether the last one has not ended.
    is_recording: bool,
    ordinals: u64,
    evaluation: u64,
}

impl Segments {
    /// Whether one has begun, and not ended.
    pub fn is_recording(&self) -> bool {
        self.is_recording
    }

    fn is_last(&self, segment: &Segment) -> bool {
        self.all.last().is_some_and(|open| open.ordinal == segment.ordinal)
    }

    /// Indices around one that are of segments like the one at a place, and as open; none if it is
    /// of another.
    fn around(&self, index: u32, place: usize) -> Option<Range<u32>> {
        let open =
            self.all.get(self.all.partition_point(|s| s.start.index <= index).checked_sub(1)?)?;
        let is_known = index < open.end.index
            && !open.is_evaluated
            && open.evaluation == self.all[place].evaluation;
        is_known.then_some(open.start.index..open.end.index)
    }
}

/// What is recorded from now on is of another evaluation.
pub fn new_evaluation() {
    RECORDING.with_borrow_mut(|it| it.segments.evaluation += 1);
}

/// Begins a segment.
pub fn begin() -> Result<Segment, Error> {
    let state = state();
    prepare_thread(state)?;
    RECORDING.with_borrow_mut(|it| {
        if it.segments.is_recording {
            return Err(Error::Order {
                what: "a segment of the recording began before the last one had ended",
            });
        }
        it.clear_spent();
        if it.segments.all.is_empty() {
            let mut supply = supply();
            if supply.tangents > 0 {
                return Err(Error::Tangent);
            }
            if supply.recordings == 0 && HAS_DOTS.swap(false, Ordering::Relaxed) {
                poisoned::clear_all();
                clear_registers(state);
            }
            supply.recordings += 1;
            drop(supply);
            powers::forget();
            it.runs.clear();
            (state.record.cursor, state.record.next) = (it.start, 1);
        } else {
            state.record.last = u64::from(it.chunk_end - SPARE);
        }
        it.segments.is_recording = true;
        Ok::<_, Error>(())
    })?;
    let room = make_room(state);
    let segment = RECORDING.with_borrow_mut(|it| {
        let start = Position {
            cursor: state.record.cursor,
            run: it.runs.len().saturating_sub(1),
            index: state.record.next as u32,
        };
        indices::begin(start.index);
        let segments = &mut it.segments;
        segments.ordinals += 1;
        let (ordinal, evaluation) = (segments.ordinals, segments.evaluation);
        segments.all.push(Open {
            ordinal,
            evaluation,
            start,
            end: Position { index: u32::MAX, ..start },
            is_evaluated: false,
        });
        Segment { ordinal }
    });
    room.inspect_err(|_| discard()).map(|()| segment)
}

/// Ends the segment that was begun.
pub fn end(segment: &Segment) -> Result<(), Error> {
    RECORDING.with_borrow_mut(|it| {
        if !it.segments.is_recording || !it.segments.is_last(segment) {
            return Err(Error::Order {
                what: "a segment of the recording ended that had not begun",
            });
        }
        it.end(state());
        it.peak = it.peak.max(state().record.cursor - it.start);
        Ok(())
    })
}

/// Forgets the last segment: control left the call without its end. Nobody may use what it
/// computed.
pub fn abandon(segment: &Segment) -> Result<(), Error> {
    RECORDING.with_borrow_mut(|it| {
        if !it.segments.is_last(segment) {
            return Err(Error::Order {
                what: "a segment of the recording was abandoned that is not the last one",
            });
        }
        it.end(state());
        let last = it.segments.all.len() - 1;
        it.evaluated(last, state());
        Ok(())
    })
}

/// Forgets a segment that has ended, without an evaluation: others may have been recorded since.
/// What was computed from it by calls that are still recorded has no derivative any more
/// ([`Error::Stale`]).
pub fn give_up(segment: Segment) -> Result<(), Error> {
    RECORDING.with_borrow_mut(|it| {
        let place = it.place_of(&segment)?;
        it.evaluated(place, state());
        Ok(())
    })
}

/// Whether this thread has begun a segment that has not ended.
pub fn is_under_way() -> bool {
    RECORDING.with_borrow(|it| it.segments.is_recording)
}

/// Forgets all segments of this thread, as where control left a call that was recorded.
pub fn discard() {
    RECORDING.with_borrow_mut(|it| {
        it.segments.is_recording = false;
        if it.segments.all.is_empty() {
            return;
        }
        it.segments.all.clear();
        it.spent.append(&mut it.blocks);
        it.leave(state());
    });
}

impl Recording {
    fn end(&mut self, state: &mut State) {
        self.segments.is_recording = false;
        if let Some(run) = self.runs.last_mut() {
            run.end = state.record.next as u32;
        }
        let end = Position {
            cursor: state.record.cursor,
            run: self.runs.len().saturating_sub(1),
            index: state.record.next as u32,
        };
        if let Some(open) = self.segments.all.last_mut() {
            open.end = end;
        }
        // Nothing is recorded outside of segments: whoever tries asks for room.
        state.record.last = 0;
    }

    /// With the last segment of the thread, its indices are free; with the last of all threads,
    /// they may be used again.
    fn leave(&mut self, state: &mut State) {
        if !self.segments.all.is_empty() {
            return;
        }
        self.runs.clear();
        self.chunk_end = 0;
        (state.record.next, state.record.last) = (1, 0);
        let mut supply = supply();
        supply.recordings -= 1;
        if supply.recordings == 0 {
            supply.next = 0;
            poisoned::clear_all();
            clear_registers(state);
        }
    }

    /// The place of a segment that may be evaluated now.
    pub fn place_of(&self, segment: &Segment) -> Result<usize, Error> {
        let place = self.segments.all.binary_search_by_key(&segment.ordinal, |open| open.ordinal);
        match place.ok().filter(|place| !self.segments.all[*place].is_evaluated) {
            _ if self.segments.is_recording => Err(Error::Order {
                what: "a segment of the recording was to be reversed before it had ended",
            }),
            Some(place) => Ok(place),
            None => Err(Error::Order {
                what: "a segment of the recording was to be reversed that was already reversed or abandoned",
            }),
        }
    }

    /// The runs of the segment at a place, from its end, and where the entries of each end.
    pub fn runs_of(&self, place: usize) -> Vec<(Run, u64)> {
        let Open { start, end, .. } = self.segments.all[place];
        let mut at = end.cursor;
        let mut all = Vec::new();
        for k in (start.run..=end.run).rev() {
            let mut run = self.runs[k];
            if k == end.run {
                run.end = end.index;
            }
            if k == start.run {
                (run.first, run.start) = (start.index, start.cursor);
            }
            all.push((run, at));
            at = run.start;
        }
        all
    }

    /// Indices around one that the segment at a place may have as operands; none if that one is of
    /// a segment that was evaluated, or of another evaluation, or of no segment.
    pub fn known(&self, index: u32, place: usize) -> Option<Range<u32>> {
        let segment = self.segments.around(index, place)?;
        let run = self
            .runs
            .get(self.runs.partition_point(|r| r.first <= index).checked_sub(1)?)
            .filter(|r| index < r.end)?;
        Some(segment.start.max(run.first)..segment.end.min(run.end))
    }

    /// The segment at a place is gone: its indices are not used again, its entries' memory is as
    /// soon as nothing lies behind.
    pub fn evaluated(&mut self, place: usize, state: &mut State) {
        self.clear_spent();
        let open = &mut self.segments.all[place];
        open.is_evaluated = true;
        let [from, to] =
            [open.start, open.end].map(|at| self.blocks.partition_point(|b| b.start < at.index));
        self.spent = self.blocks.drain(from..to).collect();
        while let Some(open) = self.segments.all.pop_if(|last| last.is_evaluated) {
            let start = open.start;
            self.runs.truncate(start.run + 1);
            if let Some(run) = self.runs.last_mut() {
                run.end = start.index;
                let next = state.record.next as u32;
                // A run of what follows, where indices go on.
                self.runs.push(Run { first: next, end: next, start: start.cursor });
            }
            state.record.cursor = start.cursor;
        }
        self.leave(state);
    }
}
