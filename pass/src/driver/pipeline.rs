//! THE order of what happens to a module.
//!
//! [`prepare`], before LLVM simplifies: requests are marked so that no pass merges, hoists or sinks
//! them, and functions with rules of the user's so that no pass takes their calls away; what
//! functions take by value is noted. [`run`], after it simplified and inlined, before it
//! vectorises: read annotations, requests and heads; for each request, make
//! units (canonical copy, image, facts), derivatives and a wrapper; replace the request; simplify
//! what was generated; verify; drop the copies. A module without requests and heads costs one look
//! at the names of its declarations.

use crate::{
    annotations::{
        checkpoint,
        config::Config,
        files, joint, named, outside,
        registry::{self, Registry},
        triple,
    },
    canon::{self, Manner, calls::leaving::Ends},
    codegen::{
        adjoint::unaligned,
        blocks, globals,
        inner::StandIn,
        prebuilt::{self, MachineCode},
        ranks, sums,
        unwinding::RequestSite,
    },
    diagnostics::{self, Code, Diagnostic, Origin},
    driver::{nesting, session::Session, shared},
    frontend::{Host, by_value, escapes, heads, request, virtual_calls},
    link::{self, Carried},
    llvm::{self, Function, Module, Severity, Value},
    report,
};
use adanalysis::stats;
use adir::hashed::HashSet;

/// What makes generated code fast: the rest of the compiler's pipeline vectorises and unrolls, but
/// it comes after the passes that promote memory, forward stores and delete dead code.
const SIMPLIFY: &str = "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-simplify,lcssa,\
                        loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,loop(indvars,loop-deletion),\
                        sroa<modify-cfg>,gvn,sccp,instcombine<no-verify-fixpoint>,dse,loop-mssa(licm),adce,simplifycfg,\
                        instcombine<no-verify-fixpoint>";

/// After loops carry cells in registers: branches that are left without accesses become choices.
const TIDY: &str = "early-cse,instcombine<no-verify-fixpoint>,simplifycfg<speculate-unpredictables>,adce,simplifycfg,\
                    instcombine<no-verify-fixpoint>";

/// After derivatives were inlined into the function that asks for them.
const RESIMPLIFY: &str = "sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,\
                          loop-simplify,lcssa,loop-mssa(licm),gvn,dse,adce,simplifycfg,instcombine<no-verify-fixpoint>";

/// What LLVM does to coroutines at every level: at -O0 after this plugin, else before.
const COROUTINES: &str = "coro-early,cgscc(coro-split),coro-cleanup";

/// Marks requests. Whether the module changed.
pub fn prepare(module: Module) -> bool {
    let config = Config::read().unwrap_or_default();
    link::gather(module, &config);
    triple::read(module);
    for (origin, found) in request::unknown(module) {
        diagnostics::report(module.context(), &module.source_file(), &origin, &found);
    }
    let kept =
        || config.joint.iter().chain(&config.inactive).flat_map(|n| named::functions(module, n));
    let mut changed = registry::protect(module, kept().collect())
        | checkpoint::prepare(module)
        | joint::prepare(module);
    changed |= request::inline_forwarders(module) | heads::keep(module, &config);
    let calls = request::calls(module);
    let is_asked = !calls.is_empty() || config.has_heads() || config.objects.is_some();
    if is_asked || config.link.is_some() {
        changed |= canon::dummies::prepare(module);
    }
    if is_asked {
        refuse_attributes(module);
        // What comes from units is noted and marked: it was simplified since.
        if config.link.is_none() {
            by_value::note(module);
            virtual_calls::note(module);
            canon::models::text::mark(module);
            canon::models::bits::note(module);
            canon::models::fortran::note(module);
        }
        changed = true;
    }
    changed |= config.classes && virtual_calls::drop_tests(module);
    if !calls.is_empty() {
        changed |= request::keep_markers(module);
    }
    for call in calls {
        // Neither merged with another request nor duplicated.
        call.add_call_attribute("nomerge");
        call.add_call_attribute("noduplicate");
        changed = true;
    }
    changed
}

