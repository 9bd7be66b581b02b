//! C prototypes and Fortran interfaces of what heads generated (`-ad-header`, `-ad-interface`).

use super::Resolved;
use crate::{
    diagnostics::{Code, Diagnostic},
    frontend::Host,
    llvm::{Function, Type},
};
use adanalysis::{activity::Param, types::ScalarKind};
use adir::target;

/// What a prototype shows of one generated function.
pub(super) struct Prototype {
    symbol: String,
    result: ParameterKind,
    params: Vec<(ParameterKind, String)>,
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

impl Prototype {
    pub(super) fn new(host: &mut dyn Host, head: &Resolved, f: Function) -> Prototype {
        let unit = host.unit(head.function).ok();
        let mut names: Vec<String> = (1..=head.params.len()).map(|i| format!("a{i}")).collect();
        let argnames = host.config().argnames.iter().find(|(s, _)| *s == head.function.name());
        let given = argnames.into_iter().flat_map(|(_, n)| n.iter().cloned().enumerate());
        for (i, name) in head.function.parameter_names().into_iter().chain(given) {
            if !name.is_empty() && i < names.len() {
                names[i] = name;
            }
        }
        let scalar = |i: usize| -> Option<ScalarKind> {
            let unit = unit.as_ref()?;
            let scalar = unit.types.seen(&unit.memory, unit.body.params[i]);
            if let [one] = scalar[..] { Some(one) } else { None }
        };
        let suffix = if head.mode == super::Mode::Tangent { "d" } else { "b" };
        let mut types = f.ty().function_params().into_iter();
        let mut params = vec![];
        for (i, param) in head.params.iter().enumerate() {
            let mut next = |name: String| {
                if let Some(ty) = types.next() {
                    let reals = scalar(i).or_else(|| real(head.function.ty().function_params()[i]));
                    params.push((ParameterKind::of(ty, reals), name));
                }
            };
            next(names[i].clone());
            if *param != Param::Const {
                next(format!("{}{suffix}", names[i]));
            }
        }
        for ty in types {
            let name = if head.mode == super::Mode::Tangent { "result" } else { "resultb" };
            params.push((
                ParameterKind::of(ty, real(head.function.ty().function_result())),
                name.into(),
            ));
        }
        Prototype {
            symbol: f.name(),
            result: ParameterKind::of(f.ty().function_result(), None),
            params,
        }
    }

    fn c(&self) -> String {
        let params: Vec<String> = self
            .params
            .iter()
            .map(|(k, n)| {
                let ty = k.c();
                if ty.ends_with('*') { format!("{ty}{n}") } else { format!("{ty} {n}") }
            })
            .collect();
        let list = if params.is_empty() { "void".into() } else { params.join(", ") };
        format!("{} {}({list});\n", self.result.c(), self.symbol)
    }

    fn fortran(&self) -> String {
        let name = self.symbol.trim_end_matches('_');
        let names: Vec<&str> = self.params.iter().map(|(_, n)| n.as_str()).collect();
        let is_function = self.result != ParameterKind::Void;
        let word = if is_function { "function" } else { "subroutine" };
        let mut text = format!("    {word} {name}({})\n", names.join(", "));
        for (kind, n) in &self.params {
            text.push_str(&format!("      {} :: {n}\n", kind.fortran()));
        }
        if is_function {
            text.push_str(&format!("      {} :: {name}\n", self.result.fortran()));
        }
        text + &format!("    end {word}\n")
    }
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
        text.extend(prototypes.iter().map(Prototype::fortran));
        text.push_str(&format!("  end interface\nend module {stem}\n"));
        write(path, text)?;
    }
    Ok(())
}
