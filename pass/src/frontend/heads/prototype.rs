//! C prototypes and Fortran interfaces of what heads generated (`-ad-header`, `-ad-interface`).

use super::{
    Resolved, named, slices,
    slots::{self, Slot},
};
use crate::{
    diagnostics::{
        Code, Diagnostic,
        names::{fortran_parts, symbol_in_unit},
    },
    frontend::Host,
    llvm::{Function, Type},
};
use adanalysis::types::ScalarKind;
use adir::target;

/// What a prototype shows of one generated function.
pub struct Prototype {
    symbol: String,
    result: ParameterKind,
    params: Vec<Shown>,
    /// The name of a binding to C, which the generated function has too.
    is_bind_c: bool,
    fortran: bool,
    /// The number of directions, where there are several.
    directions: Option<usize>,
}

/// A parameter of a generated function.
pub(super) struct Shown {
    kind: ParameterKind,
    pub name: String,
    /// How Fortran declares it, where the compiler of the source said so: see `-ad-argtypes`.
    pub declared: Option<String>,
    /// A length of characters, which Fortran code does not write.
    pub is_hidden: bool,
    /// Other names that heads may give it.
    also: Vec<String>,
    /// Of a shadow in one of several directions: the name for all of them, and the direction.
    pub of: Option<(String, usize)>,
}

/// A name that no other parameter has; Fortran's are the same in any case.
pub(super) fn unused(params: &[Shown], others: &[String], name: String) -> String {
    let mut name = name;
    let is_taken = |name: &str| {
        let of_all = params.iter().filter_map(|p| Some(&p.of.as_ref()?.0));
        let mut all = params.iter().map(|p| &p.name).chain(of_all).chain(others);
        all.any(|n| n.eq_ignore_ascii_case(name))
    };
    while is_taken(&name) {
        name.push('_');
    }
    name
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ParameterKind {
    Void,
    Real(bool),
    Int(u32),
    /// To reals of one precision (`Some(true)`: double), or to something else.
    Pointer(Option<bool>),
}

impl ParameterKind {
    fn of(ty: Type, scalar: Option<ScalarKind>) -> ParameterKind {
        if ty.is_void() {
            ParameterKind::Void
        } else if ty.is_float() {
            ParameterKind::Real(ty.kind() == llvm_sys::LLVMTypeKind::LLVMDoubleTypeKind)
        } else if ty.is_int() {
            ParameterKind::Int(ty.int_width())
        } else {
            ParameterKind::Pointer(match scalar {
                Some(ScalarKind::F64) => Some(true),
                Some(ScalarKind::F32) => Some(false),
                _ => None,
            })
        }
    }
    fn c(self) -> String {
        match self {
            ParameterKind::Void => "void".into(),
            ParameterKind::Real(true) => "double".into(),
            ParameterKind::Real(false) => "float".into(),
            ParameterKind::Int(64) if target::pointer() == 4 => "long long".into(),
            ParameterKind::Int(64) => "long".into(),
            ParameterKind::Int(16) => "short".into(),
            ParameterKind::Int(8) => "char".into(),
            ParameterKind::Int(1) => "_Bool".into(),
            ParameterKind::Int(_) => "int".into(),
            ParameterKind::Pointer(Some(true)) => "double *".into(),
            ParameterKind::Pointer(Some(false)) => "float *".into(),
            ParameterKind::Pointer(None) => "void *".into(),
        }
    }
    fn fortran(self) -> &'static str {
        match self {
            ParameterKind::Real(true) => "real(8)",
            ParameterKind::Real(false) => "real(4)",
            ParameterKind::Int(64) => "integer(8)",
            ParameterKind::Int(_) => "integer(4)",
            ParameterKind::Pointer(Some(true)) => "real(8), dimension(*)",
            ParameterKind::Pointer(Some(false)) => "real(4), dimension(*)",
            ParameterKind::Pointer(None) | ParameterKind::Void => "integer(4)",
        }
    }
}

/// String attribute of what heads generated: a letter for each parameter, of what it leads to.
const KINDS: &str = "adcc-head-kinds";

fn note_kinds(f: Function, params: &[Shown]) {
    let letter = |p: &Shown| match p.kind {
        ParameterKind::Pointer(Some(true)) => 'd',
        ParameterKind::Pointer(Some(false)) => 'f',
        _ => '-',
    };
    f.add_attribute_string(KINDS, &params.iter().map(letter).collect::<String>());
}

