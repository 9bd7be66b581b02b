//! Requests on the command line: heads such as `f(y)/(x, z)`, which generate `f_d` and `f_b`, in several
//! directions `f_dv` and `f_bv`.
//!
//! dependents / independents, by parameter name or position `$1`; `f` alone stands for everything
//! of floating-point type. The generated function takes each parameter, and after each active one
//! its shadow:
//! - tangent: `f_d(x, xd, …)`; a function's result: the tangent is returned, the primal result goes
//!   through a last pointer;
//! - adjoint: `f_b(x, xb, …)`, by-value active parameters with a pointer to their adjoint, which
//!   accumulates; a function's result: its adjoint `fb` comes last;
//! - in several directions, a pointer is followed by a shadow for each of them. Derivatives of a number
//!   by value, and of the result, stand side by side in an array: `f_dv(x, xd1, xd2, …, a, ad, fd, f)`.
//!
//! A head may name what another one generates ([`mod@plan`]). Then it takes shadows of all memory that the
//! other one writes, and of all that an adjoint inside has active.
//!
//! Fortran (symbols of flang): the same under the name `f_d_`, `f_b_`, everything by reference.

mod emit;
mod named;
mod parse;
mod plan;
mod prototype;
mod slices;
mod slots;
mod variables;

pub use crate::annotations::heads::{Asked, Mode};
use crate::{
    diagnostics::{
        Code, Diagnostic, Origin,
        names::{fortran_name, symbol_in_unit},
    },
    frontend::Host,
    frontend::by_value::{Argument, Piece, Returned, Shape},
    llvm::{Function, Module, Type},
};
use adanalysis::{activity::Param, types::ScalarKind};
use adir::Ty;
pub use named::{candidates, find, keep, release};
pub use parse::Head;
pub use plan::{Planned, Subject, generated, plan, source};
pub use prototype::Prototype;

/// What became of a head.
pub struct Generated {
    /// What it asks for.
    pub asked: Asked,
    /// The function of the source that it differentiates in the end.
    pub source: Option<Function>,
    /// The function, if it was not there already.
    pub made: Result<Option<Function>, Vec<Diagnostic>>,
}

/// A head that found its function and parameters.
struct Resolved {
    asked: Asked,
    /// What is differentiated.
    function: Function,
    /// What the head names: with variables in its lists, `function` calls it.
    named: Function,
    params: Vec<Param>,
    /// Of the parameters of `named`, which are dependents.
    is_written: Vec<bool>,
    /// The variables, which stand behind the parameters of `named`.
    variables: Vec<variables::Variable>,
    /// Whether the function's result is a dependent.
    result: bool,
    fortran: bool,
    /// How many parameters at the end are lengths of characters, which no Fortran code writes: what a
    /// head adds stands before them.
    lengths: usize,
    /// Whether others differentiate what it generates.
    is_inner: bool,
}

impl Resolved {
    fn mode(&self) -> Mode {
        self.asked.mode
    }
    fn is_adjoint(&self) -> bool {
        self.asked.mode == Mode::Adjoint
    }
    /// How many directions there are.
    fn width(&self) -> usize {
        self.asked.directions.unwrap_or(1)
    }
    /// Which parameter is the first length; none if there are none.
    fn before_lengths(&self) -> usize {
        if self.lengths == 0 { usize::MAX } else { self.own() - self.lengths }
    }
    /// How many parameters are those of the function that the head names.
    fn own(&self) -> usize {
        self.params.len() - self.variables.len()
    }
}

/// How many procedures a message lists.
const MOST_NAMES: usize = 20;

/// How diagnostics name a head.
pub fn origin(asked: &Asked) -> Origin {
    Origin { call: None, text: asked.option() }
}

/// Whether `origin` names the function for one direction beside one for several.
pub fn is_beside(head: &Planned, origin: &Origin) -> bool {
    let one = Asked { directions: None, ..head.asked.clone() };
    head.asked.directions.is_some() && one.option() == origin.text
}

