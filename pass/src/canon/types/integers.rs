//! Which integer accesses are integers in the source, and which may move other bits.
//!
//! Front ends load and store an integer with its own type; passes introduce integer accesses to
//! copy memory of any type. Before this stage's own passes run, accesses whose address steps over
//! integers are marked; what type-based alias analysis calls an integer type counts as well.

use super::unions;
use crate::{
    annotations::checkpoint::OUTLINED,
    llvm::{Builder, Function, IntPredicate, Intrinsic, Module, Opcode, Type, Value},
};
use adir::{
    hashed::{HashMap, HashSet},
    target,
};
use llvm_sys::LLVMTypeKind as TypeKind;

/// The type name of marked accesses: a TBAA tag, because passes that merge accesses keep those, and
/// no others.
const MARK: &str = "int";
/// The same for members of structs that have reals or pointers as well. A kind of the first: a copy
/// of words may move members.
pub const MEMBER: &str = "int member";
/// Name of our own for pointers of which the front end says no more.
const ADDRESS: &str = "address";
/// Name of our own for words that are taken for addresses and moved on.
const WORD: &str = "word";

/// Flang's name for members of descriptors: their addresses and their numbers.
const DESCRIPTOR: &str = "descriptor member";

/// Type names of TBAA that are integers or pointers in C and C++.
const INTEGER_TYPES: &[&str] = &[
    "int", "long", "short", "long long", "bool", "_Bool", "any pointer", "wchar_t", "__int128",
    "unsigned int",
];

/// Makes pointers that are stored as integers stores of pointers again: passes that merge accesses
/// spell a member of a union or a captured reference so, and choose between such words, null among
/// them, before they are stored. Words that are loaded are pointers where type-based alias analysis
/// calls their loads, or the store, accesses of pointers.
pub fn store_pointers(module: Module, function: Function) {
    let insts = || function.blocks().into_iter().flat_map(|b| b.instructions());
    let is_word = |v: Value| v.ty().is_int() && v.ty().int_width() == target::pointer_bits();
    let mut pointers = Pointers {
        builder: Builder::new(module.context()),
        null: module.context().ptr().zero(),
        made: HashMap::default(),
    };
    let stores: Vec<Value> =
        insts().filter(|i| i.opcode() == Opcode::LLVMStore && is_word(i.operand(0))).collect();
    for store in stores {
        let mut seen = HashSet::default();
        let word = store.operand(0);
        let is_told = |access: Value| access.tbaa_type().is_some_and(|name| names_pointer(&name));
        let is_loaded = |v: Value| {
            v.is_instruction()
                && v.opcode() == Opcode::LLVMLoad
                && !v.is_volatile()
                && !v.is_atomic()
                && (is_told(v) || is_told(store))
        };
        if is_pointer(word, &mut seen, &is_loaded) && seen.iter().any(|v| is_address(*v)) {
            store.set_operand(0, pointers.of(word));
            store.clear_metadata("tbaa");
            for load in seen.into_iter().filter(|v| is_loaded(*v)) {
                pointers.of(load).set_lone_tbaa_type(ADDRESS);
            }
        }
    }
    let is_unused = |word: &Value| word.is_instruction() && word.users().is_empty();
    let words = std::mem::take(&mut pointers.made).into_keys();
    words.filter(is_unused).for_each(Value::erase);
    let unused = |cast: &Value| is_address(*cast) && cast.users().is_empty();
    insts().filter(unused).collect::<Vec<_>>().into_iter().for_each(Value::erase);
}

/// Whether a word is the address of something, as a number.
fn is_address(word: Value) -> bool {
    word.is_instruction()
        && word.opcode() == Opcode::LLVMPtrToInt
        && word.ty().is_int()
        && word.ty().int_width() == target::pointer_bits()
}

