//! Validation (`-ad-validate`): code that compares the derivatives of a request with differences, and
//! with each other, when the program runs (runtime/src/validate).
//!
//! Before the request, a function puts its arguments into a [`frame`], and calls the runtime with what
//! it has to know of them ([`text`]) and with functions that run the primal, the tangent and the
//! adjoint on the frame ([`thunks`]). One more runs a tangent that stops before each call of a
//! derivative, where the same is done with what it calls ([`stops`]).
//!
//! Comes in: a function, the activity of its parameters, arguments and shadows. Goes out: a call of
//! the runtime. Must hold: the request's own code stays as it is; what cannot be differentiated is not
//! validated, with a note, and is no error.

mod frame;
pub mod stops;
mod text;
mod thunks;

use crate::{
    annotations::registry,
    codegen::{
        Queries, globals,
        tangent::Carried,
        versions,
        wrapper::{self, Gradient},
    },
    diagnostics::{Code, Diagnostic, Origin, names::readable, report_note},
    llvm::{Builder, Function, Module, Type, Value, Variable},
};
use adanalysis::{activity::Param, context::Context};
use adir::hashed::HashMap;
use frame::Frame;
use thunks::Thunks;

/// Accesses of which spans are computed, at most.
const MOST_ACCESSES: usize = 400;
/// Name of the function that tells the runtime of the module's variables.
const VARIABLES: &str = "__adcc.variables";

/// What was made for calls: by function, activity, and the variables that have shadows.
pub type Made = HashMap<(Function, Vec<Param>, Vec<String>), Thunks>;

/// A request whose derivatives are to be validated.
pub struct Asked<'a> {
    /// What is differentiated.
    pub function: Function,
    /// Its name in the source.
    pub name: String,
    /// Its activity.
    pub params: &'a [Param],
    /// Number of directions.
    pub width: usize,
    /// What the request knows.
    pub context: Context,
    /// The derivatives that the request calls, as far as it does.
    pub tangent: Option<Function>,
    /// Likewise.
    pub gradient: Option<Gradient>,
    /// The arguments.
    pub primals: Vec<Value>,
    /// The shadows of parameters with `Param::Shadowed`, those of one in all directions side by side.
    pub shadows: Vec<Value>,
    /// Variables into which they lead.
    pub variables: Vec<Variable>,
    /// Where it stands.
    pub origin: &'a Origin,
    /// Which declared variables may be named.
    pub is_variable: &'a dyn Fn(Value) -> bool,
}

/// Emits the validation of a request, if the program is to have it.
pub fn request(
    queries: &mut dyn Queries,
    b: &Builder,
    asked: &Asked,
) -> Result<(), Vec<Diagnostic>> {
    if !queries.config().validate {
        return Ok(());
    }
    let (module, function) = (queries.module(), asked.function);
    let context = module.context();
    let ptr = context.ptr();
    let frame = Frame::new(module, function, asked.params, asked.width);
    let thunks = of_request(queries, asked, &frame);
    let place = crate::diagnostics::request_text(asked.origin, &module.source_file());
    let text =
        text::of_function(queries, function, asked.params, &frame, &[], &asked.name, &place)?;

    let args = [&asked.primals[..], &asked.shadows].concat();
    let types: Vec<Type> = args.iter().map(|a| a.ty()).collect();
    let ty = Type::function(context.void(), &types, false);
    let f = queries.new_function(&format!("{}.validate", function.name()), ty, function);
    ["noinline", "cold"].into_iter().for_each(|a| f.add_attribute(a));
    let entry = f.append_block("entry");
    let spans = spans(queries, asked, entry)?;
    let c = Builder::at_end(context, entry);
    let at = frame.room(&c);
    frame.fill(&c, at, &f.params()[..asked.primals.len()], &f.params()[asked.primals.len()..]);
    for (i, levels) in spans.iter().enumerate() {
        frame.set_spans(&c, at, i, *levels);
    }
    call(module, &c, "adrt_validate_request", &text, at, &thunks);
    c.ret_void();
    queries.finish(f)?;

    let begin = runtime(module, "adrt_validate_begin", &[ptr]);
    let variables = variables(queries, function, asked.is_variable)?;
    b.call(begin, &[variables.value()]);
    let local = runtime(module, "adrt_validate_local", &[ptr, context.int(64)]);
    for v in &asked.variables {
        b.call(local, &[v.base, context.int(64).int(v.bytes)]);
    }
    b.call(f, &args);
    Ok(())
}

/// A function of the runtime.
fn runtime(module: Module, name: &str, types: &[Type]) -> Function {
    let f = module.declare(name, Type::function(module.context().void(), types, false));
    f.add_attribute("nounwind");
    f
}

/// Calls the runtime.
fn call(module: Module, b: &Builder, name: &str, text: &str, frame: Value, thunks: &Thunks) {
    let ptr = module.context().ptr();
    let table = thunks.table(module, b);
    b.call(runtime(module, name, &[ptr; 3]), &[b.text(text), frame, table]);
}

