//! What an indirect call may call: the functions of the module whose address is taken.
//!
//! A function counts as soon as its address is used for anything but a call, whatever becomes of
//! the address. Its type distinguishes calls, and for virtual functions the place in the table and
//! the class of the object (hierarchy.rs). What another module has is not here: such a call ends at
//! run time with an error (see the module's head). Type-bound procedures of Fortran are found by
//! their place in the tables of types; addresses in these tables count for other calls as well.

use super::hierarchy::{Serves, TYPE_INFORMATION};
use crate::{
    annotations::{
        attributes::{BINDING, CLASS, TAKEN},
        registry, requests,
    },
    canon::types::integers,
    llvm::{Function, Module, Opcode, Type, Value},
};
use adir::{
    hashed::{HashMap, HashSet},
    library, target,
};
use std::rc::Rc;

/// How the linker's names of C++ tables of virtual functions begin, those used during construction
/// included.
const TABLES: &[&str] = &["_ZTV", "_ZTC"];

/// In the names of Fortran's tables of type-bound procedures.
const BINDINGS: &str = "EXvX";
/// An entry there: the address, and the descriptor of the name.
const BINDING_BYTES: u64 = 32;

/// Library functions that call those they are given when the program, a thread or a process ends,
/// or when a process divides.
const AT_END: &[&str] = &[
    "__cxa_atexit", "__cxa_thread_atexit", "at_quick_exit", "atexit", "on_exit", "pthread_atfork",
];

/// The functions whose address is taken.
pub struct Targets {
    list: Vec<Target>,
    by_type: HashMap<Type, Vec<usize>>,
}

/// One of them.
struct Target {
    function: Function,
    /// Where its address is found in tables of virtual functions.
    slots: Vec<Slot>,
    /// Whether it is found elsewhere as well.
    is_elsewhere: bool,
    /// Whether the link lists it.
    is_listed: bool,
}

/// A place in a table of virtual functions.
#[derive(Clone)]
struct Slot {
    /// Bytes from the address that objects hold.
    offset: u64,
    /// Bytes from the start of the global to that address.
    point: u64,
    /// The classes of the global.
    serves: Rc<Serves>,
}

impl Slot {
    /// Whether a call on an object of that class, if it is known, may read the slot.
    fn fits(&self, offset: u64, class: Option<&str>) -> bool {
        self.offset == offset && class.is_none_or(|c| self.serves.serves(self.point, c))
    }
}

/// Where the called pointer comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Nothing is known.
    Anywhere,
    /// A constant table with these functions.
    Table(Vec<Function>),
    /// Loaded at this offset from an address that was loaded itself, as virtual functions are.
    Slot(u64),
    /// A virtual function at this offset in its table, of an object of this class, if it is known.
    Virtual(u64, Option<String>),
    /// A type-bound procedure of Fortran at this offset in its table.
    Binding(u64),
}

impl Targets {
    /// Finds them in `module`. `is_ours` tells generated functions and canonical copies.
    pub fn find(module: Module, is_ours: &dyn Fn(Function) -> bool) -> Targets {
        let slots = slots(module);
        let mut targets = Targets { list: vec![], by_type: HashMap::default() };
        for f in module.functions().into_iter().filter(|&f| !is_ours(f)) {
            let known = !f.is_declaration()
                || library::classify(&f.name()).is_some()
                || registry::of(f).is_some();
            if !known || f.is_intrinsic() {
                continue;
            }
            let taken = Taken::of(f, is_ours);
            if !taken.elsewhere && taken.tables.is_empty() {
                continue;
            }
            targets.by_type.entry(f.ty()).or_default().push(targets.list.len());
            targets.list.push(Target {
                function: f,
                slots: slots.get(&f).cloned().unwrap_or_default(),
                is_elsewhere: taken.elsewhere,
                is_listed: taken.listed,
            });
        }
        targets
    }

    /// The functions that a call through a pointer may reach, in the module's order.
    pub fn of(&self, call: Value) -> Vec<Function> {
        self.of_call(call.called_type(), &origin(call))
    }

