//! Canonical form: a private copy of a function, inlined, simplified, with one return and counted,
//! simplified loops.
//!
//! The user's primal stays as it was compiled. After this stage:
//! - static allocas that can be are registers; dead code is gone;
//! - calls to small functions with a body are inlined, unless they are recursive;
//! - calls through pointers are choices between direct calls, where the module has functions to
//!   choose from (calls/indirect/);
//! - paths that end without a return, and call more than the library, are functions that are called
//!   and never return (calls/leaving.rs);
//! - jumps within a function (`setjmp`) are branches (calls/jumps.rs);
//! - blocks of the heap that each iteration of a loop allocates and frees are one (shim/temporaries.cpp);
//! - checkpointed loops and regions are functions of their own (outline.rs); calls that fork a team of threads are
//!   calls of a function that stands for the team (calls/teams.rs);
//! - there is at most one `ret`; the graph is reducible; every loop has one preheader, one latch,
//!   dedicated exits and is in LCSSA form;
//! - what may throw in a scope with clean-ups is an invoke with a landing pad and a normal
//!   destination of its own;
//! - a pointer is loaded from, or stored in, one member of a structure at a time, not one that is
//!   chosen; so is what else a structure with members of several kinds has;
//! - where a request was refused otherwise, what is loaded by a pointer to one of several objects is
//!   loaded from each on a branch of its own;
//! - complex functions take and return scalars; functions that exist only as machine code are
//!   called through stand-ins (calls/stand_ins.rs); calls with a variable number of arguments lead
//!   to copies with a fixed one (calls/variadic.rs);
//! - a word that is used as a pointer and as a real is loaded once for each (types/words.rs);
//! - what one alternative of a union reads is not taken from what another has stored
//!   (types/alternatives.rs);
//! - reals that passes choose between, or store, as pointers are reals (types/chosen.rs);
//! - a word that is a real on one path and an integer on another is a variable (types/unions.rs);
//! - reals that are moved or masked as integers are reals where the code shows it (types/reals.rs);
//! - integers that take reals apart say where they make steps only (types/float_bits.rs);
//! - words begin in variables where they begin in the memory that is copied there (types/aligned.rs);
//! - reals that nobody asks for have some value (types/freeze_poison.rs);
//! - there are no masked accesses, no vectors of addresses, no masks of addresses, no reductions of
//!   reals, no intrinsics of x86 for what other operations say as well;
//! - `realloc` and `posix_memalign` are written in terms of `malloc`, `memalign` and `free`
//!   (models/), `qsort` and `bsearch` as loops (models/sorting.rs); functions of libstdc++ on trees and
//!   lists are models with a body (models/linked.rs);
//! - facets of streams, and exceptions for their messages, are asked by functions without derivative
//!   (calls/facets.rs, calls/messages.rs);
//! - numbers that a call reads from files or text go through variables of their own (calls/reads.rs);
//! - structures that a call returns in registers are stored by the callee, unless all members are
//!   reals (calls/structs.rs);
//! - functions that are given addresses as integers are given pointers (calls/addresses.rs);
//! - structs that a call passes by value are copied before it: the callee writes its own;
//! - every loop has an i64 counter, a trip count where scalar evolution knows it at the entry, and
//!   at each exit the counter's last value. What grows by something that does not change in its
//!   loop, or by what grows so, is still a phi, but listed with code before the loop that says by
//!   how much.

pub mod calls;
pub mod constant_globals;
pub mod dummies;
mod lower;
pub mod models;
mod outline;
pub mod types;

use adir::hashed::HashMap;
pub use calls::{
    indirect::{MOST_CHOICES, MOST_TARGETS, address_holders, is_table as is_virtual_table},
    stand_ins, tasks, teams,
};
pub use models::linked::is_of_string;
pub use types::integers::{
    TABLE, is_integer_access, is_member_access, is_moved_word, is_untold, names_integer,
    names_pointer,
};

use calls::{
    addresses, by_value, combiners, complex, facets, indirect, inline, internal, jumps, leaving,
    messages, pending, reads, returned, structs, throws, unwind, variadic,
};
use lower::{assembly, exchanges, masks, vectors};
use types::{
    aligned, alternatives, chosen, float_bits, freeze_poison, halves, integers, lanes, reals,
    unions, words,
};

use crate::{
    annotations::{attributes::GENERATED, checkpoint::OUTLINED, joint::Calls},
    diagnostics::Diagnostic,
    llvm::{Block, Debug, Function, LoopCount, LoopExit, LoopGrowth, Loops, Module, Value},
};
use calls::indirect::{Apart, Targets};

