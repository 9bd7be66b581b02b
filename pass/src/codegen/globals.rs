//! Global variables that hold active data: which of them need a shadow, and what a request does
//! with the shadows.
//!
//! A shadow is one memory for all functions of the module, so all functions that a request reaches
//! must agree on which variables have one. [`settle`] finds them before anything is generated: for
//! every function and activity that the request leads to, activity is computed for a caller that
//! claims nothing, with all variables open; what needs a shadow there is added, and it starts again
//! until nothing is. What the derivatives' contexts claim later only takes away from that.
//!
//! When a request starts, what variables hold is constant. So their shadows are zeroed, and
//! pointers in them lead to the shadows of the variables that the primal pointers lead to, to the
//! shadows of memory of libraries ([`Runtime::library_pointers`]), or are null. A null shadow is
//! met where it is loaded (sweep.rs): then the program ends with a message.

mod uses;

use crate::{
    annotations::{attributes::LED, registry},
    codegen::prebuilt::{self, layout, runtime::Runtime},
    codegen::{Queries, blocks, inner},
    diagnostics::{Code, Diagnostic, names::readable},
    image::Imported,
    llvm::{Builder, Function, IntPredicate, Intrinsic, Module, Opcode, Type, TypeKind, Value},
};
use adanalysis::{
    activity::{Activity, Param, integers},
    context::{Context, Entry, Globals, Pointed},
    names::is_mark,
    stats,
};
use adir::{Callee, Op, ValueData, ValueId, foreign, hashed::HashSet, target};
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

pub use uses::{is_only_accessed, note, targets};

/// Global variables of called functions that a function has names for; further ones are memory
/// without a name.
const MOST_NAMES: usize = 128;
/// Runs of pointers in one variable that are followed.
const MOST_RUNS: usize = 256;
/// Nothing lies before this address, nor from the last one on (64-bit Linux).
const FIRST_PAGE: u64 = 4096;
const LAST_ADDRESS: u64 = 1 << 47;
/// Name of the helper that checks a shadow, defined once per module.
const CHECK: &str = "__adcc.check_shadow";
/// Name of the helper that checks an argument of a request, likewise.
const CHECK_ARGUMENT: &str = "__adcc.check_argument";
/// With what the names of all helpers begin that compare pointers with variables.
pub const CHECKS: &str = "__adcc.check_";

/// Variables by symbol.
pub type Variables = BTreeMap<Rc<str>, (ValueData, Value)>;

/// The variables that a body names, and constant tables that lead to variables; not those that only marks
/// name.
pub fn named(body: &Imported) -> Variables {
    let is_mark = |&u: &ValueId| {
        matches!(body[u].op, Op::Call(Callee::Inactive))
            && body[u].symbol.as_deref().is_some_and(is_mark)
    };
    let is_marked = |v: ValueId| !body.users[v].is_empty() && body.users[v].iter().all(is_mark);
    let variables = body.value_ids().filter(|&v| matches!(body[v].op, Op::Global(false)));
    let variables = variables.filter(|&v| !is_marked(v));
    variables
        .filter_map(|v| Some((body[v].symbol.clone()?, (body[v].clone(), body.llvm(v)))))
        .collect()
}

/// Gives each body a name for the variables that the functions use which it calls, directly or not.
/// `calls[i]` are those of body i among the bodies, `known[i]` the variables of those it calls
/// besides.
pub fn spread(bodies: &mut [&mut Imported], calls: &[Vec<usize>], known: &[Variables]) {
    let own: Vec<Variables> = bodies.iter().map(|b| named(b)).collect();
    let mut all = own.clone();
    all.iter_mut().zip(known).for_each(|(all, known)| all.extend(known.clone()));
    loop {
        let mut grew = false;
        for (i, callees) in calls.iter().enumerate() {
            for &callee in callees.iter().filter(|c| **c != i) {
                let more: Vec<_> = all[callee]
                    .iter()
                    .filter(|(s, _)| !all[i].contains_key(*s))
                    .map(|(s, d)| (s.clone(), d.clone()))
                    .collect();
                grew |= !more.is_empty();
                all[i].extend(more);
            }
        }
        if !grew {
            break;
        }
    }
    for ((body, all), own) in bodies.iter_mut().zip(all).zip(own) {
        for (_, (data, variable)) in
            all.into_iter().filter(|(s, _)| !own.contains_key(s)).take(MOST_NAMES)
        {
            body.add_leaf(data, variable);
        }
    }
}

