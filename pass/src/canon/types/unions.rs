//! Unions of which passes made registers: a word that is a real on one path and an integer on
//! another, and that code looks at as both.
//!
//! Whether such a word has a derivative depends on the path. Memory keeps that apart when the program
//! runs (analysis/src/activity/integers.rs), registers do not. So the choices between such words
//! become variables again, which each path stores its own kind in:
//!   w = phi [x, A], [bits of k, B]         A: store x → v    B: store k → v
//!   real of w, low half of w               load real ← v     load i32 ← v
//!   w = (u & upper half) | k               v = copy of u's variable; store k → v
//! A variable is written where its word is computed, and read where the word is used: no other word
//! of that name exists in between. Words that meet in phis go through a second variable, because all
//! phis of a block take their values at once.

use super::integers;
use crate::llvm::{Block, Builder, Function, Module, Opcode, Type, TypeKind, Value};
use std::collections::{HashMap, HashSet};

/// Constants below are integers: as reals they are smaller than any normal number.
const SMALL: i64 = 1 << 20;

/// Makes such registers variables. Comes after the passes that would make them registers again.
pub fn keep_in_memory(module: Module, function: Function) -> Result<(), String> {
    let insts: Vec<Value> = function.blocks().into_iter().flat_map(|b| b.instructions()).collect();
    let mut seen = HashSet::new();
    let mut unions: Vec<Vec<Value>> = vec![];
    for &choice in insts.iter().filter(|i| i.ty().is_int() && is_choice(**i)) {
        if !seen.contains(&choice) {
            let web = web(choice);
            seen.extend(web.iter().copied());
            unions.extend(Some(web).filter(|web| is_union(web)));
        }
    }
    if unions.is_empty() {
        return Ok(());
    }
    for web in unions {
        Variables::new(module, function, &web).replace();
    }
    // Masks and conversions that nobody uses any more.
    function.run_passes("dce")
}

/// The number of bits, if a type is that of a word with the size of a real.
fn bits(ty: Type) -> Option<u32> {
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => Some(ty.int_width()).filter(|n| matches!(n, 32 | 64)),
        TypeKind::LLVMFloatTypeKind => Some(32),
        TypeKind::LLVMDoubleTypeKind => Some(64),
        _ => None,
    }
}

/// Whether a value is another one's bits.
fn is_cast(v: Value) -> bool {
    v.is_instruction()
        && v.opcode() == Opcode::LLVMBitCast
        && bits(v.ty()).is_some()
        && bits(v.operand(0).ty()).is_some()
}

/// The word of which a value is the bits.
fn word(mut v: Value) -> Value {
    while is_cast(v) {
        v = v.operand(0);
    }
    v
}

/// A word, and its bits as other types.
fn views(word: Value) -> Vec<Value> {
    let mut found = vec![word];
    let mut next = 0;
    while next < found.len() {
        let casts = found[next].users().into_iter().filter(|u| is_cast(*u));
        found.extend(casts);
        next += 1;
    }
    found
}

/// Whether an instruction chooses between words, or puts a part into one.
fn is_choice(v: Value) -> bool {
    v.is_instruction()
        && bits(v.ty()).is_some()
        && (matches!(v.opcode(), Opcode::LLVMPHI | Opcode::LLVMSelect) || inserted(v).is_some())
}

/// The words that a choice chooses from; that which a part is put into.
fn sources(choice: Value) -> Vec<Value> {
    let all = match choice.opcode() {
        Opcode::LLVMPHI => choice.incoming().into_iter().map(|(v, _)| v).collect(),
        Opcode::LLVMSelect => vec![choice.operand(1), choice.operand(2)],
        _ => inserted(choice).map(|insert| vec![insert.into]).unwrap_or_default(),
    };
    all.into_iter().map(word).collect()
}

/// A part that is put into a word.
struct Insert {
    into: Value,
    /// Has so many bits that may be set, and comes in the lowest of the word.
    part: Value,
    bits: u32,
}

