//! The items of a stream as numbers, each coded in contexts that tell much of it.
//!
//! One text serves both ends: an item goes through [`Codec::item`], which codes what the item has and
//! returns what it is. The end that reads gives an item that says nothing.

mod abbreviations;
mod attachments;
mod operands;
pub mod shape;
mod text;
pub mod values;

use crate::{
    bitstream::{
        Abbreviation, Item, Operand, Record, Scopes, Tail,
        abbreviation::{DEFINE, END, ENTER, FIRST, PLAIN},
    },
    coder::Coder,
    predict::{Contexts, MAX_CONTEXTS, Predictor, hash},
};
pub use shape::block;
use shape::{Role, Walk};
use std::collections::HashMap;
use text::Text;
use values::Values;

/// What stands for a block outside of all.
const OUTSIDE: u32 = 99;

/// What of a stream is coded, as far as contexts go.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Field {
    Number = 1,
    Code,
    Count,
    Enter,
    Define,
    Operand,
    Kind,
    Payload,
    Byte,
    Size,
    Flag,
}

/// The last record with a code.
#[derive(Clone, Default)]
pub struct Former {
    ops: Vec<u64>,
}

/// What was in a block so far.
#[derive(Clone, Default)]
struct Recent {
    /// Hashes of the last records' codes, the last first.
    codes: [u32; 4],
}

/// What is known of metadata.
#[derive(Clone, Default)]
struct Metadata {
    /// Strings.
    strings: u64,
    /// The one behind the last that was named so far.
    next_string: u64,
    /// Strings and nodes so far; what a function has is forgotten at its end.
    nodes: u64,
    outer_nodes: u64,
}

/// A stream on its way.
pub struct Codec<'p, C> {
    /// Where bits come from or go to.
    pub coder: C,
    predictor: &'p mut Predictor,
    scopes: Scopes,
    recent: Vec<Recent>,
    former: HashMap<(u32, u64), Former>,
    values: Values,
    metadata: Metadata,
    text: Text,
    /// The first instruction that no attachment was seen of.
    next_attached: usize,
    /// Where the next name is expected in the table of strings.
    next_name: u64,
    /// Bytes of names, in order: where each starts.
    names: Vec<u64>,
    /// The longest list that is possible.
    most: u64,
}

impl<'p, C: Coder> Codec<'p, C> {
    /// At the start of a stream.
    pub fn new(coder: C, predictor: &'p mut Predictor) -> Self {
        Codec {
            coder,
            predictor,
            scopes: Scopes::default(),
            recent: vec![Recent::default()],
            former: HashMap::new(),
            values: Values::default(),
            metadata: Metadata::default(),
            text: Text::default(),
            next_attached: 0,
            next_name: 0,
            names: vec![],
            most: u64::MAX,
        }
    }

    /// Whether one is outside of all blocks.
    pub fn is_outside(&self) -> bool {
        self.scopes.depth() == 0
    }
    /// No list is longer than that many bytes have bits.
    pub fn limit(&mut self, bytes: usize) {
        self.most = bytes as u64 * 8;
    }
    /// Codes a number in contexts.
    fn number(&mut self, field: Field, value: u64, mixer: u32, contexts: &[u32]) -> u64 {
        let contexts = contexts_of(field, mixer, contexts);
        self.predictor.number(&mut self.coder, &contexts, value)
    }
    /// Codes one of eight.
    fn choice(&mut self, field: Field, value: u32, mixer: u32, contexts: &[u32]) -> u32 {
        let contexts = contexts_of(field, mixer, contexts);
        self.predictor.bits(&mut self.coder, &contexts, 0, value, 3)
    }
    fn flag(&mut self, field: Field, value: bool, mixer: u32, contexts: &[u32]) -> bool {
        let contexts = contexts_of(field, mixer, contexts);
        self.predictor.bits(&mut self.coder, &contexts, 0, value.into(), 1) == 1
    }

    /// Codes an item. None where it cannot stand here. At the end of a stream it is [`Item::Leave`],
    /// outside of all blocks.
    pub fn item(&mut self, item: &Item) -> Option<Item> {
        let block = self.scopes.block();
        let here = block.unwrap_or(OUTSIDE);
        let recent = self.recent.last()?.clone();
        let number = match item {
            Item::Leave => END,
            Item::Enter(..) => ENTER,
            Item::Define(_) => DEFINE,
            Item::Record(record) => record.abbreviation,
        };
        let [c0, c1, c2, _] = recent.codes;
        let tail = self.tail();
        let h1 = hash(here, c0);
        let h2 = hash(h1, c1);
        let h3 = hash(h2, c2);
        let number = self.number(
            Field::Number,
            number.into(),
            here,
            &[h1, h2, h3, hash(h1, tail.0), hash(h2, tail.1)],
        );
        let number = u32::try_from(number).ok()?;
        let mark;
        let item = match (number, item) {
            (END, _) => {
                mark = 1;
                Item::Leave
            }
            (ENTER, item) => {
                let (inner, width) = match item {
                    Item::Enter(inner, width) => (*inner, *width),
                    _ => (0, 0),
                };
                let inner = self.number(Field::Enter, inner.into(), here, &[h1, h2, h3]) as u32;
                let width = self.number(Field::Enter, width.into(), 50, &[hash(inner, 77)]) as u32;
                mark = hash(inner, 3);
                Item::Enter(inner, width)
            }
            (DEFINE, item) => {
                mark = 2;
                let defined = match item {
                    Item::Define(defined) => defined.clone(),
                    _ => Abbreviation { scalars: vec![], tail: Tail::None },
                };
                Item::Define(self.define(&defined)?)
            }
            (_, item) => {
                let mut record = match item {
                    Item::Record(record) => record.clone(),
                    _ => Record::default(),
                };
                record.abbreviation = number;
                self.record(&mut record, here)?;
                mark = hash(self.flavour(&record, here), record.code as u32);
                Item::Record(record)
            }
        };
        let last = self.recent.last_mut()?;
        last.codes = [mark, c0, c1, c2];
        self.values.follow(block, &item);
        match &item {
            Item::Enter(inner, _) => {
                self.recent.push(Recent { codes: [*inner, mark, c0, c1] });
                self.next_attached = 0;
                if *inner == block::FUNCTION {
                    self.metadata.outer_nodes = self.metadata.nodes;
                }
            }
            Item::Leave => {
                self.recent.pop();
                if block == Some(block::FUNCTION) {
                    self.metadata.nodes = self.metadata.outer_nodes;
                }
                if self.scopes.depth() == 0 {
                    return Some(item);
                }
            }
            _ => {}
        }
        self.scopes.follow(&item)?;
        Some(item)
    }