/// Which of two ways calls and choices are taken. Where one leads to a refusal, the other may not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// Whether calls to members of `std::string` become calls to their models: else they work on
    /// text beside the data.
    pub has_strings: bool,
    /// Whether callees hand over the exceptions that handlers catch: else they throw.
    pub hands_over: bool,
    /// Whether loads from one of several objects are branches with a load from each: else pointers are
    /// chosen, as the compiler made it.
    pub splits_sources: bool,
}

impl Default for Manner {
    fn default() -> Manner {
        Manner { has_strings: false, hands_over: true, splits_sources: false }
    }
}

/// What the canonical copies of one module share.
pub struct Shared {
    /// Instructions that inlining may still add to all of them together.
    pub budget: usize,
    /// What becomes of calls that there are two ways to take.
    pub manner: Manner,
    /// Which calls run again instead of being recorded.
    calls: Calls,
    /// What calls through pointers may lead to; found when there is one.
    targets: Option<Targets>,
    /// Choices between them that are functions.
    apart: Apart,
    /// Which functions may call themselves, as far as that was asked.
    recursion: calls::recursion::Recursion,
    /// Which functions may throw.
    throwing: unwind::Throwing,
    /// Which paths end without a return.
    leaving: leaving::Leaving,
    /// Functions that hand over what they throw.
    pending: pending::Pending,
    /// Simplified copies of functions, to be inlined.
    prepared: HashMap<Function, Function>,
    /// Functions that checkpointed loops became.
    outlined: Vec<Function>,
}

impl Shared {
    /// With so many instructions for inlining.
    pub fn new(budget: usize, calls: Calls) -> Shared {
        Shared {
            budget,
            manner: Manner::default(),
            calls,
            targets: None,
            apart: Apart::default(),
            recursion: calls::recursion::Recursion::default(),
            throwing: unwind::Throwing::default(),
            leaving: leaving::Leaving::default(),
            pending: pending::Pending::default(),
            prepared: HashMap::default(),
            outlined: vec![],
        }
    }
    /// Begins anew: what was inlined is forgotten, what was outlined is not.
    pub fn renew(&mut self, budget: usize, manner: Manner) {
        self.drop_prepared();
        let apart = std::mem::take(&mut self.apart);
        let leaving = std::mem::take(&mut self.leaving);
        let outlined = std::mem::take(&mut self.outlined);
        *self = Shared { manner, outlined, apart, leaving, ..Shared::new(budget, self.calls) };
    }
    /// Whether a function hands over what it throws.
    pub fn has_handed(&self) -> bool {
        self.pending.has_copies()
    }
    /// Notes which functions requests name.
    pub fn add_roots(&mut self, roots: &[Function]) {
        self.leaving.add_roots(roots);
    }
    /// Deletes outlined functions that no derivative calls, when the canonical copies are gone.
    pub fn drop_outlined(&mut self) {
        self.outlined.extend(std::mem::take(&mut self.apart).into_functions());
        outline::drop_unused(self);
    }
    /// Deletes what no code needs when all canonical copies are made.
    pub fn drop_prepared(&mut self) {
        let copies: Vec<Function> = self.prepared.drain().map(|(_, copy)| copy).collect();
        copies.iter().for_each(|f| f.delete_body());
        copies.into_iter().for_each(Function::delete);
    }

    fn targets(&mut self, module: Module) -> &Targets {
        let is_ours =
            |f: Function| f.attribute_string(GENERATED).is_some() || f.name().contains(SUFFIX);
        self.targets.get_or_insert_with(|| Targets::find(module, &is_ours))
    }

    /// Makes calls through pointers in a function choices; whether there was one.
    fn choose(&mut self, module: Module, function: Function, choices: &mut usize) -> bool {
        let mut apart = std::mem::take(&mut self.apart);
        let found = indirect::resolve(module, function, self.targets(module), choices, &mut apart);
        self.apart = apart;
        found
    }
}

/// Whether a function may throw.
pub fn may_throw(function: Function) -> bool {
    unwind::Throwing::default().may_throw(function)
}

/// Deletes functions of this stage's own that nothing calls any more.
pub fn drop_unused(module: Module) {
    calls::complex::drop_unused(module);
    structs::drop_unused(module);
    pending::drop_unused(module);
    addresses::drop_unused(module);
    variadic::drop_unused(module);
}

/// What the names of canonical copies end with.
const SUFFIX: &str = ".ad.canon";

/// A function in canonical form.
pub struct Canon {
    /// The user's function.
    pub source: Function,
    /// The canonical copy.
    pub function: Function,
    /// Its loops.
    pub counts: Vec<LoopCount>,
    /// Its loops' exits.
    pub exits: Vec<LoopExit>,
    /// What follows from its loops' counters.
    pub growths: Vec<LoopGrowth>,
    /// (load, store, header of a loop) that never touch the same byte in one run of the loop.
    pub apart: Vec<(Value, Value, Block)>,
}

