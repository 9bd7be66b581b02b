//! Which functions of a module have to do with data outside of the code that is differentiated
//! (library/outside.rs, library/text.rs): those without a body by their names, others by what they
//! call, noted once for the whole module.

use crate::{
    annotations::attributes::GENERATED,
    annotations::registry::{self, Registered},
    annotations::tasks,
    diagnostics::names::HANDING,
    llvm::{Function, Module, Opcode, Type, Value},
};
use adir::hashed::{HashMap, HashSet};
use adir::library::{
    self, files,
    outside::{self, Outside},
    text,
};

/// String attribute of functions with a body: what calls of it have to do with data outside.
const MARK: &str = "adcc-outside";
/// String attribute of declarations: digits of reals are written to a file that may be memory, or may
/// be read again, and this function may read them.
const DIGITS: &str = "adcc-digits-in-files";
/// String attribute of declarations of MPI: the name of the stand-in with a derivative (codegen/ranks.rs).
pub const MESSAGE: &str = "adcc-message";
/// Protection and flags of a mapping, as Linux has them.
const PROTECTION: usize = 2;
const WRITABLE: i64 = 2;
const FLAGS: usize = 3;
const SHARED: i64 = 1;

/// What goes on after a call.
#[derive(Clone, Copy, Debug)]
pub struct After {
    /// Nothing that is differentiated: the text of a message is read by nobody then.
    pub leaves: bool,
    /// Its caller may return from where it stands.
    pub returns: bool,
    /// The same from where its exceptions are caught.
    pub is_caught: bool,
}

impl After {
    /// What the caller of a call has to do with data outside, after one that does `outside`.
    fn of_caller(self, outside: Outside) -> Outside {
        if self.leaves {
            return outside.without(Outside::MAKES_TEXT);
        }
        let own = if self.is_caught { outside.with_thrown_text() } else { outside };
        if self.returns { own } else { own.throwing() }
    }
}

/// What is known of the ways that control takes.
pub trait Ways {
    /// What goes on after a call.
    fn after(&mut self, call: Value) -> After;
    /// The functions with a body that a call through a pointer may reach.
    fn targets(&mut self, call: Value) -> Vec<Function>;
}

/// Notes it of all functions with a body.
pub fn mark(module: Module, ways: &mut dyn Ways) {
    let functions = module.functions();
    mark_readers(&functions);
    let mut all: HashMap<Function, Outside> = HashMap::default();
    let mut queue: Vec<(Function, Outside)> = vec![];
    for &f in functions.iter().filter(|f| f.is_declaration()) {
        queue.push((f, of(f).of_caller()));
    }
    queue.retain(|(_, outside)| outside.is_any());
    if queue.is_empty() {
        return;
    }
    // What calls through pointers may lead to; of functions without a body, any of their type whose
    // address is taken.
    let is_taken = |f: Function| {
        f.value().users().into_iter().any(|u| !u.is_call() || u.called() != f.value())
    };
    let mut open: HashMap<Type, Vec<Value>> = HashMap::default();
    let mut leading: HashMap<Function, Vec<Value>> = HashMap::default();
    for &f in functions.iter().filter(|f| !f.is_declaration()) {
        for call in
            calls(f).filter(|c| c.called().as_function().is_none() && !c.called().is_assembly())
        {
            open.entry(call.called_type()).or_default().push(call);
            for target in ways.targets(call) {
                leading.entry(target).or_default().push(call);
            }
        }
    }
    while let Some((f, outside)) = queue.pop() {
        let users = f.value().users().into_iter();
        let is_one =
            |u: &Value| u.is_instruction() && !makes_no_digits(*u) && !tasks::is_replaced(*u);
        let users = users.filter(is_one);
        let through_pointers = match f.is_declaration() {
            true => open.get(&f.ty()).filter(|_| is_taken(f)),
            false => leading.get(&f),
        };
        let mut seen = |user: Value, is_call: bool| {
            let caller = user.block().function();
            // Who is given a function may call it, and catch what it throws.
            let outside = if is_call { outside } else { outside.with_thrown_text() };
            let is_within = user.is_call() && outside.has(Outside::MAKES_TEXT);
            (caller, if is_within { ways.after(user).of_caller(outside) } else { outside })
        };
        let mut callers: HashSet<(Function, Outside)> =
            users.map(|u| seen(u, u.is_call() && u.called() == f.value())).collect();
        callers.extend(through_pointers.into_iter().flatten().map(|call| seen(*call, true)));
        for (caller, outside) in callers.into_iter().filter(|c| says(c.0).is_none()) {
            let known = all.entry(caller).or_default();
            if known.union(outside) != *known {
                *known = known.union(outside);
                queue.push((caller, *known));
            }
        }
    }
    for (f, outside) in all {
        f.add_attribute_string(MARK, &outside.bits().to_string());
    }
}