/// What a request does about global variables.
pub struct Settled {
    /// Its context, with the variables that have shadows.
    pub context: Context,
    /// The function that it calls when it starts.
    begin: Option<Function>,
    /// What the request says of the parameters.
    params: Vec<Param>,
    /// Variables that have a shadow.
    variables: Vec<Value>,
    /// Variables without a shadow that the function or what it calls reaches by their names, and to
    /// which an argument may lead: what is written by one way would be constant by the other.
    unshadowed: Vec<Value>,
    /// All variables that are reached by their names, and those that are declared inactive.
    named: Vec<Value>,
    /// Variables that need a shadow and cannot have one.
    refused: Vec<Diagnostic>,
}

/// What a request starts with.
#[derive(Clone, Copy)]
pub enum Start<'a> {
    /// A tangent: dots and shadows of the parameters that have one, in order.
    Tangent(&'a [Value]),
    /// A gradient: shadows of the parameters that have one.
    Gradient(&'a [Value]),
    /// A forward sweep alone, likewise.
    Forward(&'a [Value]),
    /// A reverse sweep alone.
    Reverse,
}

impl Start<'_> {
    /// Pointers that the derivative is asked for with, and their shadows.
    fn pointers(self, params: &[Param], arguments: &[Value]) -> Vec<(Value, Value)> {
        let (shadows, has): (_, fn(Param) -> bool) = match self {
            Start::Tangent(shadows) => (shadows, Param::is_active),
            Start::Gradient(shadows) | Start::Forward(shadows) => {
                (shadows, |p| p == Param::Shadowed)
            }
            Start::Reverse => return vec![],
        };
        let active = params.iter().zip(arguments).filter(|(p, _)| has(**p)).map(|(_, a)| *a);
        active.zip(shadows.iter().copied()).filter(|(a, _)| a.ty().is_pointer()).collect()
    }
}

impl Settled {
    /// Variables that have a shadow.
    pub fn variables(&self) -> &[Value] {
        &self.variables
    }
    /// That of a call in differentiated code: the request has settled it.
    pub fn of_call(params: &[Param], context: &Context) -> Settled {
        Settled {
            context: context.clone(),
            begin: None,
            params: params.to_vec(),
            variables: vec![],
            unshadowed: vec![],
            named: vec![],
            refused: vec![],
        }
    }
    /// Emits what happens when the request starts: shadows are made ready, and pointers among
    /// `arguments` must not lead to the variables, which have another shadow there, or none. Primal
    /// arguments come first.
    pub fn emit_begin(&self, module: Module, b: &Builder, arguments: &[Value], start: Start) {
        for (primal, _) in start.pointers(&self.params, arguments) {
            self.unshadowed
                .iter()
                .for_each(|&variable| check_argument(module, b, primal, variable));
        }
        let Some(begin) = self.begin else { return };
        if self.context.pointed().leads_to_blocks {
            // Between the sweeps of a split gradient, the program may free what the first touched.
            match start {
                Start::Tangent(_) | Start::Gradient(_) => {
                    let named = (self.named.len() < MOST_NAMES).then(|| self.extents(module, b));
                    blocks::begin(module, b, &arguments[..self.params.len()], named);
                }
                Start::Forward(_) | Start::Reverse => blocks::begin_without(module, b),
            }
        }
        if self.calls_prebuilt() {
            let runtime = Runtime { module, b };
            runtime.evaluation();
            if matches!(start, Start::Gradient(_) | Start::Forward(_)) {
                runtime.records();
            }
            for (primal, shadow) in start.pointers(&self.params, arguments) {
                runtime.active(primal, shadow);
            }
        }
        self.share_blocks(module, b, start);
        b.call(begin, &[]);
        let pointers = arguments[..self.params.len()].iter().filter(|a| a.ty().is_pointer());
        for (&argument, &variable) in
            pointers.flat_map(|a| self.variables.iter().map(move |v| (a, v)))
        {
            check_argument(module, b, argument, variable);
        }
    }
    /// A table of all variables that are reached by their names, with their shadows where they have one;
    /// and how many these are.
    fn extents(&self, module: Module, b: &Builder) -> (Value, u64) {
        let (null, i64) = (module.context().ptr().zero(), module.context().int(64));
        let row = |&g: &Value| {
            let has_shadow = self.variables.contains(&g);
            let shadow = if has_shadow { address(module, b, shadow(module, g, 0)) } else { null };
            (address(module, b, g), shadow, i64.int(extent(module, g)))
        };
        let rows: Vec<_> = self.named.iter().map(row).collect();
        (table(module, b, &rows), rows.len() as u64)
    }
    /// Emits that both runtimes know of each other, where blocks from before the request have shadows and
    /// machine code takes part: a block has one shadow, whoever comes first.
    fn share_blocks(&self, module: Module, b: &Builder, start: Start) {
        if !self.calls_prebuilt() {
            return;
        }
        let has_blocks = self.context.pointed().leads_to_blocks
            && matches!(start, Start::Tangent(_) | Start::Gradient(_));
        blocks::share(module, b, has_blocks);
    }
    /// Emits what happens when the function has run.
    pub fn emit_end(&self, module: Module, b: &Builder) {
        if self.calls_prebuilt() {
            Runtime { module, b }.evaluation_end();
        }
    }
    /// Whether functions that exist only as machine code take part.
    pub fn calls_prebuilt(&self) -> bool {
        self.variables.iter().any(|v| v.name() == foreign::LIBRARY)
    }
    /// What runtimes find shadows for has one shadow, in which no more than one direction fits.
    pub fn check_directions(&self, source: Function, width: usize) -> Result<(), Vec<Diagnostic>> {
        let leads_to_blocks = self.begin.is_some() && self.context.pointed().leads_to_blocks;
        if width == 1 || !self.calls_prebuilt() && !leads_to_blocks {
            return Ok(());
        }
        let name = source.name();
        let (text, remedy) = match self.calls_prebuilt() {
            true => (
                format!(
                    "'{name}' calls functions that exist only as machine code and may access its \
                    active memory: the shadow runtime supports one direction, not {width}"
                ),
                "make one request for each direction; or, if the functions use no active memory, \
                list them in an array __ad_inactive_function",
            ),
            false => (
                format!(
                    "'{name}' reaches memory from before the request through global variables; such \
                    memory has one shadow, not {width}"
                ),
                "make one request for each direction, or pass the memory as an active argument",
            ),
        };
        Err(vec![Diagnostic::new(Code::RequestUnsupported, None, text, remedy)])
    }
    /// Whether anything happens then.
    pub fn has_begin(&self) -> bool {
        let leads = |p: &Param| *p == Param::Shadowed;
        self.begin.is_some() || !self.unshadowed.is_empty() && self.params.iter().any(leads)
    }
    /// The derivative `made` of the request, unless a variable is refused: what else is wrong is
    /// said as well.
    pub fn check<T>(&mut self, made: Result<T, Vec<Diagnostic>>) -> Result<T, Vec<Diagnostic>> {
        let refused = std::mem::take(&mut self.refused);
        match made {
            made if refused.is_empty() => made,
            Ok(_) => Err(refused),
            Err(found) => Err(found.into_iter().chain(refused).collect()),
        }
    }
}

/// Finds the variables that need shadows for a request on `source` in `width` directions.
pub fn settle(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    context: &Context,
    width: usize,
) -> Result<Settled, Vec<Diagnostic>> {
    let root = queries.unit(source).map_err(|d| vec![d])?;
    let lost = inner::check_variables(queries, source);
    if !lost.is_empty() {
        return Err(lost);
    }
    let hidden =
        if context.hidden.is_empty() { vec![false; params.len()] } else { context.hidden.clone() };
    let rest_own = integers::is_rest_own(&root.body, &root.memory, &root.types, params);
    let context = &context.clone().with_hidden(vec![]).with_own_rest(rest_own);
    let nothing = Settled::of_call(params, context);
    if named(&root.body).is_empty() {
        return Ok(nothing);
    }
    let named: Vec<Value> =
        named(&root.body).keys().filter_map(|s| queries.module().global(s)).collect();
    let inside = inner::own_variables(queries, source);
    let needed =
        stats::time("globals", || needed(queries, source, params, &hidden, (&named, &inside)));
    let may_be_argument = |g: &Value| {
        !g.is_global_constant()
            && !is_integers(g.global_type())
            && !registry::is_inactive_global(*g)
            && !is_only_accessed(*g)
    };
    let unshadowed: Vec<Value> = named
        .iter()
        .copied()
        .filter(|g| !needed.contains(&*g.name()) && may_be_argument(g))
        .collect();
    let shadowed = named.iter().copied().filter(|g| {
        needed.contains(&*g.name()) && !is_only_accessed(*g) && !foreign::is_memory(&g.name())
    });
    let is_followed = |g: &Value| holds_pointers(queries.module(), *g);
    let unfollowed = named.iter().filter(|g| !is_followed(g)).map(|g| g.name().into()).collect();
    let variables = shadowed.chain(unshadowed.iter().copied()).map(|g| g.name().into()).collect();
    let leads_to_blocks = may_lead_to_blocks(queries.module(), source, &needed);
    let pointed = Pointed { variables, unfollowed, leads_to_blocks };
    let context = &context.clone().with_pointed(Rc::new(pointed));
    if needed.is_empty() {
        return Ok(Settled { context: context.clone(), unshadowed, ..nothing });
    }
    let module = queries.module();
    let mut variables = vec![];
    let mut refused = vec![];
    for symbol in &needed {
        match module.global(symbol) {
            Some(g) => match obstacle(module, g) {
                None => variables.push(g),
                Some(why) => {
                    let text = format!(
                        "global variable '{symbol}' holds active data, but cannot have a shadow: \
                        {why}"
                    );
                    let remedy = "declare it with its complete type, or pass the memory as an active argument (ad_dup, value and shadow)";
                    refused.push(Diagnostic::new(Code::InactiveMemory, None, text, remedy));
                }
            },
            None => unreachable!("a variable of a body is one of the module"),
        }
    }
    let inactive = module.globals().into_iter().filter(|g| registry::is_inactive_global(*g));
    let all = inactive.chain(named.iter().copied()).chain(variables.iter().copied());
    let all = all.filter(|g| !foreign::is_memory(&g.name())).collect();
    let others: Vec<Value> = named.into_iter().filter(|g| !variables.contains(g)).collect();
    let begin = begin(queries, source, &variables, &others, width)?;
    let symbols: Vec<Rc<str>> = variables.iter().map(|g| g.name().into()).collect();
    Ok(Settled {
        context: context.clone().with_globals(&symbols),
        begin: Some(begin),
        params: params.to_vec(),
        variables,
        unshadowed,
        named: all,
        refused,
    })
}

/// Whether pointers in variables with shadows may lead to blocks of the heap from before the request:
/// the module does not show that they lead to variables only, or their types do not say where they
/// are. What libraries allocate, the shadow runtime knows; on i386, it does not know blocks from before.
fn may_lead_to_blocks(module: Module, source: Function, needed: &BTreeSet<Rc<str>>) -> bool {
    let led = source.attribute_string(LED).unwrap_or_default();
    let is_led = |symbol: &str| led.split(' ').any(|s| s == symbol);
    let is_known = target::pointer() == 8 || !needed.contains(foreign::LIBRARY);
    is_known
        && needed
            .iter()
            .filter(|symbol| !is_led(symbol))
            .filter_map(|symbol| module.global(symbol))
            .any(|g| holds_pointers(module, g) && targets(g).is_none() || is_bytes(g.global_type()))
}

/// Symbols of the variables that need shadows, of those that the function and what it calls have
/// `named`, and not those `inside` inner adjoints.
fn needed(
    queries: &mut dyn Queries,
    source: Function,
    params: &[Param],
    hidden: &Vec<bool>,
    (named, inside): (&[Value], &HashSet<Rc<str>>),
) -> BTreeSet<Rc<str>> {
    let follows = queries.config().uses("activity");
    let mut needed: BTreeSet<Rc<str>> = BTreeSet::new();
    loop {
        let before = needed.len();
        let mut seen: Vec<(Function, Vec<Param>)> = vec![];
        let mut queue = vec![(source, params.to_vec())];
        while let Some((f, params)) = queue.pop() {
            if seen.contains(&(f, params.clone())) {
                continue;
            }
            seen.push((f, params.clone()));
            // What has no derivative is refused when it is asked for.
            let Ok(unit) = queries.unit(f) else { continue };
            let globals: Globals = needed.iter().map(|s| (s.clone(), [Entry::ANY; 2])).collect();
            let mut context = Context::unknown(params.len()).with_entries(globals);
            context.is_open = true;
            if f == source {
                context.hidden.clone_from(hidden);
            }
            let locations = unit.locations(&context);
            let known = unit.known(&locations);
            let activity = Activity::compute(known, &params, &context, follows);
            needed.extend(activity.globals(known).cloned());
            let is_defined = |v: &ValueId| matches!(unit.body[*v].op, Op::Call(Callee::Defined));
            let calls = unit.body.insts().filter(|v| is_defined(v) && activity.is_active_call(*v));
            for v in calls {
                if let Some(callee) = unit.body.called(v) {
                    queue.push((callee, activity.call_params(&unit.body, v)));
                }
            }
        }
        if needed.contains(foreign::LIBRARY) {
            needed.extend(shared(queries, source));
        }
        lead_on(queries.module(), &mut needed, named);
        needed.retain(|s| !inside.contains(s));
        // What the user declared inactive is constant, whatever is stored there.
        needed.retain(|s| !queries.module().global(s).is_some_and(registry::is_inactive_global));
        if needed.len() == before {
            return needed;
        }
    }
}

/// Variables that foreign code may give derivatives to, and that the function or what it calls has
/// names for: those that hold reals. Where one holds pointers as well, it is unknown whether they
/// lead to anything active; nor has one of unknown size a shadow: what is read there is checked
/// when the program runs (prebuilt/constants.rs).
fn shared(queries: &mut dyn Queries, source: Function) -> BTreeSet<Rc<str>> {
    let (mut found, mut seen, mut work) = (BTreeSet::new(), BTreeSet::new(), vec![source]);
    let mut visited: Vec<Function> = vec![];
    while let Some(f) = work.pop() {
        if visited.contains(&f) {
            continue;
        }
        visited.push(f);
        let Ok(unit) = queries.unit(f) else { continue };
        let is_call = |v: &ValueId| matches!(unit.body[*v].op, Op::Call(Callee::Defined));
        work.extend(unit.body.insts().filter(is_call).filter_map(|v| unit.body.called(v)));
        for v in unit
            .body
            .value_ids()
            .filter(|&v| matches!(unit.body[v].op, Op::Global(false)) && !unit.body[v].is_hidden)
        {
            let Some(symbol) = unit.body[v].symbol.clone() else { continue };
            let variable = unit.body.llvm(v);
            if found.contains(&symbol) || foreign::is_memory(&symbol) {
                continue;
            }
            let first = seen.insert(symbol.clone());
            let ty = variable.global_type();
            let holds_real = first && holds_reals(ty) && !ty.holds_pointer()
                || is_bytes(ty) && unit.holds_real(v);
            if holds_real && obstacle(queries.module(), variable).is_none() {
                found.insert(symbol);
            }
        }
    }
    found
}

/// Whether values of a type hold numbers of floating point, as far as the type says.
pub fn holds_reals(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::LLVMStructTypeKind => ty.struct_members().into_iter().any(holds_reals),
        TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => holds_reals(ty.element()),
        _ => ty.is_float(),
    }
}

