//! Reads the textual form of a body (see `print`), so that analyses can be tested on bodies written
//! by hand.
//!
//! Any graph can be written: irreducible ones, blocks that are not reached, several returns (then
//! `exit` is `None`), loops without `loop` line (then they are no loops to the analyses). Whether
//! the body has what import guarantees is `verify`'s business. Errors name the line.

mod lex;

use super::{
    BlockData, BlockId, Body, Callee, Cast, Growth, IntOp, LoopData, LoopId, Op, ScalarKind, Ty,
    Update, ValueData, ValueId, loops, print,
};
use crate::hashed::HashMap;
use crate::library::outside::Outside;
use adrules::Precision;
use lex::{Line, Token};
use std::collections::BTreeMap;

/// Largest id that is read: a mistyped one is no reason to fill the memory.
const LARGEST_ID: u32 = 1 << 20;

impl Body {
    /// The body that `text` describes.
    pub fn parse(text: &str) -> Result<Body, String> {
        let mut parser = Parser::default();
        for (i, line) in text.lines().enumerate() {
            let number = i + 1;
            let mut line = Line::new(line, number)?;
            if !line.is_over() {
                parser
                    .line(&mut line)
                    .and_then(|()| line.end())
                    .map_err(|e| format!("line {number}: {e}"))?;
            }
        }
        parser.finish()
    }
}

#[derive(Default)]
struct Parser {
    body: Body,
    is_begun: bool,
    /// Values in the order of the lines, with the id if the text gives one.
    values: Vec<(Option<ValueId>, Written)>,
    /// Blocks: line, instructions as indices of `values`, successors.
    blocks: BTreeMap<BlockId, (usize, Vec<usize>, Vec<BlockId>)>,
    current: Option<BlockId>,
    loops: BTreeMap<LoopId, WrittenLoop>,
    used_values: Vec<(usize, ValueId)>,
    used_blocks: Vec<(usize, BlockId)>,
}

struct Written {
    line: usize,
    data: ValueData,
    /// Set at the end where the text does not say: the bytes of what is stored may follow.
    alignment: Option<u32>,
}

struct WrittenLoop {
    line: usize,
    header: BlockId,
    counter: ValueId,
    preheader: Option<BlockId>,
    latch: Option<BlockId>,
    taken: Option<ValueId>,
    exits: Vec<(BlockId, ValueId)>,
    single_exiting: bool,
}

impl Parser {
    fn line(&mut self, line: &mut Line) -> Result<(), String> {
        match (line.peek(), self.is_begun) {
            (Some(Token::Word("body")), false) => self.head(line),
            (_, false) => Err("a body begins with 'body @name(…)'".into()),
            (Some(Token::Word("body")), true) => Err("a second body".into()),
            (Some(Token::Word("loop")), true) => self.counted_loop(line),
            (Some(Token::Word("grows")), true) => self.growth(line),
            (Some(Token::Word(word)), true) if is_id(word, 'b') => {
                let block = self.block(line)?;
                line.expect(':')?;
                self.current = Some(block);
                match self.blocks.insert(block, (line.number, vec![], vec![])) {
                    Some((first, ..)) => {
                        Err(format!("{block:?} is defined in line {first} already"))
                    }
                    None => Ok(()),
                }
            }
            (_, true) => self.value_line(line),
        }
    }

    fn head(&mut self, line: &mut Line) -> Result<(), String> {
        self.is_begun = true;
        line.next();
        self.body.name = line.symbol().ok_or("expected @name")?;
        line.expect('(')?;
        while !line.take(')') {
            if !self.body.params.is_empty() {
                line.expect(',')?;
            }
            let id = id(line, 'v').map(ValueId)?;
            line.expect(':')?;
            let ty = ty(line)?;
            self.body.noalias.push(line.take_word("noalias"));
            self.body.readonly.push(line.take_word("readonly"));
            let mut written =
                Written::new(Op::Param(self.body.params.len() as u32), ty, None, line.number);
            written.attributes(line)?;
            self.body.params.push(id);
            self.values.push((Some(id), written));
        }
        Ok(())
    }