/// The reals that a parameter of what a head generated leads to.
fn known(f: Function, parameter: usize) -> Option<ScalarKind> {
    match f.attribute_string(KINDS)?.as_bytes().get(parameter)? {
        b'd' => Some(ScalarKind::F64),
        b'f' => Some(ScalarKind::F32),
        _ => None,
    }
}

/// Describes the parameters of what a head generated.
struct Writer<'a> {
    head: &'a Resolved,
    /// Of the source's parameters, the names.
    names: Vec<String>,
    /// The reals that they are or lead to.
    reals: Vec<Option<ScalarKind>>,
    /// How Fortran declares them, if that is known.
    declared: Option<Vec<String>>,
    /// The result, if it is a real, and its names beside `result`.
    of_result: Option<ScalarKind>,
    own: Vec<String>,
}

impl Writer<'_> {
    fn shown(&self, slot: Slot, ty: Type, before: &[Shown]) -> Shown {
        let head = self.head;
        let suffix = head.mode().of_shadows();
        let several = head.asked.directions;
        let name = |name: String| unused(before, &self.names, name);
        let declared = |i: usize| {
            let all = self.declared.as_ref();
            all.map(|all| all.get(i).cloned().unwrap_or_default())
        };
        let shadow = |of: &str, direction: usize| {
            let own = format!("{of}{suffix}");
            if several.is_none() {
                return (name(own), None);
            }
            let started = before.last().and_then(|p| p.of.as_ref()).filter(|_| direction > 0);
            let all = started.map_or_else(|| name(own.clone()), |(all, _)| all.clone());
            (name(format!("{own}{}", direction + 1)), Some((all, direction)))
        };
        let reals = match slot {
            Slot::Own(i) | Slot::Shadow(i, _) | Slot::Numbers(i) => self.reals[i],
            Slot::Value | Slot::Seed | Slot::Results => self.of_result,
            Slot::Variable(v, _) => head.variables[v].reals(),
        };
        let mut shown = Shown {
            kind: ParameterKind::of(ty, reals),
            name: String::new(),
            declared: None,
            is_hidden: false,
            also: vec![],
            of: None,
        };
        let array = several.map(|n| format!(", dimension({n})")).unwrap_or_default();
        match slot {
            Slot::Own(i) => {
                shown.name = self.names[i].clone();
                shown.declared = declared(i);
                shown.is_hidden = i >= head.before_lengths();
            }
            Slot::Shadow(i, direction) => {
                (shown.name, shown.of) = shadow(&self.names[i], direction);
                shown.declared = declared(i).map(|d| d.replace(", intent(in)", ""));
            }
            Slot::Numbers(i) => {
                shown.name = name(format!("{}{suffix}", self.names[i]));
                let plain = |d: String| d.replace(", intent(in)", "").replace(", value", "");
                let add = |d: String| if d.is_empty() { d } else { d + &array };
                shown.declared = declared(i).map(plain).map(add);
            }
            Slot::Value | Slot::Seed | Slot::Results => {
                let mark = match (slot, head.mode()) {
                    (Slot::Value, _) => "",
                    _ => suffix,
                };
                shown.name = name(format!("result{mark}"));
                shown.also = self.own.iter().map(|own| format!("{own}{mark}")).collect();
                let shape = if slot == Slot::Results { &*array } else { "" };
                shown.declared = self.declared.as_ref().map(|_| match self.of_result {
                    Some(ScalarKind::F32) => format!("|real(4){shape}"),
                    Some(_) => format!("|real(8){shape}"),
                    None => String::new(),
                });
            }
            Slot::Variable(v, direction) => {
                let variable = &head.variables[v];
                (shown.name, shown.of) = shadow(&variable.name, direction);
                shown.declared = Some(variable.declared());
            }
        }
        shown
    }
}

