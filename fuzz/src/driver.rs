//! The C code that calls a program, its tangent and its adjoint at one point, and what must come
//! out.
//!
//! Every real cell behind a pointer parameter is both input and output; a by-value real is an
//! input; the result is an output with weight 1. So the tangent's shadows must become J xd and the
//! adjoint's J^T yb, whatever `f` overwrites.

use std::fmt::Write;

use crate::ast::*;
use crate::interp::Outcome;
use crate::print::{Printer, declare, literal};

/// What is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Mode {
    Primal,
    Tangent,
    Adjoint,
}

/// One program in so many has its requests in a function that is optimised.
const LEAN: usize = 3;

/// In the order in which they are printed.
pub const MODES: [Mode; 3] = [Mode::Primal, Mode::Tangent, Mode::Adjoint];

impl Mode {
    /// First letter of a line of output.
    pub fn letter(self) -> char {
        match self {
            Mode::Primal => 'P',
            Mode::Tangent => 'T',
            Mode::Adjoint => 'A',
        }
    }
}

/// A number that must come out, with the bound of its error and where it is.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Want {
    pub value: f64,
    pub bound: f64,
    pub place: String,
}

/// Input `k`'s direction, or the weight of output `k`: fixed, of size about 1, both signs.
pub fn seed(k: usize, of_output: bool) -> f64 {
    let base = [0.75, -1.25, 0.5, 1.5, -0.625, 0.875, 1.125, -0.5][k % 8];
    if of_output { 1.75 - base } else { base }
}

fn walk(p: &Program, ty: &Ty, at: String, into: &mut Vec<(String, CellKind)>) {
    match ty {
        Ty::Real(r) => into.push((at, CellKind::Real(*r))),
        Ty::Int(t) => into.push((at, CellKind::Int(*t))),
        Ty::Ptr(_) => into.push((at, CellKind::Ptr)),
        Ty::Func(_) => into.push((at, CellKind::Func)),
        Ty::Vector(r, n) => {
            (0..*n).for_each(|k| into.push((format!("{at}[{k}]"), CellKind::Real(*r))))
        }
        Ty::Array(e, n) => (0..*n).for_each(|k| walk(p, e, format!("{at}[{k}]"), into)),
        Ty::Struct(s) => {
            for (k, f) in p.structs[*s].iter().enumerate() {
                walk(p, f, format!("{at}.f{k}"), into);
            }
        }
    }
}

/// The cells of variable `g` of the program, where the driver can name it.
fn global_cells(p: &Program, g: GlobalId, number: usize) -> Vec<(String, CellKind)> {
    let mut all = vec![];
    if !matches!(p.globals[g].visibility, Visibility::Inside(_)) {
        let (prefix, name) = (format!("p{number}_"), format!("p{number}_g{g}"));
        let name = p.boundary.as_ref().map_or(name, |b| b.name_of_global(false, g, &prefix));
        walk(p, &p.globals[g].ty, name, &mut all);
    }
    all
}

/// The cells of parameter `i` as C places, and their kinds.
fn cells(p: &Program, i: usize, name: &str) -> Vec<(String, CellKind)> {
    let mut all = vec![];
    match (&p.funcs[0].vars[i].ty, &p.inputs[i]) {
        (_, Input::Absent) => {}
        (Ty::Ptr(e), Input::Memory(n, _)) => {
            (0..*n).for_each(|k| walk(p, e, format!("{name}[{k}]"), &mut all))
        }
        (ty, _) => walk(p, ty, name.to_string(), &mut all),
    }
    all
}