/// What runs the functions of a request; a note says which of them cannot be made.
fn of_request(queries: &mut dyn Queries, asked: &Asked, frame: &Frame) -> Thunks {
    let (source, params) = (asked.function, asked.params);
    let context = || asked.context.clone();
    let tangent = match asked.tangent {
        Some(f) => Ok(f),
        None => {
            wrapper::tangent(queries, source, params, &context(), Carried::Derivatives(asked.width))
        }
    };
    let gradient = match asked.gradient {
        Some(g) => Ok(g),
        None => wrapper::gradient(queries, source, params, &context(), asked.width, false),
    };
    // The search goes in one direction.
    let walk = match asked.width {
        1 => {
            wrapper::tangent_by(queries, source, params, &context(), 1, &mut |queries, context| {
                stops::tangent(queries, source, params, context)
            })
            .ok()
        }
        _ => None,
    };
    let noted = |what: &str, found: &[Diagnostic]| {
        let Some(first) = found.first() else { return };
        let reason = format!(
            "{what} of '{}' cannot be made, and is not validated: {}",
            asked.name, first.reason
        );
        let note = Diagnostic { code: Code::Validation, reason, ..first.clone() };
        report_note(queries.module(), asked.origin, &note);
    };
    let tangent = tangent.map_err(|found| noted("the tangent", &found)).ok();
    let gradient = gradient.map_err(|found| noted("the adjoint", &found)).ok();
    thunks::make(queries, source, params, frame, (tangent, gradient, walk))
}

/// Per parameter, where the accesses to what it leads to lie, and those behind pointers there: first
/// byte and the one behind the last, or zeros.
fn spans(
    queries: &mut dyn Queries,
    asked: &Asked,
    end: crate::llvm::Block,
) -> Result<Vec<frame::Spans>, Vec<Diagnostic>> {
    let unit = queries.unit(asked.function).map_err(|d| vec![d])?;
    let count = asked.params.len();
    let touched = versions::touched(&unit, &asked.context);
    if touched.accesses.len() > MOST_ACCESSES {
        return Ok(vec![[None; 2]; count]);
    }
    let none = vec![None; count];
    let found =
        unit.canon.function.emit_extents(end, &touched.accesses, &none, 2 * count as u32, false);
    let b = Builder::at_end(queries.module().context(), end);
    let zero = b.context().int(64).zero();
    let of = |i: usize, level: usize| {
        let e = 2 * i + level;
        let span = found.reached.primals[e].filter(|_| !touched.unclear[e])?;
        Some((b.select(found.holds, span.low, zero), b.select(found.holds, span.high, zero)))
    };
    Ok((0..count).map(|i| [of(i, 0), of(i, 1)]).collect())
}

/// The function that tells the runtime of the module's variables.
fn variables(
    queries: &mut dyn Queries,
    like: Function,
    is_variable: &dyn Fn(Value) -> bool,
) -> Result<Function, Vec<Diagnostic>> {
    let module = queries.module();
    if let Some(f) = module.function(VARIABLES) {
        return Ok(f);
    }
    let context = module.context();
    let f = queries.new_function(VARIABLES, Type::function(context.void(), &[], false), like);
    let b = Builder::at_end(context, f.append_block("entry"));
    let tell = runtime(module, "adrt_validate_variable", &[context.ptr(), context.int(64)]);
    // What is only declared may not be there, unless the link takes it from its objects.
    let is_link = queries.config().link.is_some();
    let is_plain = |g: &Value| {
        (is_link || g.initializer().is_some())
            && g.global_type().is_sized()
            && !g.is_global_constant()
            && !g.is_thread_local()
            && g.ty().address_space() == 0
            && module.alloc_size(g.global_type()) > 0
            && !g.name().starts_with("llvm.")
            && is_variable(*g)
    };
    for g in module.globals().into_iter().filter(is_plain) {
        b.call(tell, &[g, context.int(64).int(module.alloc_size(g.global_type()))]);
    }
    b.ret_void();
    queries.finish(f)?;
    Ok(f)
}

/// The source's name for a function, and where it is defined.
fn definition(function: Function) -> (String, String) {
    let place = function.definition().map(|(file, line)| format!("{}:{line}", file.name));
    (readable(&function.source_name()), place.unwrap_or_default())
}

/// Whether derivatives of calls of `source` can be validated: what runs as machine code has no place
/// outside of a request.
fn is_checked(source: Function, context: &Context) -> bool {
    registry::of(source) != Some(registry::Registered::Prebuilt)
        && !context.calls_prebuilt()
        && !source.is_variadic()
}

/// Variables that have shadows, with them.
fn variables_with_shadows(module: Module, context: &Context) -> Vec<(Value, Value)> {
    context
        .globals()
        .keys()
        .filter_map(|symbol| module.global(symbol))
        .filter(|g| !adir::foreign::is_memory(&g.name()) && g.global_type().is_sized())
        .map(|g| (g, globals::shadow(module, g, 0)))
        .collect()
}