impl Prototype {
    pub(super) fn new(host: &mut dyn Host, head: &Resolved, f: Function) -> Prototype {
        let unit = host.unit(head.named).ok();
        let mut names: Vec<String> = (1..=head.own()).map(|i| format!("a{i}")).collect();
        let argnames = host.config().argnames.iter().find(|(s, _)| *s == head.named.name());
        let given = argnames.into_iter().flat_map(|(_, n)| n.iter().cloned().enumerate());
        for (i, name) in head.named.parameter_names().into_iter().chain(given) {
            if !name.is_empty() && !name.starts_with('=') && i < names.len() {
                names[i] = name;
            }
        }
        let scalar = |i: usize| -> Option<ScalarKind> {
            let unit = unit.as_ref()?;
            let scalar = unit.types.seen(&unit.memory, unit.body.params[i]);
            if let [one] = scalar[..] { Some(one) } else { None }
        };
        let argtypes = host.config().argtypes.iter().find(|(s, _)| *s == head.named.name());
        let symbol = head.named.name();
        // The names of the result: the function's and, in Fortran, its own.
        let own =
            fortran_parts(symbol_in_unit(&symbol), 'P').and_then(|p| Some(p.last()?.to_string()));
        let own = own.filter(|_| head.fortran).unwrap_or_else(|| named::own_name(&symbol));
        let of_result =
            argnames.and_then(|(_, names)| names.last()?.strip_prefix('=').map(str::to_owned));
        let own: Vec<String> = [own].into_iter().chain(of_result).collect();
        let source = head.named.ty();
        let writer = Writer {
            head,
            reals: (0..head.own())
                .map(|i| scalar(i).or(real(source.function_params()[i])).or(known(head.named, i)))
                .collect(),
            of_result: real(source.function_result()),
            own: own.into_iter().filter(|own| !names.contains(own)).collect(),
            names,
            declared: argtypes.map(|(_, types)| types.clone()),
        };
        let mut params: Vec<Shown> = vec![];
        for (slot, ty) in slots::of(head).into_iter().zip(f.ty().function_params()) {
            params.push(writer.shown(slot, ty, &params));
        }
        note_kinds(f, &params);
        Prototype {
            symbol: f.name(),
            result: ParameterKind::of(f.ty().function_result(), None),
            params,
            is_bind_c: !symbol.ends_with('_') && !symbol.starts_with("_Q"),
            fortran: head.fortran,
            directions: head.asked.directions,
        }
    }

    /// Notes the names of its parameters, and how Fortran declares them, for heads that name it.
    pub(super) fn note(&self, host: &mut dyn Host) {
        let known = |p: &Shown| if p.is_hidden { String::new() } else { p.name.clone() };
        let mut names: Vec<Vec<String>> = vec![self.params.iter().map(known).collect()];
        let most = self.params.iter().map(|p| p.also.len()).max().unwrap_or(0);
        for k in 0..most {
            let other = |p: &Shown| p.also.get(k).cloned().unwrap_or_default();
            names.push(self.params.iter().map(other).collect());
        }
        let types: Option<Vec<String>> = self.params.iter().map(|p| p.declared.clone()).collect();
        host.note_generated(&self.symbol, names, types);
    }

    fn c(&self) -> String {
        let params: Vec<String> = self
            .params
            .iter()
            .map(|shown| {
                let (ty, n) = (shown.kind.c(), &shown.name);
                if ty.ends_with('*') { format!("{ty}{n}") } else { format!("{ty} {n}") }
            })
            .collect();
        let list = if params.is_empty() { "void".into() } else { params.join(", ") };
        let directions = match self.directions {
            None => String::new(),
            Some(1) => "/* In 1 direction. */\n".into(),
            Some(n) => format!("/* In {n} directions. */\n"),
        };
        format!("{directions}{} {}({list});\n", self.result.c(), self.symbol)
    }

    /// What Fortran calls it.
    fn fortran_name(&self) -> &str {
        if self.is_bind_c { &self.symbol } else { self.symbol.trim_end_matches('_') }
    }

    /// Its interface, or the parameter that has none; of a generic one arrays have their rank.
    fn fortran(&self, is_generic: bool) -> Result<String, String> {
        let name = self.fortran_name();
        let shown: Vec<&Shown> = self.params.iter().filter(|p| !p.is_hidden).collect();
        let names: Vec<&str> = shown.iter().map(|p| p.name.as_str()).collect();
        let is_function = self.result != ParameterKind::Void;
        let word = if is_function { "function" } else { "subroutine" };
        let bind = match self.is_bind_c && self.fortran {
            true => format!(" bind(c, name='{}')", self.symbol),
            false => String::new(),
        };
        let mut uses: Vec<&str> = vec![];
        let mut text = String::new();
        for p in &shown {
            let declaration = match &p.declared {
                Some(declared) => {
                    let declaration = Declaration::parse(declared).ok_or_else(|| p.name.clone())?;
                    if !declaration.uses.is_empty() && !uses.contains(&declaration.uses) {
                        uses.push(declaration.uses);
                    }
                    if is_generic { declaration.with_rank() } else { declaration.text.into() }
                }
                None => p.kind.fortran().into(),
            };
            text.push_str(&format!("      {declaration} :: {}\n", p.name));
        }
        if is_function {
            text.push_str(&format!("      {} :: {name}\n", self.result.fortran()));
        }
        let uses: String = uses.iter().map(|module| format!("      use {module}\n")).collect();
        let start = continued(&format!("    {word} {name}({}){bind}", names.join(", ")));
        Ok(format!("{start}\n{uses}      implicit none\n{text}    end {word}\n"))
    }

