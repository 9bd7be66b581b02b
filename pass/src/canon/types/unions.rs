//! Unions of which passes made registers: a word that is a real on one path and an integer on
//! another, and that code looks at as both.
//!
//! Whether such a word has a derivative depends on the path. Memory keeps that apart when the program
//! runs (analysis/src/activity/integers.rs), registers do not. So the choices between such words
//! become variables again, which each path stores its own kind in:
//!   w = phi [x, A], [bits of k, B]         A: store x → v    B: store k → v
//!   real of w, low half of w               load real ← v     load i32 ← v
//!   w = (u & upper half) | k               v = copy of u's variable; store k → v
//! So does a real whose bits are a number on a path of its own, which a member's tag guards:
//!   x; if (tag) number of bits of x        store x → v; if (tag) load i64 ← v
//! And a word that is loaded once, for both:
//!   w = load p; tag ? number of w : real of w     v = copy of p; tag ? number of load i64 ← v : real of w
//! The lower part of its bits that such a path stores, or asks for a truth value, is read there, too.
//! Numbers that passes make of its bits before the paths part are made on those that use them.
//! A word that is a real on one path and a pointer on another, and is only moved or followed, is such
//! a choice, too: copies of objects with a union in them, of which passes made one for all members.
//! A variable is written where its word is computed, and read where the word is used: no other word
//! of that name exists in between. Words that meet in phis go through a second variable, because all
//! phis of a block take their values at once.

use super::{
    integers,
    numbers::{guard, is_arithmetic, is_number},
};
use crate::llvm::{Block, Builder, Function, Module, Opcode, Type, TypeKind, Value};
use adir::{
    hashed::{HashMap, HashSet},
    target,
};

/// Constants below are integers: as reals they are smaller than any normal number.
const SMALL: i64 = 1 << 20;

/// Makes such registers variables. Comes after the passes that would make them registers again.
pub fn keep_in_memory(module: Module, function: Function) -> Result<(), String> {
    let all = || function.blocks().into_iter().flat_map(|b| b.instructions());
    let is_both = |i: &Value| is_real_bits(*i) || is_loaded_real(*i);
    let both: Vec<Value> = all().filter(is_both).collect();
    both.into_iter().for_each(|bits| sink_numbers(module, bits));
    let insts: Vec<Value> = all().collect();
    let mut seen = HashSet::default();
    let mut unions: Vec<Vec<Value>> = vec![];
    let is_mixed = |i: Value| i.ty().is_int() || chooses_number(i) || chooses_real(i);
    let is_seed = |i: &Value| is_choice(*i) && is_mixed(*i) && !is_number_only(*i);
    for &choice in insts.iter().filter(|i| is_seed(i)) {
        if !seen.contains(&choice) {
            let web = web(choice);
            seen.extend(web.iter().copied());
            unions.extend(Some(web).filter(|web| is_union(web)));
        }
    }
    let is_guarded = |i: &Value| !guarded_numbers(*i).is_empty() || !guarded_parts(*i).is_empty();
    let guarded: Vec<Value> = insts.into_iter().filter(|i| is_both(i) && is_guarded(i)).collect();
    if unions.is_empty() && guarded.is_empty() {
        return Ok(());
    }
    for bits in guarded {
        Variables::new(module, function, &[]).keep(bits);
    }
    for web in unions {
        Variables::new(module, function, &web).replace();
    }
    // Masks and conversions that nobody uses any more.
    function.run_passes("dce")
}

/// Makes variables of the choices that words which some loads bring take part in.
pub fn keep_choices(module: Module, function: Function, loads: &[Value]) {
    let mut seen = HashSet::default();
    let mut webs: Vec<Vec<Value>> = vec![];
    for load in loads {
        let is_taker = |u: &Value| is_choice(*u) && sources(*u).contains(load) && !is_address(*u);
        for choice in users(*load).into_iter().map(|(_, user)| user).filter(is_taker) {
            if !seen.contains(&choice) {
                let web = web(choice);
                seen.extend(web.iter().copied());
                webs.extend(Some(web).filter(|web| is_of_words(web)));
            }
        }
    }
    webs.iter().flatten().for_each(|choice| store_words(*choice));
    webs.iter().for_each(|web| Variables::new(module, function, web).replace());
}

