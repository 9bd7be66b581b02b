//! Annotations of functions and globals: derivatives of the user's own, inactive functions and
//! variables, functions that are like library functions.
//!
//! They are globals with special names, or annotations in the source (arrays.rs). Here they are
//! read once per module and checked; functions are marked by an attribute, so that every stage can
//! ask ([`of`], [`is_inactive_global`]); at the end marks and globals go, and no reference is left
//! in the object code. Before LLVM simplifies, the functions are protected from what would take
//! calls to them away (protect.rs).

mod arrays;
mod protect;
mod rule;

use crate::{
    annotations::{joint, named},
    diagnostics::{Code, Diagnostic, Origin, names::readable},
    llvm::{Function, Module, Type, Value},
};
use adir::{
    Callee,
    hashed::{HashMap, HashSet},
    library,
};
use adrules::ValueKind;
use arrays::{Annotation, Entry, Spelled};
pub use arrays::{annotated_inside, declarations, is_declaration};
pub use protect::{protect, release, subjects};
pub use rule::{Adjoint, Rule, Tangent};

/// String attribute of annotated functions.
const REGISTERED: &str = "adcc-registered";
/// Mark of variables that the user declared inactive.
const INACTIVE: &str = "adcc.inactive";
/// The runtime's flag that requests look at before they check shadows: 1 where there are no checks.
pub const CHECKS: &str = "adrt_checks";

/// The annotation of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Registered {
    /// It has no influence on derivatives.
    Inactive,
    /// It has a derivative of the user's own.
    Custom,
    /// It stands for a function that exists only as machine code.
    Prebuilt,
    /// It has the partials of the library function of that name.
    Like(String),
    /// It returns new memory, of as many bytes as that argument says.
    Allocator(u32),
    /// It frees what its argument leads to.
    Deallocator,
}

impl Registered {
    fn text(&self) -> String {
        match self {
            Registered::Inactive => "inactive".into(),
            Registered::Custom => "custom".into(),
            Registered::Prebuilt => "prebuilt".into(),
            Registered::Like(name) => format!("like {name}"),
            Registered::Allocator(size) => format!("allocator {size}"),
            Registered::Deallocator => "deallocator".into(),
        }
    }
}

/// The annotation of `f`.
pub fn of(f: Function) -> Option<Registered> {
    let text = f.attribute_string(REGISTERED)?;
    Some(match text.as_str() {
        "inactive" => Registered::Inactive,
        "custom" => Registered::Custom,
        "prebuilt" => Registered::Prebuilt,
        "deallocator" => Registered::Deallocator,
        allocator if allocator.starts_with("allocator ") => {
            Registered::Allocator(allocator["allocator ".len()..].parse().ok()?)
        }
        like => Registered::Like(like.strip_prefix("like ")?.to_owned()),
    })
}

/// Annotates a function of our own.
pub fn mark(f: Function, what: &Registered) {
    f.add_attribute_string(REGISTERED, &what.text());
}

/// Whether a global variable is constant for derivatives: the user declared it so, it is a stream of
/// C++, what a handle of Open MPI names, or it is ours.
pub fn is_inactive_global(variable: Value) -> bool {
    let ty = variable.global_type();
    let is_handle = || !ty.is_sized() && variable.name().starts_with("ompi_");
    variable.has_mark(INACTIVE) || is_stream(ty) || variable.name() == CHECKS || is_handle()
}

/// Whether a type is that of a stream of C++'s standard library. A stream holds text, and pointers
/// that only the library follows.
pub fn is_stream(ty: Type) -> bool {
    let name = ty.to_string();
    let members = name.trim_start_matches(['%', '"']).strip_prefix("class.std::");
    members.is_some_and(|name| {
        let class = name.trim_start_matches("__cxx11::").strip_prefix("basic_");
        let class = class.map(|c| c.split(['"', '.', ' ']).next().unwrap_or_default());
        class.is_some_and(|c| c.ends_with("stream"))
    })
}

/// Rules of one function.
#[derive(Default)]
struct Rules {
    tangent: Option<Tangent>,
    adjoint: Option<Adjoint>,
    /// Names of the globals that register them.
    by: Vec<String>,
}

/// The annotations of one module.
pub struct Registry {
    module: Module,
    rules: HashMap<Function, Rules>,
    globals: Vec<Value>,
    inactive: Vec<Value>,
    /// Functions with rules that differentiated code calls, as far as that was noted.
    used: HashSet<Function>,
    /// What is wrong, by the global that says it.
    failures: Vec<(Origin, Vec<Diagnostic>)>,
}

const REMEDY: &str = "see docs/reference/annotations.md";

impl Registry {
    /// That of a module without annotations.
    pub fn empty(module: Module) -> Registry {
        Registry {
            module,
            rules: HashMap::default(),
            globals: vec![],
            inactive: vec![],
            used: HashSet::default(),
            failures: vec![],
        }
    }