/// Whether a type says nothing of what its values hold, as that of a common block.
pub fn is_bytes(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::LLVMStructTypeKind => ty.struct_members().into_iter().all(is_bytes),
        TypeKind::LLVMArrayTypeKind => is_bytes(ty.element()),
        _ => ty.is_int() && ty.int_width() == 8,
    }
}

/// Adds the variables to which pointers in others lead, and those whose pointers lead to others: by
/// their initialisers, and by what the module stores there where it shows all of that.
fn lead_on(module: Module, needed: &mut BTreeSet<Rc<str>>, named: &[Value]) {
    let symbol = |g: &Value| Rc::<str>::from(g.name());
    let leads: Vec<_> = named
        .iter()
        .filter(|g| led_to(module, **g).iter().any(|n| needed.contains(&symbol(n))))
        .map(symbol)
        .collect();
    needed.extend(leads);
    let mut stack: Vec<Value> = needed.iter().filter_map(|s| module.global(s)).collect();
    while let Some(variable) = stack.pop() {
        for named in led_to(module, variable).into_iter().filter(|g| !is_text(*g)) {
            if needed.insert(named.name().into()) {
                stack.push(named);
            }
        }
    }
}

/// Variables to which the pointers in one lead. What is stored there counts where it can have a
/// shadow, the initialiser always.
fn led_to(module: Module, variable: Value) -> Vec<Value> {
    let mut found = variable.named_by_initializer();
    let stored = targets(variable).unwrap_or_default();
    found.extend(stored.into_iter().filter(|g| {
        !g.is_global_constant() && holds_reals(g.global_type()) && obstacle(module, *g).is_none()
    }));
    found
}