/// Notes of functions that read whether the module writes digits to files, but for those that it
/// prints to.
fn mark_readers(functions: &[Function]) {
    let declared = || functions.iter().filter(|f| f.is_declaration());
    let writes = |f: &Function| {
        let name = f.name();
        let is_one = text::makes(&name) && text::is_of_files(&name);
        let counts = |u: Value| !u.is_call() || !makes_no_digits(u) && !is_printing(u);
        is_one && f.value().users().into_iter().any(counts)
    };
    if declared().any(writes) {
        let reads = |f: &&Function| text::reads(&f.name()) || files::handle(&f.name()).is_some();
        declared().filter(reads).for_each(|f| f.add_attribute_string(DIGITS, ""));
    }
}

/// Whether what a function reads may be digits that the module has written.
pub fn may_read_digits(f: Function) -> bool {
    f.attribute_string(DIGITS).is_some()
}

/// Takes the notes away.
pub fn erase(module: Module) {
    for f in module.functions() {
        f.remove_attribute_string(MARK);
        f.remove_attribute_string(DIGITS);
        f.remove_attribute_string(MESSAGE);
    }
}

/// The annotation of a function, where it states what calls of it do.
pub(super) fn says(f: Function) -> Option<Registered> {
    registry::of(f).filter(|r| *r != Registered::Prebuilt)
}

/// What calls of a function have to do with data outside.
pub fn of(f: Function) -> Outside {
    match () {
        () if says(f).is_some() || f.attribute_string(MESSAGE).is_some() => Outside::NONE,
        () if f.is_declaration() || registry::of(f).is_some() => outside::of(&f.name()),
        () if f.attribute_string(GENERATED).is_some() => {
            calls(f).fold(Outside::NONE, |all, call| all.union(inner(call, f)))
        }
        () => f
            .attribute_string(MARK)
            .and_then(|bits| bits.parse().ok())
            .map_or(Outside::NONE, Outside::from_bits),
    }
}

/// The same of one call.
pub fn of_call(call: Value) -> Outside {
    let Some(f) = call.called().as_function() else { return Outside::NONE };
    let name = f.name();
    if makes_no_digits(call) || tasks::is_replaced(call) {
        return Outside::NONE;
    }
    if matches!(outside::base(&name), "mmap" | "mmap64")
        && says(f).is_none()
        && call.argument_count() >= 4
    {
        let has = |argument: usize, bit: i64| {
            call.operand(argument).as_int().is_none_or(|n| n & bit != 0)
        };
        return if has(FLAGS, SHARED) && has(PROTECTION, WRITABLE) {
            Outside::RECEIVES
        } else {
            Outside::NONE
        };
    }
    of(f)
}

/// Whether a call makes text of its arguments, and none of them is a real.
pub(super) fn makes_no_digits(call: Value) -> bool {
    let is_real = |ty: Type| ty.is_float() || ty.is_vector();
    call.is_call()
        && call
            .called()
            .as_function()
            .is_some_and(|f| f.is_declaration() && text::formats(outside::base(&f.name())))
        && (0..call.argument_count()).all(|i| !is_real(call.operand(i).ty()))
        && !call.passes_structs()
}

/// Whether a call prints: to a terminal or a file that is opened here.
pub fn is_printing(call: Value) -> bool {
    let name = call.called().as_function().map(|f| f.name()).unwrap_or_default();
    (text::is_of_files(&name) || text::is_inserter(&name))
        && matches!(stream_of(call, 0), Stream::Standard | Stream::Opened)
}

