//! Executes a program on dual numbers: the oracle, and the judge of which programs have a defined
//! meaning.
//!
//! Memory is made of cells (one scalar each); a pointer is an object and a cell in it. Whatever C
//! leaves undefined (reads before writes, bounds, dangling pointers, large integers), and what
//! derivatives do (kinks, exactly equal reals), rejects the program. Floats are rounded to single
//! precision where C rounds them; their derivatives are not.

use crate::ast::*;
use crate::dual::Dual;

mod expr;
mod loops;
mod memory;
mod stmt;

/// Why a program is not used.
pub type Reject = &'static str;
type Is<T> = Result<T, Reject>;

/// Most statements and expressions of a run.
const FUEL: usize = 60_000;
/// Deepest recursion.
const DEPTH: usize = 12;

/// What function 0 leaves behind.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Per pointer parameter the cells (`None` for other parameters); integers have zero
    /// derivatives.
    pub memory: Vec<Option<Vec<Dual>>>,
    /// The result.
    pub result: Option<Dual>,
    /// Per variable of the program its cells.
    pub globals: Vec<Vec<Dual>>,
    /// How many inputs: all real cells of the parameters in order.
    pub inputs: usize,
}

/// Cells are copied by value all the time: a box would cost more than the space.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy)]
enum Cell {
    Real(Dual),
    Int(i64),
    Ptr(usize, usize),
    Func(FuncId),
}

struct Object {
    kinds: Vec<CellKind>,
    cells: Vec<Option<Cell>>,
    is_live: bool,
}

enum Flow {
    Normal,
    Break,
    Continue,
    Return(Vec<Option<Cell>>),
    Goto(Label),
}

struct Frame {
    func: FuncId,
    vars: Vec<Option<usize>>,
}

struct Interp<'p> {
    program: &'p Program,
    objects: Vec<Object>,
    /// The objects of the program's variables.
    globals: Vec<usize>,
    frames: Vec<Frame>,
    fuel: usize,
}

/// A place: object, first cell, type.
type At<'p> = (usize, usize, &'p Ty);

/// Runs function 0 on the program's inputs.
pub fn run(program: &Program) -> Is<Outcome> {
    if program.text.is_some() {
        return crate::structures::outcome(program).map_err(|_| "as text");
    }
    let mut it = Interp { program, objects: vec![], globals: vec![], frames: vec![], fuel: FUEL };
    it.start_globals()?;
    if program
        .funcs
        .iter()
        .any(|f| f.ret.is_some() && format!("{:?}", f.body).contains("Return(None)"))
    {
        return Err("return without a value"); // where it is not executed, the compiler complains all the same
    }
    let mut args = vec![];
    let mut blocks = vec![];
    let mut inputs = 0;
    for (i, input) in program.inputs.iter().enumerate() {
        let kinds = program.input_kinds(i);
        let values: &[f64] = match input {
            Input::Memory(_, values) => values,
            Input::Real(v) => &[*v],
            Input::Int(v) => &[*v as f64],
            Input::Absent => &[],
        };
        let mut cells = vec![];
        for (kind, v) in kinds.iter().zip(values) {
            cells.push(Some(match kind {
                CellKind::Real(r) => {
                    inputs += 1;
                    if inputs > crate::dual::WIDTH {
                        return Err("too many inputs");
                    }
                    Cell::Real(Dual::input(r.round(*v), inputs - 1))
                }
                _ => Cell::Int(*v as i64),
            }));
        }
        if matches!(input, Input::Memory(..)) {
            blocks.push(Some(it.objects.len()));
            args.push(vec![Some(Cell::Ptr(it.objects.len(), 0))]);
            it.objects.push(Object { kinds, cells, is_live: true });
        } else {
            blocks.push(None);
            args.push(cells);
        }
    }
    let result = it.call(0, args)?;
    let real = |c: &Option<Cell>| match c {
        Some(Cell::Real(d)) => *d,
        Some(Cell::Int(v)) => Dual::constant(*v as f64),
        _ => Dual::constant(0.0),
    };
    let memory: Vec<_> = blocks
        .iter()
        .map(|b| b.map(|o| it.objects[o].cells.iter().map(real).collect::<Vec<_>>()))
        .collect();
    let result = match (&program.funcs[0].ret, result.first()) {
        (Some(_), Some(cell)) => Some(real(cell)),
        _ => None,
    };
    let globals: Vec<_> = it
        .globals
        .iter()
        .map(|o| it.objects[*o].cells.iter().map(real).collect::<Vec<_>>())
        .collect();
    let all =
        memory.iter().flatten().flatten().chain(result.iter()).chain(globals.iter().flatten());
    if !all.clone().all(Dual::is_moderate) {
        return Err("large result");
    }
    Ok(Outcome { memory, result, globals, inputs })
}