/// Makes addresses that are made of a word only to be stored the word again.
fn store_words(word: Value) {
    let is_address = |u: &Value| {
        u.opcode() == Opcode::LLVMIntToPtr && word.ty().int_width() == target::pointer_bits()
    };
    for address in word.users().into_iter().filter(is_address) {
        let is_stored = |u: &Value| u.opcode() == Opcode::LLVMStore && u.operand(1) != address;
        let stores = address.users();
        if stores.iter().all(is_stored) {
            for store in stores {
                store.set_operand(0, word);
                store.clear_metadata("tbaa");
            }
            address.erase();
        }
    }
}

/// The number of bits, if a type is that of a word with the size of a real.
fn bits(ty: Type) -> Option<u32> {
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => Some(ty.int_width()).filter(|n| matches!(n, 32 | 64)),
        TypeKind::LLVMFloatTypeKind => Some(32),
        TypeKind::LLVMDoubleTypeKind => Some(64),
        TypeKind::LLVMPointerTypeKind => Some(target::pointer_bits()),
        _ => None,
    }
}

/// Whether a value is another one's bits.
fn is_cast(v: Value) -> bool {
    use Opcode::*;
    v.is_instruction()
        && matches!(v.opcode(), LLVMBitCast | LLVMPtrToInt | LLVMIntToPtr)
        && bits(v.ty()).is_some_and(|n| bits(v.operand(0).ty()) == Some(n))
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

/// Whether a word is chosen from numbers only, as a loop's counter is, and no code computes with its
/// bits as with a real.
fn is_number_only(word: Value) -> bool {
    let mut all = vec![word];
    let mut next = 0;
    while let Some(&choice) = all.get(next) {
        next += 1;
        let is_moved = |(view, user): (Value, Value)| {
            view.ty().is_int() || is_choice(user) || user.opcode() == Opcode::LLVMStore
        };
        if !is_choice(choice) || choice.ty().is_float() || !users(choice).into_iter().all(is_moved)
        {
            return false;
        }
        for source in sources(choice) {
            if !source.is_plain_constant() && !is_made(source) && !all.contains(&source) {
                all.push(source);
            }
        }
    }
    true
}

/// Whether a choice is one of addresses that code computes, as a loop's pointer is, and of no reals:
/// it is followed, not moved.
fn is_address(choice: Value) -> bool {
    let is_computed = |v: &Value| v.is_instruction() && v.opcode() == Opcode::LLVMGetElementPtr;
    choice.ty().is_pointer() && sources(choice).iter().any(is_computed) && !chooses_real(choice)
}

/// All choices that a choice hands its word to, or takes it from, directly or through others, but
/// for numbers and addresses.
fn web(choice: Value) -> Vec<Value> {
    let mut found = vec![choice];
    let mut next = 0;
    while next < found.len() {
        let at = found[next];
        next += 1;
        let direct = users(at).into_iter().map(|(_, user)| user);
        let takers = direct.flat_map(|user| [vec![user], user.users()].concat());
        let takes = |u: &Value| is_choice(*u) && sources(*u).contains(&at) && !is_address(*u);
        let is_given = |s: &Value| is_choice(*s) && !is_number_only(*s) && !is_address(*s);
        let given = sources(at).into_iter().filter(is_given);
        for v in takers.filter(takes).chain(given).collect::<Vec<_>>() {
            if !found.contains(&v) {
                found.push(v);
            }
        }
    }
    found
}

/// Whether nothing else is chosen from than words of memory, pointers and constants.
fn is_of_words(web: &[Value]) -> bool {
    let is_word = |v: &Value| {
        web.contains(v)
            || v.is_plain_constant()
            || v.ty().is_pointer()
            || v.is_instruction() && v.opcode() == Opcode::LLVMLoad
    };
    let is_choice = |v: &Value| matches!(v.opcode(), Opcode::LLVMPHI | Opcode::LLVMSelect);
    web.iter().all(|v| is_choice(v) && sources(*v).iter().all(is_word))
}

/// Whether a choice between reals takes an integer for one.
fn chooses_number(choice: Value) -> bool {
    let is_one = |v: Value| v.ty().is_float() && is_cast(v) && is_integer(word(v));
    matches!(choice.opcode(), Opcode::LLVMPHI | Opcode::LLVMSelect)
        && (0..choice.operand_count()).any(|i| is_one(choice.operand(i)))
}

/// Whether a choice between pointers takes a real for one.
fn chooses_real(choice: Value) -> bool {
    choice.ty().is_pointer() && sources(choice).iter().any(|v| v.ty().is_float())
}

/// Whether a value is a pointer as a number, which code computes a distance with, or compares.
fn is_position(view: Value) -> bool {
    view.is_instruction() && view.opcode() == Opcode::LLVMPtrToInt
}

/// Whether words are reals on some paths and integers on others, and code computes with the
/// integers; or pointers, and code moves or follows them.
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
            && !user.users().iter().any(|next| web.contains(next) && inserted(*next).is_some())
    };
    let is_real = |v: Value| views(v).iter().any(|view| view.ty().is_float());
    let is_pointer = |v: Value| v.ty().is_pointer() && !v.is_plain_constant();
    // Whether nobody looks at the bits, be they a pointer's or a real's.
    let is_opaque = |(view, user): (Value, Value)| {
        let is_moved = web.contains(&user) || user.opcode() == Opcode::LLVMStore;
        !view.ty().is_int() || is_position(view) || is_moved
    };
    // What an invoke returns is known behind it only.
    let is_late = |(v, block): (Value, Block)| block.terminator() == Some(word(v));
    let phis = || web.iter().filter(|v| v.opcode() == Opcode::LLVMPHI);
    (web.iter().any(|v| is_real(*v)) || origins().any(is_real))
        && (inserts()
            || web.iter().any(|v| chooses_number(*v))
            || origins().any(is_integer) && all_users().any(computes)
            || origins().any(is_pointer) && all_users().all(is_opaque))
        && !phis().flat_map(|phi| phi.incoming()).any(is_late)
}

