//! Memory resources of C++ (`std::pmr`): virtual calls of them are calls of models.
//!
//! The library's resources have no body here. A pool or buffer that differentiated code makes would give its
//! memory back before the reverse sweep is through with it: the copy makes one that takes from the heap
//! (runtime/src/resources.rs). Resources from outside are asked as they are. So are those of the program, whose
//! functions are possible targets.
//!
//! Source: ISO C++, 20.4 (memory resources); Itanium C++ ABI, 2.5 (tables of virtual functions).

use super::linked;
use crate::{
    canon::calls::indirect::Origin,
    llvm::{Block, Builder, Function, Module, Opcode, Type, Value},
};
use adir::target;

/// The tables of virtual functions of the library's resources that have memory of their own.
const TABLES: &[&str] = &[
    "_ZTVNSt3pmr25monotonic_buffer_resourceE",
    "_ZTVNSt3pmr28unsynchronized_pool_resourceE",
    "_ZTVNSt3pmr26synchronized_pool_resourceE",
];
/// The constructors that the library keeps to itself.
const CONSTRUCTORS: &[&str] = &[
    "_ZNSt3pmr28unsynchronized_pool_resourceC1ERKNS_12pool_optionsEPNS_15memory_resourceE",
    "_ZNSt3pmr28unsynchronized_pool_resourceC2ERKNS_12pool_optionsEPNS_15memory_resourceE",
    "_ZNSt3pmr26synchronized_pool_resourceC1ERKNS_12pool_optionsEPNS_15memory_resourceE",
    "_ZNSt3pmr26synchronized_pool_resourceC2ERKNS_12pool_optionsEPNS_15memory_resourceE",
];
/// The runtime's function that says where a virtual function of a resource is.
const ASKS: &str = "adrt_resource_function";
/// String attribute of calls of them behind which the object has its table.
const MADE: &str = "adcc-resource";
/// The table of resources that derivatives make, and where objects lead in it.
const OWN: &str = "adrt_resource_table";
const FUNCTIONS: u64 = 16;
/// How the names of classes begin and end that are resources.
const CLASS: (&str, &str) = ("_ZTSNSt3pmr", "_resourceE");
/// The virtual functions, by their place behind there.
const MODELS: &[(u64, &str)] =
    &[(16, "resource_allocate"), (24, "resource_deallocate"), (32, "resource_equal")];

/// Has a canonical copy make resources that take from the heap.
pub fn rewrite(module: Module, function: Function) {
    let is_used = TABLES.iter().any(|t| module.global(t).is_some())
        || CONSTRUCTORS.iter().any(|c| module.function(c).is_some());
    if target::pointer() != 8 || !is_used {
        return;
    }
    let b = Builder::new(module.context());
    for i in function.blocks().into_iter().flat_map(|b| b.instructions()) {
        let is_made = |f: Function| CONSTRUCTORS.contains(&f.name().as_str());
        if i.is_call() && i.called().as_function().is_some_and(is_made) {
            if i.call_string(MADE).is_none() {
                i.set_call_string(MADE, "");
                b.position_at_start(behind(function, i));
                b.store(own(module, &b, FUNCTIONS), i.operand(0));
            }
            continue;
        }
        let count = if i.is_call() { i.argument_count() } else { i.operand_count() };
        for k in 0..count {
            let operand = i.operand(k);
            if !operand.ty().is_pointer() {
                continue;
            }
            let (base, at) = operand.base();
            if base.is_global_variable() && TABLES.contains(&base.name().as_str()) && at >= 0 {
                i.set_operand(k, own(module, &b, at as u64));
            }
        }
    }
}

/// The block behind a call.
fn behind(function: Function, call: Value) -> Block {
    if call.is_invoke() {
        function.split_invokes();
        return call.invoke_destinations().0;
    }
    call.split_behind()
}

fn own(module: Module, b: &Builder, at: u64) -> Value {
    let declare = || module.declare_variable(OWN, module.context().int(8), false);
    let table = module.global(OWN).unwrap_or_else(declare);
    b.byte_offset(table, module.context().int(64).int(at))
}

/// Has a virtual call of a resource take the address of the function from the runtime: resources of the
/// library have no shadow, nor have their tables.
pub fn ask(module: Module, call: Value, origin: &Origin) {
    let Origin::Virtual(place, _) = origin else { return };
    let size = module.size_type();
    let ty = Type::function(size, &[module.context().ptr(), size], false);
    let f = module.declare(ASKS, ty);
    f.add_attribute("nounwind");
    let b = Builder::new(module.context());
    b.position_before(call);
    let address = b.call(f, &[call.operand(0), size.int(*place)]);
    let called = b.cast(Opcode::LLVMIntToPtr, address, module.context().ptr());
    call.set_operand(call.operand_count() - 1, called);
}

/// The model for a virtual call of a resource.
pub fn model(module: Module, call: Value, origin: &Origin) -> Option<Function> {
    let place = match origin {
        Origin::Virtual(place, Some(class)) => {
            (class.starts_with(CLASS.0) && class.ends_with(CLASS.1)).then_some(*place)?
        }
        _ => return None,
    };
    let (_, symbol) = MODELS.iter().find(|(at, _)| *at == place)?;
    let found = linked::listed_model(module, symbol)?;
    (target::pointer() == 8 && found.ty() == call.called_type()).then_some(found)
}