    /// Reads the annotations of the module, and marks what they annotate; `inactive` is what options
    /// name so.
    pub fn read(module: Module, inactive: &[String]) -> Registry {
        let mut this = Registry::empty(module);
        for entry in arrays::entries(module) {
            let name = entry.global.name();
            this.globals.push(entry.global);
            if let Err(d) = this.take(&name, &entry) {
                this.failures.push((origin(&name), vec![d]));
            }
        }
        for (v, annotation) in arrays::annotated(module) {
            let by = format!("an attribute of '{}'", v.name());
            if let Err(d) = this.take_annotation(&by, v, annotation) {
                this.failures.push((origin(&by), vec![d]));
            }
        }
        for name in inactive {
            let functions = named::functions(module, name).into_iter().map(Function::value);
            let by = format!("-ad-inactive={name}");
            for meant in functions.chain(named::variables(module, name)) {
                if let Err(d) = this.declare_inactive(&by, meant) {
                    this.failures.push((origin(&by), vec![d]));
                }
            }
        }
        this
    }

    fn take(&mut self, name: &str, entry: &Entry) -> Result<(), Diagnostic> {
        let error = |text: String| {
            Diagnostic::new(Code::RuleType, None, format!("'{name}' {text}"), REMEDY)
        };
        match entry.spelled {
            Spelled::Idle => return Ok(()),
            Spelled::Later(remedy) => {
                let text = format!("'{name}': this declaration is not supported");
                return Err(Diagnostic::new(Code::RequestUnsupported, None, text, remedy));
            }
            _ => {}
        }
        let Some(members) = entry.members.as_deref().filter(|m| !m.is_empty()) else {
            return Err(error("has no constant initial value".into()));
        };
        let functions = |count: usize| {
            let found: Vec<Function> = members.iter().map_while(|m| m.as_function()).collect();
            let fits = members.len() == count && found.len() == count;
            if fits {
                Ok(found)
            } else {
                Err(error(format!("must be an array of {count} functions")))
            }
        };
        let does_not_fit = |why: String| error(format!("cannot be used: {why}"));
        match entry.spelled {
            Spelled::Idle | Spelled::Later(_) => Ok(()),
            Spelled::Tangent => {
                let f = functions(2)?;
                let rule = Tangent::read(self.module, f[0], f[1]).map_err(does_not_fit)?;
                self.mark(name, f[0], Registered::Custom)?;
                let earlier = self.rules_of(name, f[0]).tangent.replace(rule);
                earlier.map_or(Ok(()), |_| {
                    Err(error(format!("registers a second tangent of '{}'", f[0].name())))
                })
            }
            Spelled::Adjoint => {
                let f = functions(3)?;
                let rule = Adjoint::read(self.module, f[0], f[1], f[2]).map_err(does_not_fit)?;
                self.mark(name, f[0], Registered::Custom)?;
                let earlier = self.rules_of(name, f[0]).adjoint.replace(rule);
                earlier.map_or(Ok(()), |_| {
                    Err(error(format!("registers a second adjoint of '{}'", f[0].name())))
                })
            }
            Spelled::InactiveFunctions | Spelled::InactiveGlobals => members
                .iter()
                .filter(|m| !m.is_null())
                .try_for_each(|&m| self.declare_inactive(name, m)),
            Spelled::AllocationLike => self.take_allocation(name, members),
            Spelled::JointFunctions | Spelled::SplitFunctions => {
                let functions: Option<Vec<Function>> =
                    members.iter().filter(|m| !m.is_null()).map(|m| m.as_function()).collect();
                let Some(functions) = functions else {
                    return Err(error("must be an array of functions".into()));
                };
                let is_joint = entry.spelled == Spelled::JointFunctions;
                functions.iter().for_each(|&f| {
                    if is_joint { joint::make_joint(f) } else { joint::make_split(f) }
                });
                match functions
                    .iter()
                    .find(|&&f| joint::is_annotated_joint(f) && joint::is_annotated_split(f))
                {
                    Some(f) => Err(error(format!(
                        "declares '{}' both joint and split",
                        readable(&f.name())
                    ))),
                    None => Ok(()),
                }
            }
            Spelled::FunctionLike => {
                let text = members.get(1).and_then(|m| m.constant_text());
                let (Some(f), Some(like), 2) = (members[0].as_function(), text, members.len())
                else {
                    return Err(error("must be an array of a function and a name".into()));
                };
                self.take_like(name, f, like)?;
                self.rules_of(name, f);
                Ok(())
            }
        }
    }