/// Makes pointers that are loaded as integers loads of pointers, where code takes the integers for
/// addresses: passes merge a copy of a pointer's size (`std::move` of an owner) and its use so. Such
/// a word is one where it is stored, too; but a union may hold a real there, on another way, so that
/// what is moved on is marked ([`is_moved_word`]). What is only stored may be anything, and is an
/// integer again.
pub fn load_pointers(module: Module, function: Function) {
    let insts: Vec<Value> = function.blocks().into_iter().flat_map(|b| b.instructions()).collect();
    let is_word = |v: Value| v.ty().is_int() && v.ty().int_width() == target::pointer_bits();
    let is_load = |v: Value| {
        v.is_instruction() && v.opcode() == Opcode::LLVMLoad && !v.is_volatile() && !v.is_atomic()
    };
    let mut pointers = Pointers {
        builder: Builder::new(module.context()),
        null: module.context().ptr().zero(),
        made: HashMap::default(),
    };
    let casts = insts.iter().copied().filter(|i| {
        i.opcode() == Opcode::LLVMIntToPtr && is_word(i.operand(0)) && i.ty() == pointers.null.ty()
    });
    for cast in casts.collect::<Vec<_>>() {
        let (word, mut seen) = (cast.operand(0), HashSet::default());
        if !is_pointer(word, &mut seen, &is_load) {
            continue;
        }
        let stores = |v: &Value| v.opcode() == Opcode::LLVMStore && v.operand(1) != cast;
        if cast.users().iter().all(stores) {
            for store in cast.users() {
                store.set_operand(0, word);
                store.clear_metadata("tbaa");
            }
            cast.erase();
            continue;
        }
        let cast_is_handed_on = cast.users().iter().any(|u| hands_on(*u, cast));
        cast.replace_uses(pointers.of(word));
        cast.erase();
        for load in insts.iter().filter(|i| seen.contains(i) && is_load(**i)) {
            if seen.iter().any(|word| word.users().iter().any(|u| hands_on(*u, *word)))
                || cast_is_handed_on
            {
                mark_word(pointers.of(*load));
            }
            for store in load.users() {
                if store.opcode() == Opcode::LLVMStore && store.operand(0) == *load {
                    store.set_operand(0, pointers.of(*load));
                    store.clear_metadata("tbaa");
                }
            }
        }
    }
    let is_unused = |word: &Value| is_load(*word) && word.users().is_empty();
    pointers.made.into_keys().filter(is_unused).for_each(Value::erase);
}

/// Marks the load of a pointer that the source moves on as bits of any kind.
pub fn mark_word(load: Value) {
    load.set_lone_tbaa_type(WORD);
}

/// Whether a load brings a pointer that the source moves on as bits of any kind.
pub fn is_moved_word(load: Value) -> bool {
    load.tbaa_type().is_some_and(|t| t == WORD)
}

/// Whether a word is an address or null, or what `is_one` says is one, whatever is chosen; what was
/// looked at is in `seen`.
fn is_pointer(word: Value, seen: &mut HashSet<Value>, is_one: &dyn Fn(Value) -> bool) -> bool {
    if word.is_null() || word.is_undef() || !seen.insert(word) {
        return true;
    }
    is_address(word)
        || is_one(word)
        || word.is_instruction()
            && match word.opcode() {
                Opcode::LLVMPHI => {
                    word.incoming().into_iter().all(|(v, _)| is_pointer(v, seen, is_one))
                }
                Opcode::LLVMSelect => {
                    [1, 2].into_iter().all(|i| is_pointer(word.operand(i), seen, is_one))
                }
                _ => false,
            }
}

/// The pointers of such words.
struct Pointers {
    builder: Builder,
    null: Value,
    made: HashMap<Value, Value>,
}

impl Pointers {
    fn of(&mut self, word: Value) -> Value {
        if word.is_null() || word.is_undef() {
            return self.null;
        }
        if let Some(&pointer) = self.made.get(&word) {
            return pointer;
        }
        if is_address(word) {
            return word.operand(0);
        }
        self.builder.position_before(word);
        if word.opcode() == Opcode::LLVMLoad {
            let pointer = self.builder.load(self.null.ty(), word.operand(0));
            pointer.set_alignment(word.alignment());
            word.copy_location(pointer);
            self.made.insert(word, pointer);
            return pointer;
        }
        if word.opcode() == Opcode::LLVMSelect {
            let [one, other] = [1, 2].map(|i| self.of(word.operand(i)));
            self.builder.position_before(word);
            let pointer = self.builder.select(word.operand(0), one, other);
            self.made.insert(word, pointer);
            return pointer;
        }
        let pointer = self.builder.phi(self.null.ty(), "");
        self.made.insert(word, pointer);
        for (v, block) in word.incoming() {
            let v = self.of(v);
            pointer.add_incoming(v, block);
        }
        pointer
    }
}