/// Whether a word is an integer in the source, as far as it shows: a small constant, one that is
/// computed, or a choice between such ones.
fn is_integer(word: Value) -> bool {
    constant(word).is_some_and(|k| k != 0 && k.abs() < SMALL)
        || is_made(word)
        || word.ty().is_int() && is_choice(word) && is_number_only(word)
}

/// Whether a word is an integer that was made wider, a sum or a product.
fn is_made(word: Value) -> bool {
    use Opcode::*;
    word.ty().is_int()
        && word.is_instruction()
        && (matches!(word.opcode(), LLVMZExt | LLVMSExt | LLVMAdd | LLVMSub) || is_number(word))
}

/// The bits of a constant.
fn constant(word: Value) -> Option<i64> {
    match word.ty().kind() {
        TypeKind::LLVMFloatTypeKind => {
            word.as_real().map(|r| i64::from((r as f32).to_bits() as i32))
        }
        TypeKind::LLVMDoubleTypeKind => word.as_real().map(|r| r.to_bits() as i64),
        _ => word.as_int(),
    }
}

/// Whether a value is the bits of a real that is computed, not loaded.
fn is_real_bits(v: Value) -> bool {
    is_cast(v) && v.ty().is_int() && v.operand(0).ty().is_float()
}

/// Whether a word is loaded, and seen as a real.
fn is_loaded_real(v: Value) -> bool {
    v.opcode() == Opcode::LLVMLoad
        && v.ty().is_int()
        && !v.is_volatile()
        && !v.is_atomic()
        && views(v).iter().any(|view| view.ty().is_float())
}

/// Whether an instruction makes an integer wider or narrower.
fn is_resized(u: Value) -> bool {
    matches!(u.opcode(), Opcode::LLVMTrunc | Opcode::LLVMZExt | Opcode::LLVMSExt)
}

/// Uses of the bits of a real as a number, or of their lower part, that are not on each path on
/// which the real is computed: functions of the bits of each real have theirs beside it.
fn guarded_numbers(bits: Value) -> Vec<Value> {
    let real = word(bits);
    // What code computes with the bits of a real it has computed itself, may be another one's bits
    // (nextafter). What it loads is a number on the path of its tag; if not, the run finds it.
    let is_loaded = bits.opcode() == Opcode::LLVMLoad;
    let counts = |u: &Value| {
        is_number(*u)
            || is_loaded && is_arithmetic(*u)
            || is_resized(*u) && !u.users().is_empty() && u.users().into_iter().all(is_number)
    };
    let is_guarded = |u: &Value| !is_made_in(real, u.block()) || guard(*u).is_some();
    bits.users().into_iter().filter(|u| u.is_instruction() && counts(u) && is_guarded(u)).collect()
}