    fn growth(&mut self, line: &mut Line) -> Result<(), String> {
        line.next();
        let phi = self.value(line)?;
        if !line.take_word("by") {
            return Err("expected 'by'".into());
        }
        let first = self.value(line)?;
        let second = if line.take(',') { Some(self.value(line)?) } else { None };
        self.body.growths.push(Growth { phi, first, second });
        Ok(())
    }

    fn counted_loop(&mut self, line: &mut Line) -> Result<(), String> {
        line.next();
        let name = id(line, 'l').map(LoopId)?;
        let (mut header, mut preheader, mut latch, mut counter, mut taken) =
            (None, None, None, None, None);
        let mut exits = vec![];
        let mut single_exiting = false;
        while let Some(word) = line.word() {
            match word {
                "header" => header = Some(self.block(line)?),
                "preheader" => preheader = Some(self.block(line)?),
                "latch" => latch = Some(self.block(line)?),
                "counter" => counter = Some(self.value(line)?),
                "taken" => taken = Some(self.value(line)?),
                "single" => single_exiting = true,
                "exits" => {
                    while matches!(line.peek(), Some(Token::Word(word)) if is_id(word, 'b')) {
                        let block = self.block(line)?;
                        line.expect(':')?;
                        exits.push((block, self.value(line)?));
                    }
                }
                other => return Err(format!("unknown property '{other}' of a loop")),
            }
        }
        let header = header.ok_or("a loop needs a header")?;
        let counter = counter.ok_or("a loop needs a counter")?;
        let number = line.number;
        let written = WrittenLoop {
            line: number,
            header,
            counter,
            preheader,
            latch,
            taken,
            exits,
            single_exiting,
        };
        match self.loops.insert(name, written) {
            Some(first) => Err(format!("{name:?} is defined in line {} already", first.line)),
            None => Ok(()),
        }
    }

    fn value_line(&mut self, line: &mut Line) -> Result<(), String> {
        let mut name = None;
        let mut written_ty = None;
        if matches!(line.peek(), Some(Token::Word(word)) if is_id(word, 'v')) {
            name = Some(id(line, 'v').map(ValueId)?);
            if line.take(':') {
                written_ty = Some(ty(line)?);
            }
            line.expect('=')?;
        }
        let word = line.word().ok_or("expected an operation")?;
        let mut op = op(word, line)?;
        let symbol = line.symbol().map(Into::into);
        let mut constant = None;
        let operands = match &mut op {
            Op::Constant => {
                if matches!(line.peek(), Some(Token::Number(_))) {
                    constant = Some(line.integer()?);
                }
                vec![]
            }
            Op::Call(_) => {
                line.expect('(')?;
                let operands = self.operands(line)?;
                line.expect(')')?;
                operands
            }
            Op::Phi(from) => {
                let mut operands = vec![];
                while line.take('[') {
                    from.push(self.block(line)?);
                    operands.push(self.value(line)?);
                    line.expect(']')?;
                }
                operands
            }
            Op::Gep(bytes, strides) => self.gep(line, bytes, strides)?,
            Op::ExtractValue(indices) | Op::InsertValue(indices) => {
                let operands = self.operands(line)?;
                *indices = list(line, |line| line.integer())?;
                operands
            }
            Op::Shuffle(mask) => {
                let operands = self.operands(line)?;
                *mask = list(line, |line| {
                    if line.take_word("_") { Ok(None) } else { line.integer().map(Some) }
                })?;
                operands
            }
            _ => self.operands(line)?,
        };
        let Some(ty) = written_ty.or(print::default_ty(&op, constant)) else {
            return Err(format!("'{word}' needs a type: vN: type = {word} …"));
        };
        if name.is_none() && ty != Ty::Void {
            return Err(format!("the result of '{word}' needs a name: vN = {word} …"));
        }
        let mut written = Written::new(op, ty, constant, line.number);
        written.data.operands = operands;
        written.data.symbol = symbol;
        written.data.block = self.current;
        written.attributes(line)?;
        let is_leaf = matches!(
            written.data.op,
            Op::Constant | Op::ConstantExpr | Op::Global(_) | Op::Function | Op::Undef
        );
        match self.current {
            Some(_) if is_leaf => return Err(format!("'{word}' stands before the first block")),
            Some(block) => {
                let succs = self.successors(line)?;
                let (_, insts, of_block) = self.blocks.get_mut(&block).ok_or("no block")?;
                if !of_block.is_empty() {
                    return Err(format!("{block:?} has ended already"));
                }
                insts.push(self.values.len());
                *of_block = succs;
            }
            None if !is_leaf => return Err(format!("'{word}' stands in a block")),
            None => {}
        }
        self.values.push((name, written));
        Ok(())
    }

