//! Programs that are divided at call boundaries: function 0 and some of its helpers are compiled by
//! the plugin, the other helpers are in a library, the machine code of another compiler; variables
//! are shared. The meaning of a program does not depend on how it is divided, so the interpreter is
//! the oracle as it is.
//!
//! What a division consists of are [`Feature`]s, which a campaign can choose (`--kinds`). The
//! library has a *setup* that runs before the first request: there it makes its handle, a struct
//! with pointers to variables and to functions of the program.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::ValueEnum;

use crate::ast::*;
use crate::print::{Printer, declare};
use crate::rng::Rng;

/// What a division may have. Options and tables name it as here, in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum)]
#[allow(missing_docs)]
pub enum Feature {
    /// Variables that the library exports, and the program reads and writes by name.
    Exported,
    /// Variables of the program that the library names.
    Extern,
    /// The library reaches variables by pointers of a handle that it made before the request.
    Handle,
    /// Variables are blocks of the heap, allocated before the request, which pointers of either
    /// side lead to.
    Heap,
    /// The library calls functions of the program: by name, or registered before the request, or in
    /// it.
    Callback,
    /// Reals are copied and swapped as integers, on both sides.
    View,
    /// Reals become text and are read again, on both sides.
    Text,
}

/// What a campaign asked for, and what was refused, by feature: refusals are no failures, but must
/// not be the rule.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// Requests in all, and of programs with a feature.
    requests: BTreeMap<Option<Feature>, usize>,
    /// Of these the refused ones, by code.
    refused: BTreeMap<String, BTreeMap<Option<Feature>, usize>>,
}

impl Tally {
    fn of(boundary: &Boundary) -> impl Iterator<Item = Option<Feature>> {
        std::iter::once(None).chain(boundary.features.clone().into_iter().map(Some))
    }

    /// Requests of a program were made.
    pub fn ask(&mut self, boundary: &Boundary, count: usize) {
        Self::of(boundary).for_each(|f| *self.requests.entry(f).or_default() += count);
    }

    /// One was refused.
    pub fn refuse(&mut self, boundary: &Boundary, code: &str) {
        let row = self.refused.entry(code.to_string()).or_default();
        Self::of(boundary).for_each(|f| *row.entry(f).or_default() += 1);
    }

    /// Requests and refusals, in all.
    pub fn totals(&self) -> (usize, usize) {
        let count = |of: &BTreeMap<_, _>| of.get(&None).copied().unwrap_or(0);
        (count(&self.requests), self.refused.values().map(count).sum())
    }

    /// A line for each feature, a column for each code.
    pub fn table(&self) -> String {
        let codes: String = self.refused.keys().map(|c| format!("{c:>7}")).collect();
        let mut text = format!("{:10}{:>9}{:>9}{codes}\n", "", "requests", "refused");
        let name = |f: &Feature| format!("{f:?}").to_lowercase();
        let features = Feature::value_variants().iter().map(|f| (name(f), Some(*f)));
        let names = features.chain([("all".to_string(), None)]);
        for (name, f) in names.filter(|(_, f)| self.requests.contains_key(f)) {
            let counts: Vec<usize> =
                self.refused.values().map(|row| row.get(&f).copied().unwrap_or(0)).collect();
            let list: String = counts.iter().map(|n| format!("{n:>7}")).collect();
            let _ = writeln!(
                text,
                "{name:10}{:>9}{:>9}{list}",
                self.requests[&f],
                counts.iter().sum::<usize>()
            );
        }
        text
    }
}

/// How the library names a function of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Callback {
    ByName,
    /// A pointer in the library's handle, set before the request.
    Registered,
    /// The same, set when function 0 begins.
    RegisteredInside,
}

/// Where a variable is, and how it is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Shared {
    pub of_library: bool,
    /// The variable is a pointer to a block.
    pub on_heap: bool,
    /// The library names it by its handle.
    pub by_handle: bool,
    /// The program names it by a pointer of its own, set before the request.
    pub by_pointer: bool,
}