impl Canon {
    /// Makes loads and the stores of what they load copies of memory.
    pub fn move_by_memory(&mut self, module: Module, loads: &[Value]) {
        let is_moved = |v: &Value| loads.contains(v);
        self.apart.retain(|(load, store, _)| !is_moved(load) && !is_moved(&store.operand(0)));
        integers::move_by_memory(module, self.function, loads);
    }
}

/// Promotes memory to registers and simplifies, so that what is inlined is small.
const SIMPLIFY: &str =
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>";
/// Leaves out variables that structs only pass through where the compiler left code as the front end
/// wrote it (-O0): parts of structs would be copied from one to the next.
const COPIES: &str = "memcpyopt,sroa<modify-cfg>,instcombine<no-verify-fixpoint>";
/// Brings loops into the form that scalar evolution understands best. What is no constant by now
/// does not become one: libraries ask that for shortcuts.
const LOOPS: &str = "lower-constant-intrinsics,simplifycfg,loop-simplify,lcssa,loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,loop(indvars),gvn,\
                     early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,adce";
/// The invariants of the module's head. Passes before may leave blocks that nothing reaches.
const FORM: &str =
    "unreachableblockelim,lower-switch,fix-irreducible,mergereturn,loop-simplify,lcssa";
const FORM_REDUCIBLE: &str = "unreachableblockelim,mergereturn,loop-simplify,lcssa";

/// Attributes that forbid what this stage does to its copy, or promise what the derivative does not
/// keep.
const DROPPED: &[&str] = &["optnone", "noinline", "alwaysinline", "naked", "minsize", "optsize"];

/// Makes a call through a pointer known where the pointer is.
const DEVIRTUALISE: &str = "gvn,sccp,instcombine<no-verify-fixpoint>,simplifycfg";
/// Rounds of inlining and of looking at calls through pointers; each may bring work for the other.
const ROUNDS: usize = 12;

/// Rounds of making throws jumps.
const MOST_HANDLERS: usize = 4;

/// Why a function has no canonical form.
pub enum Failure {
    /// Our own bug.
    Internal(String),
    /// Something in the user's code.
    Refused(Diagnostic),
}

impl From<String> for Failure {
    fn from(reason: String) -> Failure {
        Failure::Internal(reason)
    }
}

/// Makes the canonical copy of `source`.
pub fn canonicalize(
    module: Module,
    source: Function,
    shared: &mut Shared,
) -> Result<Canon, Failure> {
    let function = module.add_function(&format!("{}{SUFFIX}", source.name()), source.ty());
    canonicalize_copy(module, source, function, shared)
        .inspect_err(|_| shared.outlined.push(function))
}

/// Gives `copy` the body of `source`, with what its types say that simplification takes away.
fn copy_body(module: Module, copy: Function, source: Function) {
    copy.clone_body(source, Debug::Keep, |_, _| {});
    copy.number_labels(source);
    integers::mark_reals(copy, source);
    integers::mark_frame(copy, source);
    vectors::widen_shuffles(module, copy);
    for name in DROPPED {
        copy.remove_attribute(name);
    }
}

fn canonicalize_copy(
    module: Module,
    source: Function,
    function: Function,
    shared: &mut Shared,
) -> Result<Canon, Failure> {
    copy_body(module, function, source);
    lanes::load_apart(module, function);
    unwind::calls(function).for_each(|c| c.clear_tail());
    // A step comes from a canonical copy. Simplified once more, it might be other code than the
    // same loop without checkpoints, and so might the sums of its adjoints.
    if source.attribute_string(OUTLINED).is_none_or(|kind| kind != "step") {
        // Variables are still memory here, where the compiler left them there.
        jumps::resolve(module, function);
        simplify(module, function, shared)?;
        if !teams::is_team(source) {
            take_in_calls(module, function, source, shared)?;
        }
        if jumps::resolve(module, function) {
            simplify(module, function, shared)?;
        }
        // A handler may throw what an outer one catches.
        for _ in 0..MOST_HANDLERS {
            let is_handed = pending::rewrite(module, function, shared);
            let place = pending::place(source, function);
            if !throws::resolve(module, function, &mut shared.pending.kinds, place) && !is_handed {
                break;
            }
            simplify(module, function, shared)?;
            take_in_calls(module, function, source, shared)?;
        }
        if exchanges::rewrite(module, function) {
            simplify(module, function, shared)?;
        }
        leaving::outline(module, function, source, shared);
        if structs::rewrite(module, function) | addresses::rewrite(module, function) {
            simplify(module, function, shared)?;
        }
        if source.has_attribute("optnone") {
            function.run_passes(COPIES)?;
        }
        alternatives::run_passes(module, function, LOOPS)?;
    }
    crate::annotations::joint::mark_calls(module, function, shared.calls);
    outline::outline(function, source, shared)?;
    function.split_choices();
    if shared.manner.splits_sources {
        function.split_sources();
    }
    lanes::load_apart(module, function);
    words::load_apart(module, function);
    halves::load_apart(module, function);
    halves::store_apart(module, function);
    reals::restore(module, function);
    float_bits::restore(module, function);
    chosen::choose_reals(module, function);
    chosen::store_reals(function);
    alternatives::take_no_pointers(function);
    unions::keep_in_memory(module, function)?;
    integers::store_pointers(module, function);
    integers::load_pointers(module, function);
    integers::move_pointers(module, function);
    integers::move_words(module, function, source);
    vectors::take_parts(module, function);
    function.run_passes(if is_reducible(function) { FORM_REDUCIBLE } else { FORM })?;
    unwind::shape(function)?;
    function.share_temporaries();
    by_value::copy_arguments(module, function);
    aligned::align_words(module, function);
    integers::choose_extrema(module, function);
    integers::copy_memory(module, function);
    models::text::copy_characters(module, function);
    freeze_poison::define(module, function);
    combiners::separate(module, function);
    let Loops { counts, exits, growths, apart } = function.count_loops();
    Ok(Canon { source, function, counts, exits, growths, apart })
}