    /// The same, where the origin of the called pointer is known.
    pub fn of_call(&self, ty: Type, origin: &Origin) -> Vec<Function> {
        let fits = |t: &&Target| match origin {
            Origin::Anywhere => true,
            Origin::Table(members) => members.contains(&t.function),
            Origin::Slot(k) => t.is_elsewhere || t.slots.iter().any(|s| s.fits(*k, None)),
            Origin::Virtual(k, class) => t.slots.iter().any(|s| s.fits(*k, class.as_deref())),
            // What the link lists may be in tables of other units.
            Origin::Binding(k) => {
                t.slots.iter().any(|s| s.fits(*k, None)) || t.slots.is_empty() && t.is_listed
            }
        };
        let all = self.by_type.get(&ty).into_iter().flatten().map(|&i| &self.list[i]);
        let found: Vec<Function> = all.filter(fits).map(|t| t.function).collect();
        match origin {
            // What derives from the class may be in other files only.
            Origin::Virtual(k, Some(_)) if found.is_empty() => {
                self.of_call(ty, &Origin::Virtual(*k, None))
            }
            // A table that is none of C++ may be used in the same way.
            Origin::Virtual(k, None) | Origin::Binding(k) if found.is_empty() => {
                self.of_call(ty, &Origin::Slot(*k))
            }
            _ => found,
        }
    }
}

/// Tables of virtual functions that hold the address of a function, and whether something else does.
pub fn address_holders(f: Function) -> (Vec<Value>, bool) {
    let taken = Taken::of(f, &|_| false);
    (taken.tables, taken.elsewhere)
}

/// Whether a global variable is a table of virtual functions.
pub fn is_table(global: Value) -> bool {
    let name = global.name();
    TABLES.iter().any(|t| name.starts_with(t))
}

/// Whether a global variable is a table of type-bound procedures.
fn is_table_of_bindings(global: Value) -> bool {
    global.is_global_constant() && global.name().contains(BINDINGS)
}

/// How the address of a function is used.
#[derive(Default)]
struct Taken {
    /// Tables of virtual functions with it.
    tables: Vec<Value>,
    /// Otherwise.
    elsewhere: bool,
    /// In the link's list ([`TAKEN`]).
    listed: bool,
}

impl Taken {
    fn of(f: Function, is_ours: &dyn Fn(Function) -> bool) -> Taken {
        let mut taken = Taken::default();
        let mut seen = HashSet::default();
        let mut stack = vec![f.value()];
        while let Some(v) = stack.pop() {
            for user in v.users() {
                if user.is_instruction() {
                    taken.elsewhere |= !is_ours(user.block().function()) && !is_plain_call(user, v);
                } else if user.is_global_variable() {
                    let name = user.name();
                    let in_table = is_table(user);
                    if in_table && !taken.tables.contains(&user) {
                        taken.tables.push(user);
                    }
                    // llvm.used, llvm.global_ctors and the like are the compiler's; some arrays are
                    // for us.
                    let is_directive = user.has_reserved_name() || registry::is_declaration(&name);
                    taken.elsewhere |= !in_table && !is_directive;
                    taken.listed |= name == TAKEN;
                } else if user.is_plain_constant() {
                    if seen.insert(user) {
                        stack.push(user);
                    }
                } else {
                    // As the personality of a function it is nobody's target.
                    taken.elsewhere |= user.as_function().is_none();
                }
            }
        }
        taken
    }
}

/// Whether an instruction uses the address `f` only to call it, asks for its derivative, or has it
/// called at the end, as destructors of static objects are.
fn is_plain_call(user: Value, f: Value) -> bool {
    if !user.is_call() {
        return false;
    }
    let given = |from: usize| (from..user.argument_count()).any(|i| user.operand(i) == f);
    let called = user.called().as_function();
    if called.is_some_and(|c| c.is_declaration() && AT_END.contains(&c.name().as_str())) {
        return true;
    }
    let is_request = called.is_some_and(requests::is_request);
    !given(usize::from(is_request))
}