/// How a program is divided.
#[derive(Clone, Debug)]
pub struct Boundary {
    /// Per function whether it is in the library. Function 0 is not.
    pub in_library: Vec<bool>,
    /// Per function.
    pub callbacks: Vec<Callback>,
    /// Per variable of the program.
    pub shared: Vec<Shared>,
    /// The library's handle is on the heap.
    pub is_handle_on_heap: bool,
    /// Copies of reals are printed as copies of integers.
    pub has_views: bool,
    /// What the program was drawn with.
    pub features: Vec<Feature>,
}

/// Features of the generator that a division needs, or that it cannot have.
pub fn without(features: &[Feature]) -> Vec<String> {
    // Vectors are passed in other registers where one side is compiled for a later processor.
    let mut all = vec!["vector"];
    if !features.contains(&Feature::Callback) {
        all.extend(["callback", "function_table"]);
    }
    if !features.iter().any(|f| matches!(f, Feature::Exported | Feature::Extern)) {
        all.extend(["global", "static_local"]);
    }
    all.into_iter().map(String::from).collect()
}

/// Draws some of the features.
pub fn draw(rng: &mut Rng, of: &[Feature]) -> Vec<Feature> {
    let mut some: Vec<Feature> = of.iter().copied().filter(|_| rng.chance(45)).collect();
    if some.is_empty() && !of.is_empty() {
        some.push(*rng.pick(of));
    }
    // Handles and blocks need variables to lead to.
    if some.iter().any(|f| matches!(f, Feature::Handle | Feature::Heap))
        && !some.iter().any(|f| matches!(f, Feature::Exported | Feature::Extern))
    {
        some.push(*rng.pick(&[Feature::Exported, Feature::Extern]));
    }
    some
}

/// Divides a program; `None` where nothing would be in the library.
pub fn divide(program: &Program, features: &[Feature], rng: &mut Rng) -> Option<Boundary> {
    let count = program.funcs.len();
    if count < 2 {
        return None;
    }
    let has = |f| features.contains(&f);
    // Without callbacks functions of the library call those behind them only, as all do.
    let first = 1 + rng.below(count - 1);
    let mut in_library: Vec<bool> = (0..count)
        .map(|f| f != 0 && if has(Feature::Callback) { rng.chance(60) } else { f >= first })
        .collect();
    if !in_library.contains(&true) {
        in_library[count - 1] = true;
    }
    let idioms = [Callback::ByName, Callback::Registered, Callback::RegisteredInside];
    let callbacks = (0..count).map(|_| *rng.pick(&idioms)).collect();
    let shared = program
        .globals
        .iter()
        .map(|g| {
            let is_inner = matches!(g.visibility, Visibility::Inside(_));
            let of_library = match (has(Feature::Exported), has(Feature::Extern)) {
                (true, true) => rng.chance(50),
                (exported, _) => exported,
            };
            let mut draw = |f, percent| has(f) && !is_inner && rng.chance(percent);
            Shared {
                of_library,
                on_heap: draw(Feature::Heap, 50),
                by_handle: draw(Feature::Handle, 60),
                by_pointer: draw(Feature::Handle, 30),
            }
        })
        .collect();
    let is_handle_on_heap = rng.chance(50);
    Some(Boundary {
        in_library,
        callbacks,
        shared,
        is_handle_on_heap,
        has_views: has(Feature::View),
        features: features.to_vec(),
    })
}