/// Where the file or stream that a call is given comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// It is one of the program's own: standard input and output.
    Standard,
    /// It is opened in the same function.
    Opened,
    /// It is a string.
    Memory,
    Unknown,
}

/// The same, of this argument.
pub fn stream_of(call: Value, argument: usize) -> Stream {
    const STANDARD: [&str; 10] = [
        "stdin", "stdout", "stderr", "__stdoutp", "__stderrp", "_ZSt3cin", "_ZSt4cout",
        "_ZSt4cerr", "_ZSt4clog", "_ZSt5wcout",
    ];
    const OPENERS: [&str; 6] = ["fopen", "fopen64", "fdopen", "freopen", "tmpfile", "popen"];
    let mut stream = call.operand(argument);
    loop {
        if stream.is_global_variable() {
            let is_standard = STANDARD.contains(&stream.name().as_str());
            return if is_standard { Stream::Standard } else { Stream::Unknown };
        }
        if !stream.is_instruction() {
            return Stream::Unknown;
        }
        match stream.opcode() {
            Opcode::LLVMLoad | Opcode::LLVMGetElementPtr => stream = stream.operand(0),
            Opcode::LLVMAlloca => {
                let name = stream.allocated_type().to_string();
                return match () {
                    () if name.contains("fstream") => Stream::Opened,
                    () if name.contains("stringstream") => Stream::Memory,
                    () => Stream::Unknown,
                };
            }
            Opcode::LLVMCall | Opcode::LLVMInvoke => {
                let from = stream.called().as_function().map(|f| f.name()).unwrap_or_default();
                if !text::is_inserter(&from) && !library::returns_first(&from) {
                    let is_opened = OPENERS.contains(&from.as_str());
                    return if is_opened { Stream::Opened } else { Stream::Unknown };
                }
                stream = stream.operand(0);
            }
            _ => return Stream::Unknown,
        }
    }
}

/// Whether a call that is about signals leads to no function of the program: none is named as a
/// handler, or the signal is one that no handler gets.
pub fn is_harmless_signal(call: Value) -> bool {
    const NEVER_HANDLED: [i64; 2] = [9, 19];
    let Some(name) = call.called().as_function().map(|f| f.name()) else { return false };
    match outside::base(&name) {
        "raise" | "gsignal" => call.operand(0).as_int().is_some_and(|n| NEVER_HANDLED.contains(&n)),
        "pthread_kill" | "sigqueue" => false,
        // SIG_DFL and SIG_IGN.
        _ => {
            call.argument_count() > 1
                && (call.operand(1).is_null()
                    || call.operand(1).const_opcode() == Some(Opcode::LLVMIntToPtr))
        }
    }
}

fn calls(f: Function) -> impl Iterator<Item = Value> {
    f.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call())
}

/// What a call in a function says of that function.
fn inner(call: Value, f: Function) -> Outside {
    match () {
        () if call.called() == f.value() => Outside::NONE,
        () if hands_over(call) => of_call(call).with_thrown_text().of_caller(),
        () => of_call(call).of_caller(),
    }
}

/// Whether a call returns with what the called function throws.
pub fn hands_over(call: Value) -> bool {
    call.called().as_function().is_some_and(|f| f.name().contains(HANDING))
}

/// The call that makes a function one that has to do with data outside in this way: a function
/// without body, by its name, and the instruction.
pub fn culprit(call: Value, direction: Outside) -> Option<(String, Value)> {
    let mut seen: HashSet<Function> = HashSet::default();
    let mut queue = vec![call];
    while let Some(call) = queue.pop() {
        let Some(f) = call.called().as_function().filter(|_| of_call(call).has(direction)) else {
            continue;
        };
        if f.is_declaration() || registry::of(f) == Some(Registered::Prebuilt) {
            return Some((outside::base(&f.name()).to_owned(), call));
        }
        if seen.insert(f) {
            queue.extend(calls(f));
        }
    }
    None
}