/// Whether a constant holds no reals and no pointers.
fn is_text(constant: Value) -> bool {
    constant.is_global_constant() && is_integers(constant.global_type())
}

pub fn is_integers(ty: Type) -> bool {
    match ty.kind() {
        TypeKind::LLVMStructTypeKind => ty.struct_members().into_iter().all(is_integers),
        TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => is_integers(ty.element()),
        kind => kind == TypeKind::LLVMIntegerTypeKind,
    }
}

/// Why a variable cannot have a shadow.
fn obstacle(module: Module, variable: Value) -> Option<&'static str> {
    let ty = variable.global_type();
    if !ty.is_sized() || module.alloc_size(ty) == 0 {
        return Some("its size is not known in this file");
    }
    match runs_in(module, variable) {
        Some(_) => None,
        None => Some("it holds too many pointers"),
    }
}

/// How many bytes of a variable are known to be its own: at least its first.
pub fn extent(module: Module, variable: Value) -> u64 {
    let ty = variable.global_type();
    if ty.is_sized() { module.alloc_size(ty).max(1) } else { 1 }
}

/// How the names of shadows end.
const SHADOW: &str = ".ad.shadow";

/// A variable's shadow in one direction, defined on first use: of the same type and storage, zero.
pub fn shadow(module: Module, variable: Value, direction: usize) -> Value {
    let further = match direction {
        0 => String::new(),
        n => format!(".ad.direction{n}"),
    };
    module.shadow_global(&format!("{}{further}{SHADOW}", variable.name()), variable)
}

