//! Requests that write files and read files: where they begin and end, and which of the numbers that
//! they write matter (annotations/files.rs, runtime/src/files.rs).

use crate::{
    annotations::files,
    llvm::{Builder, Function, Module, Type, Value},
};
use adanalysis::{calls::Caller, dataflow::sets::meet, locations::ANY_BYTES};
use adir::{Ty, ValueId, library::transfers};

/// Whether requests of the module are watched.
pub fn are_watched(module: Module) -> bool {
    files::are_marked(module)
}

/// Emits the begin of a request, where there is something to watch: what its end is given.
pub fn begin(module: Module, b: &Builder) -> Option<Value> {
    let i32 = module.context().int(32);
    let begins = || {
        let f = module.declare(transfers::BEGIN, Type::function(i32, &[], false));
        f.add_attribute("nounwind");
        b.call(f, &[])
    };
    are_watched(module).then(begins)
}

/// Emits its end.
pub fn end(module: Module, b: &Builder, began: Option<Value>) {
    if let Some(began) = began {
        b.call(ender(module), &[began]);
    }
}

/// What ends a request.
pub fn ender(module: Module) -> Function {
    let context = module.context();
    let ty = Type::function(context.void(), &[context.int(32)], false);
    let f = module.declare(transfers::END, ty);
    f.add_attribute("nounwind");
    f
}

/// Whether an instruction is the mark of a call that writes nothing but constants.
pub fn is_of_constants(caller: &Caller, v: ValueId) -> bool {
    let body = caller.known.body;
    if !body[v].symbol.as_deref().is_some_and(transfers::is_written_mark) {
        return false;
    }
    // The file and the place come first.
    let data = body[v].operands.get(2..).unwrap_or_default();
    let is_varied = |&o: &ValueId| {
        if body[o].ty != Ty::Ptr {
            return caller.activity.is_varied(o);
        }
        let bytes = caller.known.locations.own(caller.known.memory.targets(o), ANY_BYTES);
        caller.activity.around(v).is_none_or(|around| meet(&bytes, &around.varied))
    };
    !data.is_empty() && !data.iter().any(is_varied)
}