/// Generates what head `at` of `all` asks for, which others differentiate (`is_inner`) or not.
pub fn generate(
    host: &mut dyn Host,
    all: &[Planned],
    at: usize,
    is_inner: bool,
) -> (Generated, Option<Prototype>) {
    let made = loop {
        let before = host.before();
        let made = one(host, all, at, is_inner);
        if made.is_ok() || !host.split_refused(&before) {
            break made;
        }
    };
    let (made, prototype) = match made {
        Ok(Some((function, prototype))) => (Ok(Some(function)), Some(prototype)),
        Ok(None) => (Ok(None), None),
        Err(found) => (Err(found), None),
    };
    let source = plan::source(all, at);
    (Generated { asked: all[at].asked.clone(), source, made }, prototype)
}

/// Writes the files with prototypes of what was generated: what is wrong with these.
pub fn write_prototypes(
    host: &dyn Host,
    prototypes: &[Prototype],
) -> Option<(Origin, Vec<Diagnostic>)> {
    let origin = Origin { call: None, text: "-ad-header, -ad-interface".into() };
    prototype::write_files(host, prototypes).err().map(|d| (origin, vec![d]))
}

/// What a head differentiates, as far as it is there.
pub fn subject(module: Module, all: &[Planned], at: usize) -> Option<Function> {
    match all[at].subject {
        // Answers of other requests may have replaced it.
        Subject::Function(_) => find(module, &Head::parse(&all[at].asked.text).ok()?.function),
        Subject::Head(of) => {
            module.function(all[of].symbol.as_deref()?).filter(|f| !f.is_declaration())
        }
        Subject::Unknown => None,
    }
}

fn one(
    host: &mut dyn Host,
    all: &[Planned],
    at: usize,
    is_inner: bool,
) -> Result<Option<(Function, Prototype)>, Vec<Diagnostic>> {
    let asked = &all[at].asked;
    let mut head = Head::parse(&asked.text).map_err(|reason| {
        vec![Diagnostic::new(
            Code::HeadSyntax,
            None,
            reason,
            "write it like f(y)/(x, z), f($2)/($1) or f; with 4 directions, like f(y)/(x)*4",
        )]
    })?;
    if let Some(n) = asked.directions.filter(|_| asked.mode == Mode::Pattern) {
        let text = "a pattern has no directions: its sets hold all inputs";
        let remedy = format!("remove *{n} from the head");
        return Err(vec![Diagnostic::new(Code::RequestUnsupported, None, text, remedy)]);
    }
    let Some(function) = subject(host.module(), all, at) else {
        if let Subject::Head(of) = all[at].subject {
            return Err(vec![ungenerated(&all[of])]);
        }
        if host.config().heads_optional {
            return Ok(None);
        }
        let (text, remedy) = unfound(host.module(), &head.function);
        return Err(vec![Diagnostic::new(Code::HeadFunction, None, text, remedy)]);
    };
    let names = names_of(host, &head, function);
    let module = host.module();
    let variables =
        variables::take(module, &mut head, &|name| names.has(name)).map_err(|d| vec![d])?;
    let mut resolved = resolve(host, asked, &head, function, &names).map_err(|d| vec![d])?;
    resolved.is_inner = is_inner;
    for i in emit::needed_shadows(function) {
        resolved.params[i] = Param::Shadowed;
        resolved.is_written[i] = true;
    }
    lengths(host, &mut resolved).map_err(|d| vec![d])?;
    by_value(host, &head, &resolved, !variables.is_empty()).map_err(|d| vec![d])?;
    if !variables.is_empty() {
        resolved.function = variables::wrap(host, function, &variables)?;
        resolved.params.extend(variables.iter().map(|_| Param::Shadowed));
        resolved.variables = variables;
    }
    let generated = emit::emit(host, &resolved)?;
    announce(&head.function);
    let Some(f) = generated else { return Ok(None) };
    let prototype = Prototype::new(host, &resolved, f);
    // Heads may name it.
    prototype.note(host);
    Ok(Some((f, prototype)))
}

/// What a head is told that names what another one did not generate.
fn ungenerated(other: &Planned) -> Diagnostic {
    let text = format!("{} generates no function here", origin(&other.asked).text);
    Diagnostic::new(Code::UnknownCallee, None, text, "see what is said of that head")
}

/// What a head is told that differentiates code which calls what it generates.
pub fn refuse_circular(head: &Planned) -> (Origin, Vec<Diagnostic>) {
    let symbol = head.symbol.as_deref().unwrap_or_default();
    let name = symbol.strip_suffix('_').unwrap_or(symbol);
    let text = format!("the code that this head differentiates calls '{name}', which it generates");
    let remedy = "take that call out of the code that the head differentiates";
    let found = Diagnostic::new(Code::RequestUnsupported, None, text, remedy);
    (origin(&head.asked), vec![found])
}

