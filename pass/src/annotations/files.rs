//! Marks in front of calls that write numbers to files, and of calls that read from files
//! (library/transfers.rs): what a request writes and reads again has lost its derivative, and only the
//! run knows which file is which.
//!
//! [`mark`] comes before canonical copies are made, so that differentiated code has the marks, too.
//! Sweeps drop those of constant numbers (codegen/files.rs). [`settle`] makes calls of the runtime of
//! the marks in code that differentiated code may run, if it both writes and reads there; all others
//! are gone afterwards. Functions that the user declared something of are left alone.

use super::{
    attributes::is_ours,
    outside::{Stream, makes_no_digits, says, stream_of},
    registry::Registered,
};
use crate::{
    diagnostics::{inlined_text, place_text},
    llvm::{Builder, Function, Module, Type, Value},
};
use adir::hashed::HashSet;
use adir::library::{
    text,
    transfers::{self, BEGIN, Data, END, Handle, Item},
};

/// A call, the argument that says on which file it works, and the data that it writes, if these
/// alone decide whether they matter.
struct Transfer {
    call: Value,
    handle: Handle,
    argument: usize,
    data: Vec<Value>,
}

/// Marks all calls, if the module both writes and reads.
pub fn mark(module: Module) {
    let declared: Vec<Function> =
        module.functions().into_iter().filter(|f| f.is_declaration()).collect();
    let known = Known {
        module,
        redirects: declared.iter().any(|f| transfers::redirects(&f.name())),
        has_digits: declared.iter().any(|f| makes_digits_in_memory(*f)),
    };
    let (mut writers, mut readers) = (vec![], vec![]);
    for f in declared.iter().filter(|f| says(**f).is_none()) {
        let name = f.name();
        let calls = || {
            f.value().users().into_iter().filter(|u| {
                u.is_call()
                    && u.called() == f.value()
                    && says(u.block().function()) != Some(Registered::Inactive)
            })
        };
        if let Some((handle, argument, data)) = transfers::writer(&name) {
            for call in calls().filter(|c| known.is_file(*c, handle, argument)) {
                if let Some(data) = known.written(call, data) {
                    writers.push(Transfer { call, handle, argument, data });
                }
            }
        } else if let Some((handle, argument)) = transfers::reader(&name) {
            for call in calls().filter(|c| known.is_file(*c, handle, argument)) {
                readers.push(Transfer { call, handle, argument, data: vec![] });
            }
        }
    }
    if writers.is_empty() || readers.is_empty() {
        return;
    }
    writers.iter().for_each(|t| t.mark(module, &t.handle.written_mark()));
    readers.iter().for_each(|t| t.mark(module, &t.handle.read_mark()));
}

impl Transfer {
    fn mark(&self, module: Module, name: &str) {
        let context = module.context();
        let b = Builder::new(context);
        b.position_before(self.call);
        let file = self.call.operand(self.argument);
        let line = place_text(self.call, self.call.block().function());
        let place = b.text(&(line + &inlined_text(self.call)));
        let ty = Type::function(context.void(), &[file.ty(), context.ptr()], true);
        let f = module.declare(name, ty);
        f.add_attribute("nounwind");
        let mark = b.call(f, &[&[file, place], &self.data[..]].concat());
        self.call.copy_location(mark);
    }
}

/// Whether digits of reals are made in memory, from where they may be written as text.
fn makes_digits_in_memory(f: Function) -> bool {
    let name = f.name();
    if transfers::makes_internal_text(&name) {
        return true;
    }
    text::makes(&name)
        && !text::is_of_files(&name)
        && f.value().users().into_iter().any(|u| {
            !u.is_call()
                || !makes_no_digits(u)
                    && (!text::is_inserter(&name)
                        || matches!(stream_of(u, 0), Stream::Unknown | Stream::Memory))
        })
}

/// What is known of all calls of the module.
struct Known {
    module: Module,
    /// Standard streams may be other files.
    redirects: bool,
    /// Text that is written may be digits of reals.
    has_digits: bool,
}

impl Known {
    /// Whether a call is given a file that may be read again.
    fn is_file(&self, call: Value, handle: Handle, argument: usize) -> bool {
        if call.argument_count() <= argument {
            return false;
        }
        let file = call.operand(argument);
        let is_number = file.ty() == self.module.context().int(32);
        match handle {
            Handle::Descriptor => is_number,
            Handle::Unit => is_number && (!is_standard_unit(file) || self.opens(file)),
            Handle::File | Handle::Stream => {
                file.ty().is_pointer()
                    && match stream_of(call, argument) {
                        Stream::Standard => self.redirects,
                        Stream::Memory => false,
                        Stream::Opened | Stream::Unknown => true,
                    }
            }
        }
    }

    /// Whether the module may open a unit of this number.
    fn opens(&self, unit: Value) -> bool {
        let opens = |call: Value| {
            !call.is_call()
                || call.argument_count() == 0
                || call.operand(0).as_int().is_none_or(|n| Some(n) == unit.as_int())
        };
        self.module
            .function(transfers::OPENS_UNIT)
            .is_some_and(|f| f.value().users().into_iter().any(opens))
    }

