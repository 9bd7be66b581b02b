//! Statements of the interpreter that act on memory as a whole: memory functions, blocks of the heap.

use super::{Cell, Interp, Is};
use crate::ast::*;
use crate::dual::Dual;

impl<'p> Interp<'p> {
    /// Stores cells, which must all be initialised, from one on.
    pub(super) fn write(&mut self, o: usize, at: usize, cells: Vec<Option<Cell>>) -> Is<()> {
        for (k, cell) in cells.into_iter().enumerate() {
            self.store(o, at + k, cell.ok_or("uninitialised")?)?;
        }
        Ok(())
    }

    /// Stores zeros in so many cells from one on.
    pub(super) fn zero(&mut self, o: usize, at: usize, count: usize) -> Is<()> {
        for k in at..at + count {
            let cell = match self.objects[o].kinds.get(k).ok_or("bounds")? {
                CellKind::Real(_) => Cell::Real(Dual::constant(0.0)),
                CellKind::Int(_) => Cell::Int(0),
                CellKind::Ptr | CellKind::Func => return Err("zero pointer"),
            };
            self.store(o, k, cell)?;
        }
        Ok(())
    }

    /// memcpy, or memmove where the parts may overlap, of so many elements of a type.
    pub(super) fn memcpy(
        &mut self,
        may_overlap: bool,
        to: &'p PtrE,
        from: &'p PtrE,
        elements: &'p IntE,
        ty: &Ty,
    ) -> Is<()> {
        let count = self.count(elements)? * self.program.size(ty);
        let ((to, at, a), (from, start, b)) = (self.ptr(to)?, self.ptr(from)?);
        let overlaps = to == from && at < start + count && start < at + count;
        if a != ty || b != ty || overlaps && !may_overlap {
            return Err("overlapping copy");
        }
        let load = |k| self.load(from, k).map(Some);
        let cells = (start..start + count).map(load).collect::<Is<Vec<_>>>()?;
        self.write(to, at, cells)
    }

    /// memset to zero of so many elements of a type.
    pub(super) fn memset(&mut self, p: &'p PtrE, elements: &'p IntE, ty: &Ty) -> Is<()> {
        let count = self.count(elements)? * self.program.size(ty);
        let (o, at, of) = self.ptr(p)?;
        if of != ty {
            return Err("pointer to another type");
        }
        self.zero(o, at, count)
    }

    /// malloc, or calloc.
    pub(super) fn malloc(&mut self, is_zeroed: bool, var: VarId, elements: &'p IntE) -> Is<()> {
        let count = self.count(elements)?;
        let block = self.new_block(var, count)?;
        if is_zeroed {
            self.zero(block, 0, self.objects[block].cells.len())?;
        }
        let pointer = self.variable(var)?;
        self.store(pointer, 0, Cell::Ptr(block, 0))
    }

    /// realloc to at least one element.
    pub(super) fn realloc(&mut self, var: VarId, elements: &'p IntE) -> Is<()> {
        let count = self.count(elements)?;
        if count == 0 {
            return Err("negative count");
        }
        let (pointer, old) = (self.variable(var)?, self.live_block(var)?);
        let new = self.new_block(var, count)?;
        let kept = self.objects[old].cells.clone();
        self.objects[new].cells.iter_mut().zip(kept).for_each(|(to, from)| *to = from);
        self.objects[old].is_live = false;
        self.store(pointer, 0, Cell::Ptr(new, 0))
    }

    pub(super) fn free(&mut self, var: VarId) -> Is<()> {
        let block = self.live_block(var)?;
        self.objects[block].is_live = false;
        Ok(())
    }

    /// A block of so many elements of the type that a variable points to.
    fn new_block(&mut self, var: VarId, count: usize) -> Is<usize> {
        let Ty::Ptr(of) = &self.func().vars[var].ty else { return Err("no pointer") };
        Ok(self.allocate(of, count))
    }

    /// The live block to whose start a variable points.
    fn live_block(&mut self, var: VarId) -> Is<usize> {
        let pointer = self.variable(var)?;
        match self.load(pointer, 0)? {
            Cell::Ptr(o, 0) if self.objects[o].is_live => Ok(o),
            _ => Err("no live block"),
        }
    }

    fn count(&mut self, e: &'p IntE) -> Is<usize> {
        usize::try_from(self.int(e)?).map_err(|_| "negative count")
    }
}
