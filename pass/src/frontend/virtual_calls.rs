//! Notes on virtual calls straight from the front end: of which class the object is.
//!
//! A virtual call loads a table from the object and a function from the table. Clang tells the class
//! in two ways: it tests that the table is one of the class, where the command asks for it (adcc
//! does, `-ad-classes`); or, from -O1 on, the type of the pointer that the object was loaded by
//! tells. Passes take both away, so that it is noted on the call. Only classes that derive from that
//! one have tables that the call can read (canon/calls/indirect/hierarchy.rs).
//!
//! Calls of type-bound procedures of Fortran note their place in the table of the object's type.

use crate::{
    annotations::attributes::{BINDING, CLASS, CLASSES, LOCAL_CLASS},
    canon,
    llvm::{Function, Intrinsic, Module, Opcode, TypeIdentifier, Value},
};
use adir::hashed::HashMap;

/// Notes the classes of calls and of tables.
pub fn note(module: Module) {
    let mut names = Names { file: module.source_file(), of: HashMap::default() };
    for table in module.globals().into_iter().filter(|g| canon::is_virtual_table(*g)) {
        let classes = table.type_identifiers().into_iter();
        let texts: Vec<String> =
            classes.map(|(at, class)| format!("{at} {}", names.of(class))).collect();
        if !texts.is_empty() {
            table.set_mark_text(CLASSES, &texts.join(";"));
        }
    }
    for call in calls(module) {
        if let Some(class) = table_of(call).and_then(|table| class_of(table, &mut names)) {
            call.set_call_string(CLASS, &class);
        } else if is_of_resource(call.block().function()) {
            call.set_call_string(CLASS, RESOURCE);
        } else if let Some(at) = call.binding() {
            call.set_call_string(BINDING, &at.to_string());
        }
    }
}

/// The class of memory resources (`std::pmr`), and how its members are called.
const RESOURCE: &str = "_ZTSNSt3pmr15memory_resourceE";
const MEMBERS: [&str; 2] = ["_ZNSt3pmr15memory_resource", "_ZNKSt3pmr15memory_resource"];

/// Whether a function is a member of that class, which makes virtual calls of itself.
fn is_of_resource(f: Function) -> bool {
    MEMBERS.iter().any(|m| f.name().starts_with(m))
}

/// Takes the notes away.
pub fn forget(module: Module) {
    for table in module.globals().into_iter().filter(|g| canon::is_virtual_table(*g)) {
        table.clear_mark(CLASSES);
    }
    for call in calls(module) {
        [CLASS, BINDING].into_iter().for_each(|note| call.remove_call_string(note));
    }
}

fn calls(module: Module) -> Vec<Value> {
    let functions = module.functions().into_iter();
    let insts = functions.flat_map(|f| f.blocks()).flat_map(|b| b.instructions());
    insts.filter(|i| i.is_call()).collect()
}

/// Names of classes: those that other files do not see get one with that of the file.
struct Names {
    file: String,
    of: HashMap<TypeIdentifier, String>,
}

impl Names {
    fn of(&mut self, class: TypeIdentifier) -> String {
        let TypeIdentifier::Named(name) = class else {
            let (file, n) = (&self.file, self.of.len());
            return self.of.entry(class).or_insert_with(|| local(file, n)).clone();
        };
        name
    }
}

/// A name that no class of another file has.
fn local(file: &str, n: usize) -> String {
    format!("{LOCAL_CLASS}{n} {}", file.replace(';', ","))
}

/// The table that a call loads the called function from, without an offset or with one.
fn table_of(call: Value) -> Option<Value> {
    let called = load(call.called())?;
    let address = called.operand(0);
    let is_step = address.is_instruction() && address.opcode() == Opcode::LLVMGetElementPtr;
    load(if is_step { address.operand(0) } else { address })
}

fn load(v: Value) -> Option<Value> {
    (v.is_instruction() && v.opcode() == Opcode::LLVMLoad).then_some(v)
}

/// The class of the object that a table was loaded from.
fn class_of(table: Value, names: &mut Names) -> Option<String> {
    let tested = table.users().into_iter().filter(|u| is_test(*u)).find(|u| u.operand(0) == table);
    if let Some(test) = tested {
        return test.operand(1).as_type_identifier().map(|class| names.of(class));
    }
    if table.tbaa_type()? != canon::TABLE {
        return None;
    }
    let object = load(table.operand(0))?;
    object.class_behind().or_else(|| class_of_stored(object.operand(0)))
}

/// The class behind the pointer in a variable of which loads do not tell it, as those of `this` do
/// not.
fn class_of_stored(variable: Value) -> Option<String> {
    if !variable.is_instruction() || variable.opcode() != Opcode::LLVMAlloca {
        return None;
    }
    let users = variable.users();
    let mut stores = users.iter().filter(|u| {
        u.is_instruction() && u.opcode() == Opcode::LLVMStore && u.operand(1) == variable
    });
    let (only, None) = (stores.next()?, stores.next()) else { return None };
    only.class_behind()
}

fn is_test(user: Value) -> bool {
    user.is_call()
        && matches!(user.intrinsic(), Some(Intrinsic::TypeTest | Intrinsic::PublicTypeTest))
}

/// Takes away the tests that adcc asked for, which are there for [`note()`] only. Whether there were
/// any.
pub fn drop_tests(module: Module) -> bool {
    let is_test = |f: &Function| {
        matches!(f.intrinsic(), Some(Intrinsic::TypeTest | Intrinsic::PublicTypeTest))
    };
    let tests: Vec<Function> = module.functions().into_iter().filter(is_test).collect();
    for call in tests.iter().flat_map(|test| test.value().users()) {
        for user in call.users() {
            if user.is_call() && user.intrinsic() == Some(Intrinsic::Assume) {
                user.erase();
            }
        }
        call.replace_uses(module.context().int(1).int(1));
        call.erase();
    }
    tests.iter().for_each(|test| test.delete());
    !tests.is_empty()
}
