//! C prototypes and Fortran interfaces of what heads generated (`-ad-header`, `-ad-interface`).

use super::{Resolved, named};
use crate::{
    diagnostics::{
        Code, Diagnostic,
        names::{fortran_parts, symbol_in_unit},
    },
    frontend::Host,
    llvm::{Function, Type},
};
use adanalysis::{activity::Param, types::ScalarKind};
use adir::target;

/// What a prototype shows of one generated function.
pub struct Prototype {
    symbol: String,
    result: ParameterKind,
    params: Vec<Shown>,
    /// The name of a binding to C, which the generated function has too.
    is_bind_c: bool,
    fortran: bool,
}

/// A parameter of a generated function.
struct Shown {
    kind: ParameterKind,
    name: String,
    /// How Fortran declares it, where the compiler of the source said so: see `-ad-argtypes`.
    declared: Option<String>,
    /// A length of characters, which Fortran code does not write.
    is_hidden: bool,
    /// Other names that heads may give it.
    also: Vec<String>,
}

/// A name that no other parameter has; Fortran's are the same in any case.
fn unused(params: &[Shown], others: &[String], name: String) -> String {
    let mut name = name;
    let is_taken = |name: &str| {
        let mut all = params.iter().map(|p| &p.name).chain(others);
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
        let suffix = head.mode.of_shadows();
        let argtypes = host.config().argtypes.iter().find(|(s, _)| *s == head.named.name());
        let declared = |i: usize| argtypes.map(|(_, t)| t.get(i).cloned().unwrap_or_default());
        let mut types = f.ty().function_params().into_iter().peekable();
        let mut params: Vec<Shown> = vec![];
        let is_tangent = head.mode != super::Mode::Adjoint;
        let source = head.named.ty();
        // The names of the result: the function's and, in Fortran, its own.
        let symbol = head.named.name();
        let own =
            fortran_parts(symbol_in_unit(&symbol), 'P').and_then(|p| Some(p.last()?.to_string()));
        let own = own.filter(|_| head.fortran).unwrap_or_else(|| named::own_name(&symbol));
        let of_result =
            argnames.and_then(|(_, names)| names.last()?.strip_prefix('=').map(str::to_owned));
        let own: Vec<String> = [own].into_iter().chain(of_result).collect();
        let of_result = |params: &mut Vec<Shown>, ty: Type| {
            let real = real(source.function_result());
            let name = if is_tangent { "result" } else { "resultb" };
            let declared = argtypes.map(|_| match real {
                Some(ScalarKind::F32) => "|real(4)".to_string(),
                Some(_) => "|real(8)".to_string(),
                None => String::new(),
            });
            let name = unused(params, &names, name.into());
            let kind = ParameterKind::of(ty, real);
            let also = own.iter().filter(|own| !names.contains(own));
            let also = also.map(|own| format!("{own}{}", if is_tangent { "" } else { suffix }));
            params.push(Shown { kind, name, declared, is_hidden: false, also: also.collect() });
        };
        let of_variables = |params: &mut Vec<Shown>| {
            for variable in &head.variables {
                let name = unused(params, &names, format!("{}{suffix}", variable.name));
                let kind = ParameterKind::Pointer(variable.is_double());
                let declared = Some(variable.declared());
                params.push(Shown { kind, name, declared, is_hidden: false, also: vec![] });
            }
        };
        for (i, param) in head.params[..head.own()].iter().enumerate() {
            if i == head.before_lengths() {
                if head.result {
                    types.next().into_iter().for_each(|ty| of_result(&mut params, ty));
                }
                of_variables(&mut params);
                types.by_ref().take(head.variables.len()).for_each(drop);
            }
            let reals = scalar(i).or_else(|| real(source.function_params()[i]));
            let reals = reals.or_else(|| known(head.named, i));
            let is_hidden = i >= head.before_lengths();
            if let Some(ty) = types.next() {
                let name = names[i].clone();
                let kind = ParameterKind::of(ty, reals);
                let declared = declared(i);
                params.push(Shown { kind, name, declared, is_hidden, also: vec![] });
            }
            if let Some(ty) = types.next_if(|_| *param != Param::Const) {
                let name = unused(&params, &names, format!("{}{suffix}", names[i]));
                let kind = ParameterKind::of(ty, reals);
                let by_reference = *param == Param::Active && !is_tangent;
                let declared = declared(i).map(|d| {
                    let d = d.replace(", intent(in)", "");
                    if by_reference { d.replace(", value", "") } else { d }
                });
                params.push(Shown { kind, name, declared, is_hidden: false, also: vec![] });
            }
        }
        if head.lengths == 0 {
            if head.result {
                types.next().into_iter().for_each(|ty| of_result(&mut params, ty));
            }
            of_variables(&mut params);
        }
        note_kinds(f, &params);
        Prototype {
            symbol: f.name(),
            result: ParameterKind::of(f.ty().function_result(), None),
            params,
            is_bind_c: !symbol.ends_with('_') && !symbol.starts_with("_Q"),
            fortran: head.fortran,
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
        format!("{} {}({list});\n", self.result.c(), self.symbol)
    }

    /// Its interface, or the parameter that has none.
    fn fortran(&self) -> Result<String, String> {
        let name = match self.is_bind_c {
            true => self.symbol.as_str(),
            false => self.symbol.trim_end_matches('_'),
        };
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
                    let (module, declaration) =
                        declared.split_once('|').ok_or_else(|| p.name.clone())?;
                    if !module.is_empty() && !uses.contains(&module) {
                        uses.push(module);
                    }
                    declaration
                }
                None => p.kind.fortran(),
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
}

/// A statement in lines that every form of Fortran 90 has.
fn continued(statement: &str) -> String {
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
        let mut text =
            format!("! Interfaces of generated derivatives.\nmodule {stem}\n  interface\n");
        for prototype in prototypes {
            text += &prototype.fortran().map_err(|argument| {
                let reason = format!(
                    "'{}': the type of argument '{argument}' cannot be written in an interface",
                    prototype.symbol
                );
                let remedy = "give the type a module, or write this interface yourself";
                Diagnostic::new(Code::Option, None, reason, remedy)
            })?;
        }
        text.push_str(&format!("  end interface\nend module {stem}\n"));
        write(path, text)?;
    }
    Ok(())
}