    fn gep(
        &mut self,
        line: &mut Line,
        bytes: &mut i64,
        strides: &mut Vec<(ValueId, i64)>,
    ) -> Result<Vec<ValueId>, String> {
        let base = self.value(line)?;
        while line.take('+') {
            if let Some(Token::Number(_)) = line.peek() {
                *bytes = bytes.checked_add(line.integer()?).ok_or("too large an offset")?;
            } else {
                let index = self.value(line)?;
                line.expect('*')?;
                strides.push((index, line.integer()?));
            }
        }
        if line.take_word("of") {
            let operands = self.operands(line)?;
            if operands.first() != Some(&base) {
                return Err(format!("gep {base:?} … of {base:?}, …"));
            }
            return Ok(operands);
        }
        Ok(std::iter::once(base).chain(strides.iter().map(|&(index, _)| index)).collect())
    }

    fn successors(&mut self, line: &mut Line) -> Result<Vec<BlockId>, String> {
        let mut succs = vec![];
        if line.take_arrow() {
            while !line.is_over() {
                succs.push(self.block(line)?);
            }
        }
        Ok(succs)
    }

    fn operands(&mut self, line: &mut Line) -> Result<Vec<ValueId>, String> {
        let mut operands = vec![];
        if matches!(line.peek(), Some(Token::Word(word)) if is_id(word, 'v')) {
            operands.push(self.value(line)?);
            while line.take(',') {
                operands.push(self.value(line)?);
            }
        }
        Ok(operands)
    }

    /// A use of a value.
    fn value(&mut self, line: &mut Line) -> Result<ValueId, String> {
        let value = id(line, 'v').map(ValueId)?;
        self.used_values.push((line.number, value));
        Ok(value)
    }

    /// A use or the definition of a block.
    fn block(&mut self, line: &mut Line) -> Result<BlockId, String> {
        let block = id(line, 'b').map(BlockId)?;
        self.used_blocks.push((line.number, block));
        Ok(block)
    }
}

/// From lines to tables.
impl Parser {
    fn finish(mut self) -> Result<Body, String> {
        if !self.is_begun {
            return Err("no body".into());
        }
        if self.blocks.is_empty() {
            return Err("a body without blocks".into());
        }
        for (number, block) in &self.used_blocks {
            if !self.blocks.contains_key(block) {
                return Err(format!("line {number}: {block:?} is not defined"));
            }
        }
        if let Some((i, _)) = self.blocks.keys().enumerate().find(|(i, b)| b.index() != *i) {
            return Err(format!("there is a block after b{i}, but b{i} is missing"));
        }
        let ids = self.number_values()?;
        let blocks = std::mem::take(&mut self.blocks).into_values();
        for (_, insts, succs) in blocks {
            let insts = insts.into_iter().map(|i| ids[i]).collect();
            self.body.blocks.push(BlockData { insts, succs, ..BlockData::default() });
        }
        let returns: Vec<_> =
            self.body.value_ids().filter(|&v| matches!(self.body[v].op, Op::Ret)).collect();
        if let [only] = returns[..] {
            self.body.exit = self.body[only].block;
        }
        loops::connect(&mut self.body);
        self.nest()?;
        self.body.users = loops::users(&self.body);
        Ok(self.body)
    }