/// Where functions are found in tables of virtual functions.
fn slots(module: Module) -> HashMap<Function, Vec<Slot>> {
    let mut slots: HashMap<Function, Vec<Slot>> = HashMap::default();
    for global in module.globals().into_iter().filter(|g| is_table(*g)) {
        let Some(group) = global.initializer() else { continue };
        let tables: Vec<Vec<Value>> = (0..group.operand_count())
            .map(|i| group.operand(i))
            .map(|table| (0..table.operand_count()).map(|i| table.operand(i)).collect())
            .collect();
        let is_information = |e: &Value| e.name().starts_with(TYPE_INFORMATION);
        let information = tables.first().and_then(|t| t.iter().copied().rfind(is_information));
        let serves = Rc::new(Serves::of(global, information));
        let mut start = 0;
        for entries in tables {
            let behind = entries.iter().rposition(is_information).map(|i| i + 1);
            let first = behind.or_else(|| entries.iter().position(|e| e.as_function().is_some()));
            for (i, entry) in entries.iter().enumerate().skip(first.unwrap_or(entries.len())) {
                let Some(function) = entry.as_function() else { continue };
                let first = first.unwrap_or_default();
                slots.entry(function).or_default().push(Slot {
                    offset: (i - first) as u64 * target::pointer(),
                    point: (start + first) as u64 * target::pointer(),
                    serves: serves.clone(),
                });
            }
            start += entries.len();
        }
    }
    for table in module.globals().into_iter().filter(|g| is_table_of_bindings(*g)) {
        let Some(entries) = table.initializer() else { continue };
        let serves = Rc::new(Serves::of(table, None));
        for i in 0..entries.operand_count() {
            let mut functions = vec![];
            collect(entries.operand(i), &mut functions);
            for function in functions {
                let offset = i as u64 * BINDING_BYTES;
                let slot = Slot { offset, point: 0, serves: serves.clone() };
                slots.entry(function).or_default().push(slot);
            }
        }
    }
    slots
}

/// Where the pointer of an indirect call comes from.
pub fn origin(call: Value) -> Origin {
    if let Some(at) = call.call_string(BINDING).and_then(|at| at.parse().ok()) {
        return Origin::Binding(at);
    }
    let called = call.called();
    if !called.is_instruction() || called.opcode() != Opcode::LLVMLoad {
        return Origin::Anywhere;
    }
    let address = called.operand(0);
    if let Some(table) = constant_table(address) {
        let mut members = vec![];
        collect(table, &mut members);
        return Origin::Table(members);
    }
    // Without a step, the offset is 0.
    let (base, offset) = match is_step(address) {
        false => (address, Some(0)),
        true => (address.operand(0), constant_bytes(address)),
    };
    let is_loaded =
        base.is_instruction() && base.opcode() == Opcode::LLVMLoad && base.ty().is_pointer();
    match (is_loaded, offset) {
        (true, Some(k)) if is_virtual(call, base) => {
            let object = base.operand(0);
            let is_loaded = object.is_instruction() && object.opcode() == Opcode::LLVMLoad;
            let behind = || is_loaded.then(|| object.class_behind()).flatten();
            Origin::Virtual(k, call.call_string(CLASS).or_else(behind))
        }
        (true, Some(k)) => Origin::Slot(k),
        _ => Origin::Anywhere,
    }
}

/// Whether a call through a pointer that lies behind `table`, which was loaded, is one of a virtual
/// function: the front end says so, or, where it says nothing of types (-O0), the table was loaded
/// from the object whose member is called. Of the object it states the alignment, as of no pointer
/// that is an argument.
fn is_virtual(call: Value, table: Value) -> bool {
    let is_this = |i: usize| call.operand(i) == table.operand(0) && call.call_alignment(i) > 1;
    match integers::type_of_source(table) {
        Some(name) => name == integers::TABLE,
        // A result in memory comes first.
        None => (0..call.argument_count().min(2)).any(is_this),
    }
}

fn is_step(v: Value) -> bool {
    v.is_instruction() && v.opcode() == Opcode::LLVMGetElementPtr
}

/// Bytes of a step by one constant index over bytes or addresses; `None` for what is spelled
/// otherwise.
fn constant_bytes(gep: Value) -> Option<u64> {
    if gep.operand_count() != 2 {
        return None;
    }
    let ty = gep.gep_type();
    let unit = if ty.is_pointer() {
        target::pointer()
    } else if ty.is_int() && ty.int_width() == 8 {
        1
    } else {
        return None;
    };
    let index = u64::try_from(gep.operand(1).as_int()?).ok()?;
    Some(index * unit)
}

/// The constant global that the address lies in.
fn constant_table(address: Value) -> Option<Value> {
    let mut at = address;
    while is_step(at) || at.const_opcode() == Some(Opcode::LLVMGetElementPtr) {
        at = at.operand(0);
    }
    (at.is_global_constant() && !at.is_interposable_global()).then(|| at.initializer()).flatten()
}

/// The functions of a constant.
fn collect(constant: Value, into: &mut Vec<Function>) {
    if let Some(f) = constant.as_function() {
        into.push(f);
    } else if constant.is_plain_constant() {
        (0..constant.operand_count()).for_each(|i| collect(constant.operand(i), into));
    }
}