/// Reports attributes at places where nothing can be made of what they say.
fn refuse_attributes(module: Module) {
    let remedy = "put the attribute on a function or a global variable; in a request, mark an argument \
        ad_const";
    let error = |call: Option<Value>, text: String| {
        let within = call.map(|c| format!("function '{}'", c.block().function().name()));
        let origin = Origin { call, text: within.unwrap_or_else(|| "an attribute".into()) };
        let found = Diagnostic::new(Code::RequestUnsupported, call, text, remedy);
        diagnostics::report(module.context(), &module.source_file(), &origin, &[found]);
    };
    if let Some(text) = llvm::misplaced_attribute() {
        error(None, text);
    }
    for (call, text) in registry::annotated_inside(module) {
        error(
            Some(call),
            format!(
                "attribute '{text}' of a parameter, a local variable or a member is not supported"
            ),
        );
    }
}

/// Differentiates what is asked for, but for requests that the link answers. Whether the module
/// changed.
pub fn run(module: Module) -> bool {
    triple::read(module);
    let released =
        registry::release(module) | request::release_markers(module) | heads::release(module);
    let mut config = match Config::read() {
        Ok(config) => config,
        Err(errors) => {
            for e in errors {
                module.context().diagnose(
                    Severity::Error,
                    &format!("AD{:03}: {e}", Code::Option as u32),
                    0,
                );
            }
            return released;
        }
    };
    link::take_heads(module, &mut config);
    let is_carrier = config.objects.is_some();
    if config.has_heads() || is_carrier || !request::calls(module).is_empty() {
        split_coroutines(module);
    }
    let mut carried = link::carry(module, &config);
    let answered = answer(module, config.clone(), carried.as_mut());
    link::leave_out(module, &config);
    by_value::forget(module);
    if is_carrier || answered.changed {
        virtual_calls::forget(module);
    }
    if config.link.is_some() {
        link::note_machine_code(&answered.machine_code);
    }
    // Derivatives that the link makes may ask for shadows of what this file allocates, and
    // validation for its extent.
    if config.validate || carried.as_ref().is_some_and(Carried::is_open) {
        blocks::note_all(module);
    }
    if let Some(carried) = carried {
        if carried.is_open() {
            request::erase_markers(module);
        }
        carried.embed(module, &answered.machine_code);
    }
    released | is_carrier | answered.changed
}

/// What became of the requests of a module.
#[derive(Default)]
struct Answered {
    /// Whether the module changed.
    changed: bool,
    /// What derivatives run machine code of.
    machine_code: Vec<MachineCode>,
}