/// Makes choices of minima and maxima of integers that are moved on: passes spell `a < b ? a : b`
/// so, and these may be bits of reals.
pub fn choose_extrema(module: Module, function: Function) {
    let insts: Vec<Value> = function.blocks().into_iter().flat_map(|b| b.instructions()).collect();
    let builder = Builder::new(module.context());
    for call in insts
        .into_iter()
        .filter(|i| i.opcode() == Opcode::LLVMCall && i.ty().is_int() && i.ty().int_width() >= 16)
    {
        let Some(predicate) = extremum(call) else { continue };
        let is_moved = |u: &Value| match u.opcode() {
            Opcode::LLVMBitCast | Opcode::LLVMPHI | Opcode::LLVMSelect | Opcode::LLVMRet => true,
            Opcode::LLVMStore => u.operand(0) == call,
            Opcode::LLVMCall => extremum(*u).is_some(),
            _ => false,
        };
        if !call.users().iter().any(is_moved) {
            continue;
        }
        builder.position_before(call);
        let [x, y] = [0, 1].map(|i| call.operand(i));
        let chosen = builder.select(builder.icmp(predicate, x, y), x, y);
        call.replace_uses(chosen);
        call.erase();
    }
}

/// The comparison by which a call chooses its first operand.
fn extremum(call: Value) -> Option<IntPredicate> {
    match call.intrinsic()? {
        Intrinsic::Umin => Some(IntPredicate::LLVMIntULT),
        Intrinsic::Umax => Some(IntPredicate::LLVMIntUGT),
        Intrinsic::Smin => Some(IntPredicate::LLVMIntSLT),
        Intrinsic::Smax => Some(IntPredicate::LLVMIntSGT),
        _ => None,
    }
}

/// Makes pointers that are loaded as integers, and only stored again, loads of pointers: passes
/// spell a copy of their size so. Type-based alias analysis has to call the load, or all of the
/// stores, accesses of pointers: then nothing else may lie there.
pub fn move_pointers(module: Module, function: Function) {
    let is_plain = |v: &Value| !v.is_volatile() && !v.is_atomic();
    let is_pointer = |v: &Value| v.tbaa_type().is_some_and(|name| names_pointer(&name));
    let insts: Vec<Value> = function.blocks().into_iter().flat_map(|b| b.instructions()).collect();
    let builder = Builder::new(module.context());
    for load in insts.into_iter().filter(|i| {
        i.opcode() == Opcode::LLVMLoad
            && i.ty().is_int()
            && i.ty().int_width() == target::pointer_bits()
    }) {
        let stores = load.users();
        let is_store = |u: &Value| {
            u.opcode() == Opcode::LLVMStore
                && u.operand(0) == load
                && u.operand(1) != load
                && is_plain(u)
        };
        let is_moved = is_plain(&load) && !stores.is_empty() && stores.iter().all(is_store);
        if !is_moved || !(is_pointer(&load) || stores.iter().all(is_pointer)) {
            continue;
        }
        builder.position_before(load);
        let pointer = builder.load(module.context().ptr(), load.operand(0));
        pointer.set_alignment(load.alignment());
        load.copy_location(pointer);
        for store in stores {
            store.set_operand(0, pointer);
            store.clear_metadata("tbaa");
        }
        load.erase();
    }
}

