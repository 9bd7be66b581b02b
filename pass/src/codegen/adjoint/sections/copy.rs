//! Making a copy: a function of what is known before the nest, which returns its address, or the
//! only element.
//!
//! A copy begins with a stride for each dimension but the last, in elements. The function walks
//! the nest twice: for the largest counts, without the innermost dimension, then for the elements.

use super::{
    Section, Step,
    expressions::{Form, form},
};
use crate::{
    codegen::adjoint::tape,
    image::Imported,
    llvm::{Builder, Function, IntPredicate, Module, Opcode, Space, Type, Value},
};
use adanalysis::affine::{Recurrence, recurrences};
use adir::{LoopId, Op, ValueId, hashed::HashMap};

/// Alignment of the first element.
const ELEMENT_ALIGNMENT: u64 = 16;

/// Bytes before the elements of a copy of so many dimensions.
pub fn header_bytes(dimensions: usize) -> u64 {
    (8 * dimensions.saturating_sub(1) as u64).next_multiple_of(ELEMENT_ALIGNMENT)
}

/// What the maker of a copy is given.
pub fn given<'a>(body: &'a Imported, section: &'a Section) -> impl Iterator<Item = ValueId> + 'a {
    section.outside.iter().copied().filter(|&v| !matches!(body[v].op, Op::Constant))
}

/// The function that makes a copy from the values that are known before its loop.
pub fn maker(module: Module, body: &Imported, section: &Section) -> Function {
    let context = module.context();
    let params: Vec<Type> = given(body, section).map(|v| body.llvm(v).ty()).collect();
    let returned = match section.is_single() {
        true => body.llvm(section.load).ty(),
        false => context.ptr(),
    };
    let f = module.add_function("__adcc.section", Type::function(returned, &params, false));
    f.set_external(false);
    f.add_attribute("nounwind");
    let mut known: Known = section.outside.iter().map(|&v| (v, body.llvm(v))).collect();
    known.extend(given(body, section).zip(f.params()));
    let maker = Maker {
        body,
        section,
        growing: recurrences(body),
        f,
        b: Builder::at_end(context, f.append_block("entry")),
    };
    match section.is_single() {
        true => maker.read(&known),
        false => maker.run(module, &known),
    }
    tape::inline_allocations(module, f);
    f
}

/// Values of the nest at a place in it.
type Known = HashMap<ValueId, Value>;

struct Maker<'a> {
    body: &'a Imported,
    section: &'a Section,
    growing: HashMap<ValueId, Recurrence>,
    f: Function,
    b: Builder,
}