    /// The procedure that takes the shadows of all directions in arrays, where there is one.
    fn slices(&self) -> Option<slices::Procedure> {
        let result = (self.result != ParameterKind::Void).then(|| self.result.fortran());
        slices::procedure(self.fortran_name(), self.directions?, &self.params, result)
    }
}

/// How Fortran declares a parameter: see `-ad-argtypes`.
pub(super) struct Declaration<'a> {
    /// What it needs of a module.
    pub uses: &'a str,
    pub text: &'a str,
    /// The rank of an array whose shape is `(*)`.
    pub rank: Option<usize>,
}

impl Declaration<'_> {
    /// From `USE|TYPE, ATTRIBUTES` or `USE|TYPE, ATTRIBUTES|RANK`.
    pub(super) fn parse(text: &str) -> Option<Declaration<'_>> {
        let mut parts = text.split('|');
        let (uses, text) = (parts.next()?, parts.next()?);
        Some(Declaration { uses, text, rank: parts.next().and_then(|rank| rank.parse().ok()) })
    }

    /// The text with an array's rank, which generic procedures compare: `dimension(1,*)`.
    pub(super) fn with_rank(&self) -> String {
        let others = "1,".repeat(self.rank.unwrap_or(1).saturating_sub(1));
        self.text.replace("dimension(*)", &format!("dimension({others}*)"))
    }
}

/// A statement in lines that every form of Fortran 90 has.
pub(super) fn continued(statement: &str) -> String {
    const WIDTH: usize = 100;
    let mut lines = vec![String::new()];
    for word in statement.split_inclusive(", ") {
        if lines.last().is_some_and(|line| line.len() + word.len() > WIDTH) {
            lines.push("      ".into());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(word);
        }
    }
    lines.join("&\n")
}

fn real(ty: Type) -> Option<ScalarKind> {
    match ParameterKind::of(ty, None) {
        ParameterKind::Real(true) => Some(ScalarKind::F64),
        ParameterKind::Real(false) => Some(ScalarKind::F32),
        _ => None,
    }
}

/// Writes the files that the options ask for, if anything was generated.
pub(super) fn write_files(host: &dyn Host, prototypes: &[Prototype]) -> Result<(), Diagnostic> {
    if prototypes.is_empty() {
        return Ok(());
    }
    let write = |path: &String, text: String| {
        std::fs::write(path, text).map_err(|e| {
            Diagnostic::new(
                Code::Option,
                None,
                format!("cannot write '{path}': {e}"),
                "check the path",
            )
        })
    };
    if let Some(path) = &host.config().header {
        let mut text = String::from(
            "/* Prototypes of generated derivatives. */\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
        );
        text.extend(prototypes.iter().map(Prototype::c));
        text.push_str("#ifdef __cplusplus\n}\n#endif\n");
        write(path, text)?;
    }
    if let Some(path) = &host.config().interface {
        let stem = std::path::Path::new(path)
            .file_stem()
            .and_then(|s| s.to_str())
            .unwrap_or("derivatives");
        let mut interfaces = String::new();
        let mut procedures: Vec<slices::Procedure> = vec![];
        for prototype in prototypes {
            let slices = prototype.slices();
            let interface = prototype.fortran(slices.is_some()).map_err(|argument| {
                let reason = format!(
                    "'{}': the type of argument '{argument}' cannot be written in an interface",
                    prototype.symbol
                );
                let remedy = "give the type a module, or write this interface yourself";
                Diagnostic::new(Code::Option, None, reason, remedy)
            })?;
            // It has the same name as a generic one.
            let generic = slices.as_ref().map(|_| format!(" {}", prototype.fortran_name()));
            let module = slices.as_ref().map(|s| format!("    module procedure {}\n", s.name));
            interfaces.push_str(&format!(
                "  interface{}\n{interface}{}  end interface\n",
                generic.unwrap_or_default(),
                module.unwrap_or_default()
            ));
            procedures.extend(slices);
        }
        let private: String =
            procedures.iter().map(|p| format!("  private :: {}\n", p.name)).collect();
        let mut text =
            format!("! Interfaces of generated derivatives.\nmodule {stem}\n{private}{interfaces}");
        if !procedures.is_empty() {
            text.push_str("contains\n");
            text.extend(procedures.into_iter().map(|p| p.text));
        }
        text.push_str(&format!("end module {stem}\n"));
        write(path, text)?;
    }
    Ok(())
}