/// How the names of shadows end that belong to requests which others differentiate.
const INNER: &str = ".ad.inner";

/// Has shadows be variables like others, with shadows of their own, for requests around those that
/// they belong to.
pub fn settle_shadows(module: Module) {
    for g in module.globals().into_iter().filter(|g| is_shadow(*g)) {
        let name = g.name();
        g.set_name(&format!("{}{INNER}", name.strip_suffix(SHADOW).unwrap_or(&name)));
    }
}

/// Whether a variable is one.
pub fn is_shadow(variable: Value) -> bool {
    variable.name().ends_with(SHADOW)
}

/// Whether a variable is one, or was one for requests which others differentiate.
pub fn is_any_shadow(variable: Value) -> bool {
    is_shadow(variable) || variable.name().ends_with(INNER)
}

/// Emits the end of the program where an argument of a request leads to a variable.
fn check_argument(module: Module, b: &Builder, argument: Value, variable: Value) {
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let helper = helper(
        module,
        CHECK_ARGUMENT,
        &[ptr, ptr, i64],
        "adrt_argument_has_shadow",
        |b, params| b.icmp(IntPredicate::LLVMIntULT, distance(b, params[1], params[0]), params[2]),
    );
    let bytes = i64.int(extent(module, variable));
    let (argument, variable_at) =
        (ordinary(b, argument), ordinary(b, address(module, b, variable)));
    b.call(helper, &[argument, variable_at, bytes, b.text(&readable(&variable.name()))]);
}

