//! Memory of the heap that a program allocates before a request, and that pointers in global
//! variables lead to: workspaces.
//!
//! Such a pointer has no shadow when the request starts. If the module does not show all that it may
//! lead to ([`Pointed::leads_to_blocks`](adanalysis::context::Pointed)), the runtime notes all blocks
//! that the module allocates and frees ([`note`]). Differentiated code asks it for a shadow wherever
//! it loads a pointer that has none ([`touch`]). A block that nobody has noted has none: the program
//! ends (AD210).

use crate::{
    annotations::attributes::is_ours,
    codegen::{
        globals::{self, ordinary},
        prebuilt::runtime::Runtime,
        sweep::Sweep,
    },
    diagnostics::names::readable,
    llvm::{Block, Builder, Function, IntPredicate, Linkage, Module, Opcode, Type, Value},
};
use adanalysis::points_to::Object;
use adir::{
    ValueId,
    library::memory::{self, Size, allocator, is_deallocator, is_of_resource},
    target,
};

/// Name of the helper that asks for a shadow, defined once per module.
const TOUCH: &str = "__adcc.touch_shadow";
/// The runtime's function behind it.
const FIRST_TOUCH: &str = "adrt_first_touch";
/// Functions of Fortran's runtime that allocate the memory of a descriptor, which begins with its
/// address, and that free it.
const DESCRIBED: [[&str; 2]; 2] = [
    ["_FortranAAllocatableAllocate", "_FortranAPointerAllocate"],
    ["_FortranAAllocatableDeallocate", "_FortranAPointerDeallocate"],
];

/// The C library's functions that make a block of another one.
const REALLOCATORS: [&str; 2] = ["realloc", "reallocarray"];

/// Emits the begin of a request with these arguments, where pointers in variables may lead to
/// blocks. `named` is the table of variables that its code names, and their number, if all are known:
/// variables that it does not name are like blocks.
pub fn begin(module: Module, b: &Builder, arguments: &[Value], named: Option<(Value, u64)>) {
    let context = module.context();
    let (ptr, size) = (context.ptr(), module.size_type());
    let pointers: Vec<Value> = arguments.iter().copied().filter(|a| a.ty().is_pointer()).collect();
    let table = b.alloca(ptr.array(pointers.len().max(1) as u64), "arguments");
    for (i, &pointer) in pointers.iter().enumerate() {
        b.store(ordinary(b, pointer), b.byte_offset(table, size.int(i as u64 * target::pointer())));
    }
    let (rows, count) = named.unwrap_or((ptr.zero(), 0));
    let args = [table, size.int(pointers.len() as u64), rows, size.int(count)];
    noting(module, b, "adrt_request_begins", &args);
}

/// Emits, for a request in which machine code takes part, whether blocks get shadows: then the shadow
/// runtime asks for those of blocks to which libraries come, and is asked for those of what they have.
pub fn share(module: Module, b: &Builder, has_blocks: bool) {
    let ptr = module.context().ptr();
    let runtime = Runtime { module, b };
    if !has_blocks {
        runtime.blocks(ptr.zero());
        return;
    }
    let ty = Type::function(ptr, &[ptr], false);
    runtime.blocks(module.declare("adrt_block_shadow", ty).value());
    let shadow_of = module.declare("adshadow_shadow_of", ty).value();
    let has = Type::function(module.context().void(), &[ptr], false);
    b.call(module.declare("adrt_request_has_libraries", has), &[shadow_of]);
}

/// The same of a request in which no block gets a shadow.
pub fn begin_without(module: Module, b: &Builder) {
    noting(module, b, "adrt_request_without_blocks", &[]);
}

/// The shadow of a pointer that is loaded: the one beside it, or, where that is null, what the
/// runtime knows. Where the pointer cannot have lain in memory before the request, it is the one
/// beside it.
pub fn touch(sweep: &Sweep, v: ValueId, primal: Value, shadow: Value) -> Value {
    let (body, memory) = (sweep.body(), &sweep.unit.memory);
    let mut held = memory
        .points_to(body.operand(v, 0))
        .filter(|&o| memory.root(o).is_some_and(|(g, _)| g == o));
    let symbol = held.next().and_then(|o| memory.symbol(o));
    let is_older = |o: usize| {
        matches!(memory.objects[o], Object::Behind(_) | Object::Unknown | Object::Returned(_))
    };
    let is_open = sweep.context.pointed().leads_to_blocks;
    if symbol.is_none() && !(is_open && memory.points_to(v).any(is_older))
        || !sweep.uses_shadow(v, &mut vec![])
    {
        return shadow;
    }
    let (module, b) = (sweep.module, &sweep.builder);
    match symbol {
        Some(symbol) if !is_open => {
            globals::check(module, b, (primal, shadow), symbol);
            shadow
        }
        _ => {
            // One of several places is not named: it may be another one.
            let is_only = memory.points_to(body.operand(v, 0)).count() == 1;
            let symbol = symbol.filter(|_| is_only);
            let name = symbol.map_or(module.context().ptr().zero(), |s| b.text(&readable(s)));
            let args = [ordinary(b, primal), ordinary(b, shadow), shadow.operand(0), name];
            b.call(touching(module), &args)
        }
    }
}