impl<'p> Interp<'p> {
    fn start_globals(&mut self) -> Is<()> {
        for global in &self.program.globals {
            let o = self.allocate(&global.ty, 1);
            for (k, v) in global.values.iter().enumerate() {
                let cell = match self.objects[o].kinds.get(k).ok_or("bounds")? {
                    CellKind::Real(_) => Cell::Real(Dual::constant(*v)),
                    CellKind::Int(_) => Cell::Int(*v as i64),
                    CellKind::Ptr | CellKind::Func => return Err("pointer in a global"),
                };
                self.store(o, k, cell)?;
            }
            self.globals.push(o);
        }
        Ok(())
    }

    /// The function that is meant.
    fn target(&mut self, f: &'p FuncE) -> Is<FuncId> {
        match f {
            FuncE::Name(f) => Ok(*f),
            FuncE::Table(t, i) => {
                let i = usize::try_from(self.int(i)?).map_err(|_| "bounds")?;
                self.program.dispatch.get(*t).and_then(|t| t.get(i)).copied().ok_or("bounds")
            }
            FuncE::Var(v) => {
                let o = self.variable(*v)?;
                match self.load(o, 0)? {
                    Cell::Func(f) => Ok(f),
                    _ => Err("no function"),
                }
            }
            FuncE::Sel(c, a, b) => {
                if self.cond(c)? {
                    self.target(a)
                } else {
                    self.target(b)
                }
            }
        }
    }