/// What is loaded as a pointer though the source does not say that it is one: passes give all that a
/// union holds the type of its first member. Where it is only stored again, it is a word of any kind,
/// an integer here. Where a function has no types of accesses, nothing is known of this; nor is it
/// where LLVM stores what a coroutine's suspension interrupts.
pub fn move_words(module: Module, function: Function, source: Function) {
    let insts: Vec<Value> = function.blocks().into_iter().flat_map(|b| b.instructions()).collect();
    let is_access = |i: &Value| matches!(i.opcode(), Opcode::LLVMLoad | Opcode::LLVMStore);
    if is_coroutine_part(source) || !insts.iter().any(|i| is_access(i) && i.tbaa_type().is_some()) {
        return;
    }
    let is_plain = |v: &Value| !v.is_volatile() && !v.is_atomic();
    // A part of a function is given the variables that passes made.
    let is_outlined = source.attribute_string(OUTLINED).is_some();
    let parameters = function.params();
    let is_word = |load: &Value| {
        is_untold(*load)
            && !is_pointer_variable(load.operand(0))
            && !(is_outlined && parameters.contains(&load.operand(0)))
    };
    let builder = Builder::new(module.context());
    for load in insts.into_iter().filter(|i| {
        i.opcode() == Opcode::LLVMLoad && i.ty().is_pointer() && is_plain(i) && is_word(i)
    }) {
        let is_move =
            |u: &Value| u.opcode() == Opcode::LLVMStore && u.operand(1) != load && is_plain(u);
        let is_told =
            |u: &Value| is_move(u) && u.tbaa_type().is_some_and(|name| names_pointer(&name));
        let users = load.users();
        if users.is_empty() || !users.iter().all(is_move) || users.iter().any(is_told) {
            continue;
        }
        builder.position_before(load);
        let word = builder.load(module.size_type(), load.operand(0));
        word.set_alignment(load.alignment());
        load.copy_location(word);
        for store in users {
            store.set_operand(0, word);
            store.clear_metadata("tbaa");
        }
        load.erase();
    }
}

/// Whether the source does not say of a load of a pointer that it is one: it has no type, or that of
/// bytes or of a real, or brings a word that is moved on ([`is_moved_word`]).
pub fn is_untold(load: Value) -> bool {
    load.tbaa_type().is_none_or(|t| ["omnipotent char", "double", WORD].contains(&t.as_str()))
}

/// The type that the front end, not this stage, gives an access of a pointer.
pub fn type_of_source(access: Value) -> Option<String> {
    access.tbaa_type().filter(|name| ![ADDRESS, WORD].contains(&name.as_str()))
}

/// Whether an instruction hands a value on, as it is.
pub fn hands_on(user: Value, value: Value) -> bool {
    use Opcode::*;
    match user.opcode() {
        LLVMStore => user.operand(0) == value,
        LLVMPHI | LLVMSelect | LLVMRet | LLVMInsertValue => true,
        LLVMCall | LLVMInvoke => user.called() != value,
        _ => false,
    }
}

/// Whether an address is that of a variable that passes made of a pointer.
fn is_pointer_variable(address: Value) -> bool {
    address.is_instruction()
        && address.opcode() == Opcode::LLVMAlloca
        && address.allocated_type().is_pointer()
}

/// Where pointers have four bytes, makes copies of eight as integers copies of memory again: two
/// pointers are moved so, or one beside a number, and an integer holds one thing only. What the
/// function itself accesses as reals stays as it is. Comes after the passes that would undo it.
pub fn copy_memory(module: Module, function: Function) {
    if target::pointer() != 4 {
        return;
    }
    let insts: Vec<Value> = function.blocks().into_iter().flat_map(|b| b.instructions()).collect();
    let of_reals: HashSet<Value> = insts.iter().filter_map(|&i| real_access(i)).map(base).collect();
    let is_plain = |v: &Value| !v.is_volatile() && !v.is_atomic() && !is_integer_access(*v);
    let i64 = module.context().int(64);
    let is_of_reals = |at: Value| of_reals.contains(&base(at));
    let moves: Vec<Value> = insts
        .iter()
        .copied()
        .filter(|i| i.opcode() == Opcode::LLVMLoad && i.ty() == i64)
        .filter(|load| {
            let stores = load.users();
            let is_store = |u: &Value| {
                u.opcode() == Opcode::LLVMStore
                    && u.operand(0) == *load
                    && u.operand(1) != *load
                    && is_plain(u)
                    && !is_of_reals(u.operand(1))
            };
            is_plain(load)
                && !stores.is_empty()
                && stores.iter().all(is_store)
                && !is_of_reals(load.operand(0))
        })
        .collect();
    move_by_memory(module, function, &moves);
}