/// `touch(pointer, shadow, where the shadow lies, name of the variable or null)`.
fn touching(module: Module) -> Function {
    if let Some(f) = module.function(TOUCH) {
        return f;
    }
    let context = module.context();
    let ptr = context.ptr();
    let f = module.add_function(TOUCH, Type::function(ptr, &[ptr; 4], false));
    f.set_external(false);
    ["nounwind", "alwaysinline"].into_iter().for_each(|a| f.add_attribute(a));
    let b = Builder::at_end(context, f.append_block("entry"));
    let start = b.block();
    let [missing, known] = ["missing", "known"].map(|n| f.append_block(n));
    let [pointer, shadow, slot, name] = f.params()[..] else { unreachable!("there are four") };
    let is = |p, v: Value| b.icmp(p, v, ptr.zero());
    let is_missing =
        b.and(is(IntPredicate::LLVMIntNE, pointer), is(IntPredicate::LLVMIntEQ, shadow));
    b.cond_br(is_missing, missing, known);
    b.position_at_end(missing);
    let first = module.declare(FIRST_TOUCH, Type::function(ptr, &[ptr; 3], false));
    ["cold", "nounwind"].into_iter().for_each(|a| first.add_attribute(a));
    let found = b.call(first, &[pointer, slot, name]);
    b.br(known);
    b.position_at_end(known);
    let phi = b.phi(ptr, "");
    phi.add_incoming(shadow, start);
    phi.add_incoming(found, missing);
    b.ret(phi);
    f
}

/// Emits the note that differentiated code allocates `block`, by `call`, with that shadow.
pub fn add(sweep: &Sweep, call: Value, shadow: Value) {
    if !sweep.context.pointed().leads_to_blocks || sweep.direction > 0 {
        return;
    }
    let (module, b) = (sweep.module, &sweep.builder);
    let Some(allocation) = Allocation::of(call) else { return };
    let args = [call, allocation.bytes(module, b), shadow];
    noting(module, b, "adrt_block_shadowed", &[&args[..], &allocation.functions(module)].concat());
}

/// Emits the note that differentiated code frees a block by the call `v`, and its shadow if it has
/// one.
pub fn free(sweep: &mut Sweep, v: ValueId) {
    if !sweep.context.pointed().leads_to_blocks || sweep.direction > 0 {
        return;
    }
    let block = sweep.body().operand(v, 0);
    let shadow = match sweep.activity.has_shadow(block) {
        true => sweep.pointer_shadow(block),
        false => sweep.module.context().ptr().zero(),
    };
    sweep.builder.position_before(sweep.value(v));
    noting(sweep.module, &sweep.builder, "adrt_block_freed", &[sweep.value(block), shadow]);
}

/// Notes all blocks that the module allocates and frees, if derivatives ask for their shadows. They
/// note their own ones. The derivatives of a link (`is_link`) ask for those of the whole program.
pub fn note(module: Module, is_link: bool) {
    if module.function(FIRST_TOUCH).is_some() {
        note_all(module);
        if is_link {
            wrap_all(module);
        }
    }
}

/// How linkers call what takes the place of a function (`--wrap`), and the function itself then.
const WRAPPER: &str = "__wrap_";
const WRAPPED: &str = "__real_";
/// As many words are passed on, whatever a function takes.
const MOST_WORDS: usize = 8;

/// Defines functions in the place of those that allocate and free, which note the blocks of the
/// machine code of other files. Where the linker is not told of them, nobody calls them.
fn wrap_all(module: Module) {
    let [allocate, free] = DESCRIBED.map(|names| names.map(String::from));
    let of_block = memory::deallocators().chain(REALLOCATORS.map(String::from)).chain(allocate);
    let of_size = memory::allocators().map(|symbol| (symbol, false));
    for (symbol, takes_block) in of_size.chain(of_block.chain(free).map(|symbol| (symbol, true))) {
        wrap(module, &symbol, takes_block);
    }
}

fn wrap(module: Module, symbol: &str, takes_block: bool) {
    let context = module.context();
    let (ptr, word) = (context.ptr(), module.size_type());
    let mut params = [word; MOST_WORDS];
    if takes_block {
        params[0] = ptr;
    }
    let ty = Type::function(ptr, &params, false);
    let wrapped = module.declare(&format!("{WRAPPED}{symbol}"), ty);
    wrapped.make_weak_reference();
    let f = module.add_function(&format!("{WRAPPER}{symbol}"), ty);
    // One of the user's counts.
    f.set_linkage(Linkage::Replaceable);
    f.hide();
    f.add_unwind_table();
    let b = Builder::at_end(context, f.append_block("entry"));
    let call = b.call(wrapped, &f.params());
    b.ret(call);
    note_call(module, &b, call, symbol, f.blocks()[0].terminator());
}