/// Simplifications of a division, by number; `None` past the last.
pub fn simpler(b: &Boundary, number: usize) -> Option<Boundary> {
    let mut all = vec![];
    let mut add = |change: &dyn Fn(&mut Boundary)| {
        let mut new = b.clone();
        change(&mut new);
        all.push(new);
    };
    if b.has_views {
        add(&|n| n.has_views = false);
    }
    if b.is_handle_on_heap {
        add(&|n| n.is_handle_on_heap = false);
    }
    for (k, s) in b.shared.iter().enumerate() {
        for (is, change) in [
            (s.on_heap, (|s: &mut Shared| s.on_heap = false) as fn(&mut Shared)),
            (s.by_handle, |s| s.by_handle = false),
            (s.by_pointer, |s| s.by_pointer = false),
        ] {
            if is {
                add(&|n| change(&mut n.shared[k]));
            }
        }
    }
    for f in 1..b.in_library.len() {
        if b.in_library[f] && b.in_library.iter().filter(|l| **l).count() > 1 {
            add(&|n| n.in_library[f] = false);
        }
        if !b.in_library[f] && b.callbacks[f] != Callback::ByName {
            add(&|n| n.callbacks[f] = Callback::ByName);
        }
    }
    all.into_iter().nth(number)
}

impl Boundary {
    /// How a side names variable `g`, whose own name is given.
    pub fn name_of_global(&self, in_library: bool, g: GlobalId, prefix: &str) -> String {
        let s = self.shared[g];
        match (in_library, s) {
            (true, Shared { by_handle: true, .. }) => format!("(*{prefix}kept->g{g})"),
            (false, Shared { by_pointer: true, .. }) => format!("(*{prefix}own_g{g})"),
            (_, Shared { on_heap: true, .. }) => format!("(*{prefix}g{g})"),
            _ => format!("{prefix}g{g}"),
        }
    }

    /// How a side names function `f`.
    pub fn name_of_function(&self, in_library: bool, f: FuncId, name: &str) -> String {
        let is_kept = in_library && !self.in_library[f] && self.callbacks[f] != Callback::ByName;
        match name.rsplit_once('_') {
            Some((prefix, _)) if is_kept => format!("(*{prefix}_kept->{name})"),
            _ => name.to_string(),
        }
    }

    /// Whether variable `g` is not static in a function.
    fn is_open(program: &Program, g: GlobalId) -> bool {
        !matches!(program.globals[g].visibility, Visibility::Inside(_))
    }

    /// Functions of the program that are registered with the library.
    fn registered(&self, program: &Program, inside: bool) -> Vec<FuncId> {
        let wanted = if inside { Callback::RegisteredInside } else { Callback::Registered };
        (1..program.funcs.len())
            .filter(|f| !self.in_library[*f] && self.callbacks[*f] == wanted)
            .collect()
    }

    /// Variables of a side, and what the setup needs: in front of the functions, whose prototypes
    /// are there.
    pub fn declarations(&self, printer: &Printer, program: &Program, in_library: bool) -> String {
        let prefix = &printer.prefix;
        let mut text = String::new();
        for (g, global) in
            program.globals.iter().enumerate().filter(|(g, _)| Self::is_open(program, *g))
        {
            let shared = self.shared[g];
            let pointer = Ty::Ptr(Box::new(global.ty.clone()));
            let name = format!("{prefix}g{g}");
            let _ = match (shared.of_library == in_library, shared.on_heap) {
                (false, heap) => writeln!(
                    text,
                    "extern {};",
                    declare(prefix, if heap { &pointer } else { &global.ty }, &name)
                ),
                (true, true) => writeln!(text, "{};", declare(prefix, &pointer, &name)),
                (true, false) => writeln!(text, "{};", printer.global(g)),
            };
            if !in_library && shared.by_pointer {
                let _ = writeln!(
                    text,
                    "static {};",
                    declare(prefix, &pointer, &format!("{prefix}own_g{g}"))
                );
            }
        }
        if !in_library {
            return text;
        }
        let _ = writeln!(text, "struct {prefix}handle {{\n    int count;");
        for (g, global) in program
            .globals
            .iter()
            .enumerate()
            .filter(|(g, _)| Self::is_open(program, *g) && self.shared[*g].by_handle)
        {
            let _ = writeln!(
                text,
                "    {};",
                declare(prefix, &Ty::Ptr(Box::new(global.ty.clone())), &format!("g{g}"))
            );
        }
        for f in [false, true].into_iter().flat_map(|inside| self.registered(program, inside)) {
            let _ = writeln!(
                text,
                "    {};",
                printer.type_of(&program.funcs[f], &format!("(*{})", printer.function_name(f)))
            );
        }
        let _ = writeln!(text, "}};");
        let _ = match self.is_handle_on_heap {
            true => writeln!(text, "static struct {prefix}handle *{prefix}kept;"),
            false => writeln!(
                text,
                "static struct {prefix}handle {prefix}handle, *{prefix}kept = &{prefix}handle;"
            ),
        };
        text
    }