    /// Fills the table of values; the ids of the lines. An id that no line has becomes an undef
    /// without use.
    fn number_values(&mut self) -> Result<Vec<ValueId>, String> {
        let mut lines: BTreeMap<ValueId, usize> = BTreeMap::new();
        for (name, written) in &self.values {
            if let Some(v) = name
                && let Some(first) = lines.insert(*v, written.line)
            {
                return Err(format!(
                    "line {}: {v:?} is defined in line {first} already",
                    written.line
                ));
            }
        }
        for (number, v) in &self.used_values {
            if !lines.contains_key(v) {
                return Err(format!("line {number}: {v:?} is not defined"));
            }
        }
        let mut free = (0..).map(ValueId).filter(|v| !lines.contains_key(v));
        let ids: Vec<_> = self
            .values
            .iter()
            .map(|(name, _)| name.or_else(|| free.next()).expect("endless"))
            .collect();
        let count = ids.iter().map(|v| v.index() + 1).max().unwrap_or(0);
        self.body.values = vec![Written::new(Op::Undef, Ty::Other, None, 0).data; count];
        let mut alignments = vec![None; count];
        for (v, (_, written)) in ids.iter().zip(std::mem::take(&mut self.values)) {
            self.body[*v] = written.data;
            alignments[v.index()] = written.alignment;
        }
        for v in self.body.value_ids() {
            self.body[v].alignment =
                alignments[v.index()].unwrap_or(self.body.default_alignment(v));
        }
        Ok(ids)
    }

    /// Fills the table of loops.
    fn nest(&mut self) -> Result<(), String> {
        if let Some((i, _)) = self.loops.keys().enumerate().find(|(i, l)| l.index() != *i) {
            return Err(format!("there is a loop after l{i}, but l{i} is missing"));
        }
        let body = &mut self.body;
        let mut natural: Vec<loops::NaturalLoop> = vec![];
        let mut headed = HashMap::default();
        for (l, written) in std::mem::take(&mut self.loops) {
            let WrittenLoop { line, header, .. } = written;
            let at = |e: &str| format!("line {line}: {l:?} {e}");
            let found =
                loops::natural_loop(body, header).ok_or_else(|| at("is no natural loop"))?;
            if headed.insert(header, l).is_some() {
                return Err(at("has the header of another loop"));
            }
            if natural.iter().any(|inner| found.blocks.contains(&inner.header)) {
                return Err(at("has a loop inside that comes first"));
            }
            let outside: Vec<_> =
                body[header].preds.iter().copied().filter(|p| !found.blocks.contains(p)).collect();
            let the = |written: Option<BlockId>, blocks: &[BlockId], what: &str| match (
                written, blocks,
            ) {
                (Some(block), _) | (None, &[block]) => Ok(block),
                (None, _) => Err(at(&format!("has no or several blocks that may be its {what}"))),
            };
            let parent = natural
                .iter()
                .rposition(|outer| outer.blocks.contains(&header))
                .map(|p| LoopId(p as u32));
            body.loops.push(LoopData {
                header,
                preheader: the(written.preheader, &outside, "preheader")?,
                latch: the(written.latch, &found.latches, "latch")?,
                parent,
                depth: parent.map_or(1, |p| body[p].depth + 1),
                counter: written.counter,
                taken: written.taken,
                exits: written.exits,
                single_exiting: written.single_exiting,
            });
            natural.push(found);
        }
        loops::assign_innermost(body, &natural);
        Ok(())
    }
}

impl Written {
    fn new(op: Op, ty: Ty, constant: Option<i64>, line: usize) -> Written {
        let data = ValueData {
            op,
            operands: vec![],
            ty,
            block: None,
            place: 0,
            bytes: print::default_bytes(ty),
            fields: print::default_fields(ty),
            factor: print::default_factor(ty, constant),
            alignment: 1,
            is_integer: false,
            is_member: false,
            is_of_numbers: false,
            is_untold: false,
            is_to_data: false,
            is_to_table: false,
            is_once: false,
            constant,
            nowrap: false,
            is_hidden: false,
            steps: None,
            outside: Outside::NONE,
            symbol: None,
            real: None,
            lane_bits: 0,
            is_unsigned: false,
            allocated_bytes: None,
        };
        Written { line, data, alignment: None }
    }