/// How far, in bytes, an address is behind another.
pub fn distance(b: &Builder, from: Value, to: Value) -> Value {
    let number = |v: Value| b.cast(Opcode::LLVMPtrToInt, v, b.context().int(64));
    b.sub(number(to), number(from))
}

/// Emits the end of the program where a pointer that global variable `symbol` holds may lead to memory,
/// and its shadow is null. In a union, it may be a small number or a real.
pub fn check(module: Module, b: &Builder, (primal, shadow): (Value, Value), symbol: &str) {
    let ptr = module.context().ptr();
    let helper = helper(module, CHECK, &[ptr, ptr], "adrt_no_shadow", |b, params| {
        let is_missing = b.icmp(IntPredicate::LLVMIntEQ, params[1], ptr.zero());
        let size = module.size_type();
        let address = b.cast(Opcode::LLVMPtrToInt, params[0], size);
        let last = if target::pointer() == 8 { LAST_ADDRESS } else { u64::from(u32::MAX) };
        let further = b.sub(address, size.int(FIRST_PAGE));
        let is_one = b.icmp(IntPredicate::LLVMIntULT, further, size.int(last - FIRST_PAGE));
        b.and(is_one, is_missing)
    });
    b.call(helper, &[ordinary(b, primal), ordinary(b, shadow), b.text(&readable(symbol))]);
}

/// A pointer in the address space of most.
pub fn ordinary(b: &Builder, pointer: Value) -> Value {
    let ptr = b.context().ptr();
    if pointer.ty() == ptr { pointer } else { b.cast(Opcode::LLVMAddrSpaceCast, pointer, ptr) }
}

/// A function, made once per module, that ends the program by `end(text)` where its parameters are
/// wrong; the text is the last of them.
pub fn helper(
    module: Module,
    name: &str,
    params: &[Type],
    end: &str,
    is_wrong: impl Fn(&Builder, &[Value]) -> Value,
) -> Function {
    if let Some(f) = module.function(name) {
        return f;
    }
    let context = module.context();
    let ptr = context.ptr();
    let f = module
        .add_function(name, Type::function(context.void(), &[params, &[ptr]].concat(), false));
    f.set_external(false);
    f.add_attribute("nounwind");
    let b = Builder::at_end(context, f.append_block("entry"));
    let [wrong, fine] = ["wrong", "fine"].map(|n| f.append_block(n));
    let given = f.params();
    b.cond_br(is_wrong(&b, &given), wrong, fine);
    b.position_at_end(wrong);
    let end = module.declare(end, Type::function(context.void(), &[ptr], false));
    for attribute in ["cold", "noreturn", "nounwind"] {
        end.add_attribute(attribute);
    }
    b.call(end, &[given[params.len()]]);
    b.unreachable();
    b.position_at_end(fine);
    b.ret_void();
    f
}