/// Why a head's name is not that of a function, and what to do.
fn unfound(module: Module, name: &str) -> (String, String) {
    let called = |f: &Function| {
        let symbol = f.name();
        fortran_name(&symbol).unwrap_or(symbol)
    };
    let found = named::candidates(module, name);
    if !found.is_empty() {
        let names: Vec<String> = found.iter().map(called).collect();
        let remedy = "write the whole name; of C++'s overloads, the symbol";
        return (format!("'{name}' may be {}", names.join(" or ")), remedy.into());
    }
    let options = [
        ("_b", "--ad-adjoint", ""),
        ("_d", "--ad-tangent", ""),
        ("_bv", "--ad-adjoint", "*N"),
        ("_dv", "--ad-tangent", "*N"),
    ];
    for (suffix, option, directions) in options {
        let Some(base) = name.strip_suffix(suffix).filter(|base| find(module, base).is_some())
        else {
            continue;
        };
        let text =
            format!("function '{name}' is not defined in this file, and no head generates it");
        return (
            text,
            format!("add {option}='{base}(...)/(...){directions}', or check the spelling"),
        );
    }
    let text = format!("function '{name}' is not defined in this file");
    let remedy = "check its spelling, or pass the option only where its source is compiled";
    let is_user = |f: &Function| !f.is_declaration() && f.name().starts_with("_Q");
    let mut names: Vec<String> =
        module.functions().iter().filter(|f| is_user(f)).map(called).collect();
    names.truncate(MOST_NAMES);
    let list =
        if names.is_empty() { String::new() } else { format!(" (it has {})", names.join(", ")) };
    (text + &list, remedy.into())
}

/// Finds the lengths of characters among the parameters of a Fortran procedure, and refuses an internal
/// procedure that its host alone can call.
fn lengths(host: &dyn Host, head: &mut Resolved) -> Result<(), Diagnostic> {
    let name = head.function.name();
    let called = fortran_name(symbol_in_unit(&name));
    let (true, Some(called)) = (head.fortran, called) else { return Ok(()) };
    let fail =
        |text: String, remedy: &str| Err(Diagnostic::new(Code::HeadParameter, None, text, remedy));
    let types = head.function.ty().function_params();
    if (0..types.len()).any(|i| head.function.param_has_attribute(i, "nest")) {
        let text =
            format!("the host of '{called}' passes variables to it: only the host can call it");
        return fail(text, "differentiate the host, or pass the variables as arguments");
    }
    let is_word = |ty: &Type| ty.is_int() && ty.int_width() == 64;
    let words = types.iter().rev().take_while(|ty| is_word(ty)).count();
    if words == 0 {
        return Ok(());
    }
    let given = host.config().argnames.iter().find(|(symbol, _)| *symbol == name);
    let Some((_, given)) = given else {
        if !head.result {
            return Ok(());
        }
        let text = format!(
            "whether the last arguments of '{called}' are lengths of characters is not known"
        );
        return fail(text, "compile with adfc, and name an argument in the head");
    };
    let count = types.len();
    let is_length = |i: &usize| given.get(*i).is_some_and(String::is_empty);
    head.lengths = (count - words..count).rev().take_while(is_length).count();
    Ok(())
}

