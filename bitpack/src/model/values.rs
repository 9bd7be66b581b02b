//! What is known of a module's types and values while it is coded, so that operands are expected.
//!
//! Both ends keep the same books from the same records. What the books get wrong costs room, never
//! correctness: numbers out of range are of an unknown type.

use super::shape::block;
use crate::bitstream::{Item, Record};
use crate::predict::hash;
use std::collections::HashMap;

/// A type that is not known.
pub const UNKNOWN: u32 = u32::MAX;

#[derive(Clone, Default)]
struct Type {
    code: u64,
    ops: Vec<u64>,
}

/// Parameters that are followed.
const MOST_PARAMETERS: usize = 1 << 8;

/// A value.
#[derive(Clone, Copy)]
pub struct Value {
    /// Its type.
    pub ty: u32,
    /// What defines it: the code of an instruction, or of something else plus 100.
    pub by: u32,
    /// How often it was used.
    pub uses: u32,
}

/// Types and values so far.
#[derive(Clone, Default)]
pub struct Values {
    types: Vec<Type>,
    /// The types of pointers and of single bits, and of vectors of these by their sizes.
    pointer: Option<u32>,
    bit: Option<u32>,
    bits: HashMap<u64, u32>,
    /// All values that an operand may name.
    pub all: Vec<Value>,
    /// How many of them are the module's.
    pub globals: usize,
    /// Where the function's constants start.
    pub constants: usize,
    /// Where its instructions start.
    pub instructions: usize,
    /// The type that constants are of now.
    set_type: u32,
    /// Types of functions with a body, and how many bodies came.
    bodies: Vec<u32>,
    next_body: usize,
    /// Codes and types of the function's instructions, as hashes.
    pub listed: Vec<u32>,
    /// The basic block that one is in.
    pub block: u64,
}

/// What defines a variable or function of the module.
pub const GLOBAL: u32 = 100;
/// What defines a parameter.
pub const ARGUMENT: u32 = 101;
/// What defines a constant.
pub const CONSTANT: u32 = 102;
/// The code of the type that functions without result return.
const VOID: u32 = 2;

impl Values {
    fn ty(&self, ty: u32) -> Option<&Type> {
        self.types.get(ty as usize)
    }
    /// The code of a type.
    pub fn kind(&self, ty: u32) -> u32 {
        self.ty(ty).map_or(0, |t| t.code as u32)
    }
    /// The type of what a function of a type returns.
    fn returned(&self, ty: u32) -> u32 {
        self.ty(ty).and_then(|t| t.ops.get(1)).map_or(UNKNOWN, |&t| t as u32)
    }
    /// The type of its parameter.
    pub fn parameter(&self, ty: u32, index: usize) -> u32 {
        self.ty(ty).and_then(|t| t.ops.get(2 + index)).map_or(UNKNOWN, |&t| t as u32)
    }
    fn parameters(&self, ty: u32) -> usize {
        self.ty(ty).map_or(0, |t| t.ops.len().saturating_sub(2))
    }
    /// The type of an element.
    pub fn element(&self, ty: u32) -> u32 {
        match self.ty(ty) {
            Some(Type { code: 11 | 12, ops }) => ops.get(1).map_or(UNKNOWN, |&t| t as u32),
            _ => UNKNOWN,
        }
    }
    /// A value by its number.
    pub fn get(&self, number: u64) -> Value {
        let known = usize::try_from(number).ok().and_then(|n| self.all.get(n));
        known.copied().unwrap_or(Value { ty: UNKNOWN, by: 0, uses: 0 })
    }
    /// A value by the distance from the next.
    pub fn back(&self, distance: u64) -> Value {
        self.get((self.all.len() as u64).wrapping_sub(distance))
    }
    /// It was used.
    pub fn used(&mut self, number: u64) {
        if let Some(value) = usize::try_from(number).ok().and_then(|n| self.all.get_mut(n)) {
            value.uses += 1;
        }
    }
    fn define(&mut self, ty: u32, by: u32) {
        self.all.push(Value { ty, by, uses: 0 });
    }

