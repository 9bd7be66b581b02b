//! Loops of the interpreter. Bounds are evaluated before each round, as in C; a program whose loop
//! changes its own bound is rejected.

use super::{Cell, Flow, Interp, Is};
use crate::ast::*;

/// A loop by a counter.
pub(super) struct Counted<'p> {
    pub(super) var: VarId,
    pub(super) from: &'p IntE,
    pub(super) to: &'p IntE,
    pub(super) step: i64,
    /// From `to`, exclusive, down to `from`.
    pub(super) is_down: bool,
}

impl<'p> Interp<'p> {
    pub(super) fn count_loop(&mut self, it: &Counted<'p>, body: &'p Block) -> Is<Flow> {
        let first = (self.int(it.from)?, self.int(it.to)?);
        let counter = self.declare(it.var)?;
        let mut i = if it.is_down { first.1 } else { first.0 };
        self.store(counter, 0, Cell::Int(i))?;
        loop {
            self.burn()?;
            let (low, high) = (self.int(it.from)?, self.int(it.to)?);
            if low < 0 || high < 0 {
                return Err("negative bound of a counter that may be unsigned");
            }
            let (is_changed, is_over) = match it.is_down {
                true => (low != first.0, i <= low),
                false => (high != first.1, i >= high),
            };
            if is_changed {
                return Err("changing bound");
            }
            if is_over {
                return Ok(Flow::Normal);
            }
            if it.is_down {
                i -= 1;
                self.store(counter, 0, Cell::Int(i))?;
            }
            if let Some(flow) = self.round(body)? {
                return Ok(flow);
            }
            if !it.is_down {
                i += it.step;
                self.store(counter, 0, Cell::Int(i))?;
            }
        }
    }

    /// At most `fuel` rounds, which the variable counts; the condition is `asked_first` or after each
    /// round.
    pub(super) fn while_loop(
        &mut self,
        var: VarId,
        fuel: i64,
        condition: Option<&'p CondE>,
        asked_first: bool,
        body: &'p Block,
    ) -> Is<Flow> {
        let counter = self.declare(var)?;
        self.store(counter, 0, Cell::Int(0))?;
        for round in 0.. {
            let is_asked = round > 0 || asked_first;
            if is_asked && !(round < fuel && condition.map_or(Ok(true), |c| self.cond(c))?) {
                break;
            }
            self.store(counter, 0, Cell::Int(round + 1))?;
            if let Some(flow) = self.round(body)? {
                return Ok(flow);
            }
        }
        Ok(Flow::Normal)
    }

    /// A pointer goes over so many elements from `base` on.
    pub(super) fn walk(
        &mut self,
        var: VarId,
        base: &'p PtrE,
        count: &'p IntE,
        body: &'p Block,
    ) -> Is<Flow> {
        let (count, (o, start, ty)) = (self.int(count)?, self.ptr(base)?);
        let pointer = self.declare(var)?;
        for k in 0..=count {
            let (base, at, _) = self.ptr(base)?;
            let here = start + k as usize * self.program.size(ty);
            let is_there = match self.load(pointer, 0) {
                Ok(Cell::Ptr(object, at)) => (object, at) == (o, here),
                Ok(_) => false,
                // Before the first round.
                Err(_) => true,
            };
            if (base, at) != (o, start) || !is_there {
                return Err("changing bound");
            }
            if k == count {
                break;
            }
            let here = self.moved(o, start, k, ty)?;
            self.store(pointer, 0, Cell::Ptr(o, here))?;
            if let Some(flow) = self.round(body)? {
                return Ok(flow);
            }
            let Cell::Ptr(object, at) = self.load(pointer, 0)? else { return Err("no pointer") };
            let next = self.moved(object, at, 1, ty)?;
            self.store(pointer, 0, Cell::Ptr(object, next))?;
        }
        Ok(Flow::Normal)
    }

    /// One round: how the loop ends, or nothing where it goes on.
    fn round(&mut self, body: &'p Block) -> Is<Option<Flow>> {
        Ok(match self.block(body)? {
            Flow::Normal | Flow::Continue => None,
            Flow::Break => Some(Flow::Normal),
            other => Some(other),
        })
    }
}