/// Notes all blocks that the module allocates and frees.
pub fn note_all(module: Module) {
    let b = Builder::new(module.context());
    for f in module.functions().into_iter().filter(|f| !is_ours(*f)) {
        let is_invoked = |i: &Value| i.is_invoke() && Allocation::of(*i).is_some();
        if f.blocks().into_iter().filter_map(Block::terminator).any(|i| is_invoked(&i)) {
            f.split_invokes();
        }
        for block in f.blocks() {
            let instructions = block.instructions();
            let next = instructions.iter().skip(1).map(|next| Some(*next)).chain([None]);
            for (&call, next) in instructions.iter().zip(next).filter(|(i, _)| i.is_call()) {
                // Behind an invoke, a block begins to which nothing else leads.
                let behind = || call.successors().first()?.instructions().first().copied();
                let Some(callee) = call.called().as_function() else { continue };
                note_call(module, &b, call, &callee.name(), next.or_else(behind));
            }
        }
    }
}

/// Notes what `call` of the function of that name allocates or frees; `next` comes after it.
fn note_call(module: Module, b: &Builder, call: Value, name: &str, next: Option<Value>) {
    if is_of_resource(name) {
        return;
    }
    if is_deallocator(name) {
        b.position_before(call);
        noting(module, b, "adrt_block_removed", &[call.operand(0)]);
        return;
    }
    if DESCRIBED[1].contains(&name) {
        b.position_before(call);
        let block = b.load(module.context().ptr(), call.operand(0));
        noting(module, b, "adrt_block_removed", &[block]);
        return;
    }
    let Some(next) = next else { return };
    b.position_before(next);
    if DESCRIBED[0].contains(&name) {
        let block = b.load(module.context().ptr(), call.operand(0));
        noting(module, b, "adrt_block_described", &[block]);
    }
    let size = |i| size(module, b, call.operand(i));
    if let Some(allocation) = Allocation::of_symbol(call, name) {
        let args = [call, allocation.bytes(module, b)];
        let functions = allocation.functions(module);
        noting(module, b, "adrt_block_added", &[&args[..], &functions].concat());
    } else if REALLOCATORS.contains(&name) {
        let bytes = if name == REALLOCATORS[0] { size(1) } else { b.mul(size(1), size(2)) };
        noting(module, b, "adrt_block_moved", &[call.operand(0), call, bytes]);
    }
}

/// How many bytes a call allocates, as the runtime takes it.
pub fn bytes_of(module: Module, b: &Builder, call: Value) -> Option<Value> {
    Some(Allocation::of(call)?.bytes(module, b))
}

/// A call that allocates memory.
struct Allocation {
    call: Value,
    size: Size,
    symbol: String,
    /// Whether a wrapper calls it, in a program that may not have it.
    is_wrapped: bool,
}

impl Allocation {
    fn of(call: Value) -> Option<Allocation> {
        Allocation::of_symbol(call, &call.called().as_function()?.name())
    }
    fn of_symbol(call: Value, symbol: &str) -> Option<Allocation> {
        let size = allocator(symbol).filter(|a| !is_of_resource(a.symbol))?.size;
        let is_wrapped = call.called().as_function().is_some_and(|f| f.name() != symbol);
        let new = || Allocation { call, size, symbol: symbol.into(), is_wrapped };
        (size != Size::Text).then(new)
    }
    fn bytes(&self, module: Module, b: &Builder) -> Value {
        let argument = |i: u32| size(module, b, self.call.operand(i as usize));
        match self.size {
            Size::Argument(i) => argument(i),
            Size::Product(i, j) => b.mul(argument(i), argument(j)),
            Size::Text => unreachable!("text is no such block"),
        }
    }
    /// What allocates memory for the shadow, and what frees it: null for the C library's.
    fn functions(&self, module: Module) -> [Value; 2] {
        let context = module.context();
        let (ptr, void) = (context.ptr(), context.void());
        if !self.symbol.starts_with("_Zn") || self.symbol.contains("align_val_t") {
            return [ptr.zero(); 2];
        }
        let (new, kind) = (&self.symbol[..5], &self.symbol[3..4]);
        let delete = if kind == "w" { "_ZdlPv" } else { "_ZdaPv" };
        let size = self.call.operand(0).ty();
        let types = [Type::function(ptr, &[size], false), Type::function(void, &[ptr], false)];
        [(new, types[0]), (delete, types[1])].map(|(name, ty)| match self.is_wrapped {
            true => {
                let f = module.declare(&format!("{WRAPPED}{name}"), ty);
                f.make_weak_reference();
                f.value()
            }
            false => module.declare(name, ty).value(),
        })
    }
}

/// A size as the runtime takes it.
fn size(module: Module, b: &Builder, size: Value) -> Value {
    let word = module.size_type();
    if size.ty() == word { size } else { b.cast(Opcode::LLVMZExt, size, word) }
}

fn noting(module: Module, b: &Builder, name: &str, args: &[Value]) {
    let types: Vec<Type> = args.iter().map(|a| a.ty()).collect();
    let f = module.declare(name, Type::function(module.context().void(), &types, false));
    f.add_attribute("nounwind");
    b.call(f, args);
}