/// Makes the loads and stores by which words are moved copies of memory: to a variable, and from
/// there to where they were stored. Choices between such words are variables as well. Loads that are
/// used otherwise, too, remain for that; those of reals and pointers as evidence of what lies there,
/// without which all other accesses might agree. Volatile and atomic accesses stay.
pub fn move_by_memory(module: Module, function: Function, loads: &[Value]) {
    unions::keep_choices(module, function, loads);
    let builder = Builder::new(module.context());
    let is_plain = |v: &Value| !v.is_volatile() && !v.is_atomic();
    for &load in loads {
        let is_move = |u: &Value| u.opcode() == Opcode::LLVMStore && u.operand(0) == load;
        let mut stores: Vec<Value> = load.users().into_iter().filter(is_move).collect();
        stores.dedup();
        if !is_plain(&load) || !stores.iter().all(is_plain) {
            continue;
        }
        let size = module.context().int(64).int(module.alloc_size(load.ty()));
        let copy = |to: Value, from: Value, site: Value| {
            builder.position_before(site);
            site.copy_location(builder.memcpy(to, 1, from, 1, size));
        };
        builder.position_at_start(function.blocks()[0]);
        let own = builder.alloca(load.ty(), "");
        copy(own, load.operand(0), load);
        for store in stores {
            copy(store.operand(1), own, store);
            store.erase();
        }
        if load.users().is_empty() && load.ty().scalar().is_int() {
            load.erase();
        }
    }
}

/// Where an instruction accesses reals.
fn real_access(inst: Value) -> Option<Value> {
    match inst.opcode() {
        Opcode::LLVMLoad if inst.ty().holds_float() => Some(inst.operand(0)),
        Opcode::LLVMStore if inst.operand(0).ty().holds_float() => Some(inst.operand(1)),
        _ => None,
    }
}

/// The pointer from which steps lead to an address.
fn base(mut address: Value) -> Value {
    while address.is_instruction() && address.opcode() == Opcode::LLVMGetElementPtr {
        address = address.operand(0);
    }
    address
}

/// Marks an access of an integer as one of a member.
pub fn mark_member(access: Value) {
    access.set_lone_tbaa_type(MEMBER);
}

/// Marks all accesses of integers as those of members, in code straight from a front end that
/// accesses nothing but members of structs. The mark says less of aliases than any other type does.
pub fn mark_members(function: Function) {
    for inst in function.blocks().into_iter().flat_map(|b| b.instructions()) {
        let ty = match inst.opcode() {
            Opcode::LLVMLoad => inst.ty(),
            Opcode::LLVMStore => inst.operand(0).ty(),
            _ => continue,
        };
        if ty.is_int() && ty.int_width() > 8 {
            inst.set_tbaa_type(&[MARK, MEMBER]);
        }
    }
}

/// Marks the accesses of reals and pointers in a copy of `source`, if the compiler left that as the front end wrote
/// it (-O0): there, what is accessed as a real is one in the source. Passes give unions and parts of
/// structs the types of other members.
pub fn mark_reals(copy: Function, source: Function) {
    if source.has_attribute("optnone") {
        mark_accesses(copy);
    }
}

/// Marks the accesses of reals and pointers in a function that no pass has changed. What code loads as
/// the pointer of a union may be another member, which it moves on.
pub fn mark_accesses(function: Function) {
    for inst in function.blocks().into_iter().flat_map(|b| b.instructions()) {
        let ty = match inst.opcode() {
            Opcode::LLVMLoad => inst.ty(),
            Opcode::LLVMStore => inst.operand(0).ty(),
            _ => continue,
        };
        let name = match ty.kind() {
            TypeKind::LLVMDoubleTypeKind => "double",
            TypeKind::LLVMFloatTypeKind => "float",
            TypeKind::LLVMX86_FP80TypeKind => "long double",
            TypeKind::LLVMPointerTypeKind if is_in_union(inst) => WORD,
            TypeKind::LLVMPointerTypeKind => ADDRESS,
            _ => continue,
        };
        if inst.tbaa_type().is_none() {
            inst.set_lone_tbaa_type(name);
        }
    }
}