/// Simplifies code straight from its source, after what only this stage knows how to rewrite;
/// whether a call turned out not to throw.
fn simplify(module: Module, function: Function, shared: &mut Shared) -> Result<bool, String> {
    teams::rewrite(module, function);
    tasks::rewrite(module, function, shared);
    dummies::widen(function);
    variadic::rewrite(module, function);
    internal::rewrite(module, function);
    models::expand(module, function, shared.manner.has_strings);
    models::resources::rewrite(module, function);
    returned::use_arguments(function);
    assembly::rewrite(module, function);
    masks::rewrite(module, function);
    facets::rewrite(module, function);
    complex::rewrite_calls(module, function);
    // A library would be asked where the numbers lie.
    reads::rewrite(module, function);
    stand_ins::rewrite_calls(module, function);
    vectors::rewrite(module, function)?;
    integers::mark(function);
    let quiet = shared.throwing.mark(function);
    shared.leaving.mark(function);
    function.run_passes(SIMPLIFY)?;
    reals::restore(module, function);
    Ok(quiet)
}

/// Inlines, and makes calls through pointers direct, until neither finds anything.
fn take_in_calls(
    module: Module,
    function: Function,
    source: Function,
    shared: &mut Shared,
) -> Result<(), String> {
    let mut choices = 0;
    let mut is_known = false;
    for _ in 0..ROUNDS {
        // Of calls that were made direct.
        variadic::rewrite(module, function);
        let kept = inline::Kept::Leaving(source);
        let inlined = inline::inline_calls(module, function, kept, inline::TOTAL_LIMIT, shared);
        let quiet = shared.throwing.mark(function);
        messages::rewrite(module, function);
        let indirect = indirect::calls(function).len();
        if inlined || quiet {
            simplify(module, function, shared)?;
            is_known = false;
        }
        if indirect == 0 {
            return Ok(());
        }
        if inlined {
            continue;
        }
        if !is_known {
            alternatives::run_passes(module, function, DEVIRTUALISE)?;
            is_known = true;
            if indirect::calls(function).len() < indirect {
                continue;
            }
        }
        if !shared.choose(module, function, &mut choices) {
            return Ok(());
        }
    }
    // What the last round took in may have brought more: those stay calls.
    if shared.choose(module, function, &mut choices) {
        variadic::rewrite(module, function);
        shared.throwing.mark(function);
        messages::rewrite(module, function);
        simplify(module, function, shared)?;
    }
    Ok(())
}

/// Whether every cycle of the flow graph has one entry: a depth-first walk meets back edges only to
/// dominators.
fn is_reducible(function: Function) -> bool {
    use petgraph::{
        algo::dominators::simple_fast,
        graph::DiGraph,
        visit::{DfsEvent, depth_first_search},
    };
    let blocks = function.blocks();
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: HashMap<_, _> = blocks.iter().map(|&b| (b, graph.add_node(()))).collect();
    for b in &blocks {
        for s in b.terminator().map(|t| t.successors()).unwrap_or_default() {
            graph.update_edge(nodes[b], nodes[&s], ());
        }
    }
    let root = nodes[&blocks[0]];
    let dominators = simple_fast(&graph, root);
    let mut reducible = true;
    depth_first_search(&graph, [root], |event| {
        if let DfsEvent::BackEdge(from, to) = event {
            reducible &= dominators.dominators(from).is_some_and(|mut d| d.any(|n| n == to));
        }
    });
    reducible
}
