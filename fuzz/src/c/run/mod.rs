//! Executes `@f` of a text on dual numbers.

use std::collections::HashMap;

use super::syntax::*;
use super::types::Type;
use super::{Is, reject};
use crate::ast::{Input, Real};
use crate::dual::{Dual, WIDTH};
use crate::interp::Outcome;

mod expr;
mod library;
mod memory;
mod number;
mod objects;
mod stmt;

use memory::{Image, Memory, Origin, Scalar};

/// Most statements and expressions of a run.
const FUEL: usize = 400_000;
/// Deepest recursion.
const DEPTH: usize = 40;

/// A value. Its type says how to read it.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
enum Value {
    Void,
    Scalar(Scalar),
    Record(Image),
}

/// A value and its type.
type Typed = (Value, Type);

/// A place: object, bits from its start, type, and the width of a bit field.
#[derive(Clone, Debug)]
struct Place {
    object: usize,
    at: i64,
    ty: Type,
    bits: Option<usize>,
}

/// How a statement ended.
#[allow(clippy::large_enum_variant)]
enum Flow {
    Normal,
    Break,
    Continue,
    Return(Option<Typed>),
}

/// A variable in scope.
#[derive(Clone)]
struct Variable<'u> {
    name: &'u str,
    object: usize,
    ty: Type,
}

struct Run<'u> {
    unit: &'u Unit,
    memory: Memory,
    globals: HashMap<&'u str, Variable<'u>>,
    /// Of the function at work; inner scopes last.
    scope: Vec<Variable<'u>>,
    depth: usize,
    fuel: usize,
}

/// What `@f` leaves behind, when called twice: a derivative runs it again, so that both must end
/// alike.
pub fn run(unit: &Unit, inputs: &[Input]) -> Is<Outcome> {
    let mut run = Run {
        unit,
        memory: Memory::default(),
        globals: HashMap::new(),
        scope: vec![],
        depth: 0,
        fuel: FUEL,
    };
    run.start_globals()?;
    let first = run.outcome(inputs)?;
    if !unit.globals.is_empty() {
        let second = run.outcome(inputs)?;
        let values = |o: &Outcome| -> Vec<f64> {
            o.memory.iter().flatten().flatten().chain(&o.result).map(|d| d.value).collect()
        };
        if values(&first) != values(&second) {
            return reject("the second call differs");
        }
    }
    Ok(first)
}

impl<'u> Run<'u> {
    fn start_globals(&mut self) -> Is<()> {
        for decl in &self.unit.globals {
            let object = self.memory.allocate(self.size(&decl.ty)?, Origin::Variable);
            self.globals
                .insert(&decl.name, Variable { name: &decl.name, object, ty: decl.ty.clone() });
            self.memory.zero(object, 0, self.size(&decl.ty)? * 8)?;
            if let Some(init) = &decl.init {
                self.initialise(&Place { object, at: 0, ty: decl.ty.clone(), bits: None }, init)?;
            }
        }
        Ok(())
    }