/// `(word & mask) | part`, where the mask leaves the upper bytes, and the part has none of these.
fn inserted(v: Value) -> Option<Insert> {
    if !v.ty().is_int() || v.opcode() != Opcode::LLVMOr {
        return None;
    }
    let is = |v: Value, op| v.is_instruction() && v.opcode() == op;
    let of = |masked: Value, part: Value| {
        let mask = is(masked, Opcode::LLVMAnd).then(|| masked.operand(1).as_int())??;
        let bits = [8, 16, 32].into_iter().find(|&n| n < v.ty().int_width() && mask == -1 << n)?;
        let is_short = v.is_disjoint()
            || is(part, Opcode::LLVMZExt) && part.operand(0).ty().int_width() <= bits
            || part.as_int().is_some_and(|k| (0..1 << bits).contains(&k));
        (is_short && part.as_int() != Some(0)).then(|| Insert {
            into: masked.operand(0),
            part,
            bits,
        })
    };
    of(v.operand(0), v.operand(1)).or_else(|| of(v.operand(1), v.operand(0)))
}

/// Users of a word, whatever type they see its bits as, each with what it uses.
fn users(word: Value) -> Vec<(Value, Value)> {
    let of = |view: Value| view.users().into_iter().map(move |user| (view, user));
    views(word)
        .into_iter()
        .flat_map(of)
        .filter(|(_, user)| user.is_instruction() && !is_cast(*user))
        .collect()
}

/// All choices that a choice hands its word to, or takes it from, directly or through others.
fn web(choice: Value) -> Vec<Value> {
    let mut found = vec![choice];
    let mut next = 0;
    while next < found.len() {
        let at = found[next];
        next += 1;
        let direct = users(at).into_iter().map(|(_, user)| user);
        let takers = direct.flat_map(|user| [vec![user], user.users()].concat());
        let takes = |u: &Value| is_choice(*u) && sources(*u).contains(&at);
        let given = sources(at).into_iter().filter(|s| is_choice(*s));
        for v in takers.filter(takes).chain(given).collect::<Vec<_>>() {
            if !found.contains(&v) {
                found.push(v);
            }
        }
    }
    found
}

/// Whether words are reals on some paths and integers on others, and code computes with the
/// integers.
fn is_union(web: &[Value]) -> bool {
    let origins = || web.iter().flat_map(|&c| sources(c)).filter(|v| !web.contains(v));
    let all_users = || web.iter().flat_map(|&v| users(v));
    let inserts = || web.iter().any(|v| inserted(*v).is_some());
    let computes = |(view, user): (Value, Value)| {
        use Opcode::*;
        view.ty().is_int()
            && !web.contains(&user)
            && !matches!(user.opcode(), LLVMStore | LLVMRet | LLVMCall | LLVMInvoke)
            && !matches!(user.opcode(), LLVMInsertValue)
            && !user.users().iter().any(|next| web.contains(next))
    };
    let is_real = |v: Value| views(v).iter().any(|view| view.ty().is_float());
    // What an invoke returns is known behind it only.
    let is_late = |(v, block): (Value, Block)| block.terminator() == Some(word(v));
    let phis = || web.iter().filter(|v| v.opcode() == Opcode::LLVMPHI);
    (web.iter().any(|v| is_real(*v)) || origins().any(is_real))
        && (inserts() || origins().any(is_integer) && all_users().any(computes))
        && !phis().flat_map(|phi| phi.incoming()).any(is_late)
}

/// Whether a word is an integer in the source, as far as it shows: a small constant, or one that
/// was made wider.
fn is_integer(word: Value) -> bool {
    word.ty().is_int()
        && (word.as_int().is_some_and(|k| k != 0 && k.abs() < SMALL)
            || word.is_instruction()
                && matches!(word.opcode(), Opcode::LLVMZExt | Opcode::LLVMSExt))
}

/// The variables of one web.
struct Variables<'a> {
    module: Module,
    function: Function,
    b: Builder,
    web: &'a [Value],
    of: HashMap<Value, Value>,
    /// Those that phis are handed their words in.
    handed: HashMap<Value, Value>,
}