/// Makes a number of a word, or of its lower part, where the number is used: passes do so before it is
/// known which way leads on.
fn sink_numbers(module: Module, bits: Value) {
    let users = |v: Value, is: fn(Value) -> bool| {
        v.users().into_iter().filter(move |u| u.is_instruction() && is(*u))
    };
    let is_cast = |u: Value| matches!(u.opcode(), Opcode::LLVMSIToFP | Opcode::LLVMUIToFP);
    for number in users(bits, is_cast) {
        sink(module, number);
    }
    for part in users(bits, is_resized) {
        for number in users(part, is_cast) {
            sink(module, number);
        }
        if part.users().into_iter().all(is_number) {
            sink(module, part);
        }
    }
}

/// Computes a value again before each of its users, if all of them are in other blocks.
fn sink(module: Module, v: Value) {
    let mut users = v.users();
    users.dedup();
    let is_later = |u: &Value| u.opcode() != Opcode::LLVMPHI && u.block() != v.block();
    if users.is_empty() || !users.iter().all(is_later) {
        return;
    }
    let b = Builder::new(module.context());
    for user in users {
        let copy = v.clone_instruction();
        b.position_before(user);
        b.insert(copy);
        (0..user.operand_count())
            .filter(|&i| user.operand(i) == v)
            .for_each(|i| user.set_operand(i, copy));
    }
    v.erase();
}

/// The lower part of a real's bits, where the source stores it as an integer, or looks at a truth
/// value, on other paths than that on which the real is computed: each user, and the part.
fn guarded_parts(bits: Value) -> Vec<(Value, Value)> {
    let real = word(bits);
    let is_stored = |part: Value, user: &Value| {
        user.opcode() == Opcode::LLVMStore
            && user.operand(1) != part
            && integers::is_integer_access(*user)
    };
    let is_truth = |part: Value, user: &Value| {
        part.ty().int_width() == 8
            && match user.opcode() {
                Opcode::LLVMAnd => user.operand(1).as_int() == Some(1),
                Opcode::LLVMICmp => user.operand(1).as_int().is_some_and(|k| (0..2).contains(&k)),
                Opcode::LLVMTrunc => user.ty().int_width() == 1,
                _ => false,
            }
    };
    let is_guarded = |part: Value, user: &Value| {
        (is_stored(part, user) || is_truth(part, user)) && !is_made_in(real, user.block())
    };
    let parts = bits.users().into_iter().filter(|u| {
        let is_part = u.is_instruction() && u.opcode() == Opcode::LLVMTrunc;
        is_part && matches!(u.ty().int_width(), 8 | 16 | 32)
    });
    parts
        .filter(|part| part.users().iter().all(|user| is_guarded(*part, user)))
        .flat_map(|part| part.users().into_iter().map(move |user| (user, part)))
        .collect()
}

/// Whether a real is computed in a block. What phis there choose is computed before, in general: a
/// member's tag was looked at on the way.
fn is_made_in(real: Value, block: Block) -> bool {
    let (mut seen, mut work) = (HashSet::default(), vec![real]);
    while let Some(v) = work.pop() {
        if !seen.insert(v) || v.is_plain_constant() {
            continue;
        }
        match v.is_instruction() {
            true if v.opcode() == Opcode::LLVMPHI => {
                work.extend(v.incoming().into_iter().map(|(v, _)| v));
            }
            true if v.block() == block => return true,
            false if block == block.function().blocks()[0] => return true,
            _ => {}
        }
    }
    false
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
    /// The guards of users, as they were before choices became variables.
    guards: HashMap<Value, Option<(Value, bool)>>,
}

