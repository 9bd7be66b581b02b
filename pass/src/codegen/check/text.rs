//! Functions of the library on text that are given memory with a shadow.

use super::Check;
use crate::annotations::{attributes::READS, registry};
use adanalysis::{activity::Shadow, points_to::Object};
use adir::{
    Op, ValueId,
    library::strings::{self, Argument},
};

impl Check<'_> {
    /// Whether a pointer leads to streams alone: only the library follows the pointers in one.
    fn is_stream(&self, pointer: ValueId) -> bool {
        let is_one = |o: usize| match self.unit.memory.objects[o] {
            Object::Local(v) if matches!(self.body[v].op, Op::Alloca(_)) => {
                registry::is_stream(self.body.llvm(v).allocated_type())
            }
            Object::Global(v) => {
                let global = self.body.llvm(v);
                global.is_global_variable() && registry::is_stream(global.global_type())
            }
            _ => false,
        };
        let mut objects = self.unit.memory.points_to(pointer).peekable();
        objects.peek().is_some() && objects.all(is_one)
    }

    /// Whether a function on text may move pointers in memory with a shadow, and not in the shadow,
    /// that have shadows, or bits of reals. Those of strings are followed where it is known that they
    /// lead to characters. Nobody looks there where a message is made for an exception that leaves the
    /// function.
    pub(super) fn moves_unseen(&self, v: ValueId) -> bool {
        let symbol = self.symbol(v);
        let operands = &self.body[v].operands;
        let is_stream = |i: usize| matches!(strings::argument(&symbol, i), Argument::Stream);
        let calls_own = self.body.has_own_streams && (0..operands.len()).any(is_stream);
        let is_unseen = |(i, &o): (usize, &ValueId)| {
            let moves = match strings::argument(&symbol, i) {
                Argument::Read => self.activity.is_moving(v),
                // A number goes to a variable of its own, which is constant before.
                Argument::Other if self.body.llvm(v).call_string(READS).is_some() => false,
                Argument::Other => !strings::only_reads(&symbol) || self.activity.is_moving(v),
                // Nothing lies there before.
                Argument::String if i == 0 && strings::makes(&symbol) => {
                    calls_own || self.activity.shadow(o) == Shadow::Mixed
                }
                Argument::String => {
                    self.activity.is_moving(v)
                        || calls_own
                        || self.unit.memory.targets(o).is_anywhere()
                        || self.activity.shadow(o) == Shadow::Mixed
                }
                // Only the library follows the pointers in a stream, wherever it lies.
                Argument::Stream => {
                    (calls_own || strings::keeps_arguments(&symbol)) && !self.is_stream(o)
                }
            };
            moves && self.touches_reals(o)
        };
        self.body[self.body.block_of(v)].returns && operands.iter().enumerate().any(is_unseen)
    }
}