/// Whether a load is one of a union that is a member of a struct, as the types of the source say.
fn is_in_union(load: Value) -> bool {
    let address = load.operand(0);
    let is_step = address.is_instruction() && address.opcode() == Opcode::LLVMGetElementPtr;
    if load.opcode() != Opcode::LLVMLoad || !is_step {
        return false;
    }
    // The first index steps over whole values of the type.
    let mut steps = (2..address.operand_count()).map(|i| address.operand(i).as_int());
    let ty = steps.try_fold(address.gep_type(), |ty, index| match ty {
        ty if ty.is_struct() => ty.struct_members().get(index? as usize).copied(),
        ty if ty.kind() == TypeKind::LLVMArrayTypeKind => Some(ty.element()),
        _ => None,
    });
    ty.is_some_and(|ty| ty.is_struct() && ty.is_union())
}

/// How the names of functions end that a coroutine was split into: each takes its frame.
const COROUTINE_PARTS: &[&str] = &[".resume", ".destroy", ".cleanup"];

/// Whether a function is a part of a coroutine.
pub fn is_coroutine_part(f: Function) -> bool {
    let name = f.name();
    COROUTINE_PARTS.iter().any(|part| name.ends_with(part)) && f.params().len() == 1
}

/// Marks the integers that a part of a coroutine loads from its frame and counts or compares with:
/// LLVM stores there what a suspension interrupts, and says no types. What is only moved, or taken
/// apart, may be bits of a real.
pub fn mark_frame(copy: Function, source: Function) {
    use Opcode::*;
    if !is_coroutine_part(source) {
        return;
    }
    let frame = copy.params()[0];
    let counts = |u: &Value| {
        matches!(u.opcode(), LLVMAdd | LLVMSub | LLVMMul | LLVMICmp | LLVMSExt | LLVMGetElementPtr)
    };
    for load in copy.blocks().into_iter().flat_map(|b| b.instructions()) {
        let is_open = load.opcode() == LLVMLoad
            && load.ty().is_int()
            && load.ty().int_width() > 8
            && load.tbaa_type().is_none()
            && base(load.operand(0)) == frame;
        if is_open && load.users().iter().any(counts) {
            load.set_lone_tbaa_type(MEMBER);
        }
    }
}

/// Whether an integer has more bits than a character.
fn is_counted(ty: Type) -> bool {
    ty.is_int() && ty.int_width() > 8
}

/// Marks the integers among the arguments that a function takes from lists (`va_arg`).
pub fn mark_arguments(function: Function) {
    let loads = function.blocks().into_iter().flat_map(|b| b.instructions());
    for load in loads.filter(|i| i.opcode() == Opcode::LLVMLoad && is_counted(i.ty())) {
        if is_argument(load.operand(0)) {
            load.set_lone_tbaa_type(MEMBER);
        }
    }
}

/// The loads from which constant steps and choices lead to an integer; `None` if something else
/// does.
pub fn counted_from(integer: Value) -> Option<Vec<Value>> {
    let (mut seen, mut stack, mut loads) = (HashSet::default(), vec![integer], vec![]);
    while let Some(v) = stack.pop() {
        if !seen.insert(v) {
            continue;
        }
        match v.is_instruction().then(|| v.opcode())? {
            Opcode::LLVMLoad => loads.push(v),
            Opcode::LLVMAdd if v.operand(1).as_int().is_some() => stack.push(v.operand(0)),
            Opcode::LLVMPHI => stack.extend(v.incoming().into_iter().map(|(v, _)| v)),
            Opcode::LLVMSelect => stack.extend([v.operand(1), v.operand(2)]),
            _ => return None,
        }
    }
    Some(loads)
}