impl<'a> Variables<'a> {
    fn new(module: Module, function: Function, web: &'a [Value]) -> Variables<'a> {
        let b = Builder::new(module.context());
        let (of, handed) = (HashMap::default(), HashMap::default());
        let all_users = web.iter().flat_map(|choice| users(*choice));
        let guards = all_users.map(|(_, user)| (user, guard(user))).collect();
        let mut all = Variables { module, function, b, web, of, handed, guards };
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
        self.variable_of(self.bytes())
    }

    fn variable_of(&self, bytes: u64) -> Value {
        let b = Builder::new(self.module.context());
        b.position_before(self.function.blocks()[0].instructions()[0]);
        // The type says nothing of what lies there.
        let variable = b.alloca(self.module.context().int(8).array(bytes), "word");
        variable.set_alignment(bytes as u32);
        variable
    }

    /// Lets the guarded uses of a real's bits as a number read them from a variable: it holds the
    /// real, or what was in memory.
    fn keep(&self, bits: Value) {
        let bytes = self.module.alloc_size(bits.ty());
        let variable = self.variable_of(bytes);
        self.b.position_before(bits);
        bits.copy_location(if bits.opcode() == Opcode::LLVMLoad {
            let size = self.module.context().int(64).int(bytes);
            self.b.memcpy(variable, bytes as u32, bits.operand(0), bits.alignment(), size)
        } else {
            self.b.store(word(bits), variable)
        });
        for user in guarded_numbers(bits) {
            self.load_for(user, bits, variable);
        }
        for (user, part) in guarded_parts(bits) {
            self.b.position_before(user);
            let loaded = self.b.load(part.ty(), variable);
            integers::mark_member(loaded);
            user.copy_location(loaded);
            user.set_operand(0, loaded);
        }
    }

    /// Where a user finds its number: that of a variable, or zero where nobody wants to know.
    fn number_for(&self, user: Value, variable: Value, ty: Type) -> Value {
        let known = self.guards.get(&user).copied();
        let Some((condition, when)) = known.unwrap_or_else(|| guard(user)) else { return variable };
        let zero = self.variable_of(self.module.alloc_size(ty));
        integers::mark_member(self.b.store(ty.int(0), zero));
        let [yes, no] = if when { [variable, zero] } else { [zero, variable] };
        self.b.select(condition, yes, no)
    }

    /// Lets a user load a number from a variable instead of what it uses.
    fn load_for(&self, user: Value, used: Value, variable: Value) {
        self.b.position_before(user);
        let from = self.number_for(user, variable, used.ty());
        let loaded = self.b.load(used.ty(), from);
        user.copy_location(loaded);

        for i in (0..user.operand_count()).filter(|&i| user.operand(i) == used) {
            user.set_operand(i, loaded);
        }
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
                let is_head =
                    |i: &Value| matches!(i.opcode(), Opcode::LLVMPHI | Opcode::LLVMLandingPad);
                let first = choice.block().instructions().into_iter().find(|i| !is_head(i));
                self.b.position_before(first.expect("a block ends with something else"));
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

    /// The type of integers with as many bits.
    fn integer(&self, ty: Type) -> Type {
        self.module.context().int(bits(ty).expect("it is that of a word"))
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
            None if is_integer(word) => {
                let bits = constant(word).map(|k| self.integer(word.ty()).int(k as u64));
                integers::mark_member(self.b.store(bits.unwrap_or(word), to));
            }
            None => _ = self.b.store(word, to),
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
            LLVMPHI => {
                // A block may come in several times, always with the same value.
                let mut loaded: HashMap<Block, Value> = HashMap::default();
                for (i, (taken, block)) in user.incoming().into_iter().enumerate() {
                    if let Some(end) = block.terminator().filter(|_| taken == view) {
                        let load = || {
                            self.b.position_before(end);
                            self.b.load(view.ty(), from)
                        };
                        user.set_operand(i, *loaded.entry(block).or_insert_with(load));
                    }
                }
            }
            LLVMTrunc if user.ty().int_width() >= 8 => {
                let from = self.number_for(user, from, view.ty());
                let loaded = self.b.load(user.ty(), from);
                user.copy_location(loaded);

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
                let from = if view.ty().is_int() && is_number(user) {
                    self.number_for(user, from, view.ty())
                } else {
                    from
                };
                let loaded = if is_position(view) {
                    let pointer = self.b.load(self.module.context().ptr(), from);
                    self.b.cast(Opcode::LLVMPtrToInt, pointer, view.ty())
                } else {
                    self.b.load(view.ty(), from)
                };
                user.copy_location(loaded);

                let is_handed_on = matches!(op, LLVMRet | LLVMCall | LLVMInvoke | LLVMInsertValue);
                let is_known = is_position(view) || is_number(user);
                if view.ty().is_int() && !is_handed_on && !is_known {
                    integers::mark_member(loaded);
                }
                for i in (0..user.operand_count()).filter(|&i| user.operand(i) == view) {
                    user.set_operand(i, loaded);
                }
            }
        }
    }
}