impl Maker<'_> {
    /// The only element, if it is read at all.
    fn read(&self, known: &Known) {
        let (b, ty) = (&self.b, self.body.llvm(self.section.load).ty());
        let found = b.alloca(ty, "found");
        b.store(ty.zero(), found);
        self.walk(&self.section.steps, known, &|_, _, _, _| Walk::Through, &|this, known| {
            b.store(this.element(known), found);
        });
        b.ret(b.load(ty, found));
    }

    fn run(&self, module: Module, known: &Known) {
        let (b, i64) = (&self.b, self.b.context().int(64));
        let dimensions: Vec<LoopId> = self.section.dimensions().collect();
        // The largest count of each.
        let counts: HashMap<LoopId, Value> =
            dimensions.iter().map(|&l| (l, b.alloca(i64, "count"))).collect();
        for &at in counts.values() {
            b.store(i64.zero(), at);
        }
        let innermost = dimensions.last().copied();
        self.walk(
            &self.section.steps,
            known,
            &|_, l, count, _| {
                let largest = b.load(i64, counts[&l]);
                let is_more = b.icmp(IntPredicate::LLVMIntUGT, count, largest);
                b.store(b.select(is_more, count, largest), counts[&l]);
                if Some(l) == innermost { Walk::Past } else { Walk::Through }
            },
            &|_, _| {},
        );
        // Elements per step of each dimension.
        let mut elements = i64.int(1);
        let mut strides: HashMap<LoopId, Value> = HashMap::default();
        for &l in dimensions.iter().rev() {
            strides.insert(l, elements);
            elements = b.mul(elements, b.load(i64, counts[&l]));
        }
        let size = i64.int(self.body[self.section.load].bytes);
        let header = i64.int(header_bytes(dimensions.len()));
        let copy = tape::allocate(module, b, b.add(header, b.mul(elements, size)));
        for (i, l) in dimensions.iter().rev().skip(1).rev().enumerate() {
            let at = b.byte_offset(copy, i64.int(8 * i as u64));
            b.store(strides[l], at).set_space(Space::Tape);
        }
        let first = b.byte_offset(copy, header);
        let place = |known: &Known| {
            let steps = dimensions
                .iter()
                .filter_map(|l| Some(b.mul(*known.get(&self.body[*l].counter)?, strides[l])));
            let index = steps.fold(i64.zero(), |sum, step| b.add(sum, step));
            b.byte_offset(first, b.mul(index, size))
        };
        let dense = innermost.filter(|_| self.section.is_dense);
        self.walk(
            &self.section.steps,
            known,
            &|this, l, count, known| {
                if dense != Some(l) {
                    return Walk::Through;
                }
                let mut start = known.clone();
                let to = place(known);
                start.insert(this.body[l].counter, i64.zero());
                let from = this.value(&start, this.body.operand(this.section.load, 0));
                b.memcpy(to, this.alignment(), from, 1, b.mul(count, size));
                Walk::Past
            },
            &|this, known| {
                let stored = b.store(this.element(known), place(known));
                stored.set_alignment(this.alignment());
                stored.set_space(Space::Tape);
            },
        );
        b.ret(copy);
    }

    /// What is loaded where control is.
    fn element(&self, known: &Known) -> Value {
        let load = self.section.load;
        let from = self.value(known, self.body.operand(load, 0));
        let element = self.b.load(self.body.llvm(load).ty(), from);
        element.set_alignment(self.body.llvm(load).alignment());
        element.set_space(Space::Primal);
        element
    }

    /// Alignment of elements.
    fn alignment(&self) -> u32 {
        alignment(self.body[self.section.load].bytes)
    }

    /// Goes through the nest: at each loop asks what to do with it, whose number of iterations is
    /// given, and at the end of all steps does something.
    fn walk(
        &self,
        steps: &[Step],
        known: &Known,
        at_loop: &dyn Fn(&Self, LoopId, Value, &Known) -> Walk,
        at_end: &dyn Fn(&Self, &Known),
    ) {
        let b = &self.b;
        let Some((step, rest)) = steps.split_first() else { return at_end(self, known) };
        match *step {
            Step::If(condition, holds) => {
                let [yes, done] = ["then", "done"].map(|n| self.f.append_block(n));
                let condition = self.value(known, condition);
                if holds {
                    b.cond_br(condition, yes, done);
                } else {
                    b.cond_br(condition, done, yes);
                }
                b.position_at_end(yes);
                self.walk(rest, known, at_loop, at_end);
                b.br(done);
                b.position_at_end(done);
            }
            Step::For(l) => {
                let taken = self.body[l].taken.expect("a dimension is counted");
                let i64 = b.context().int(64);
                let count = b.add(self.value(known, taken), i64.int(1));
                if at_loop(self, l, count, known) == Walk::Past {
                    return;
                }
                let [step, done] = ["step", "done"].map(|n| self.f.append_block(n));
                let before = b.block();
                b.br(step);
                b.position_at_end(step);
                let i = b.phi(i64, "i");
                i.add_incoming(i64.zero(), before);
                let mut within = known.clone();
                within.insert(self.body[l].counter, i);
                self.walk(rest, &within, at_loop, at_end);
                let next = b.add(i, i64.int(1));
                i.add_incoming(next, b.block());
                b.cond_br(b.icmp(IntPredicate::LLVMIntULT, next, count), step, done);
                b.position_at_end(done);
            }
        }
    }

    /// A value of the nest where control is.
    fn value(&self, known: &Known, v: ValueId) -> Value {
        let mut known = known.clone();
        self.compute(&mut known, v)
    }

    fn compute(&self, known: &mut Known, v: ValueId) -> Value {
        if let Some(&value) = known.get(&v) {
            return value;
        }
        let found = form(self.body, &self.growing, self.section.around, v);
        let value = match found.expect("the section was found by such forms") {
            Form::Outside => self.body.llvm(v),
            Form::Counter => unreachable!("counters of dimensions are known"),
            Form::Induction(i) => {
                let start = self.compute(known, i.start);
                let count = self.compute(known, i.counter);
                self.grown(start, count, |b, count| {
                    let ty = count.ty();
                    b.mul(count, ty.int(i.step as u64 & (u64::MAX >> (64 - ty.int_width()))))
                })
            }
            Form::Recurrence(r) => {
                let start = self.compute(known, r.start);
                let first = self.compute(known, r.first);
                let count = self.compute(known, r.counter);
                let second = r.second.map(|s| self.compute(known, s));
                self.grown(start, count, |b, _| {
                    let ty = first.ty();
                    let narrow = |x: Value| self.narrow(x, ty);
                    let mut sum = b.mul(first, narrow(count));
                    if let Some(second) = second {
                        // i (i - 1) / 2 without a bit that is lost: one of the two is even.
                        let one = count.ty().int(1);
                        let pairs = b.mul(b.lshr(count, one), b.or(b.sub(count, one), one));
                        sum = b.add(sum, b.mul(second, narrow(pairs)));
                    }
                    sum
                })
            }
            Form::Operation => {
                let operands: Vec<Value> =
                    self.body[v].operands.iter().map(|&o| self.compute(known, o)).collect();
                self.again(v, &operands)
            }
        };
        known.insert(v, value);
        value
    }

    /// `start` and what was added to it in so many iterations.
    fn grown(&self, start: Value, count: Value, by: impl Fn(&Builder, Value) -> Value) -> Value {
        let b = &self.b;
        if start.ty().is_pointer() {
            return b.byte_offset(start, by(b, count));
        }
        b.add(start, by(b, self.narrow(count, start.ty())))
    }
    fn narrow(&self, x: Value, ty: Type) -> Value {
        if x.ty() == ty { x } else { self.b.cast(Opcode::LLVMTrunc, x, ty) }
    }

    /// The same instruction on other operands.
    fn again(&self, v: ValueId, operands: &[Value]) -> Value {
        let copy = self.body.llvm(v).clone_instruction();
        for (i, &o) in operands.iter().enumerate() {
            copy.set_operand(i, o);
        }
        copy.clear_location();
        self.b.insert(copy);
        copy
    }
}

/// What becomes of a loop on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    /// Its iterations are gone through.
    Through,
    /// What follows in it is left out.
    Past,
}

/// Alignment of elements of so many bytes.
pub fn alignment(bytes: u64) -> u32 {
    1 << bytes.trailing_zeros().min(ELEMENT_ALIGNMENT.trailing_zeros())
}