/// What each mode must give, in order of output.
pub fn wants(p: &Program, o: &Outcome, mode: Mode) -> Vec<Want> {
    let float = p.has_float();
    // Float: 24 bits, in chains of operations that lose three digits; double: the same, with room
    // to spare.
    let (value_tolerance, tolerance) = if float { (2e-4, 1e-4) } else { (1e-9, 1e-9) };
    // The oracle's derivatives are doubles: what a float cannot hold may come out as zero.
    let underflow = if float { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let mut wants = vec![];
    // After the tangent and the adjoint the primal's cells are looked at too, but not its result.
    for (i, memory) in o.memory.iter().enumerate() {
        for (cell, (place, _)) in memory.iter().flatten().zip(cells(p, i, &format!("v{i}"))) {
            wants.push(Want {
                value: cell.value,
                bound: value_tolerance * (1.0 + cell.value.abs()),
                place,
            });
        }
    }
    for (g, cells) in o.globals.iter().enumerate() {
        for (cell, (place, _)) in cells.iter().zip(global_cells(p, g, 0)) {
            wants.push(Want {
                value: cell.value,
                bound: value_tolerance * (1.0 + cell.value.abs()),
                place,
            });
        }
    }
    let directed = |d: &crate::dual::Dual, place: String| {
        let value = (0..o.inputs).map(|k| d.d[k] * seed(k, false)).sum();
        let size: f64 = (0..o.inputs).map(|k| d.size[k] * seed(k, false).abs()).sum();
        Want { value, bound: tolerance * size + underflow, place }
    };
    match mode {
        Mode::Primal => {
            wants.extend(o.result.iter().map(|r| Want {
                value: r.value,
                bound: value_tolerance * (1.0 + r.value.abs()),
                place: "result".into(),
            }));
        }
        Mode::Tangent => {
            for (i, memory) in o.memory.iter().enumerate() {
                for (cell, (place, kind)) in
                    memory.iter().flatten().zip(cells(p, i, &format!("v{i}d")))
                {
                    if matches!(kind, CellKind::Real(_)) {
                        wants.push(directed(cell, place));
                    }
                }
            }
            wants.extend(o.result.iter().map(|r| directed(r, "tangent of the result".into())));
        }
        Mode::Adjoint => {
            let mut sums = vec![(0.0, 0.0); o.inputs];
            let mut output = 0;
            let mut add = |d: &crate::dual::Dual, w: f64| {
                for (k, (sum, size)) in sums.iter_mut().enumerate() {
                    *sum += w * d.d[k];
                    *size += w.abs() * d.size[k];
                }
            };
            for (i, memory) in o.memory.iter().enumerate() {
                for (cell, (_, kind)) in memory.iter().flatten().zip(cells(p, i, "")) {
                    if matches!(kind, CellKind::Real(_)) {
                        add(cell, seed(output, true));
                        output += 1;
                    }
                }
            }
            o.result.iter().for_each(|r| add(r, 1.0));
            let (mut input, mut values) = (0, vec![]);
            for i in 0..p.inputs.len() {
                for (place, kind) in cells(p, i, &format!("v{i}b")) {
                    if matches!(kind, CellKind::Real(_)) {
                        let (value, size) = sums[input];
                        let want = Want { value, bound: tolerance * size + underflow, place };
                        if o.memory[i].is_some() {
                            wants.push(want)
                        } else {
                            values.push(want)
                        }
                        input += 1;
                    }
                }
            }
            wants.extend(values);
        }
    }
    wants
}

/// `static void p3_run(void)`, its prototypes and its inputs.
pub fn text(p: &Program, number: usize, modes: &[Mode]) -> String {
    let prefix = format!("p{number}_");
    let f = &p.funcs[0];
    let mut out = String::new();
    let mut values = vec![];
    for input in &p.inputs {
        match input {
            Input::Memory(_, v) => values.extend(v.iter().copied()),
            Input::Real(v) => values.push(*v),
            Input::Int(v) => values.push(*v as f64),
            Input::Absent => {}
        }
    }
    let list: Vec<_> = values.iter().map(|v| literal(*v, Real::F64)).collect();
    // A global that others may write: nothing is known about the inputs at compile time.
    let _ = writeln!(
        out,
        "double {prefix}in[] = {{{}}};",
        if list.is_empty() { "0".into() } else { list.join(", ") }
    );
    let present: Vec<usize> =
        (0..f.params).filter(|i| !matches!(p.inputs[*i], Input::Absent)).collect();
    let by_value: Vec<&Ty> = present
        .iter()
        .copied()
        .filter(|i| matches!(f.vars[*i].ty, Ty::Real(_)))
        .map(|i| &f.vars[i].ty)
        .collect();
    let single = by_value.contains(&&Ty::Real(Real::F32));
    let int_pointer =
        present.iter().any(|i| matches!(&f.vars[*i].ty, Ty::Ptr(e) if matches!(**e, Ty::Int(_))));
    let typed = single || !int_pointer && number.is_multiple_of(2);
    let ret =
        f.ret.as_ref().map_or("void".into(), |t| declare(&prefix, t, "").trim_end().to_string());
    let back = match by_value.len() {
        0 => "void".to_string(),
        1 => declare(&prefix, by_value[0], "").trim_end().to_string(),
        _ => {
            let fields: Vec<_> = by_value
                .iter()
                .enumerate()
                .map(|(i, t)| declare(&prefix, t, &format!("b{i}")))
                .collect();
            let _ = writeln!(out, "struct {prefix}back {{ {}; }};", fields.join("; "));
            format!("struct {prefix}back")
        }
    };
    let bare = |i: usize| {
        let text = declare(&prefix, &f.vars[i].ty, "").trim_end().to_string();
        if f.vars[i].is_const { format!("const {text}") } else { text }
    };
    let types: Vec<_> = present.iter().copied().map(bare).collect();
    for (mode, result) in [("tangent", &ret), ("adjoint", &back)] {
        let mut params =
            vec![if typed { format!("{ret} (*)({})", types.join(", ")) } else { "void *".into() }];
        if typed {
            for (&i, ty) in present.iter().zip(&types) {
                let shadow = match &f.vars[i].ty {
                    Ty::Ptr(e) if matches!(**e, Ty::Int(_)) => None,
                    Ty::Ptr(e) => Some(declare(&prefix, &Ty::Ptr(e.clone()), "")),
                    Ty::Real(r) if mode == "tangent" => Some(r.name().to_string()),
                    _ => None,
                };
                if matches!(&f.vars[i].ty, Ty::Ptr(e) if matches!(**e, Ty::Int(_))) {
                    params.push("int".into()); // ad_const
                }
                params.push(ty.clone());
                params.extend(shadow);
            }
        } else {
            params.push("...".into());
        }
        let _ = writeln!(out, "extern {result} __ad_{mode}_p{number}({});", params.join(", "));
    }
    // The calls themselves are optimised in some programs only: most of the code is theirs.
    let lean = if number.is_multiple_of(LEAN) { "" } else { "__attribute__((noinline, optnone)) " };
    let _ = writeln!(out, "{lean}static void {prefix}run(void) {{");
    if p.boundary.is_some() {
        let _ = writeln!(out, "  {prefix}setup();");
    }
    for &mode in modes {
        section(p, number, mode, typed, &mut out);
    }
    out.push_str("}\n");
    out
}

fn section(p: &Program, number: usize, mode: Mode, typed: bool, out: &mut String) {
    let prefix = format!("p{number}_");
    let f = &p.funcs[0];
    let name = Printer::new(p, number).function_name(0);
    let suffix = if mode == Mode::Adjoint { "b" } else { "d" };
    let (mut at, mut input, mut args, mut outputs, mut shadows) = (0, 0, vec![], vec![], vec![]);
    // Twice: what a derivative leaves behind must not show in the next one.
    let again = mode != Mode::Primal && (!p.globals.is_empty() || number.is_multiple_of(4));
    let head = if again { "for (int round = 0; round < 2; round++) " } else { "" };
    // A mode that ends the program must not hide the others.
    let test = if p.boundary.is_some() {
        format!("if (wants('{}')) ", mode.letter())
    } else {
        String::new()
    };
    let _ = writeln!(out, "  {test}{head}{{");
    let mut values = vec![];
    for i in (0..f.params).filter(|i| !matches!(p.inputs[*i], Input::Absent)) {
        let v = &f.vars[i];
        let (own, shadow) = (format!("v{i}"), format!("v{i}{suffix}"));
        let object = match (&v.ty, &p.inputs[i]) {
            (Ty::Ptr(e), Input::Memory(n, _)) => Ty::Array(e.clone(), *n),
            (ty, _) => ty.clone(),
        };
        let is_memory = matches!(p.inputs[i], Input::Memory(..));
        let all = cells(p, i, &own);
        let is_active = all.iter().any(|(_, k)| matches!(k, CellKind::Real(_)));
        let _ = writeln!(out, "    {};", declare(&prefix, &object, &own));
        if is_active && mode != Mode::Primal {
            let _ = writeln!(out, "    {};", declare(&prefix, &object, &shadow));
            let _ = writeln!(out, "    memset(&{shadow}, 0, sizeof {shadow});");
        }
        for ((place, kind), (back, _)) in all.iter().zip(cells(p, i, &shadow)) {
            let _ = write!(out, "    {place} = {prefix}in[{at}];");
            at += 1;
            if let CellKind::Real(_) = kind {
                if mode == Mode::Tangent || mode == Mode::Adjoint && is_memory {
                    let _ = write!(out, " {back} = {:?};", seed(input, mode == Mode::Adjoint));
                }
                if mode != Mode::Primal && is_memory {
                    shadows.push(back.clone());
                } else if mode == Mode::Adjoint {
                    values.push(back.clone());
                }
                // Weights are counted over the memory alone, directions over all inputs.
                if mode == Mode::Tangent || is_memory {
                    input += 1;
                }
            }
            out.push('\n');
            if is_memory {
                outputs.push(place.clone());
            }
        }
        if is_memory && !is_active && mode != Mode::Primal {
            args.push("ad_const".into());
        }
        args.push(own);
        if is_active && (mode == Mode::Tangent || mode == Mode::Adjoint && is_memory) {
            args.push(shadow);
        }
    }
    for g in 0..p.globals.len() {
        for ((place, _), v) in global_cells(p, g, number).iter().zip(&p.globals[g].values) {
            let _ = writeln!(out, "    {place} = {v:?};");
            outputs.push(place.clone());
        }
    }
    let ret = f.ret.is_some();
    let called = if typed { name.clone() } else { format!("(void *){name}") };
    let mut with = vec![called];
    with.extend(args.iter().cloned());
    let result = match mode {
        Mode::Primal => {
            let call = format!("{name}({})", args.join(", "));
            let _ = writeln!(out, "    {}{call};", if ret { "double r = " } else { "" });
            if ret { vec!["r".to_string()] } else { vec![] }
        }
        Mode::Tangent => {
            let call = format!("__ad_tangent_p{number}({})", with.join(", "));
            let _ = writeln!(out, "    {}{call};", if ret { "double r = " } else { "" });
            if ret { vec!["r".to_string()] } else { vec![] }
        }
        Mode::Adjoint => {
            let call = format!("__ad_adjoint_p{number}({})", with.join(", "));
            match values.len() {
                0 => {
                    let _ = writeln!(out, "    {call};");
                    vec![]
                }
                1 => {
                    let _ = writeln!(out, "    double r = {call};");
                    vec!["r".to_string()]
                }
                n => {
                    let _ = writeln!(out, "    struct {prefix}back r = {call};");
                    (0..n).map(|k| format!("r.b{k}")).collect()
                }
            }
        }
    };
    let _ = writeln!(
        out,
        "    {}begin({number}, '{}');",
        if again { "if (!round) continue;\n    " } else { "" },
        mode.letter()
    );
    for v in outputs.iter().chain(&shadows).chain(&result) {
        let _ = write!(out, " out({v});");
    }
    out.push_str("\n    end();\n  }\n");
}