    /// The setup of a side, behind its functions. Each allocates its blocks; the library's then
    /// makes its handle.
    pub fn setup(&self, printer: &Printer, program: &Program, in_library: bool) -> String {
        let prefix = &printer.prefix;
        let mut text = String::new();
        let open: Vec<GlobalId> =
            (0..program.globals.len()).filter(|g| Self::is_open(program, *g)).collect();
        let address = |g: GlobalId| {
            if self.shared[g].on_heap { format!("{prefix}g{g}") } else { format!("&{prefix}g{g}") }
        };
        let allocate = |text: &mut String| {
            for &g in open
                .iter()
                .filter(|g| self.shared[**g].on_heap && self.shared[**g].of_library == in_library)
            {
                let _ = writeln!(text, "    {prefix}g{g} = calloc(1, sizeof *{prefix}g{g});");
            }
        };
        let [before, inside] = [false, true].map(|inside| self.registered(program, inside));
        let parameters = |all: &[FuncId]| {
            let list: Vec<_> = all
                .iter()
                .map(|f| printer.type_of(&program.funcs[*f], &format!("(*f{f})")))
                .collect();
            if list.is_empty() { "void".to_string() } else { list.join(", ") }
        };
        if in_library {
            let _ = writeln!(text, "void {prefix}prepare(void) {{");
            allocate(&mut text);
            let _ = writeln!(text, "}}\nvoid {prefix}attach({}) {{", parameters(&before));
            if self.is_handle_on_heap {
                let _ = writeln!(text, "    {prefix}kept = calloc(1, sizeof *{prefix}kept);");
            }
            for &g in open.iter().filter(|g| self.shared[**g].by_handle) {
                let _ = writeln!(text, "    {prefix}kept->g{g} = {};", address(g));
            }
            for &f in &before {
                let _ = writeln!(text, "    {prefix}kept->{} = f{f};", printer.function_name(f));
            }
            let _ = writeln!(text, "}}");
            if !inside.is_empty() {
                let _ = writeln!(text, "void {prefix}enroll({}) {{", parameters(&inside));
                for &f in &inside {
                    let _ =
                        writeln!(text, "    {prefix}kept->{} = f{f};", printer.function_name(f));
                }
                let _ = writeln!(text, "}}");
            }
            return text;
        }
        let _ = writeln!(
            text,
            "extern void {prefix}prepare(void), {prefix}attach({});\nstatic void {prefix}setup(void) {{\n    {prefix}prepare();",
            parameters(&before)
        );
        allocate(&mut text);
        let names: Vec<_> = before.iter().map(|f| printer.function_name(*f)).collect();
        let _ = writeln!(text, "    {prefix}attach({});", names.join(", "));
        for &g in open.iter().filter(|g| self.shared[**g].by_pointer) {
            let _ = writeln!(text, "    {prefix}own_g{g} = {};", address(g));
        }
        let _ = writeln!(text, "}}");
        text
    }

    /// What function 0 begins with: its prototype for the file, and the call.
    pub fn prologue(&self, printer: &Printer, program: &Program) -> Option<(String, String)> {
        let inside = self.registered(program, true);
        if inside.is_empty() {
            return None;
        }
        let prefix = &printer.prefix;
        let types: Vec<_> =
            inside.iter().map(|f| printer.type_of(&program.funcs[*f], "(*)")).collect();
        let names: Vec<_> = inside.iter().map(|f| printer.function_name(*f)).collect();
        Some((
            format!("extern void {prefix}enroll({});\n", types.join(", ")),
            format!("    {prefix}enroll({});\n", names.join(", ")),
        ))
    }
}