/// Whether an address is that of an argument of a list (`va_arg`), as the front end spells it: in
/// what registers saved, or in memory.
fn is_argument(address: Value) -> bool {
    let is = |v: Value, opcode| v.is_instruction() && v.opcode() == opcode;
    // An offset in the list is below 48 where a register was left for an integer.
    let is_tested = |v: Value| {
        v.users().iter().any(|u| {
            u.opcode() == Opcode::LLVMICmp && u.operand(1).as_int().is_some_and(|n| n <= 48)
        })
    };
    let is_saved = |v: Value| {
        let is_step = is(v, Opcode::LLVMGetElementPtr) && v.operand_count() == 2;
        is_step && {
            let by = v.operand(1);
            let offset = if is(by, Opcode::LLVMZExt) { by.operand(0) } else { by };
            is_tested(offset) && counted_from(offset).is_some()
        }
    };
    let choices = match address.is_instruction().then(|| address.opcode()) {
        Some(Opcode::LLVMPHI) => address.incoming().into_iter().map(|(v, _)| v).collect(),
        Some(Opcode::LLVMSelect) => vec![address.operand(1), address.operand(2)],
        _ => vec![],
    };
    choices.into_iter().any(is_saved)
}

/// Marks the integer accesses of code straight from a front end, or simplified by LLVM's usual
/// pipeline.
pub fn mark(function: Function) {
    for inst in function.blocks().into_iter().flat_map(|b| b.instructions()) {
        let (ty, address) = match inst.opcode() {
            Opcode::LLVMLoad => (inst.ty(), inst.operand(0)),
            Opcode::LLVMStore => (inst.operand(0).ty(), inst.operand(1)),
            _ => continue,
        };
        // Reals that the source moves as integers: passes have given them their type, and left the
        // tag.
        if ty.holds_float() && inst.tbaa_type().is_some_and(|t| names_integer(&t)) {
            inst.clear_metadata("tbaa");
        }
        // What is only moved may be a real, which other accesses call one: nothing is said of
        // aliases then.
        if ty.is_int() && is_integer_access(inst) && !is_member_access(inst) && is_only_moved(inst)
        {
            inst.set_tbaa_type(&[MARK]);
        }
        // Numbers in descriptors of flang's.
        if is_counted(ty) && inst.tbaa_type().is_some_and(|t| t == DESCRIPTOR) {
            inst.set_tbaa_type(&[MARK, MEMBER]);
        }
        // Arguments of all types lie side by side.
        if inst.opcode() == Opcode::LLVMLoad && is_counted(ty) && is_argument(address) {
            inst.set_lone_tbaa_type(MEMBER);
        }
        // Steps over bytes are how passes spell every address.
        let is_open = ty.is_int() && ty.int_width() > 8 && inst.tbaa_type().is_none();
        if is_open
            && let Some((found, is_member)) = steps_type(address)
            && found == ty
        {
            inst.set_tbaa_type(if is_member { &[MARK, MEMBER] } else { &[MARK] });
        }
    }
}

/// Whether an integer that is loaded or stored is, as far as one step shows, moved and not
/// computed.
fn is_only_moved(access: Value) -> bool {
    use Opcode::*;
    let passes = |v: &Value| {
        !v.is_instruction()
            || matches!(
                v.opcode(),
                LLVMPHI
                    | LLVMSelect
                    | LLVMBitCast
                    | LLVMStore
                    | LLVMICmp
                    | LLVMCall
                    | LLVMRet
                    | LLVMLoad
                    | LLVMFreeze
            )
    };
    match access.opcode() {
        LLVMLoad => access.users().iter().all(passes),
        _ => passes(&access.operand(0)) && access.operand(0).as_int().is_none(),
    }
}