/// Answers the requests of a module, and heads.
fn answer(module: Module, config: Config, mut carried: Option<&mut Carried>) -> Answered {
    let calls: Vec<Value> = request::calls(module);
    for (origin, found) in request::uncalled(module) {
        diagnostics::report(module.context(), &module.source_file(), &origin, &found);
    }
    if calls.is_empty() && !config.has_heads() {
        return Answered { changed: checkpoint::erase(module), ..Answered::default() };
    }
    if let Some(refused) = triple::refusal(&module.triple()) {
        for call in &calls {
            diagnostics::report(
                module.context(),
                &module.source_file(),
                &request::origin(*call),
                std::slice::from_ref(&refused),
            );
            request::erase(*call);
        }
        if calls.is_empty() {
            let origin = Origin { call: None, text: "a head on the command line".into() };
            diagnostics::report(module.context(), &module.source_file(), &origin, &[refused]);
        }
        return Answered { changed: true, ..Answered::default() };
    }
    stats::enable(config.time);
    let functions = |names: &[String]| -> Vec<Function> {
        names.iter().flat_map(|name| named::functions(module, name)).collect()
    };
    functions(&config.joint).into_iter().for_each(joint::make_joint);
    functions(&config.split).into_iter().for_each(joint::make_split);
    let mut registry = Registry::read(module, &config.inactive);
    request::declared::define(module, &calls);
    let heads = heads::plan(module, &config);
    let is_generated = |f: Function| {
        let name = f.name();
        heads.iter().any(|head| head.symbol.as_deref() == Some(&name))
    };
    ranks::declare(module, &config, &mut registry);
    prebuilt::declare(module, &config.prebuilt, &mut registry, &is_generated);
    files::mark(module);
    name_variables(module);
    resolve_aliases(module);
    canon::calls::internal::prepare(module);
    let mut session = Session::new(module, config, registry);
    let mut failures: Vec<(Origin, Vec<Diagnostic>)> = session.registry.take_failures();
    let is_open = |i: usize| match i.checked_sub(calls.len()) {
        None => link::is_open(calls[i]),
        Some(head) => carried.as_ref().is_some_and(|carried| carried.has_open(&heads[head])),
    };
    let nesting::Waves { waves, inner, inner_heads, circular, circular_heads, left, left_heads } =
        nesting::waves(module, &calls, &heads, &is_open);
    failures.extend(
        circular.into_iter().map(|call| (request::origin(call), vec![refuse_circular(call)])),
    );
    failures.extend(circular_heads.into_iter().map(|head| heads::refuse_circular(&heads[head])));
    let mut places = vec![];
    let mut made = vec![];
    let mut is_left = !left.is_empty();
    for call in left {
        let place = RequestSite::new(call);
        link::leave(module, place.call, &session.config, &[]);
        request::erase(place.call);
        places.push(place);
    }
    for head in left_heads {
        carried.as_mut().into_iter().for_each(|carried| carried.leave(&heads[head]));
    }
    let mut prototypes = vec![];
    let mut settled = vec![];
    let last = waves.len() - 1;
    for (depth, nesting::Wave { calls, heads: numbers }) in waves.into_iter().enumerate() {
        canon::constant_globals::mark(module);
        escapes::mark(module);
        globals::note(module);
        let mut subjects: Vec<_> =
            session.differentiated(calls.iter().filter_map(|&c| request::subject(c)));
        subjects.extend(session.inner.left.iter().flat_map(StandIn::analysed));
        subjects.extend(numbers.iter().filter_map(|&n| heads::subject(module, &heads, n)));
        let mut ends = Ends::new(module, &subjects);
        outside::mark(module, &mut ends);
        session.load_all(subjects);
        session.inner.has_outer = depth < last;
        for call in calls {
            let place = RequestSite::new(call);
            if inner.contains(&call) {
                session.inner.requests.push(place.call);
            }
            if let Err(found) = lower(&mut session, place.call) {
                let is_wrong = found.iter().any(is_of_request);
                if !is_wrong && link::leave(module, place.call, &session.config, &found) {
                    request::erase(place.call);
                    is_left = true;
                } else {
                    failures.push((request::origin(place.call), found));
                }
            }
            places.push(place);
        }
        for number in numbers {
            // What is wrong with a head is said once, not for its directions again.
            if failures.iter().any(|(origin, _)| heads::is_beside(&heads[number], origin)) {
                continue;
            }
            let is_inner = inner_heads.contains(&number);
            let (generated, prototype) = heads::generate(&mut session, &heads, number, is_inner);
            prototypes.push((number, prototype));
            let carried = carried.as_deref_mut();
            match link::settle(module, &session.config, carried, generated) {
                Ok(made) => settled.extend(made),
                Err(failure) => failures.push(failure),
            }
        }
        failures.extend(define_inner(&mut session));
        if !failures.is_empty() {
            break;
        }
        if depth < last {
            made.extend(simplify(&mut session));
            places.drain(..).for_each(RequestSite::close);
            session = session.into_next_wave();
        }
    }
    // Until now, the code of later waves had to know them.
    for (f, linkage) in settled {
        f.set_linkage(linkage);
    }
    prototypes.sort_by_key(|(number, _)| *number);
    let prototypes: Vec<_> = prototypes.into_iter().filter_map(|(_, p)| p).collect();
    failures.extend(heads::write_prototypes(&session, &prototypes));
    let is_answered = failures.is_empty();
    // A link takes in all annotations of its units.
    if is_answered && session.config.link.is_none() && !is_left {
        failures.extend(session.registry.unused(|f| session.is_called(f)));
    }
    failures.extend(
        report::write(&session.reports, &session.config, module)
            .map_err(|d| (Origin { call: None, text: "-ad-report".into() }, vec![d]))
            .err(),
    );
    let source_file = module.source_file();
    for (origin, found) in &failures {
        diagnostics::report(module.context(), &source_file, origin, found);
        if let Some(call) = origin.call {
            request::erase(call);
        }
    }
    // Requests around one that failed were not looked at.
    for call in request::calls(module) {
        let place = RequestSite::new(call);
        request::erase(place.call);
        places.push(place);
    }
    session.inner.left.drain(..).for_each(|stand_in| stand_in.forget());
    if failures.is_empty() {
        shared::share(module, &mut session.generated);
        made.extend(simplify(&mut session));
    } else {
        session.drop_generated();
        made.clear();
    }
    places.into_iter().for_each(RequestSite::close);
    if !session.config.validate {
        blocks::note(module, session.config.link.is_some());
    }
    session.drop_units();
    session.registry.erase();
    canon::drop_unused(module);
    canon::calls::internal::forget(module);
    let machine_code = prebuilt::erase(module);
    ranks::erase(module);
    outside::erase(module);
    files::settle(module);
    request::erase_markers(module);
    checkpoint::erase(module);
    inline_single_calls(module, &made);
    stats::print();
    Answered { changed: true, machine_code }
}