/// Active arguments and results of a head are numbers and pointers: what comes in parts has no name
/// for its shadow. What comes in memory would need a convention that the generated function does
/// not have.
fn by_value(
    host: &dyn Host,
    text: &Head,
    head: &Resolved,
    has_variables: bool,
) -> Result<(), Diagnostic> {
    let name = head.function.name();
    let remedy = "let the function take it by pointer, or write a request in the source";
    let fail = |text: String| Err(Diagnostic::new(Code::HeadParameter, None, text, remedy));
    let shape = Shape::of(host.module(), head.function)?;
    if has_variables && !shape.is_plain() {
        return fail(format!(
            "'{name}' takes or returns structs, vectors or complex numbers by value: its heads \
            (-ad-tangent, -ad-adjoint) cannot name variables"
        ));
    }
    let is_asked = head.result || text.dependents.is_none();
    let is_refused = match shape.returned {
        Returned::Plain => false,
        Returned::Registers(_) => is_asked,
        Returned::Memory(..) => true,
    };
    if is_refused {
        return fail(format!(
            "'{name}' returns a struct, vector or complex number by value: heads (-ad-tangent, \
            -ad-adjoint) do not support this"
        ));
    }
    let mut at = 0;
    for (i, argument) in shape.arguments.iter().enumerate() {
        let count = match argument {
            Argument::Plain(_) => 1,
            Argument::Aggregate(_, pieces) => pieces.len(),
        };
        let is_active = head.params[at..at + count].iter().any(|p| *p != Param::Const);
        let is_refused = match argument {
            Argument::Plain(_) => false,
            Argument::Aggregate(_, pieces) => is_active || matches!(pieces[..], [Piece::Copy(_)]),
        };
        if is_refused {
            let what = "a struct, vector or complex number by value: heads (-ad-tangent, \
                -ad-adjoint) do not support this";
            return fail(format!("argument {} of '{name}' is {what}", i + 1));
        }
        at += count;
    }
    Ok(())
}

/// Tells a driver that compiles several sources which heads found their functions.
fn announce(function: &str) {
    use std::io::Write;
    let Some(path) = std::env::var_os("ADPASS_HEADS_SEEN") else { return };
    if let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(path) {
        // Best effort: the driver reports heads that it does not find in the file.
        let _ = writeln!(file, "{function}");
    }
}

/// Whether the positions of names from flang's debug information, which counts Fortran's arguments, are
/// those of parameters: an array result is a hidden first one, lengths of characters are the last ones.
fn are_positions(function: Function, names: &[(usize, String)]) -> bool {
    let ty = function.ty();
    let types = ty.function_params();
    let is_word = |ty: &&Type| ty.is_int() && ty.int_width() == 64;
    let words = types.iter().rev().take_while(is_word).count();
    let named = names.iter().map(|(i, _)| i + 1).max().unwrap_or(0);
    let has_hidden_lengths = !ty.function_result().is_void() && named + words == types.len();
    named == types.len() || has_hidden_lengths
}

/// The names in the lists of a head that are those of the function.
struct Names {
    /// Of parameters, by position.
    params: Vec<(usize, String)>,
    /// How many parameters there are.
    count: usize,
    /// The function's own name.
    own: String,
    /// Of a Fortran function whose result has a name of its own.
    result: Option<String>,
}

impl Names {
    fn position(&self, name: &str) -> Option<usize> {
        if let Some(n) = name.strip_prefix('$') {
            return n.parse::<usize>().ok().filter(|&n| n >= 1 && n <= self.count).map(|n| n - 1);
        }
        let exact = self.params.iter().find(|(_, n)| n == name);
        exact
            .or_else(|| self.params.iter().find(|(_, n)| n.eq_ignore_ascii_case(name)))
            .map(|(i, _)| *i)
    }
    fn is_result(&self, name: &str) -> bool {
        name.to_lowercase() == self.own
            || name == "$0"
            || name == "return"
            || self.result.as_ref().is_some_and(|v| v.eq_ignore_ascii_case(name))
    }
    fn has(&self, name: &str) -> bool {
        name.starts_with('$') || self.position(name).is_some() || self.is_result(name)
    }
}

fn names_of(host: &dyn Host, head: &Head, function: Function) -> Names {
    let fortran = host.module().is_fortran();
    // Of what a head generated, parameters may have several names.
    let symbol = function.name();
    let mut all = host.config().argnames.iter().filter(|(of, _)| *of == symbol).peekable();
    let given = all.peek().copied();
    let mut params: Vec<(usize, String)> = match given {
        Some(_) => {
            let words = |(_, given): &(String, Vec<String>)| {
                let words = given.iter().filter(|name| !name.starts_with('='));
                words.cloned().enumerate().collect::<Vec<_>>()
            };
            all.flat_map(words).collect()
        }
        None => function.parameter_names(),
    };
    let is_flangs = fortran && fortran_name(symbol_in_unit(&function.name())).is_some();
    if is_flangs && given.is_none() && !are_positions(function, &params) {
        params.clear();
    }
    params.sort_by_key(|(i, _)| *i);
    Names {
        params,
        count: function.ty().function_params().len(),
        own: named::own_name(&head.function).to_lowercase(),
        result: given.and_then(|(_, names)| names.last()?.strip_prefix('=').map(str::to_owned)),
    }
}