/// The type of what a getelementptr leads to, and whether that is a member of a struct that has
/// reals or pointers as well; `None` for other values.
fn steps_type(gep: Value) -> Option<(Type, bool)> {
    if !gep.is_instruction() || gep.opcode() != Opcode::LLVMGetElementPtr {
        return None;
    }
    let mut ty = gep.gep_type();
    // An array that is a member, and then one of its elements.
    let mut is_member =
        steps_type(gep.operand(0)).is_some_and(|(found, is_member)| is_member && found == ty);
    for i in 2..gep.operand_count() {
        if ty.is_struct() && is_of_registers(ty) {
            return None;
        }
        is_member |= ty.is_struct() && has_others(ty);
        ty = if ty.is_struct() {
            *ty.struct_members().get(usize::try_from(gep.operand(i).as_int()?).ok()?)?
        } else {
            ty.element()
        };
    }
    Some((ty, is_member))
}

/// Whether a type may be that of two registers, as calls pass and return a struct: a word in it holds
/// what two members are together.
fn is_of_registers(ty: Type) -> bool {
    let members = ty.struct_members();
    let is_word = |member: &Type| member.is_int() && member.int_width() == 64;
    !ty.is_named() && members.len() <= 2 && members.iter().any(is_word)
}

/// Whether a type has reals or pointers.
fn has_others(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::LLVMArrayTypeKind => has_others(ty.element()),
        TypeKind::LLVMStructTypeKind => ty.struct_members().into_iter().any(has_others),
        _ => ty.is_float() || ty.is_pointer() || ty.is_vector() && ty.element().is_float(),
    }
}

/// TBAA's type of a pointer to a table of virtual functions.
pub const TABLE: &str = "vtable pointer";

/// Whether TBAA's type name is one of a pointer; "p1 double" is a pointer to double.
pub fn names_pointer(name: &str) -> bool {
    let is_depth = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    name == "any pointer" || name.strip_prefix('p').is_some_and(is_depth)
}

/// Whether TBAA's type name is one of an integer.
pub fn names_integer(name: &str) -> bool {
    name != "any pointer"
        && (name == MEMBER || INTEGER_TYPES.contains(&name) || is_enumeration(name))
}

/// Whether TBAA's type name is one of an enumeration in C++: no other scalar type has a mangled name.
fn is_enumeration(name: &str) -> bool {
    name.starts_with("_ZTS")
}

/// Whether the source says that the load or store `v` accesses an integer or a pointer, or that the
/// copy `v` moves characters.
pub fn is_integer_access(v: Value) -> bool {
    crate::canon::models::text::is_character_copy(v)
        || matches!(v.opcode(), Opcode::LLVMLoad | Opcode::LLVMStore)
            && v.tbaa_type().is_some_and(|t| t == "any pointer" || names_integer(&t))
        || loads_counters(v)
}

/// Whether `v` loads counters that threads share: at once, to compare them with a small number that is
/// not zero, and to use the halves. So the library reads both counters of a `shared_ptr`. As the bits
/// of a real, such a number would be one below all normal ones, with which no code compares.
fn loads_counters(v: Value) -> bool {
    let is_small = |c: Value| c.as_int().is_some_and(|c| c > 0 && (c as u64) < 1 << 52);
    let compares = |user: &Value| {
        user.opcode() == Opcode::LLVMICmp
            && (is_small(user.operand(0)) || is_small(user.operand(1)))
    };
    let is_half = |user: &Value| user.opcode() == Opcode::LLVMTrunc && user.ty().int_width() == 32;
    v.opcode() == Opcode::LLVMLoad
        && v.is_atomic()
        && v.ty().is_int()
        && v.ty().int_width() == 64
        && {
            let users = v.users();
            users.iter().any(compares) && users.iter().all(|user| compares(user) || is_half(user))
        }
}

/// Whether the source says that the load or store `v` is of a member of a struct that has reals or
/// pointers as well: such memory is no array of something else that is only seen as integers.
pub fn is_member_access(v: Value) -> bool {
    const REALS: [&str; 6] = ["float", "double", "long double", "_Float16", "__bf16", "__float128"];
    let is_other = |name: &String| {
        REALS.contains(&name.as_str())
            || names_pointer(name)
            || name == TABLE
            || name == "omnipotent char"
    };
    v.tbaa_type().is_some_and(|t| t == MEMBER)
        || v.tbaa_members().iter().any(is_other)
        || loads_counters(v)
}