/// Whether a variable's type says where it holds pointers.
pub fn holds_pointers(module: Module, variable: Value) -> bool {
    let ty = variable.global_type();
    ty.is_sized()
        && module.alloc_size(ty) > 0
        && pointers(module, ty).is_some_and(|runs| !runs.is_empty())
}

/// Pointers at `offset`, and `count` of them `stride` bytes apart.
#[derive(Clone, Copy)]
struct Run {
    offset: u64,
    stride: u64,
    count: u64,
}

/// Where values of a type hold pointers; `None` where these are too many.
fn pointers(module: Module, ty: Type) -> Option<Vec<Run>> {
    let runs = match ty.kind() {
        TypeKind::LLVMPointerTypeKind => vec![Run { offset: 0, stride: 8, count: 1 }],
        TypeKind::LLVMStructTypeKind => {
            let mut runs = vec![];
            for (i, member) in ty.struct_members().into_iter().enumerate() {
                let at = module.member_offset(ty, i as u32);
                runs.extend(
                    pointers(module, member)?
                        .into_iter()
                        .map(|r| Run { offset: at + r.offset, ..r }),
                );
            }
            runs
        }
        TypeKind::LLVMArrayTypeKind => {
            let (size, length) = (module.alloc_size(ty.element()), ty.array_length());
            let inner = pointers(module, ty.element())?;
            if inner.iter().all(|r| r.count == 1) {
                inner.into_iter().map(|r| Run { stride: size, count: length, ..r }).collect()
            } else if inner.len() as u64 * length <= MOST_RUNS as u64 {
                (0..length)
                    .flat_map(|i| {
                        inner.iter().map(move |r| Run { offset: i * size + r.offset, ..*r })
                    })
                    .collect()
            } else {
                return None;
            }
        }
        _ => vec![],
    };
    (runs.len() <= MOST_RUNS).then_some(runs)
}

/// Where a variable holds pointers: where its type says so, and where its initialiser has addresses
/// as integers.
fn runs_in(module: Module, variable: Value) -> Option<Vec<Run>> {
    let mut runs = pointers(module, variable.global_type())?;
    let addresses = variable.addresses_as_integers(MOST_RUNS)?;
    runs.extend(addresses.into_iter().map(|offset| Run { offset, stride: 8, count: 1 }));
    Some(runs)
}

/// The function that a request on `source` calls when it starts: it zeroes the shadows, and lets
/// pointers in them lead to shadows. Pointers in `others`, which have no shadow, must not lead to
/// variables that do; nor have pointers a shadow that lead to `others`: they are constant where
/// their names stand, also those of libraries.
fn begin(
    queries: &mut dyn Queries,
    source: Function,
    variables: &[Value],
    others: &[Value],
    width: usize,
) -> Result<Function, Vec<Diagnostic>> {
    let (module, context) = (queries.module(), queries.module().context());
    let f = queries.new_function(
        &format!("{}.globals", source.name()),
        Type::function(context.void(), &[], false),
        source,
    );
    let b = Builder::at_end(context, f.append_block("entry"));
    (0..width).for_each(|direction| begin_direction(module, &b, variables, others, direction));
    b.ret_void();
    queries.finish(f)?;
    Ok(f)
}

