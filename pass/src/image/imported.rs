//! A body together with the LLVM values and blocks that it is the image of.

use crate::llvm::{Block, Function, Value};
use adir::{BlockId, Body, EntityMap, ValueData, ValueId};
use std::{fmt, ops::Deref};

/// The image of one canonical function, which still knows what it was made from.
pub struct Imported {
    body: Body,
    origins: Origins,
}

/// What values and blocks of a body are in LLVM, by id.
pub struct Origins {
    pub(super) values: EntityMap<ValueId, Value>,
    pub(super) blocks: EntityMap<BlockId, Block>,
}

impl Deref for Imported {
    type Target = Body;
    fn deref(&self) -> &Body {
        &self.body
    }
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.body.fmt(f)
    }
}

impl Origins {
    /// The LLVM value. That of an invoke's terminator is the invoke.
    pub fn value(&self, v: ValueId) -> Value {
        self.values[v]
    }
}

impl Imported {
    /// Puts together what [`Imported::split`] took apart.
    pub fn join(body: Body, origins: Origins) -> Imported {
        assert_eq!(body.values.len(), origins.values.len(), "each value has an origin");
        assert_eq!(body.blocks.len(), origins.blocks.len(), "each block has an origin");
        Imported { body, origins }
    }
    /// The body alone, for analyses, and where it comes from.
    pub fn split(self) -> (Body, Origins) {
        (self.body, self.origins)
    }
    /// The LLVM value. That of an invoke's terminator is the invoke.
    pub fn llvm(&self, v: ValueId) -> Value {
        self.origins.value(v)
    }
    /// The LLVM block.
    pub fn llvm_block(&self, b: BlockId) -> Block {
        self.origins.blocks[b]
    }
    /// The function that a call names, if it names one.
    pub fn called(&self, call: ValueId) -> Option<Function> {
        self.llvm(call).called().as_function()
    }
    /// The function that a call to one with a body or a rule names (`Callee::Defined`,
    /// `Callee::Custom`: import takes no other calls for such). Panics for others.
    pub fn callee(&self, call: ValueId) -> Function {
        self.llvm(call).callee()
    }
    /// Adds a value that no instruction names, and that is the same in every run.
    pub fn add_leaf(&mut self, data: ValueData, origin: Value) -> ValueId {
        self.origins.values.push(origin);
        self.body.add_leaf(data)
    }
    /// Adds a global variable that no instruction names.
    pub fn add_variable(&mut self, variable: Value) -> ValueId {
        self.add_leaf(ValueData::of_variable(&variable.name()), variable)
    }
}