    /// The data that a call writes; none where it does not write numbers, and empty where these are
    /// not known.
    fn written(&self, call: Value, data: Data) -> Option<Vec<Value>> {
        let arguments = (0..call.argument_count()).map(|i| call.operand(i));
        let one = |i: usize| arguments.clone().nth(i).filter(|v| !is_fixed(*v));
        let (has_text, found): (bool, Vec<Value>) = match data {
            Data::List => return Some(vec![]),
            Data::Items => return self.writes_items(call).then(Vec::new),
            Data::Reals => (
                arguments.clone().skip(1).any(|v| v.ty().is_pointer() && !is_fixed(v)),
                arguments.filter(|v| v.ty().holds_float() && !is_fixed(*v)).collect(),
            ),
            Data::Text(i) => (one(i).is_some(), vec![]),
            Data::Bytes(i) => (one(i).is_some(), one(i).into_iter().collect()),
        };
        match has_text && self.has_digits {
            true => Some(vec![]),
            false => (!found.is_empty()).then_some(found),
        }
    }

    /// Whether numbers, or text that may be some, are among the items of a Fortran transfer.
    fn writes_items(&self, begin: Value) -> bool {
        begin.users().into_iter().any(|user| {
            let called = user.is_call().then(|| user.called().as_function()).flatten();
            let Some(called) = called else { return true };
            match transfers::item(&called.name()) {
                Some(Item::Text(i)) => {
                    self.has_digits && user.argument_count() > i && !is_fixed(user.operand(i))
                }
                Some(Item::Reals) => (1..user.argument_count()).any(|i| !is_fixed(user.operand(i))),
                None => false,
            }
        })
    }
}

/// Whether a value is a constant, or the address of constants.
fn is_fixed(v: Value) -> bool {
    v.is_plain_constant() || v.is_global_variable() && v.is_global_constant()
}

fn is_standard_unit(unit: Value) -> bool {
    unit.as_int().is_some_and(|n| transfers::STANDARD_UNITS.contains(&n))
}

/// Whether calls of the module are marked.
pub fn are_marked(module: Module) -> bool {
    Handle::ALL.iter().any(|handle| module.function(&handle.written_mark()).is_some())
}

/// What the marks become, when derivatives are made.
pub fn settle(module: Module) {
    let marks: Vec<Function> = module
        .functions()
        .into_iter()
        .filter(|f| f.is_declaration() && transfers::is_mark(&f.name()))
        .collect();
    if marks.is_empty() {
        return;
    }
    let run = run_by_derivatives(module);
    let is_run = |call: &Value| run.contains(&call.block().function());
    let has = |mark: fn(Handle) -> String| {
        let all = Handle::ALL.into_iter().filter_map(|handle| module.function(&mark(handle)));
        all.flat_map(|f| f.value().users()).any(|call| is_run(&call))
    };
    let is_watched = has(Handle::written_mark) && has(Handle::read_mark);
    let mut places = HashSet::default();
    for handle in Handle::ALL {
        for (mark, becomes) in [
            (handle.written_mark(), handle.written_function()),
            (handle.read_mark(), handle.read_function()),
        ] {
            for call in module.function(&mark).into_iter().flat_map(|f| f.value().users()) {
                let given = [call.operand(0), call.operand(1)];
                if is_watched && is_run(&call) {
                    let b = Builder::new(module.context());
                    b.position_before(call);
                    call.copy_location(runtime(module, &b, &becomes, &given));
                }
                call.erase();
                places.insert(given[1]);
            }
        }
    }
    for name in [BEGIN, END] {
        let Some(mark) = module.function(name) else { continue };
        for call in mark.value().users() {
            if is_watched {
                let b = Builder::new(module.context());
                b.position_before(call);
                let given: Vec<Value> =
                    (0..call.argument_count()).map(|i| call.operand(i)).collect();
                let name = if name == BEGIN { "adrt_files_begin" } else { "adrt_files_end" };
                let f = module.declare(name, mark.ty());
                f.add_attribute("nounwind");
                let made = b.call(f, &given);
                if !call.ty().is_void() {
                    call.replace_uses(made);
                }
            } else if !call.ty().is_void() {
                call.replace_uses(call.ty().zero());
            }
            call.erase();
        }
    }
    let is_unused = |place: &Value| place.is_global_variable() && place.users().is_empty();
    places.into_iter().filter(is_unused).for_each(Value::delete_global);
    marks.into_iter().for_each(Function::delete);
}

fn runtime(module: Module, b: &Builder, name: &str, given: &[Value]) -> Value {
    let types: Vec<Type> = given.iter().map(|v| v.ty()).collect();
    let f = module.declare(name, Type::function(module.context().void(), &types, false));
    f.add_attribute("nounwind");
    b.call(f, given)
}

/// What derivatives may run: themselves, what they call, and all functions whose address somebody
/// takes.
fn run_by_derivatives(module: Module) -> HashSet<Function> {
    let is_taken = |f: &Function| {
        f.value().users().into_iter().any(|u| !u.is_call() || u.called() != f.value())
    };
    let is_first = |f: &Function| is_ours(*f) || is_taken(f);
    let mut queue: Vec<Function> = module.functions().into_iter().filter(is_first).collect();
    let mut run: HashSet<Function> = HashSet::default();
    while let Some(f) = queue.pop() {
        if f.is_declaration() || !run.insert(f) {
            continue;
        }
        let calls = f.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call());
        queue.extend(calls.filter_map(|call| call.called().as_function()));
    }
    run
}