    /// Gives a function the partials of a library function.
    fn take_like(&mut self, name: &str, f: Function, like: String) -> Result<(), Diagnostic> {
        let error = |text: String| {
            Err(Diagnostic::new(Code::RuleType, None, format!("'{name}' {text}"), REMEDY))
        };
        match has_library_type(self.module, f, &like) {
            None => error(format!("names '{like}', whose partial derivatives are not known")),
            Some(false) => error(format!(
                "gives '{}' the derivatives of '{like}', which does not have its \
                    type, {}",
                f.name(),
                f.ty()
            )),
            Some(true) => self.mark(name, f, Registered::Like(like)),
        }
    }

    fn take_annotation(
        &mut self,
        by: &str,
        of: Value,
        annotation: Annotation,
    ) -> Result<(), Diagnostic> {
        match (annotation, of.as_function()) {
            (Annotation::Inactive, _) => self.declare_inactive(by, of),
            (Annotation::Like(like), Some(f)) => self.take_like(by, f, like),
            (Annotation::Like(_), None) => Err(Diagnostic::new(
                Code::RuleType,
                None,
                format!("'{by}' is for functions only"),
                REMEDY,
            )),
            (Annotation::Later(name, remedy), _) => {
                let text = format!("attribute '{name}' of '{}' is not supported", of.name());
                Err(Diagnostic::new(Code::RequestUnsupported, None, text, remedy))
            }
        }
    }

    /// {allocator, index of the size, "-1", what frees it}.
    fn take_allocation(&mut self, name: &str, members: &[Value]) -> Result<(), Diagnostic> {
        let error = |text: String| {
            Diagnostic::new(Code::RuleType, None, format!("'{name}' {text}"), REMEDY)
        };
        let &[f, index, kind, free] = members else {
            return Err(error(
                "must be an array of the function that allocates, the index of its \
                size parameter, \"-1\", and the function that frees"
                    .into(),
            ));
        };
        let (Some(f), Some(free)) = (f.as_function(), free.as_function()) else {
            return Err(error("must name a function that allocates and one that frees".into()));
        };
        if kind.constant_text().as_deref() != Some("-1") {
            return Err(error(
                "has a third member other than \"-1\", which is not supported".into(),
            ));
        }
        let params = f.ty().function_params();
        // The constant is an integer made an address: 0 is null.
        let size = if index.is_null() { Some(0) } else { index.address_as_int() };
        let size = size.filter(|&i| params.get(i as usize).is_some_and(|ty| ty.is_int()));
        let Some(size) = size.filter(|_| f.ty().function_result().is_pointer() && !f.is_variadic())
        else {
            return Err(error(format!(
                "declares that '{}' allocates memory, but its type is {}",
                f.name(),
                f.ty()
            )));
        };
        let frees = free.ty().function_params();
        if !(frees.len() == 1 && frees[0].is_pointer() && free.ty().function_result().is_void()) {
            return Err(error(format!(
                "declares that '{}' frees memory, but its type is {}",
                free.name(),
                free.ty()
            )));
        }
        self.mark(name, f, Registered::Allocator(size as u32))?;
        // What the library knows stays as it is.
        if free.is_declaration() && library::classify(&free.name()).is_some() {
            return Ok(());
        }
        self.mark(name, free, Registered::Deallocator)
    }

    fn declare_inactive(&mut self, name: &str, member: Value) -> Result<(), Diagnostic> {
        if member.is_global_variable() {
            member.set_mark(INACTIVE);
            self.inactive.push(member);
            return Ok(());
        }
        match member.as_function() {
            Some(f) => self.mark(name, f, Registered::Inactive),
            None => {
                let text =
                    format!("'{name}' has a member that is neither a function nor a variable");
                Err(Diagnostic::new(Code::RuleType, None, text, REMEDY))
            }
        }
    }

    fn rules_of(&mut self, name: &str, f: Function) -> &mut Rules {
        let rules = self.rules.entry(f).or_default();
        rules.by.push(name.to_owned());
        rules
    }

    /// Says something of `f`; two different things are an error.
    fn mark(&mut self, name: &str, f: Function, what: Registered) -> Result<(), Diagnostic> {
        match of(f) {
            Some(other) if other != what => {
                let text = format!(
                    "'{name}' declares '{}' as {}, but another declaration makes it {}",
                    f.name(),
                    what.text(),
                    other.text()
                );
                Err(Diagnostic::new(
                    Code::RuleType,
                    None,
                    text,
                    "keep one declaration for each \
                    function",
                ))
            }
            _ => {
                f.add_attribute_string(REGISTERED, &what.text());
                Ok(())
            }
        }
    }

    /// Gives the stand-in of a function that exists only as machine code its derivatives.
    pub fn register_prebuilt(&mut self, stand_in: Function, tangent: Tangent, adjoint: Adjoint) {
        stand_in.add_attribute_string(REGISTERED, &Registered::Prebuilt.text());
        self.rules
            .insert(stand_in, Rules { tangent: Some(tangent), adjoint: Some(adjoint), by: vec![] });
    }