    fn burn(&mut self) -> Is<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or("too long")?;
        Ok(())
    }

    fn allocate(&mut self, ty: &Ty, count: usize) -> usize {
        let mut kinds = vec![];
        (0..count).for_each(|_| self.program.kinds(ty, &mut kinds));
        let cells = vec![None; kinds.len()];
        self.objects.push(Object { kinds, cells, is_live: true });
        self.objects.len() - 1
    }

    /// The object of a variable of the function.
    fn variable(&self, var: VarId) -> Is<usize> {
        self.frames.last().ok_or("frame")?.vars[var].ok_or("undeclared")
    }

    fn func(&self) -> &'p Func {
        &self.program.funcs[self.frames.last().map_or(0, |f| f.func)]
    }

    fn call(&mut self, id: FuncId, args: Vec<Vec<Option<Cell>>>) -> Is<Vec<Option<Cell>>> {
        self.burn()?;
        if self.frames.len() >= DEPTH {
            return Err("deep recursion");
        }
        let func = self.program.funcs.get(id).ok_or("no function")?;
        if args.len() != func.params {
            return Err("arguments");
        }
        let mut vars = vec![None; func.vars.len()];
        for (i, cells) in args.into_iter().enumerate() {
            let o = self.allocate(&func.vars[i].ty, 1);
            for (k, cell) in cells.into_iter().enumerate() {
                if let Some(cell) = cell {
                    self.store(o, k, cell)?;
                }
            }
            vars[i] = Some(o);
        }
        for (v, var) in func.vars.iter().enumerate() {
            if let Some(g) = var.global {
                vars[v] = Some(*self.globals.get(g).ok_or("no global")?);
            }
        }
        self.frames.push(Frame { func: id, vars });
        let flow = self.block(&func.body)?;
        let frame = self.frames.pop().ok_or("frame")?;
        for (var, o) in func.vars.iter().zip(frame.vars) {
            if let (None, Some(o)) = (var.global, o) {
                self.objects[o].is_live = false;
            }
        }
        match flow {
            Flow::Return(cells)
                if cells.len() == func.ret.as_ref().map_or(0, |t| self.program.size(t)) =>
            {
                Ok(cells)
            }
            Flow::Normal if func.ret.is_none() => Ok(vec![]),
            _ => Err("no return"),
        }
    }

    fn load(&mut self, o: usize, at: usize) -> Is<Cell> {
        let object = &self.objects[o];
        if !object.is_live {
            return Err("dangling");
        }
        object.cells.get(at).ok_or("bounds")?.ok_or("uninitialised")
    }

    fn store(&mut self, o: usize, at: usize, cell: Cell) -> Is<()> {
        let object = &mut self.objects[o];
        if !object.is_live {
            return Err("dangling");
        }
        let kind = *object.kinds.get(at).ok_or("bounds")?;
        object.cells[at] = Some(match (kind, cell) {
            (CellKind::Real(r), Cell::Real(mut d)) => {
                d.value = r.round(d.value);
                if !d.is_moderate() {
                    return Err("large value");
                }
                Cell::Real(d)
            }
            (CellKind::Int(t), Cell::Int(v)) if t.holds(v) => cell,
            (CellKind::Ptr, Cell::Ptr(..)) | (CellKind::Func, Cell::Func(_)) => cell,
            _ => return Err("store of another type"),
        });
        Ok(())
    }

    fn place(&mut self, place: &'p LValue) -> Is<At<'p>> {
        self.burn()?;
        match place {
            LValue::Var(v) => {
                let o = self.variable(*v)?;
                Ok((o, 0, &self.func().vars[*v].ty))
            }
            LValue::Index(base, i) => {
                let (o, at, ty) = self.place(base)?;
                let i = self.int(i)?;
                match ty {
                    Ty::Vector(r, n) if (0..*n as i64).contains(&i) => {
                        Ok((o, at + i as usize, &ELEMENTS[*r as usize]))
                    }
                    Ty::Array(e, n) if (0..*n as i64).contains(&i) => {
                        Ok((o, at + i as usize * self.program.size(e), e))
                    }
                    Ty::Ptr(e) => match self.load(o, at)? {
                        Cell::Ptr(o, at) => Ok((o, self.moved(o, at, i, e)?, e)),
                        _ => Err("no pointer"),
                    },
                    _ => Err("index"),
                }
            }
            LValue::Field(base, f) => match self.place(base)? {
                (o, at, Ty::Struct(s)) => {
                    let fields = &self.program.structs[*s];
                    let skip: usize = fields.iter().take(*f).map(|t| self.program.size(t)).sum();
                    Ok((o, at + skip, fields.get(*f).ok_or("field")?))
                }
                _ => Err("field of no struct"),
            },
            LValue::Table(..) => Err("table as object"),
        }
    }

    fn moved(&self, o: usize, at: usize, by: i64, ty: &Ty) -> Is<usize> {
        let to = at as i64 + by * self.program.size(ty) as i64;
        if !self.objects[o].is_live || to < 0 || to > self.objects[o].cells.len() as i64 {
            return Err("pointer out of bounds");
        }
        Ok(to as usize)
    }

    /// Object, cell and type of the element.
    fn ptr(&mut self, p: &'p PtrE) -> Is<At<'p>> {
        self.burn()?;
        match p {
            PtrE::Addr(place) => self.place(place),
            PtrE::At(base, i) => {
                let (o, at, ty) = self.place(base)?;
                let i = self.int(i)?;
                match ty {
                    Ty::Array(e, n) if (0..=*n as i64).contains(&i) => {
                        Ok((o, at + i as usize * self.program.size(e), e))
                    }
                    Ty::Ptr(e) => match self.load(o, at)? {
                        Cell::Ptr(o, at) => Ok((o, self.moved(o, at, i, e)?, e)),
                        _ => Err("no pointer"),
                    },
                    _ => Err("pointer to no array"),
                }
            }
            PtrE::Sel(c, a, b) => {
                if self.cond(c)? {
                    self.ptr(a)
                } else {
                    self.ptr(b)
                }
            }
            PtrE::Call(f, args) => {
                let f = self.target(f)?;
                let cells = self.arguments(f, args)?;
                let Some(Ty::Ptr(of)) = &self.program.funcs[f].ret else {
                    return Err("no pointer");
                };
                match self.call(f, cells)?.first() {
                    Some(Some(Cell::Ptr(o, at))) => Ok((*o, *at, of)),
                    _ => Err("no pointer"),
                }
            }
        }
    }

    /// Whether elements of the two types are the same, as pointers to them must be.
    fn points(&mut self, p: &'p PtrE, to: &Ty) -> Is<Cell> {
        let (o, at, ty) = self.ptr(p)?;
        if ty == to { Ok(Cell::Ptr(o, at)) } else { Err("pointer to another type") }
    }

    fn arguments(&mut self, f: FuncId, args: &'p [Arg]) -> Is<Vec<Vec<Option<Cell>>>> {
        let func = self.program.funcs.get(f).ok_or("no function")?;
        let mut cells = vec![];
        for (i, a) in args.iter().enumerate() {
            let ty = &func.vars[i].ty;
            cells.push(match (a, ty) {
                (Arg::Real(e), Ty::Real(_)) => vec![Some(Cell::Real(self.real(e)?.1))],
                (Arg::Int(e), Ty::Int(_)) => vec![Some(Cell::Int(self.int(e)?))],
                (Arg::Ptr(p), Ty::Ptr(to)) => vec![Some(self.points(p, to)?)],
                (Arg::Struct(p), Ty::Struct(_)) => self.read(p, ty)?,
                (Arg::Vector(e), Ty::Vector(r, n)) => {
                    let (of, cells) = self.vector(e)?;
                    if of != *r || cells.len() != *n {
                        return Err("another vector");
                    }
                    cells.into_iter().map(|d| Some(Cell::Real(d))).collect()
                }
                (Arg::Func(f), Ty::Func(like)) => {
                    let f = self.target(f)?;
                    if !self.program.is_alike(f, *like) {
                        return Err("function of another type");
                    }
                    vec![Some(Cell::Func(f))]
                }
                _ => return Err("argument of another type"),
            });
        }
        Ok(cells)
    }

    /// The cells of a whole object, all of them initialised.
    fn read(&mut self, p: &'p LValue, of: &Ty) -> Is<Vec<Option<Cell>>> {
        let (o, at, ty) = self.place(p)?;
        if ty != of {
            return Err("another struct");
        }
        (at..at + self.program.size(ty)).map(|k| self.load(o, k).map(Some)).collect()
    }
}