    fn attributes(&mut self, line: &mut Line) -> Result<(), String> {
        while let Some(word) = line.word() {
            match word {
                "bytes" => self.data.bytes = line.integer()?,
                "factor" => self.data.factor = line.integer()?,
                "holds" => {
                    self.data.fields = list(line, |line| Ok((line.integer()?, scalar(line)?)))?
                }
                "align" => self.alignment = Some(line.integer()?),
                "integer" => self.data.is_integer = true,
                "member" => self.data.is_member = true,
                "numbers" => self.data.is_of_numbers = true,
                "untold" => self.data.is_untold = true,
                "data" => self.data.is_to_data = true,
                "table" => self.data.is_to_table = true,
                "once" => self.data.is_once = true,
                "nsw" => self.data.nowrap = true,
                "hidden" => self.data.is_hidden = true,
                "steps" => self.data.steps = Some(line.integer()?),
                other => return Err(format!("unknown attribute '{other}'")),
            }
        }
        Ok(())
    }
}

/// `[item, item, …]`.
fn list<T>(
    line: &mut Line,
    mut item: impl FnMut(&mut Line) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    line.expect('[')?;
    let mut items = vec![];
    while !line.take(']') {
        if !items.is_empty() {
            line.expect(',')?;
        }
        items.push(item(line)?);
    }
    Ok(items)
}

/// What a field holds: the type of a real or pointer, or `int`.
fn scalar(line: &mut Line) -> Result<ScalarKind, String> {
    if line.take_word("int") {
        return Ok(ScalarKind::Int);
    }
    let ty = ty(line)?;
    ScalarKind::of(ty).ok_or_else(|| format!("'{ty}' is nothing that a field holds"))
}

fn is_id(word: &str, letter: char) -> bool {
    word.strip_prefix(letter)
        .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
}

fn id(line: &mut Line, letter: char) -> Result<u32, String> {
    let expected = || format!("expected {letter}N");
    let word = line.word().ok_or_else(expected)?;
    if !is_id(word, letter) {
        return Err(format!("{}, found '{word}'", expected()));
    }
    let number = word[1..].parse().ok().filter(|&n| n <= LARGEST_ID);
    number.ok_or_else(|| format!("'{word}' is past {letter}{LARGEST_ID}"))
}

fn ty(line: &mut Line) -> Result<Ty, String> {
    let word = line.word().ok_or("expected a type")?;
    Ok(match word {
        "void" => Ty::Void,
        "f32" => Ty::F32,
        "f64" => Ty::F64,
        "f16" => Ty::F16,
        "bf16" => Ty::BF16,
        "f80" => Ty::F80,
        "f128" => Ty::F128,
        "ptr" => Ty::Ptr,
        "vector" => Ty::Vector(false),
        "floatvector" => Ty::Vector(true),
        "aggregate" => Ty::Aggregate(false),
        "floataggregate" => Ty::Aggregate(true),
        "other" => Ty::Other,
        _ if is_id(word, 'i') => Ty::Int(id_number(word)?),
        _ => return Err(format!("unknown type '{word}'")),
    })
}

fn id_number(word: &str) -> Result<u32, String> {
    word[1..].parse().map_err(|_| format!("'{word}' is too wide"))
}