/// The same for the shadows of one direction.
fn begin_direction(
    module: Module,
    b: &Builder,
    variables: &[Value],
    others: &[Value],
    direction: usize,
) {
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let pairs: Vec<(Value, Value, Value)> = variables
        .iter()
        .map(|&g| {
            (
                address(module, b, g),
                address(module, b, shadow(module, g, direction)),
                i64.int(module.alloc_size(g.global_type())),
            )
        })
        .collect();
    for (&(primal, shadow, bytes), variable) in pairs.iter().zip(variables) {
        b.memset(shadow, context.int(8).zero(), bytes);
        // What stands for the memory of libraries is no memory.
        if prebuilt::objects::are_needed(module) && !foreign::is_memory(&variable.name()) {
            let runtime = Runtime { module, b };
            runtime.layout_of_variable(layout::of_type(module, variable.global_type()).as_ref());
            runtime.global(*variable, primal, shadow, bytes);
        }
    }
    let is_sized = |g: &Value| g.global_type().is_sized();
    let of = |g: &Value| if is_sized(g) { runs_in(module, *g).unwrap_or_default() } else { vec![] };
    let runs: Vec<Vec<Run>> = variables.iter().map(of).collect();
    let outside: Vec<(Value, Vec<Run>)> =
        others.iter().map(|g| (*g, of(g))).filter(|(_, r)| !r.is_empty()).collect();
    if !outside.is_empty() || runs.iter().any(|r| !r.is_empty()) {
        let zeros: Vec<(Value, Value, Value)> = texts(module, variables)
            .into_iter()
            .map(|text| {
                let (zeros, bytes) =
                    (shadow(module, text, direction), i64.int(extent(module, text)));
                b.memset(zeros, context.int(8).zero(), bytes);
                (text, zeros, bytes)
            })
            .collect();
        let all: Vec<(Value, Value, Value)> = pairs.iter().chain(&zeros).copied().collect();
        let table = table(module, b, &all);
        let withheld = prebuilt::objects::are_needed(module).then(|| {
            let varying = others.iter().filter(|g| !g.is_global_constant());
            let rows: Vec<(Value, Value, Value)> = varying
                .map(|&g| (address(module, b, g), ptr.zero(), i64.int(extent(module, g))))
                .collect();
            [self::table(module, b, &rows), i64.int(rows.len() as u64)]
        });
        let lead = module.declare(
            "adrt_lead_to_shadows",
            Type::function(context.void(), &[ptr, ptr, i64, i64, ptr, i64, i64], false),
        );
        for ((&(primal, shadow, _), runs), &variable) in pairs.iter().zip(&runs).zip(variables) {
            let rows = match targets(variable).filter(|_| !runs.is_empty()) {
                None => [table, i64.int(all.len() as u64), i64.zero()],
                Some(targets) => {
                    let row = |&g: &Value| match variables.iter().position(|v| *v == g) {
                        Some(i) => pairs[i],
                        None => zeros.iter().copied().find(|row| row.0 == g).unwrap_or_else(|| {
                            (address(module, b, g), ptr.zero(), i64.int(extent(module, g)))
                        }),
                    };
                    let rows: Vec<(Value, Value, Value)> = targets.iter().map(row).collect();
                    [self::table(module, b, &rows), i64.int(rows.len() as u64), i64.int(1)]
                }
            };
            for run in runs {
                let at = i64.int(run.offset);
                let args = [
                    b.byte_offset(primal, at),
                    b.byte_offset(shadow, at),
                    i64.int(run.stride),
                    i64.int(run.count),
                ];
                b.call(lead, &[&args[..], &rows].concat());
                if let Some(unshadowed) = withheld {
                    let [primal, shadow, stride, count] = args;
                    Runtime { module, b }.library_pointers(primal, shadow, stride, count);
                    let ty = Type::function(context.void(), &[ptr, ptr, i64, i64, ptr, i64], false);
                    b.call(
                        module.declare("adrt_withhold_shadows", ty),
                        &[&args[..], &unshadowed].concat(),
                    );
                }
            }
        }
        let check = module.declare(
            "adrt_check_pointers",
            Type::function(context.void(), &[ptr, i64, i64, ptr, i64, ptr], false),
        );
        for (variable, runs) in outside {
            let (start, name) = (address(module, b, variable), b.text(&readable(&variable.name())));
            for run in runs {
                let at = b.byte_offset(start, i64.int(run.offset));
                b.call(
                    check,
                    &[
                        at,
                        i64.int(run.stride),
                        i64.int(run.count),
                        table,
                        i64.int(pairs.len() as u64),
                        name,
                    ],
                );
            }
        }
    }
}

/// Constants of integers to which the pointers in variables lead: texts, and initial values of
/// members. Code that copies bytes copies them with their shadows.
fn texts(module: Module, variables: &[Value]) -> Vec<Value> {
    let named = variables.iter().flat_map(|g| g.named_by_initializer());
    let mut found: Vec<Value> =
        named.filter(|g| is_text(*g) && obstacle(module, *g).is_none()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A table of variables for the runtime, in the frame: where they are, where their shadows are, how
/// many bytes they have.
fn table(module: Module, b: &Builder, rows: &[(Value, Value, Value)]) -> Value {
    let context = module.context();
    let (ptr, i64) = (context.ptr(), context.int(64));
    let row = context.structure(&[ptr, ptr, i64]);
    let table = b.alloca(row.array(rows.len().max(1) as u64), "table");
    for (i, &(primal, shadow, bytes)) in rows.iter().enumerate() {
        let at = b.byte_offset(table, i64.int(i as u64 * module.alloc_size(row)));
        for (member, value) in [primal, shadow, bytes].into_iter().enumerate() {
            b.store(value, b.member(row, at, member as u32));
        }
    }
    table
}

/// The address of a variable, for this thread.
pub fn address(module: Module, b: &Builder, variable: Value) -> Value {
    match variable.is_thread_local() {
        true => {
            b.call(module.intrinsic(Intrinsic::ThreadLocalAddress, &[variable.ty()]), &[variable])
        }
        false => variable,
    }
}