/// Gives derivatives of adjoints that differentiated code asks for their bodies, as far as code calls
/// them by now; what is wrong with them.
fn define_inner(session: &mut Session) -> Vec<(Origin, Vec<Diagnostic>)> {
    let mut failures = vec![];
    // What one of them needs, another may be the first to call.
    while let Some(at) = session.inner.left.iter().position(StandIn::is_reached) {
        let stand_in = session.inner.left[at].clone();
        if let Err(found) = stand_in.define(session) {
            let text = format!("derivative of the {}", stand_in.asked);
            failures.push((Origin { call: None, text }, found));
            session.inner.left.remove(at);
        }
    }
    failures
}

/// What a request is told that asks for the derivative of the function that makes it.
fn refuse_circular(call: Value) -> Diagnostic {
    let text = format!(
        "'{}' asks for a derivative of code that asks for its own derivative",
        call.called().name()
    );
    let remedy = "take the request out of the code that it differentiates";
    Diagnostic::new(Code::RequestUnsupported, Some(call), text, remedy)
}

/// Makes coroutines functions that resume from a frame, where LLVM has not done so yet (-O0): they
/// are functions like others then.
fn split_coroutines(module: Module) {
    if !module.functions().iter().any(|f| f.has_attribute("presplitcoroutine")) {
        return;
    }
    if let Err(e) = module.run_passes(COROUTINES) {
        let text = format!("AD099: splitting coroutines failed: {e}");
        module.context().diagnose(Severity::Error, &text, 0);
    }
}

/// Has variables and functions known by their own symbols, not by aliases: LLVM does so from -O1 on.
fn resolve_aliases(module: Module) {
    for alias in module.aliases() {
        if let Some(named) = alias.aliased().filter(|_| !alias.is_interposable_global()) {
            alias.replace_uses(named);
        }
    }
}

/// Gives names to global variables that have none (what sanitizers say of places in the source):
/// analyses know variables by their symbols.
fn name_variables(module: Module) {
    module
        .globals()
        .into_iter()
        .filter(|g| g.name().is_empty())
        .for_each(|g| g.set_name("ad.unnamed"));
}

/// Differentiates what one request asks for. Calls that `-ad-calls` wants to be joint and that
/// cannot are split: then it is tried again.
fn lower(session: &mut Session, call: Value) -> Result<(), Vec<Diagnostic>> {
    loop {
        let before = session.before();
        let lowered = lower_once(session, call);
        if lowered.is_ok() || !session.split_refused(&before) {
            return lowered;
        }
    }
}

/// Differentiates what one request asks for. What its calls throw is handed over first, and thrown if
/// that is refused: the derivative then ends with an error where something is.
fn lower_once(session: &mut Session, call: Value) -> Result<(), Vec<Diagnostic>> {
    let before = session.all_generated();
    let manner = session.manner();
    let Err(found) = lower_text(session, call) else { return Ok(()) };
    if !manner.hands_over || !session.has_handed() {
        return Err(found);
    }
    session.start_again(&before, Manner { hands_over: false, ..manner });
    lower_text(session, call)
}

/// The same. Where text is not just beside the data, its functions are differentiated as well: that is
/// tried second, for what they do to streams, say, may not be.
fn lower_text(session: &mut Session, call: Value) -> Result<(), Vec<Diagnostic>> {
    let before = session.all_generated();
    let manner = session.manner();
    let Err(found) = lower_sources(session, call) else { return Ok(()) };
    if !manner.has_strings && !found.iter().any(is_of_string) {
        return Err(found);
    }
    let has_strings = !manner.has_strings;
    session.start_again(&before, Manner { has_strings, ..manner });
    // What differentiating text ends with says more than that it is not differentiated.
    lower_sources(session, call).map_err(|second| if has_strings { second } else { found })
}

