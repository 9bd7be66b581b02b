//! Sums, products, fused operations and conversions, lane by lane.

use iced_x86::{IcedError, code_asm::*};

use super::{EntryKind, PARTIALS, RESULTS, VECTOR, Writer, low};

impl Writer<'_> {
    pub(super) fn sum(&mut self, lane: usize, done: CodeLabel) -> Result<(), IcedError> {
        let (mut no_first, mut no_second, mut none) =
            (self.a.code.create_label(), self.a.code.create_label(), self.a.code.create_label());
        let subtracts = self.shape.kind == EntryKind::Difference;
        self.load(rcx, 0, lane)?;
        self.load(rsi, 1, lane)?;
        self.a.code.test(rcx, rcx)?;
        self.a.code.jz(no_first)?;
        self.strip(rcx)?;
        self.check(rcx)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(no_second)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        if subtracts {
            self.minus(rsi)?;
        }
        self.head(0, rcx, Some(rsi))?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut no_second)?;
        self.may_round(1, lane)?;
        self.result_is(lane, rcx)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut no_first)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(none)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.may_round(0, lane)?;
        if subtracts {
            self.minus(rsi)?;
            self.head(0, rsi, None)?;
            self.is_new(lane)?;
        } else {
            self.result_is(lane, rsi)?;
        }
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut none)?;
        self.result_is_passive(lane)
    }

    pub(super) fn two(&mut self, lane: usize, done: CodeLabel) -> Result<(), IcedError> {
        let (mut no_first, mut no_second, mut none) =
            (self.a.code.create_label(), self.a.code.create_label(), self.a.code.create_label());
        self.load(rcx, 0, lane)?;
        self.load(rsi, 1, lane)?;
        self.a.code.test(rcx, rcx)?;
        self.a.code.jz(no_first)?;
        self.strip(rcx)?;
        self.check(rcx)?;
        self.explicit(rcx)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(no_second)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.explicit(rsi)?;
        self.partial(1, lane, 0)?;
        self.partial(0, lane, 8)?;
        self.head(16, rcx, Some(rsi))?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut no_second)?;
        self.partial(0, lane, 0)?;
        self.head(8, rcx, None)?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut no_first)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(none)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.explicit(rsi)?;
        self.partial(1, lane, 0)?;
        self.head(8, rsi, None)?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut none)?;
        self.result_is_passive(lane)
    }

    pub(super) fn one(&mut self, lane: usize) -> Result<(), IcedError> {
        let (mut active, mut over) = (self.a.code.create_label(), self.a.code.create_label());
        self.load(rsi, 1, lane)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jnz(active)?;
        self.result_is_passive(lane)?;
        self.a.code.jmp(over)?;
        self.a.code.set_label(&mut active)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.explicit(rsi)?;
        self.partial(1, lane, 0)?;
        self.head(8, rsi, None)?;
        self.is_new(lane)?;
        self.a.code.set_label(&mut over)?;
        self.a.code.zero_bytes()
    }

    /// The product as in `two`, but an entry of its own only if both factors and the third operand
    /// are active.
    pub(super) fn fused(&mut self, lane: usize, done: CodeLabel) -> Result<(), IcedError> {
        let mut labels = [(); 6].map(|()| self.a.code.create_label());
        let [third, no_first, no_third, no_factor, one_factor, only_product] = labels;
        let subtracts = self.shape.kind == EntryKind::FusedMinus;
        self.load(rcx, 0, lane)?;
        self.load(rsi, 1, lane)?;
        self.a.code.test(rcx, rcx)?;
        self.a.code.jz(no_first)?;
        self.strip(rcx)?;
        self.check(rcx)?;
        self.explicit(rcx)?;
        self.a.code.test(rsi, rsi)?;
        // One factor: its partial is written already.
        let mut first_only = self.a.code.create_label();
        self.a.code.jz(first_only)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.explicit(rsi)?;
        self.partial(1, lane, 0)?;
        self.partial(0, lane, 8)?;
        self.head(16, rcx, Some(rsi))?;
        // The product's index, for now.
        self.a.code.mov(rcx, rdx)?;
        self.a.code.inc(edx)?;
        self.load(rsi, 2, lane)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(only_product)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        if subtracts {
            self.minus(rsi)?;
        }
        self.head(0, rcx, Some(rsi))?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut labels[5])?;
        self.may_round(2, lane)?;
        self.result_is(lane, rcx)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut first_only)?;
        self.partial(0, lane, 0)?;
        self.a.code.jmp(one_factor)?;

        self.a.code.set_label(&mut labels[1])?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(no_factor)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.explicit(rsi)?;
        self.a.code.mov(rcx, rsi)?;
        self.partial(1, lane, 0)?;

        self.a.code.set_label(&mut labels[4])?;
        self.load(rsi, 2, lane)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jz(no_third)?;
        self.strip(rsi)?;
        self.check(rsi)?;
        if subtracts {
            self.minus(rsi)?;
        }
        self.head(8, rcx, Some(rsi))?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        self.a.code.set_label(&mut labels[2])?;
        self.may_round(2, lane)?;
        self.head(8, rcx, None)?;
        self.is_new(lane)?;
        self.a.code.jmp(done)?;

        // A product without index may be what makes the sum round: it is rare that one is as large,
        // and its value is not at hand.
        self.a.code.set_label(&mut labels[3])?;
        self.load(rsi, 2, lane)?;
        self.a.code.test(rsi, rsi)?;
        self.a.code.jnz(third)?;
        self.result_is_passive(lane)?;
        self.a.code.jmp(done)?;
        self.a.code.set_label(&mut labels[0])?;
        self.strip(rsi)?;
        self.check(rsi)?;
        self.large_product(lane)?;
        if subtracts {
            self.minus(rsi)?;
            self.head(0, rsi, None)?;
            self.is_new(lane)
        } else {
            self.result_is(lane, rsi)
        }
    }

    /// A product that may make a sum round is left to Rust code: partials are the factors. It uses
    /// RCX and R8.
    pub(super) fn large_product(&mut self, lane: usize) -> Result<(), IcedError> {
        let (digits, bias, least) =
            if self.shape.is_double { (20, 1023, 40) } else { (23, 127, 23) };
        for (operand, to) in [(0, rcx), (1, r8)] {
            let top = PARTIALS + VECTOR * operand + self.size() * lane + self.size() - 4;
            let place = self.half(top);
            self.a.code.mov(low(to), place)?;
            self.a.code.and(low(to), 0x7fff_ffff)?;
            self.a.code.shr(low(to), digits)?;
        }
        self.a.code.add(ecx, r8d)?;
        self.a.code.cmp(ecx, 2 * bias + least - 1)?;
        self.a.code.jae(self.fails)
    }

    pub(super) fn converted(&mut self, lane: usize) -> Result<(), IcedError> {
        let (mut passive, mut over) = (self.a.code.create_label(), self.a.code.create_label());
        self.load(rcx, 0, lane)?;
        self.a.code.test(rcx, rcx)?;
        self.a.code.jz(passive)?;
        self.strip(rcx)?;
        self.check(rcx)?;
        if self.shape.kind == EntryKind::Widened {
            self.a.code.add(rcx, rdi)?;
        }
        self.a.code.set_label(&mut passive)?;
        if self.shape.kind == EntryKind::Widened {
            let place = self.record(RESULTS + 8 * lane);
            self.a.code.mov(place, rcx)?;
        } else {
            let place = self.half(RESULTS + 4 * lane);
            self.a.code.mov(place, ecx)?;
        }
        self.a.code.set_label(&mut over)?;
        self.a.code.zero_bytes()
    }
}