    /// Follows an item of a block.
    pub fn follow(&mut self, block: Option<u32>, item: &Item) {
        match item {
            Item::Enter(block::FUNCTION, _) => {
                self.globals = self.all.len();
                let ty = self.bodies.get(self.next_body).copied().unwrap_or(UNKNOWN);
                self.next_body += 1;
                for i in 0..self.parameters(ty).min(MOST_PARAMETERS) {
                    let parameter = self.parameter(ty, i);
                    self.define(parameter, ARGUMENT);
                }
                self.constants = self.all.len();
                self.instructions = self.all.len();
                self.listed.clear();
                self.block = 0;
            }
            Item::Leave if block == Some(block::FUNCTION) => {
                self.all.truncate(self.globals);
                self.instructions = self.all.len();
            }
            Item::Leave if block == Some(block::CONSTANTS) => self.instructions = self.all.len(),
            Item::Record(record) => self.record(block, record),
            _ => {}
        }
    }

    fn record(&mut self, block: Option<u32>, record: &Record) {
        let op = |i: usize| record.ops.get(i).copied().unwrap_or(0);
        match (block, record.code) {
            (Some(block::TYPES), 1 | 19) => {}
            (Some(block::TYPES), code) => self.add_type(Type { code, ops: record.ops.clone() }),
            (Some(block::MODULE), 7 | 8 | 14 | 18) => {
                if record.code == 8 && op(4) == 0 {
                    self.bodies.push(op(2) as u32);
                }
                // A function or variable is a pointer; its own type says more.
                self.define(op(2) as u32, GLOBAL);
            }
            (Some(block::CONSTANTS), 1) => self.set_type = op(0) as u32,
            (Some(block::CONSTANTS), _) => self.define(self.set_type, CONSTANT),
            (Some(block::FUNCTION), code) => self.instruction(code as u32, &record.ops),
            _ => {}
        }
    }

    fn instruction(&mut self, code: u32, ops: &[u64]) {
        let op = |i: usize| ops.get(i).copied().unwrap_or(0);
        // Whether the first operand comes later, and the rest is moved by its type.
        let next = self.all.len() as u64;
        let moved = usize::from(op(0) as u32 > next as u32 || op(0) == 0);
        let first = match moved {
            0 => self.back(op(0)).ty,
            _ => op(1) as u32,
        };
        let ty = match code {
            1 | 33 | 35 | 55 | 60..=66 => return,
            2 | 7 | 27 | 29 | 56 | 58 => Some(first),
            3 | 20 | 41 => Some(op(1 + moved) as u32),
            6 => Some(self.element(first)),
            8 => Some(first),
            26 => Some(self.member(first, op(1 + moved))),
            9 | 28 => Some(self.truth(first)),
            16 | 47 => Some(op(0) as u32),
            19 | 43 => Some(self.pointer()),
            23 => Some(op(2) as u32),
            34 => {
                let at = 2 + usize::from(op(1) >> 17 & 1 == 1);
                Some(self.returned(op(at) as u32))
            }
            5 => Some(self.returned(op(4) as u32)),
            46 => Some(UNKNOWN),
            59 => Some(self.back(op(1)).ty),
            _ => None,
        };
        let shown = if code == 44 { self.back(op(1)).ty } else { ty.unwrap_or(UNKNOWN) };
        self.listed.push(hash(code, shown));
        if matches!(code, 10..=12 | 5 | 15 | 31 | 39) {
            self.block += 1;
        }
        if let Some(ty) = ty.filter(|&ty| self.kind(ty) != VOID) {
            self.define(ty, code);
        }
    }

    fn add_type(&mut self, ty: Type) {
        let number = self.types.len() as u32;
        match (ty.code, &ty.ops[..]) {
            (25, _) if self.pointer.is_none() => self.pointer = Some(number),
            (7, [1]) if self.bit.is_none() => self.bit = Some(number),
            (12, &[count, element, ..])
                if self.bit.is_some_and(|bit| u64::from(bit) == element) =>
            {
                self.bits.entry(count).or_insert(number);
            }
            _ => {}
        }
        self.types.push(ty);
    }
    fn pointer(&self) -> u32 {
        self.pointer.unwrap_or(UNKNOWN)
    }
    /// The type of a comparison's result.
    fn truth(&self, compared: u32) -> u32 {
        let truth = match self.ty(compared) {
            Some(Type { code: 12, ops }) => {
                ops.first().and_then(|count| self.bits.get(count)).copied()
            }
            _ => self.bit,
        };
        truth.unwrap_or(UNKNOWN)
    }
    fn member(&self, ty: u32, index: u64) -> u32 {
        match self.ty(ty) {
            Some(Type { code: 18 | 20, ops }) => {
                let member = index.checked_add(1).and_then(|i| ops.get(usize::try_from(i).ok()?));
                member.map_or(UNKNOWN, |&t| t as u32)
            }
            _ => self.element(ty),
        }
    }
}