/// The same. Where the compiler has one load in the place of two, from memory with a shadow and from
/// constant memory, they are two again: that is tried second, for it takes branches.
fn lower_sources(session: &mut Session, call: Value) -> Result<(), Vec<Diagnostic>> {
    let before = session.all_generated();
    let manner = session.manner();
    let Err(found) = request::lower(session, call) else { return Ok(()) };
    if manner.splits_sources || !found.iter().any(|d| d.code == Code::MixedActivity) {
        return Err(found);
    }
    session.start_again(&before, Manner { splits_sources: true, ..manner });
    request::lower(session, call).map_err(|_| found)
}

/// Whether a diagnostic says that a request is written wrongly: other units change nothing about it.
fn is_of_request(d: &Diagnostic) -> bool {
    use Code::*;
    let of_requests =
        [RequestName, RequestArguments, RequestMarker, RequestResult, RequestUnsupported, RuleType];
    of_requests.contains(&d.code)
}

/// Whether a diagnostic says of a member of `std::string` that it has no derivative.
fn is_of_string(d: &Diagnostic) -> bool {
    let called = d.site.filter(|v| v.is_call()).and_then(|v| v.called().as_function());
    d.code == Code::UnknownCallee && called.is_some_and(|f| canon::is_of_string(&f.name()))
}

/// Simplifies what was generated, and returns what was not divided.
fn simplify(session: &mut Session) -> Vec<Function> {
    let module = session.module;
    // What was inlined into its wrapper and is called by nobody goes first.
    let mut kept = vec![];
    let all_left = &session.inner.left;
    let is_left = |f: Function| all_left.iter().any(|stand_in| stand_in.needs(f));
    for f in std::mem::take(&mut session.generated) {
        if f.is_private() && f.value().users().is_empty() && !is_left(f) {
            f.delete();
        } else {
            kept.push(f);
        }
    }
    unaligned::settle(module);
    if session.config.uses("strips")
        && let Err(e) = stats::time("strips", || sums::cut_strips(module, &kept))
    {
        let text = format!("AD099: cutting loops into strips failed: {e}");
        module.context().diagnose(Severity::Error, &text, 0);
    }
    sums::lower(module);
    canon::types::float_bits::expand(module);
    stats::time("simplify", || {
        for &f in &kept {
            let mut result = f.run_passes(SIMPLIFY);
            if result.is_ok() && session.config.uses("stencils") && f.carry_windows() > 0 {
                result = f.verify().and_then(|()| f.run_passes(TIDY));
            }
            if let Err(e) = result.and_then(|()| f.verify()) {
                let text = format!("AD099: simplifying '{}' failed: {e}", f.name());
                module.context().diagnose(Severity::Error, &text, 0);
            }
        }
    });
    let mut whole = kept.clone();
    if let Some(size) = session.config.parts {
        stats::time("divide", || {
            let mut parts = vec![];
            kept.iter().for_each(|f| {
                let own = f.divide(size);
                if !own.is_empty() {
                    whole.retain(|w| w != f);
                    parts.extend(own);
                    parts.push(*f);
                }
            });
            for f in &parts {
                if let Err(e) = f.verify() {
                    let text =
                        format!("AD099: dividing a derivative made '{}' invalid: {e}", f.name());
                    module.context().diagnose(Severity::Error, &text, 0);
                }
            }
            kept.extend(parts.into_iter().filter(|f| !kept.contains(f)).collect::<Vec<_>>());
        });
    }
    if session.config.time {
        let instructions: usize =
            kept.iter().flat_map(|f| f.blocks()).map(|b| b.instructions().len()).sum();
        eprintln!("adpass: {instructions} instructions generated ({} functions)", kept.len());
    }
    whole
}

/// Inlines derivatives into their only caller, as LLVM's inliner does, which ran before: a gradient
/// of few operations that is taken in a loop need not go through memory with seeds and adjoints.
fn inline_single_calls(module: Module, made: &[Function]) {
    // Models that nothing calls are gone, and their derivatives with them.
    let present: HashSet<Function> = module.functions().into_iter().collect();
    let made = made.iter().filter(|f| present.contains(f) && !f.has_attribute("noinline"));
    let callers: HashSet<Function> = made.filter_map(|f| f.inline_only_call()).collect();
    for f in module.functions().into_iter().filter(|f| callers.contains(f)) {
        if let Err(e) = f.run_passes(RESIMPLIFY).and_then(|()| f.verify()) {
            let text = format!("AD099: simplifying '{}' failed: {e}", f.name());
            module.context().diagnose(Severity::Error, &text, 0);
        }
    }
}
