//! The C++ shim's functions (pass/shim/), wrapped.

use super::{Block, Context, Debug, Function, Value, take_message, to_string};
use llvm_sys::prelude::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Severity of a diagnostic, in LLVM's numbering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Severity {
    /// The compilation fails.
    Error = 0,
    /// The compilation goes on.
    Warning = 1,
}

/// Kind of an optimisation remark, in the shim's numbering: `-Rpass=`, `-Rpass-missed=`,
/// `-Rpass-analysis=`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Remark {
    /// What was done.
    Passed = 0,
    /// What costs.
    Missed = 1,
    /// Why.
    Analysis = 2,
}

/// A loop's counter (0, 1, 2 …) and, where known in its preheader, its backedge-taken count; both
/// i64.
pub struct LoopCount {
    /// The loop's header.
    pub header: Block,
    /// The counter, a phi of the header.
    pub counter: Value,
    /// The backedge-taken count.
    pub taken: Option<Value>,
}

/// A phi that holds a loop's last counter value at one of its exits.
pub struct LoopExit {
    /// The exit block.
    pub block: Block,
    /// Header of the loop that is left.
    pub header: Block,
    /// The phi.
    pub last: Value,
}

/// A phi of a loop's header whose value in iteration i is its start + first · i + second · i (i -
/// 1) / 2.
pub struct LoopGrowth {
    /// The phi, an integer or a pointer.
    pub phi: Value,
    /// What it grows by first; of a pointer: bytes.
    pub first: Value,
    /// What that grows by.
    pub second: Option<Value>,
}

/// What is known of the loops of a function.
#[derive(Default)]
pub struct Loops {
    /// Counters and trip counts.
    pub counts: Vec<LoopCount>,
    /// Last values of counters.
    pub exits: Vec<LoopExit>,
    /// What follows from the counters.
    pub growths: Vec<LoopGrowth>,
    /// (load, store, header of a loop) that never touch the same byte in one run of the loop.
    pub apart: Vec<(Value, Value, Block)>,
}

/// An access of a function to memory that it is given.
pub struct Reach {
    /// The instruction.
    pub inst: Value,
    /// The address.
    pub address: Value,
    /// How many bytes, where a value says it.
    pub length: Option<Value>,
    /// How many bytes otherwise.
    pub bytes: u64,
    /// Number of the memory.
    pub memory: u32,
}

#[repr(C)]
struct RawReach {
    inst: LLVMValueRef,
    address: LLVMValueRef,
    length: LLVMValueRef,
    bytes: u64,
    memory: c_uint,
}

/// What loops that are cut into strips add by.
pub struct StripNames {
    /// The scope of sums in shadows of shared memory.
    pub scope: &'static str,
    /// Asks for how many iterations sums of doubles stay at one distance.
    pub doubles: Function,
    /// The same of floats.
    pub floats: Function,
    /// Settles a cell.
    pub settle: Option<Function>,
    /// Asks for how many iterations there is nothing to settle.
    pub settled: Function,
}

#[repr(C)]
struct RawStripNames {
    scope: *const c_char,
    length: usize,
    doubles: LLVMValueRef,
    floats: LLVMValueRef,
    settle: LLVMValueRef,
    settled: LLVMValueRef,
}