/// The operation that `word` begins, without operands.
fn op(word: &str, line: &mut Line) -> Result<Op, String> {
    Ok(match word {
        "const" => Op::Constant,
        "constexpr" => Op::ConstantExpr,
        "global" => Op::Global(line.take_word("const")),
        "function" => Op::Function,
        "undef" => Op::Undef,
        "fneg" => Op::FNeg,
        "fadd" => Op::FAdd,
        "fsub" => Op::FSub,
        "fmul" => Op::FMul,
        "fdiv" => Op::FDiv,
        "frem" => Op::FRem,
        "add" => Op::IntBinary(IntOp::Add),
        "sub" => Op::IntBinary(IntOp::Sub),
        "mul" => Op::IntBinary(IntOp::Mul),
        "shl" => Op::IntBinary(IntOp::Shl),
        "lshr" => Op::IntBinary(IntOp::LShr),
        "and" => Op::IntBinary(IntOp::And),
        "or" => Op::IntBinary(IntOp::Or),
        "xor" => Op::IntBinary(IntOp::Xor),
        "int" => Op::IntBinary(IntOp::Other),
        "icmp" => Op::ICmp,
        "fcmp" => Op::FCmp,
        "floatcast" => Op::Cast(Cast::Float),
        "floattoint" => Op::Cast(Cast::FloatToInt),
        "inttofloat" => Op::Cast(Cast::IntToFloat),
        "intcast" => Op::Cast(Cast::Int),
        "zeroextend" => Op::Cast(Cast::ZeroExtend),
        "bitcast" => Op::Cast(Cast::Bits),
        "spacecast" => Op::Cast(Cast::AddressSpace),
        "ptrtoint" => Op::Cast(Cast::PtrToInt),
        "inttoptr" => Op::Cast(Cast::IntToPtr),
        "select" => Op::Select,
        "freeze" => Op::Freeze,
        "gep" => Op::Gep(0, vec![]),
        "phi" => Op::Phi(vec![]),
        "alloca" => Op::Alloca(!line.take_word("dynamic")),
        "load" => Op::Load,
        "store" => Op::Store,
        "call" => Op::Call(callee(line)?),
        "extractvalue" => Op::ExtractValue(vec![]),
        "insertvalue" => Op::InsertValue(vec![]),
        "extractelement" => Op::ExtractElement,
        "insertelement" => Op::InsertElement,
        "shuffle" => Op::Shuffle(vec![]),
        "update" => Op::Update(match line.word() {
            Some("add") => Update::Add,
            Some("sub") => Update::Sub,
            _ => return Err("expected what is updated: 'add' or 'sub'".into()),
        }),
        "atomic" => Op::Atomic,
        "br" => Op::Br,
        "condbr" => Op::CondBr,
        "switch" => Op::Switch,
        "invoke" => Op::Invoke,
        "ret" => Op::Ret,
        "unreachable" => Op::Unreachable,
        "other" => Op::Other,
        _ => return Err(format!("unknown operation '{word}'")),
    })
}

fn callee(line: &mut Line) -> Result<Callee, String> {
    let word =
        line.word().ok_or("expected what is called: 'defined', 'rule sin.f64', 'memcpy' …")?;
    Ok(match word {
        "rule" => {
            let word = line.word().ok_or("expected a rule, as sin.f64")?;
            let (name, precision) =
                word.rsplit_once('.').ok_or("a rule is written with its precision: sin.f64")?;
            let precision = match precision {
                "f32" => Precision::F32,
                "f64" => Precision::F64,
                "f80" => Precision::F80,
                _ => return Err(format!("'{precision}' is no precision: f32, f64, f80")),
            };
            Callee::Rule(
                adrules::rule(name).ok_or_else(|| format!("there is no rule '{name}'"))?,
                precision,
            )
        }
        "memcpy" => Callee::MemCpy,
        "memmove" => Callee::MemMove,
        "memset" => Callee::MemSet,
        "keptbytes" => Callee::KeptBytes,
        "free" => Callee::Free,
        "inactive" => Callee::Inactive,
        "pureint" => Callee::PureInt,
        "defined" => Callee::Defined,
        "passive" => Callee::Passive,
        "custom" => Callee::Custom,
        "unknown" => Callee::Unknown,
        "indirect" => Callee::Indirect,
        "assembly" => Callee::Assembly,
        "unwound" => Callee::Unwound,
        _ => match crate::library::memory::allocator(word) {
            Some(allocator) => Callee::Allocate(allocator),
            None => return Err(format!("'{word}' is nothing that can be called")),
        },
    })
}