    /// Calls `@f` with fresh inputs.
    fn outcome(&mut self, inputs: &[Input]) -> Is<Outcome> {
        let function = self.unit.functions.get("@f").ok_or("no @f")?;
        let (mut count, mut args, mut blocks) = (0, vec![], vec![]);
        // The shrinker leaves parameters out, and their inputs say so.
        let present = inputs.iter().filter(|i| !matches!(i, Input::Absent)).count();
        if present != function.params.len() {
            return reject("inputs");
        }
        let mut params = function.params.iter();
        for input in inputs {
            if matches!(input, Input::Absent) {
                blocks.push(None);
                continue;
            }
            let ty = &params.next().ok_or("inputs")?.1;
            match (input, ty) {
                (Input::Memory(n, values), Type::Ptr(of)) => {
                    let (size, mut leaves) = (self.size(of)?, vec![]);
                    let object = self.memory.allocate(n * size, Origin::Variable);
                    for k in 0..*n {
                        self.leaves(of, (k * size * 8) as i64, &mut leaves)?;
                    }
                    for ((at, leaf), v) in leaves.iter().zip(values) {
                        let place = Place { object, at: *at, ty: leaf.clone(), bits: None };
                        let value = fresh(*v, leaf, &mut count)?;
                        self.store(&place, (value, leaf.clone()))?;
                    }
                    args.push((pointer(object, 0), ty.clone()));
                    blocks.push(Some((object, leaves)));
                }
                (Input::Real(v), _) => {
                    args.push((fresh(*v, ty, &mut count)?, ty.clone()));
                    blocks.push(None);
                }
                (Input::Int(v), _) => {
                    args.push((Value::Scalar(Scalar::Int(i128::from(*v))), ty.clone()));
                    blocks.push(None);
                }
                _ => return reject("inputs"),
            }
        }
        let (value, ty) = self.call("@f", args)?;
        let result = match value {
            Value::Void => None,
            value => Some(self.real(&(value, ty))?),
        };
        if self.memory.leaks() > 0 {
            return reject("a block is not freed");
        }
        let mut memory = vec![];
        for block in blocks {
            let Some((object, leaves)) = block else {
                memory.push(None);
                continue;
            };
            let mut cells = vec![];
            for (at, ty) in leaves {
                let place = Place { object, at, ty: ty.clone(), bits: None };
                let value = self.load(&place)?;
                cells.push(self.real(&value)?);
            }
            memory.push(Some(cells));
        }
        let all = memory.iter().flatten().flatten().chain(&result);
        if !all.clone().all(Dual::is_moderate) {
            return reject("large result");
        }
        Ok(Outcome { memory, result, globals: vec![], inputs: count })
    }

    /// The scalars of an object in order, as the driver counts them.
    fn leaves(&self, ty: &Type, at: i64, into: &mut Vec<(i64, Type)>) -> Is<()> {
        match ty {
            Type::Array(e, n) => {
                let size = self.size(e)? as i64 * 8;
                for k in 0..*n as i64 {
                    self.leaves(e, at + k * size, into)?;
                }
            }
            Type::Record(r) => {
                for f in &self.unit.records.0[*r].fields {
                    self.leaves(&f.ty, at + f.at as i64, into)?;
                }
            }
            Type::Real(_) | Type::Int(_) => into.push((at, ty.clone())),
            _ => return reject("input of another type"),
        }
        Ok(())
    }

    fn burn(&mut self) -> Is<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or("too long")?;
        Ok(())
    }

    fn size(&self, ty: &Type) -> Is<usize> {
        self.unit.records.size(ty)
    }

    /// Calls a function of the text.
    fn call(&mut self, name: &str, args: Vec<Typed>) -> Is<Typed> {
        let function =
            self.unit.functions.get(name).ok_or_else(|| format!("no function {name}"))?;
        if args.len() != function.params.len() {
            return reject(format!("arguments of {name}"));
        }
        if self.depth >= DEPTH {
            return reject("deep recursion");
        }
        let outer = std::mem::take(&mut self.scope);
        self.depth += 1;
        for ((name, ty), value) in function.params.iter().zip(args) {
            let place = self.declare(name, ty)?;
            self.store(&place, value)?;
        }
        let flow = self.block(&function.body)?;
        self.leave(0)?;
        self.depth -= 1;
        self.scope = outer;
        match flow {
            Flow::Return(Some(value)) => {
                Ok((self.convert(value, &function.ret)?, function.ret.clone()))
            }
            _ if function.ret == Type::Void => Ok((Value::Void, Type::Void)),
            _ => reject("no result"),
        }
    }
}

/// A pointer value.
fn pointer(object: usize, byte: i64) -> Value {
    Value::Scalar(Scalar::Ptr(Some((object, byte))))
}

/// The next input.
fn fresh(v: f64, ty: &Type, count: &mut usize) -> Is<Value> {
    Ok(Value::Scalar(match ty {
        Type::Real(r) => {
            *count += 1;
            if *count > WIDTH {
                return reject("too many inputs");
            }
            Scalar::Real(Dual::input(r.round(v), *count - 1))
        }
        _ => Scalar::Int(v as i128),
    }))
}

/// The type of a `double`.
const DOUBLE: Type = Type::Real(Real::F64);