fn resolve(
    host: &mut dyn Host,
    asked: &Asked,
    head: &Head,
    function: Function,
    names: &Names,
) -> Result<Resolved, Diagnostic> {
    let unit = host.unit(function)?;
    let fail = |reason: String, remedy: &str| {
        Err(Diagnostic::new(Code::HeadParameter, None, reason, remedy))
    };
    let count = unit.body.params.len();
    let fortran = host.module().is_fortran();
    let position = |name: &str| names.position(name);
    let is_real = |i: usize| unit.body[unit.body.params[i]].ty.is_real();
    let returns_real = function.ty().function_result().is_float();
    let mut params = vec![Param::Const; count];
    let mut result = false;
    let mark = |i: usize, params: &mut Vec<Param>| {
        params[i] = if is_real(i) { Param::Active } else { Param::Shadowed };
    };
    let (Some(dependents), Some(independents)) = (&head.dependents, &head.independents) else {
        for i in 0..count {
            let p = unit.body.params[i];
            let scalar = unit.types.seen(&unit.memory, p);
            // Pointers may lead to reals in turn.
            let only_other = !scalar.is_empty() && scalar.iter().all(|h| *h == ScalarKind::Int);
            if (unit.body[p].ty.holds_float() || unit.bits.has_reals(p)) && !is_real(i) {
                return fail(
                    format!(
                        "parameter {} of '{}' has a type that cannot be differentiated yet",
                        i + 1,
                        head.function
                    ),
                    "name the active parameters in the head",
                );
            }
            if is_real(i) || (unit.body[p].ty == Ty::Ptr && !only_other) {
                mark(i, &mut params);
            }
        }
        return Ok(Resolved {
            asked: asked.clone(),
            function,
            named: function,
            is_written: vec![true; count],
            params,
            variables: vec![],
            result: returns_real,
            fortran,
            lengths: 0,
            is_inner: false,
        });
    };
    let mut is_written = vec![false; count];
    for (list, dependent) in [(dependents, true), (independents, false)] {
        for name in list {
            let is_result = dependent && names.is_result(name);
            // An array that Fortran returns is the caller's, a hidden argument.
            let array = || names.result.as_deref().filter(|_| !returns_real).and_then(position);
            if is_result && position(name).is_none() {
                if let Some(i) = array() {
                    mark(i, &mut params);
                    is_written[i] = true;
                    continue;
                }
                if !returns_real {
                    return fail(
                        format!("'{}' returns no floating-point value", head.function),
                        "name a parameter that the function writes to",
                    );
                }
                result = true;
                continue;
            }
            let Some(i) = position(name) else {
                let mut known: Vec<String> = vec![];
                for (_, n) in names.params.iter().filter(|(_, n)| !n.is_empty()) {
                    if !known.contains(n) {
                        known.push(n.clone());
                    }
                }
                let list = if known.is_empty() {
                    "the compiled code does not contain their names".to_string()
                } else {
                    format!("it has {}", known.join(", "))
                };
                return fail(
                    format!(
                        "'{}' has no parameter '{name}' ({count} parameters; {list}), and its file uses no variable of that name",
                        head.function
                    ),
                    "use a position such as $1; or compile with adcc, -g or \
                    -fno-discard-value-names, which keep the names",
                );
            };
            let ty = unit.body[unit.body.params[i]].ty;
            if dependent && is_real(i) {
                return fail(
                    format!(
                        "parameter '{name}' of '{}' is passed by value: it cannot be a dependent",
                        head.function
                    ),
                    "name a pointer that the function writes to, or the function itself for its result",
                );
            }
            if ty != Ty::Ptr && !is_real(i) {
                return fail(
                    format!(
                        "parameter '{name}' of '{}' holds no floating-point data",
                        head.function
                    ),
                    "name parameters of type float or double, or pointers to them",
                );
            }
            mark(i, &mut params);
            is_written[i] |= dependent;
        }
    }
    Ok(Resolved {
        asked: asked.clone(),
        function,
        named: function,
        params,
        is_written,
        variables: vec![],
        result,
        fortran,
        lengths: 0,
        is_inner: false,
    })
}