impl<'a> Variables<'a> {
    fn new(module: Module, function: Function, web: &'a [Value]) -> Variables<'a> {
        let b = Builder::new(module.context());
        let (of, handed) = (HashMap::new(), HashMap::new());
        let mut all = Variables { module, function, b, web, of, handed };
        for &choice in web {
            all.of.insert(choice, all.variable());
            if choice.opcode() == Opcode::LLVMPHI {
                all.handed.insert(choice, all.variable());
            }
        }
        all
    }

    fn bytes(&self) -> u64 {
        self.module.alloc_size(self.web[0].ty())
    }

    fn variable(&self) -> Value {
        let b = Builder::new(self.module.context());
        b.position_before(self.function.blocks()[0].instructions()[0]);
        // The type says nothing of what lies there.
        let variable = b.alloca(self.module.context().int(8).array(self.bytes()), "word");
        variable.set_alignment(self.bytes() as u32);
        variable
    }

    /// Writes them, and lets users read them; the choices are gone.
    fn replace(&self) {
        self.web.iter().for_each(|choice| self.write(*choice));
        for &choice in self.web {
            for (view, user) in users(choice) {
                if !self.web.contains(&user) {
                    self.read(choice, view, user);
                }
            }
        }
        for &choice in self.web {
            choice.replace_uses(choice.ty().poison());
            choice.erase();
        }
    }

    fn write(&self, choice: Value) {
        let to = self.of[&choice];
        match choice.opcode() {
            Opcode::LLVMPHI => {
                let handed = self.handed[&choice];
                for (word, block) in choice.incoming() {
                    if let Some(end) = block.terminator() {
                        self.b.position_before(end);
                        self.put(handed, word);
                    }
                }
                let is_phi = |i: &Value| i.opcode() == Opcode::LLVMPHI;
                let first = choice.block().instructions().into_iter().find(|i| !is_phi(i));
                self.b.position_before(first.expect("a block ends with no phi"));
                self.copy(to, handed);
            }
            Opcode::LLVMSelect => {
                self.b.position_before(choice);
                let from = [1, 2].map(|i| self.at_hand(choice.operand(i)));
                let from = self.b.select(choice.operand(0), from[0], from[1]);
                self.copy(to, from);
            }
            _ => {
                let insert = inserted(choice).expect("it is one");
                self.b.position_before(choice);
                self.put(to, insert.into);
                let ty = self.module.context().int(insert.bits);
                let part = self.b.cast(Opcode::LLVMTrunc, insert.part, ty);
                integers::mark_member(self.b.store(part, to));
            }
        }
    }

    /// A variable that holds a word.
    fn at_hand(&self, v: Value) -> Value {
        if let Some(&variable) = self.of.get(&word(v)) {
            return variable;
        }
        let variable = self.variable();
        self.put(variable, v);
        variable
    }

    /// Stores a word as what it is.
    fn put(&self, to: Value, v: Value) {
        let word = word(v);
        match self.of.get(&word) {
            Some(&from) => self.copy(to, from),
            None if word.is_undef() => {}
            None => {
                let store = self.b.store(word, to);
                if is_integer(word) {
                    integers::mark_member(store);
                }
            }
        }
    }

    fn copy(&self, to: Value, from: Value) {
        let alignment = self.bytes() as u32;
        let size = self.module.context().int(64).int(self.bytes());
        self.b.memcpy(to, alignment, from, alignment, size);
    }

    /// Lets a user load what it looks at, or copy.
    fn read(&self, choice: Value, view: Value, user: Value) {
        use Opcode::*;
        let from = self.of[&choice];
        self.b.position_before(user);
        let is_plain = || !user.is_volatile() && !user.is_atomic();
        match user.opcode() {
            LLVMPHI => unreachable!("a phi of words is in the web"),
            LLVMTrunc if user.ty().int_width() >= 8 => {
                let loaded = self.b.load(user.ty(), from);
                integers::mark_member(loaded);
                user.replace_uses(loaded);
                user.erase();
            }
            LLVMStore if user.operand(0) == view && is_plain() => {
                let size = self.module.context().int(64).int(self.bytes());
                let alignment = self.bytes() as u32;
                self.b.memcpy(user.operand(1), user.alignment(), from, alignment, size);
                user.erase();
            }
            op => {
                let loaded = self.b.load(view.ty(), from);
                let is_handed_on = matches!(op, LLVMRet | LLVMCall | LLVMInvoke | LLVMInsertValue);
                if view.ty().is_int() && !is_handed_on {
                    integers::mark_member(loaded);
                }
                for i in (0..user.operand_count()).filter(|&i| user.operand(i) == view) {
                    user.set_operand(i, loaded);
                }
            }
        }
    }
}