    /// Gives a function that we wrote a tangent.
    pub fn register_tangent(&mut self, f: Function, tangent: Tangent) {
        f.add_attribute_string(REGISTERED, &Registered::Custom.text());
        self.rules.entry(f).or_default().tangent = Some(tangent);
    }

    /// The same for an adjoint.
    pub fn register_adjoint(&mut self, f: Function, adjoint: Adjoint) {
        f.add_attribute_string(REGISTERED, &Registered::Custom.text());
        self.rules.entry(f).or_default().adjoint = Some(adjoint);
    }

    /// Makes a function one that has no influence on derivatives.
    pub fn declare_passive(&mut self, f: Function) {
        f.add_attribute_string(REGISTERED, &Registered::Inactive.text());
    }

    /// What was wrong.
    pub fn take_failures(&mut self) -> Vec<(Origin, Vec<Diagnostic>)> {
        std::mem::take(&mut self.failures)
    }

    /// The user's tangent of `f`.
    pub fn tangent(&self, f: Function) -> Option<&Tangent> {
        self.rules.get(&f)?.tangent.as_ref()
    }
    /// The user's sweeps of `f`.
    pub fn adjoint(&self, f: Function) -> Option<&Adjoint> {
        self.rules.get(&f)?.adjoint.as_ref()
    }

    /// Notes the rules of functions that differentiated code calls.
    pub fn note_used(&mut self, is_called: impl Fn(Function) -> bool) {
        let users = self.rules.iter().filter(|(_, rules)| !rules.by.is_empty());
        self.used.extend(users.map(|(f, _)| *f).filter(|&f| is_called(f)));
    }

    /// Rules of functions that no differentiated code calls: the user expects something that does
    /// not happen.
    pub fn unused(&self, is_called: impl Fn(Function) -> bool) -> Vec<(Origin, Vec<Diagnostic>)> {
        let mut found: Vec<(String, Function)> = vec![];
        let is_idle = |f: &Function| !self.used.contains(f) && !is_called(*f);
        // What we wrote ourselves may be gone.
        let of_user = self.rules.iter().filter(|(_, rules)| !rules.by.is_empty());
        for (&f, rules) in of_user.filter(|(f, _)| is_idle(f)) {
            found.extend(rules.by.iter().map(|by| (by.clone(), f)));
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let report = |(by, f): (String, Function)| {
            let text = format!(
                "'{by}' is not used: no differentiated code in this file calls '{}' by name",
                f.name()
            );
            let remedy = "remove the registration, or call the registered function";
            (origin(&by), vec![Diagnostic::new(Code::RuleUnused, None, text, remedy)])
        };
        found.into_iter().map(report).collect()
    }

    /// Takes marks and globals out of the module.
    pub fn erase(&mut self) {
        for f in self.module.functions() {
            f.remove_attribute_string(REGISTERED);
        }
        for g in self.inactive.drain(..) {
            g.clear_mark(INACTIVE);
        }
        for g in self.globals.drain(..) {
            let texts: Vec<Value> = (0..)
                .map_while(|i| g.initializer()?.constant_element(i))
                .filter(|m| m.constant_text().is_some())
                .collect();
            g.forget_used();
            g.drop_dead_users();
            if !g.users().is_empty() {
                continue;
            }
            g.delete_global();
            for text in texts.into_iter().filter(|t| t.is_global_variable()) {
                text.drop_dead_users();
                if text.users().is_empty() && text.is_private_global() {
                    text.delete_global();
                }
            }
        }
    }
}

fn origin(name: &str) -> Origin {
    Origin { call: None, text: format!("'{name}'") }
}

/// Whether `f` has the type of the library function of that name; `None` where no partials of that
/// one are known.
fn has_library_type(module: Module, f: Function, name: &str) -> Option<bool> {
    let Some(Callee::Rule(rule, precision)) = library::classify(name) else { return None };
    let real = match precision {
        adrules::Precision::F32 => module.context().f32(),
        adrules::Precision::F64 => module.context().f64(),
        adrules::Precision::F80 => return None,
    };
    if !rule.elements.is_empty() || library::is_intrinsic(name) {
        return None;
    }
    let is = |kind: &ValueKind, ty: Type| match kind {
        ValueKind::Float => ty == real,
        ValueKind::Int => ty.is_int(),
        ValueKind::Pointer => ty.is_pointer(),
    };
    let (params, result) = (f.ty().function_params(), f.ty().function_result());
    let returns = rule.result.as_ref().map_or(result.is_void(), |kind| is(kind, result));
    Some(
        returns
            && params.len() == rule.params.len()
            && rule.params.iter().zip(params).all(|(k, ty)| is(k, ty)),
    )
}