    /// What tells instructions of one code apart.
    fn flavour(&self, record: &Record, here: u32) -> u32 {
        if here != block::FUNCTION {
            return 0;
        }
        let op = |i: usize| record.ops.get(i).map_or(0, |&op| op as u32);
        match record.code {
            2 | 3 | 28 => op(2).wrapping_add(1),
            34 => (self.values.all.len() as u32).wrapping_sub(op(3)),
            _ => 0,
        }
    }

    /// What the last values of the function are.
    fn tail(&self) -> (u32, u32) {
        if self.scopes.block() != Some(block::FUNCTION) {
            return (0, 0);
        }
        let last = |i| {
            let v = self.values.back(i);
            hash(v.ty, v.uses.min(2))
        };
        let one = last(1);
        (one, hash(one, last(2)))
    }

    /// Codes a record but for its abbreviation.
    fn record(&mut self, record: &mut Record, here: u32) -> Option<()> {
        let recent = self.recent.last()?.codes;
        let context = hash(here, 1);
        let mut literal = vec![];
        let mut tail = Tail::None;
        match record.abbreviation {
            PLAIN => {
                let h1 = hash(context, recent[0]);
                let h2 = hash(h1, recent[1]);
                let values = self.tail();
                record.code = self.number(
                    Field::Code,
                    record.code,
                    here,
                    &[h1, h2, hash(h2, recent[2]), hash(h1, values.0), hash(context, values.1)],
                );
            }
            number => {
                debug_assert!(number >= FIRST);
                let abbreviation = self.scopes.abbreviation(number)?;
                let (code, scalars) = abbreviation.scalars.split_first()?;
                record.code = match code {
                    Operand::Literal(code) => *code,
                    _ => self.number(
                        Field::Code,
                        record.code,
                        40,
                        &[context, hash(context, recent[0])],
                    ),
                };
                literal = scalars.to_vec();
                tail = abbreviation.tail;
            }
        }
        let key = (here, record.code);
        let former = self.former.remove(&key).unwrap_or_default();
        let code = record.code as u32;
        let fixed = literal.len();
        let count = match (record.abbreviation, tail) {
            (PLAIN, _) | (_, Tail::Array(_)) => {
                let least = fixed as u64;
                let count = (record.ops.len() as u64).saturating_sub(least);
                let h = hash(context, code);
                let was = former.ops.len() as u32;
                let values = self.tail();
                let count = self.number(
                    Field::Count,
                    count,
                    here,
                    &[
                        h,
                        hash(h, was),
                        hash(h, recent[0]),
                        hash(hash(h, recent[0]), recent[1]),
                        hash(h, values.0 ^ was),
                    ],
                );
                if count > self.most {
                    return None;
                }
                usize::try_from(least + count).ok()?
            }
            _ => fixed,
        };
        let given = std::mem::take(&mut record.ops);
        self.operands(record, &given, count, &literal, &former, here)?;
        if tail == Tail::Blob {
            let blob = std::mem::take(&mut record.blob);
            self.blob(record, &blob, here)?;
        }
        self.metadata.follow(here, record);
        self.former.insert(key, Former { ops: record.ops.clone() });
        Some(())
    }
}

fn contexts_of(field: Field, mixer: u32, contexts: &[u32]) -> Contexts {
    let mut hashes = [0; MAX_CONTEXTS];
    for (to, from) in hashes.iter_mut().zip(contexts) {
        *to = hash(*from, field as u32);
    }
    Contexts { hashes, count: contexts.len().min(MAX_CONTEXTS), mixer: hash(mixer, field as u32) }
}

impl Metadata {
    /// Follows a record.
    fn follow(&mut self, here: u32, record: &Record) {
        if here != block::METADATA {
            return;
        }
        match record.code {
            // Strings.
            35 => {
                let count = record.ops.first().copied().unwrap_or(0);
                self.strings = self.strings.wrapping_add(count);
                self.nodes = self.strings;
            }
            // Names, kinds, attachments and the index are no metadata.
            4 | 6 | 10 | 36 | 38 | 39 => {}
            _ => self.nodes = self.nodes.wrapping_add(1),
        }
    }
}