/// What an access reaches from a pointer of its function, where that is called.
pub struct AccessRange {
    /// The pointer.
    pub base: Value,
    /// The first byte behind it, an i64.
    pub low: Value,
    /// Behind the last.
    pub high: Value,
    /// Whether that is so.
    pub holds: Value,
    /// Whether the access surely happens; `None` where nobody knows.
    pub runs: Option<Value>,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct RawRange {
    base: LLVMValueRef,
    low: LLVMValueRef,
    high: LLVMValueRef,
    holds: LLVMValueRef,
    runs: LLVMValueRef,
}

/// The first byte and the one behind the last, as i64.
#[derive(Clone, Copy)]
pub struct Span {
    /// Its first byte.
    pub low: Value,
    /// The one behind its last.
    pub high: Value,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct RawSpan {
    low: LLVMValueRef,
    high: LLVMValueRef,
}

/// Spans per memory; `None` where nobody can tell.
pub struct Spans {
    /// Of the memories.
    pub primals: Vec<Option<Span>>,
    /// Of their shadows.
    pub shadows: Vec<Option<Span>>,
}

/// Code that computes how far a function's accesses reach.
pub struct Extents {
    /// The condition under which the others hold.
    pub holds: Value,
    /// Where all accesses lie.
    pub reached: Spans,
    /// Where the first and the last byte lie of what is surely accessed. Nothing is, where the low
    /// end is not below the high one.
    pub sure: Spans,
}

type CloneSink = extern "C" fn(*mut c_void, LLVMValueRef, LLVMValueRef);
type CountSink = extern "C" fn(*mut c_void, LLVMBasicBlockRef, LLVMValueRef, LLVMValueRef);
type ExitSink = extern "C" fn(*mut c_void, LLVMBasicBlockRef, LLVMBasicBlockRef, LLVMValueRef);
type GrowthSink = extern "C" fn(*mut c_void, LLVMValueRef, LLVMValueRef, LLVMValueRef);
type ApartSink = extern "C" fn(*mut c_void, LLVMValueRef, LLVMValueRef, LLVMBasicBlockRef);
type PartSink = extern "C" fn(*mut c_void, LLVMValueRef);
type NameSink = extern "C" fn(*mut c_void, c_uint, *const c_char);
type OptionSink = extern "C" fn(*mut c_void, *const c_char, *const c_char);

unsafe extern "C" {
    fn adshim_register(builder: *mut c_void);
    fn adshim_register_attributes();
    fn adshim_misplaced_attribute() -> *mut c_char;
    fn adshim_options(sink: OptionSink, context: *mut c_void);
    fn adshim_diagnose(context: LLVMContextRef, severity: c_uint, text: *const c_char, cookie: u64);
    fn adshim_diagnose_at(inst: LLVMValueRef, severity: c_uint, text: *const c_char);
    fn adshim_srcloc(inst: LLVMValueRef) -> u64;
    fn adshim_clone_into(
        dst: LLVMValueRef,
        src: LLVMValueRef,
        sink: CloneSink,
        context: *mut c_void,
        keep_debug: c_int,
        scope: *mut c_void,
    );
    fn adshim_inline(call: LLVMValueRef) -> c_int;
    fn adshim_inline_only_call(f: LLVMValueRef) -> LLVMValueRef;
    fn adshim_count_loops(
        f: LLVMValueRef,
        sink: CountSink,
        exit: ExitSink,
        grows: GrowthSink,
        context: *mut c_void,
    );
    fn adshim_find_apart(f: LLVMValueRef, sink: ApartSink, context: *mut c_void);
    fn adshim_parameter_names(f: LLVMValueRef, sink: NameSink, context: *mut c_void);
    fn adshim_verify(f: LLVMValueRef) -> *mut c_char;
    fn adshim_invoke_to_call(invoke: LLVMValueRef) -> LLVMValueRef;
    fn adshim_delete_body(f: LLVMValueRef);
    fn adshim_is_interposable(f: LLVMValueRef) -> c_int;
    fn adshim_share_temporaries(f: LLVMValueRef) -> c_int;
    fn adshim_same_code(f: LLVMValueRef, g: LLVMValueRef) -> c_int;
    fn adshim_remarks_wanted(context: LLVMContextRef, kind: c_uint) -> c_int;
    fn adshim_remark(
        f: LLVMValueRef,
        kind: c_uint,
        name: *const c_char,
        text: *const c_char,
        at: LLVMMetadataRef,
    );
    fn adshim_variable_name(v: LLVMValueRef) -> *mut c_char;
    fn adshim_demangle(symbol: *const c_char) -> *mut c_char;
    fn adshim_source_name(f: LLVMValueRef) -> *mut c_char;
    fn adshim_unit_file(module: LLVMModuleRef) -> *mut c_char;
    fn adshim_emit_extents(
        f: LLVMValueRef,
        block: LLVMBasicBlockRef,
        accesses: *const RawReach,
        count: c_uint,
        shadow_params: *const c_uint,
        reached: *mut RawSpan,
        sure: *mut RawSpan,
        memories: c_uint,
    ) -> LLVMValueRef;
    fn adshim_emit_ranges(
        f: LLVMValueRef,
        builder: LLVMBuilderRef,
        arguments: *const LLVMValueRef,
        accesses: *const RawReach,
        count: c_uint,
        ranges: *mut RawRange,
    );
    fn adshim_forget_used(global: LLVMValueRef);
    fn adshim_keep_used(global: LLVMValueRef);
    fn adshim_is_discardable(global: LLVMValueRef) -> c_int;
    fn adshim_drop_dead_users(global: LLVMValueRef);
    fn adshim_split_choices(f: LLVMValueRef) -> c_int;
    fn adshim_split_sources(f: LLVMValueRef) -> c_int;
    fn adshim_number_labels(copy: LLVMValueRef, source: LLVMValueRef);
    fn adshim_carry_windows(f: LLVMValueRef) -> c_uint;
    fn adshim_cut_strips(f: LLVMValueRef, names: *const RawStripNames) -> c_uint;
    fn adshim_divide(f: LLVMValueRef, size: c_uint, sink: PartSink, context: *mut c_void);
    fn adshim_link_models(module: LLVMModuleRef, bytes: *const c_char, size: usize) -> c_int;
    fn adshim_link_model(
        module: LLVMModuleRef,
        bytes: *const c_char,
        size: usize,
        symbol: *const c_char,
        prefix: *const c_char,
    ) -> LLVMValueRef;
    fn adshim_constant_byte(pointer: LLVMValueRef, offset: c_uint) -> c_int;
    fn adshim_fix_member(
        f: LLVMValueRef,
        parameter: c_uint,
        offset: c_uint,
        bytes: c_uint,
        number: u64,
        variable: LLVMValueRef,
    );
    fn adshim_byte_before(call: LLVMValueRef, pointer: LLVMValueRef, offset: c_uint) -> c_int;
    fn adshim_pointer_before(
        call: LLVMValueRef,
        pointer: LLVMValueRef,
        offset: c_uint,
    ) -> LLVMValueRef;
    fn adshim_constant_pointer(pointer: LLVMValueRef, offset: c_uint, some: c_int) -> LLVMValueRef;
    fn adshim_forget_loops(f: LLVMValueRef);
    fn adshim_descriptor_rank(pointer: LLVMValueRef) -> c_int;
    fn adshim_component(pointer: LLVMValueRef, at: *mut u64) -> LLVMValueRef;
    fn adshim_binding(call: LLVMValueRef) -> c_int;
    fn adshim_note_descriptor(call: LLVMValueRef, operand: c_uint, is_one: c_int) -> c_int;
    fn adshim_noted_descriptor(
        call: LLVMValueRef,
        operand: c_uint,
        found: *mut NotedDescriptor,
    ) -> c_int;
}

/// What the shim knows of a descriptor; negative and null where nothing is known.
#[repr(C)]
struct NotedDescriptor {
    rank: c_int,
    ty: c_int,
    attribute: c_int,
    derived: LLVMValueRef,
}

/// Registers the passes with LLVM's pass builder.
///
/// # Safety
/// `builder` is the `PassBuilder` that the host handed to the plugin.
pub unsafe fn register(builder: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { adshim_register(builder) }
}

/// Makes attributes that say something of derivatives known to clang, if that is the host.
pub fn register_attributes() {
    // SAFETY: clang loads plugins on one thread, before it parses.
    unsafe { adshim_register_attributes() }
}

/// What an attribute says at a place where nothing can be made of it, once.
pub fn misplaced_attribute() -> Option<String> {
    // SAFETY: one thread asks, the one that parses; the text is freed by `take_message`.
    take_message(unsafe { adshim_misplaced_attribute() })
}

/// (name, value) of each plugin option on the compiler's command line, in the order of the options'
/// table.
pub fn command_line_options() -> Vec<(String, String)> {
    extern "C" fn sink(context: *mut c_void, name: *const c_char, value: *const c_char) {
        // SAFETY: `context` is the vector below, alive for the whole call and not otherwise
        // borrowed.
        let list = unsafe { &mut *context.cast::<Vec<(String, String)>>() };
        list.push((to_string(name), to_string(value)));
    }
    let mut list = vec![];
    // SAFETY: the sink fits the context.
    unsafe { adshim_options(sink, (&raw mut list).cast()) };
    list
}

pub(super) fn diagnose(context: Context, severity: Severity, text: &str, cookie: u64) {
    let text = super::c_string(text);
    // SAFETY: the text outlives the call.
    unsafe { adshim_diagnose(context.0, severity as u32, text.as_ptr(), cookie) }
}

impl Value {
    /// Reports a diagnostic at this instruction's debug location.
    pub fn diagnose(self, severity: Severity, text: &str) {
        let text = super::c_string(text);
        // SAFETY: the text outlives the call; the handle names a live instruction.
        unsafe { adshim_diagnose_at(self.raw(), severity as u32, text.as_ptr()) }
    }
    /// Turns an invoke into a call that goes on where the invoke went on without an exception.
    pub fn invoke_to_call(self) -> Value {
        // SAFETY: the handle names a live invoke (module rule).
        Value::new(unsafe { adshim_invoke_to_call(self.raw()) })
    }
    /// Inlines this call; false where LLVM refuses.
    pub fn inline(self) -> bool {
        // SAFETY: the handle names a live call.
        unsafe { adshim_inline(self.raw()) != 0 }
    }
}

pub(super) fn inline_only_call(f: Function) -> Option<Function> {
    // SAFETY: the handle names a live function (module rule).
    let caller = unsafe { adshim_inline_only_call(f.raw()) };
    (!caller.is_null()).then_some(Function::new(caller))
}

pub(super) fn srcloc(inst: Value) -> u64 {
    // SAFETY: the handle names a live instruction.
    unsafe { adshim_srcloc(inst.raw()) }
}

pub(super) fn clone_into<F: FnMut(Value, Value)>(
    dst: Function,
    src: Function,
    debug: Debug,
    mut map: F,
) {
    extern "C" fn sink<F: FnMut(Value, Value)>(
        context: *mut c_void,
        old: LLVMValueRef,
        new: LLVMValueRef,
    ) {
        // SAFETY: `context` is the closure below, alive for the whole call and not otherwise
        // borrowed.
        let map = unsafe { &mut *context.cast::<F>() };
        map(Value::new(old), Value::new(new));
    }
    // SAFETY: the sink fits the context.
    unsafe {
        adshim_clone_into(
            dst.raw(),
            src.raw(),
            sink::<F>,
            (&raw mut map).cast(),
            c_int::from(matches!(debug, Debug::Keep)),
            match debug {
                Debug::Own(Some(scope)) => scope.raw(),
                Debug::Own(None) | Debug::Keep => std::ptr::null_mut(),
            },
        )
    }
}

pub(super) fn count_loops(f: Function) -> Loops {
    extern "C" fn count(
        context: *mut c_void,
        header: LLVMBasicBlockRef,
        counter: LLVMValueRef,
        taken: LLVMValueRef,
    ) {
        // SAFETY: `context` is what is returned below, alive for the whole call and not otherwise
        // borrowed.
        let loops = unsafe { &mut *context.cast::<Loops>() };
        let taken = (!taken.is_null()).then_some(Value::new(taken));
        loops.counts.push(LoopCount {
            header: Block::new(header),
            counter: Value::new(counter),
            taken,
        });
    }
    extern "C" fn exit(
        context: *mut c_void,
        block: LLVMBasicBlockRef,
        header: LLVMBasicBlockRef,
        last: LLVMValueRef,
    ) {
        // SAFETY: the handle names a live value (module rule).
        let loops = unsafe { &mut *context.cast::<Loops>() };
        loops.exits.push(LoopExit {
            block: Block::new(block),
            header: Block::new(header),
            last: Value::new(last),
        });
    }
    extern "C" fn grows(
        context: *mut c_void,
        phi: LLVMValueRef,
        first: LLVMValueRef,
        second: LLVMValueRef,
    ) {
        // SAFETY: the handle names a live value (module rule).
        let loops = unsafe { &mut *context.cast::<Loops>() };
        let second = (!second.is_null()).then_some(Value::new(second));
        loops.growths.push(LoopGrowth { phi: Value::new(phi), first: Value::new(first), second });
    }
    let mut loops = Loops::default();
    // SAFETY: the sinks fit the context.
    unsafe { adshim_count_loops(f.raw(), count, exit, grows, (&raw mut loops).cast()) };
    extern "C" fn apart(
        context: *mut c_void,
        load: LLVMValueRef,
        store: LLVMValueRef,
        header: LLVMBasicBlockRef,
    ) {
        // SAFETY: the handle names a live value (module rule).
        let loops = unsafe { &mut *context.cast::<Loops>() };
        loops.apart.push((Value::new(load), Value::new(store), Block::new(header)));
    }
    // SAFETY: the handle names a live value (module rule).
    unsafe { adshim_find_apart(f.raw(), apart, (&raw mut loops).cast()) };
    loops
}

fn raw_accesses(accesses: &[Reach]) -> Vec<RawReach> {
    let raw = |r: &Reach| RawReach {
        inst: r.inst.raw(),
        address: r.address.raw(),
        length: r.length.map_or(std::ptr::null_mut(), |l| l.raw()),
        bytes: r.bytes,
        memory: r.memory,
    };
    accesses.iter().map(raw).collect()
}

pub(super) fn emit_ranges(
    f: Function,
    builder: LLVMBuilderRef,
    arguments: &[Option<Value>],
    accesses: &[Reach],
) -> Vec<Option<AccessRange>> {
    let null = std::ptr::null_mut();
    assert_eq!(arguments.len(), f.params().len(), "each parameter has an argument or none");
    let given: Vec<LLVMValueRef> = arguments.iter().map(|a| a.map_or(null, |v| v.raw())).collect();
    let raw = raw_accesses(accesses);
    let mut ranges =
        vec![RawRange { base: null, low: null, high: null, holds: null, runs: null }; raw.len()];
    // SAFETY: handles name live objects; the builder stands in a block; the arrays outlive the
    // call, and have an element per parameter and access.
    unsafe {
        adshim_emit_ranges(
            f.raw(),
            builder,
            given.as_ptr(),
            raw.as_ptr(),
            raw.len() as c_uint,
            ranges.as_mut_ptr(),
        )
    };
    let known = |r: RawRange| AccessRange {
        base: Value::new(r.base),
        low: Value::new(r.low),
        high: Value::new(r.high),
        holds: Value::new(r.holds),
        runs: (!r.runs.is_null()).then_some(Value::new(r.runs)),
    };
    ranges.into_iter().map(|r| (!r.base.is_null()).then(|| known(r))).collect()
}

pub(super) fn emit_extents(
    f: Function,
    block: Block,
    accesses: &[Reach],
    shadow_params: &[Option<u32>],
    memories: u32,
    wants_sure: bool,
) -> Extents {
    let null = std::ptr::null_mut();
    let raw = raw_accesses(accesses);
    let params: Vec<c_uint> = shadow_params.iter().map(|p| p.unwrap_or(c_uint::MAX)).collect();
    assert_eq!(params.len(), f.params().len(), "each parameter has a shadow or none");
    let none = vec![RawSpan { low: null, high: null }; 2 * memories as usize];
    let (mut reached, mut sure) = (none.clone(), none);
    // SAFETY: handles name live objects; the arrays outlive the call, and have an element per
    // access and parameter, and two per memory.
    let holds = unsafe {
        adshim_emit_extents(
            f.raw(),
            block.raw(),
            raw.as_ptr(),
            raw.len() as c_uint,
            params.as_ptr(),
            reached.as_mut_ptr(),
            if wants_sure { sure.as_mut_ptr() } else { std::ptr::null_mut() },
            memories,
        )
    };
    let known = |s: &RawSpan| {
        (!s.low.is_null()).then_some(Span { low: Value::new(s.low), high: Value::new(s.high) })
    };
    let spans = |raw: Vec<RawSpan>| {
        let (primals, shadows) = raw.split_at(memories as usize);
        let of = |raw: &[RawSpan]| raw.iter().map(known).collect();
        Spans { primals: of(primals), shadows: of(shadows) }
    };
    Extents { holds: Value::new(holds), reached: spans(reached), sure: spans(sure) }
}

pub(super) fn parameter_names(f: Function) -> Vec<(usize, String)> {
    extern "C" fn sink(context: *mut c_void, index: c_uint, name: *const c_char) {
        // SAFETY: `context` is the vector below, alive for the whole call and not otherwise
        // borrowed.
        let list = unsafe { &mut *context.cast::<Vec<(usize, String)>>() };
        list.push((index as usize, to_string(name)));
    }
    let mut list = vec![];
    // SAFETY: the sink fits the context.
    unsafe { adshim_parameter_names(f.raw(), sink, (&raw mut list).cast()) };
    list
}

pub(super) fn verify(f: Function) -> Result<(), String> {
    // SAFETY: the handle names a live function.
    take_message(unsafe { adshim_verify(f.raw()) }).map_or(Ok(()), Err)
}

pub(super) fn delete_body(f: Function) {
    // SAFETY: the handle names a live function (module rule).
    unsafe { adshim_delete_body(f.raw()) }
}

pub(super) fn is_interposable(f: Function) -> bool {
    // SAFETY: the handle names a live function.
    unsafe { adshim_is_interposable(f.raw()) != 0 }
}

pub(super) fn share_temporaries(f: Function) -> bool {
    // SAFETY: the handle names a live function.
    unsafe { adshim_share_temporaries(f.raw()) != 0 }
}

pub(super) fn is_same_code(f: Function, g: Function) -> bool {
    // SAFETY: the handles name live functions.
    unsafe { adshim_same_code(f.raw(), g.raw()) != 0 }
}

pub(super) fn remarks_wanted(context: Context, kind: Remark) -> bool {
    // SAFETY: the handle names a live context.
    unsafe { adshim_remarks_wanted(context.0, kind as u32) != 0 }
}

pub(super) fn remark(f: Function, kind: Remark, name: &str, text: &str, at: LLVMMetadataRef) {
    let (name, text) = (super::c_string(name), super::c_string(text));
    // SAFETY: the handle names a live function with a body; `at` is null or a location; the texts
    // outlive the call.
    unsafe { adshim_remark(f.raw(), kind as u32, name.as_ptr(), text.as_ptr(), at) }
}

pub(super) fn variable_name(v: Value) -> Option<String> {
    // SAFETY: the handle names a live instruction.
    take_message(unsafe { adshim_variable_name(v.raw()) })
}

pub(super) fn source_name(f: Function) -> Option<String> {
    // SAFETY: the handle names a live function.
    take_message(unsafe { adshim_source_name(f.raw()) })
}

/// The name in its source of what has this symbol; `None` where the symbol is not mangled.
pub fn demangled(symbol: &str) -> Option<String> {
    let text = super::c_string(symbol);
    // SAFETY: the text outlives the call.
    take_message(unsafe { adshim_demangle(text.as_ptr()) }).filter(|name| name != symbol)
}

pub(super) fn unit_file(module: super::Module) -> Option<String> {
    // SAFETY: the handle names a live module.
    take_message(unsafe { adshim_unit_file(module.0) })
}

pub(super) fn forget_used(global: Value) {
    // SAFETY: the handle names a live global variable or function.
    unsafe { adshim_forget_used(global.raw()) }
}

pub(super) fn keep_used(global: Value) {
    // SAFETY: the handle names a live global variable or function.
    unsafe { adshim_keep_used(global.raw()) }
}

pub(super) fn is_discardable(global: Value) -> bool {
    // SAFETY: the handle names a live global variable or function.
    unsafe { adshim_is_discardable(global.raw()) != 0 }
}

pub(super) fn drop_dead_users(global: Value) {
    // SAFETY: the handle names a live global.
    unsafe { adshim_drop_dead_users(global.raw()) }
}

pub(super) fn split_choices(f: Function) -> bool {
    // SAFETY: the handle names a live function.
    unsafe { adshim_split_choices(f.raw()) != 0 }
}

pub(super) fn split_sources(f: Function) -> bool {
    // SAFETY: the handle names a live function.
    unsafe { adshim_split_sources(f.raw()) != 0 }
}

pub(super) fn number_labels(copy: Function, source: Function) {
    // SAFETY: the handles name live functions of one module, one the unchanged copy of the other.
    unsafe { adshim_number_labels(copy.raw(), source.raw()) }
}

pub(super) fn carry_windows(f: Function) -> u32 {
    // SAFETY: the handle names a live function.
    unsafe { adshim_carry_windows(f.raw()) }
}

pub(super) fn cut_strips(f: Function, names: &StripNames) -> u32 {
    let raw = |f: Function| f.raw();
    let names = RawStripNames {
        scope: names.scope.as_ptr().cast(),
        length: names.scope.len(),
        doubles: names.doubles.raw(),
        floats: names.floats.raw(),
        settle: names.settle.map_or(std::ptr::null_mut(), raw),
        settled: names.settled.raw(),
    };
    // SAFETY: the handles name live functions of one module; the names are read meanwhile only.
    unsafe { adshim_cut_strips(f.raw(), &names) }
}

pub(super) fn divide(f: Function, size: u32) -> Vec<Function> {
    extern "C" fn sink(context: *mut c_void, part: LLVMValueRef) {
        // SAFETY: `divide` passes its list, and LLVM a function that was made just now.
        unsafe {
            (*context.cast::<Vec<Function>>()).push(Function::new(part));
        }
    }
    let mut parts: Vec<Function> = vec![];
    // SAFETY: the handle names a live function; the sink fits the context.
    unsafe { adshim_divide(f.raw(), size, sink, (&raw mut parts).cast()) };
    parts
}

pub(super) fn link_models(module: super::Module, bitcode: &[u8]) -> bool {
    // SAFETY: the handle names a live module; the bytes outlive the call.
    unsafe { adshim_link_models(module.0, bitcode.as_ptr().cast(), bitcode.len()) != 0 }
}

pub(super) fn constant_byte(pointer: super::Value, offset: u32) -> Option<u8> {
    // SAFETY: the handle names a live value.
    u8::try_from(unsafe { adshim_constant_byte(pointer.raw(), offset) }).ok()
}

pub(super) fn constant_pointer(
    pointer: super::Value,
    offset: u32,
    some: bool,
) -> Option<super::Value> {
    // SAFETY: the handle names a live value.
    let v = unsafe { adshim_constant_pointer(pointer.raw(), offset, some.into()) };
    (!v.is_null()).then(|| super::Value::new(v))
}

pub(super) fn byte_before(call: super::Value, pointer: super::Value, offset: u32) -> Option<u8> {
    // SAFETY: the handles name live values, the first an instruction.
    u8::try_from(unsafe { adshim_byte_before(call.raw(), pointer.raw(), offset) }).ok()
}

pub(super) fn pointer_before(
    call: super::Value,
    pointer: super::Value,
    offset: u32,
) -> Option<super::Value> {
    // SAFETY: the handles name live values, the first an instruction.
    let v = unsafe { adshim_pointer_before(call.raw(), pointer.raw(), offset) };
    (!v.is_null()).then(|| super::Value::new(v))
}

pub(super) fn forget_loops(f: super::Function) {
    // SAFETY: the handle names a live function.
    unsafe { adshim_forget_loops(f.raw()) }
}

pub(super) fn descriptor_rank(pointer: super::Value) -> Option<u32> {
    // SAFETY: the handle names a live value.
    u32::try_from(unsafe { adshim_descriptor_rank(pointer.raw()) }).ok()
}

pub(super) fn component(pointer: super::Value) -> Option<(super::Value, u64)> {
    let mut at = 0;
    // SAFETY: the handle names a live value.
    let v = unsafe { adshim_component(pointer.raw(), &mut at) };
    (!v.is_null()).then(|| (super::Value::new(v), at))
}

pub(super) fn binding(call: super::Value) -> Option<u32> {
    // SAFETY: the handle names a live call.
    u32::try_from(unsafe { adshim_binding(call.raw()) }).ok()
}

pub(super) fn note_descriptor(call: super::Value, operand: u32, is_one: bool) -> bool {
    // SAFETY: the handle names a live call, which has that operand.
    unsafe { adshim_note_descriptor(call.raw(), operand, is_one.into()) != 0 }
}

pub(super) fn noted_descriptor(call: super::Value, operand: u32) -> Option<super::Described> {
    let mut found =
        NotedDescriptor { rank: -1, ty: -1, attribute: -1, derived: std::ptr::null_mut() };
    // SAFETY: the handle names a live call.
    let is_noted = unsafe { adshim_noted_descriptor(call.raw(), operand, &mut found) != 0 };
    let byte = |number: c_int| u8::try_from(number).ok();
    is_noted.then(|| super::Described {
        rank: (found.rank & 0xff) as u8,
        has_addendum: found.rank > 0xff,
        ty: byte(found.ty),
        attribute: byte(found.attribute),
        derived: (!found.derived.is_null()).then(|| super::Value::new(found.derived)),
    })
}

pub(super) fn fix_member(f: super::Function, parameter: u32, offset: u32, member: super::Member) {
    let (bytes, number, variable) = match member {
        super::Member::Number { bytes, number } => (bytes, number, std::ptr::null_mut()),
        super::Member::Variable(v) => (0, 0, v.raw()),
    };
    // SAFETY: the handles name a live function, which has that parameter, and a live variable.
    unsafe { adshim_fix_member(f.raw(), parameter, offset, bytes, number, variable) }
}

pub(super) fn link_model(
    module: super::Module,
    bitcode: &[u8],
    symbol: &str,
    prefix: &str,
) -> Option<super::Function> {
    let (symbol, prefix) = (super::c_string(symbol), super::c_string(prefix));
    // SAFETY: the handle names a live module; bytes and texts outlive the call.
    let f = unsafe {
        adshim_link_model(
            module.0,
            bitcode.as_ptr().cast(),
            bitcode.len(),
            symbol.as_ptr(),
            prefix.as_ptr(),
        )
    };
    (!f.is_null()).then_some(super::Function::new(f))
}
