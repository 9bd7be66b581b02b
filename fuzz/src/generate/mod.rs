//! Random programs from a seed and a number. Each program draws which features it has (swarm
//! testing: what is never together in all programs is together in some), then functions from the
//! last to the first, then inputs.

mod expr;
mod memory;
mod program;
mod stmt;
mod vector;

use crate::ast::*;
use crate::boundary::{self, Feature};
use crate::idioms;
use crate::interp;
use crate::rng::Rng;

/// The features a program may have, by name for `--without`.
pub const FEATURES: &[&str] = &[
    "float", "struct", "heap", "pointer", "call", "recursion", "switch", "goto", "return", "while",
    "down", "walk", "break", "memcpy", "memset", "intarray", "libm", "matrix", "table",
    "struct_value", "frexp", "select", "ptr_select", "integers", "inout", "scalar_param",
    "struct_param", "int_param", "long_libm", "block_local", "row_pointer", "outline",
    "many_calls", "alias_args", "member_pointer", "pointer_table", "workspace", "global",
    "static_local", "small_struct", "function_table", "callback", "long_double", "realloc",
    "returned_pointer", "vector", "idioms",
];

/// Elements behind a pointer that is a member or an element.
const INNER_LEN: usize = 2;
/// Tries for one valid program before its number is given up.
const TRIES: usize = 200;

/// What a variable in scope offers.
#[derive(Clone, Debug)]
struct Known {
    id: VarId,
    /// Elements behind a pointer.
    len: usize,
    /// Integers are in `0..high`.
    high: i64,
    /// Its contents may be written.
    writable: bool,
}

/// A function that may be called.
#[derive(Clone, Debug)]
struct Callee {
    id: FuncId,
    params: Vec<(Ty, Known, bool)>,
    ret: Option<Ty>,
    is_pure: bool,
    is_recursive: bool,
}

struct Gen {
    rng: Rng,
    features: Vec<&'static str>,
    program: Program,
    callees: Vec<Callee>,
    /// Flags of static variables: not for other uses.
    guards: Vec<GlobalId>,
    // The function at work:
    vars: Vec<Var>,
    scope: Vec<Known>,
    ret: Option<Ty>,
    labels: Vec<Label>,
    label_count: usize,
    loops: usize,
    budget: usize,
    current: Option<Callee>,
    /// What is drawn more often than other idioms.
    more_idioms: Vec<&'static str>,
    /// Reals are swapped.
    has_swaps: bool,
    /// The program will be divided at call boundaries.
    is_divided: bool,
    /// The function at work may be called in expressions: where programs are divided it calls none
    /// that writes variables of the program.
    is_pure: bool,
}

/// The program of a number, with the oracle's outcome; `None` when no try was valid. `rejected`
/// counts the others.
pub fn program(
    seed: u64,
    number: u64,
    without: &[String],
    rejected: &mut usize,
) -> Option<(Program, interp::Outcome)> {
    let mut rng = Rng::new(seed, number);
    for _ in 0..TRIES {
        let mut g = Gen::drawn(&mut rng, without);
        g.whole();
        match judged(&g.program, rejected) {
            Some(outcome) => return Some((g.program, outcome)),
            None => continue,
        }
    }
    None
}

/// The same, divided at call boundaries.
pub fn divided(
    seed: u64,
    number: u64,
    without: &[String],
    features: &[Feature],
    rejected: &mut usize,
) -> Option<(Program, interp::Outcome)> {
    let mut rng = Rng::new(seed, number);
    for _ in 0..TRIES {
        let drawn = boundary::draw(&mut rng, features);
        let without = [without, &boundary::without(&drawn)].concat();
        let mut g = Gen::drawn(&mut rng, &without);
        g.is_divided = true;
        let has = |f| drawn.contains(&f);
        // Without helpers nothing is in the library.
        let mut needed = vec!["call", "many_calls", "idioms"];
        if has(Feature::Exported) || has(Feature::Extern) {
            needed.push("global");
        }
        if has(Feature::Callback) {
            needed.push("callback");
        }
        g.features.extend(needed.into_iter().filter(|f| !without.iter().any(|w| w == f)));
        if has(Feature::Text) {
            g.more_idioms.extend(idioms::TEXTS.iter().map(|w| w.0));
        }
        if has(Feature::View) {
            g.more_idioms.extend(idioms::VIEWS.iter().map(|w| w.0));
            g.has_swaps = true;
        }
        g.whole();
        for global in g.program.globals.iter_mut().filter(|g| g.visibility == Visibility::File) {
            global.visibility = Visibility::Program;
        }
        g.program.boundary = boundary::divide(&g.program, &drawn, &mut rng);
        let uses_text = || format!("{:?}", g.program.funcs).contains("text\"");
        if g.program.boundary.is_none() || has(Feature::Text) && !uses_text() {
            continue;
        }
        if let Some(outcome) = judged(&g.program, rejected) {
            return Some((g.program, outcome));
        }
    }
    None
}

/// What the interpreter says, if the program is valid.
fn judged(program: &Program, rejected: &mut usize) -> Option<interp::Outcome> {
    match interp::run(program) {
        Ok(outcome) if outcome.inputs > 0 => return Some(outcome),
        Ok(_) => {}
        Err(why) => {
            if std::env::var_os("ADFUZZ_REJECTS").is_some() {
                eprintln!("rejected: {why}");
            }
        }
    }
    *rejected += 1;
    None
}

impl Gen {
    /// One with some of the features.
    fn drawn(rng: &mut Rng, without: &[String]) -> Gen {
        let features = FEATURES
            .iter()
            .copied()
            .filter(|f| !without.iter().any(|w| w == f))
            .filter(|f| {
                rng.chance(match *f {
                    "float" => 20,
                    "long_double" => 12,
                    _ => 45,
                })
            })
            .collect();
        Gen {
            rng: Rng::new(rng.next(), 1),
            features,
            program: Program::default(),
            callees: vec![],
            guards: vec![],
            vars: vec![],
            scope: vec![],
            ret: None,
            labels: vec![],
            label_count: 0,
            loops: 0,
            budget: 0,
            current: None,
            more_idioms: vec![],
            has_swaps: false,
            is_divided: false,
            is_pure: false,
        }
    }

    /// The name of one of the idioms.
    fn idiom(&mut self) -> &'static str {
        if !self.more_idioms.is_empty() && self.rng.chance(60) {
            return self.more_idioms[self.rng.below(self.more_idioms.len())];
        }
        self.rng.pick(idioms::IDIOMS).0
    }

    fn has(&self, feature: &str) -> bool {
        self.features.contains(&feature)
    }

    fn real_kind(&mut self) -> Real {
        if self.has("long_double") && self.rng.chance(35) {
            return Real::F80;
        }
        if self.has("float") && self.rng.chance(40) { Real::F32 } else { Real::F64 }
    }

    fn int_kind(&mut self) -> Int {
        if self.has("integers") {
            *self.rng.pick(&[Int::U8, Int::I16, Int::I32, Int::U32, Int::I64, Int::U64])
        } else {
            Int::I32
        }
    }

    fn whole(&mut self) {
        if ["struct", "struct_param", "struct_value", "member_pointer", "small_struct"]
            .iter()
            .any(|f| self.has(f))
        {
            for _ in 0..self.rng.range(1, 3) {
                self.make_struct();
            }
        }
        if self.has("table") {
            let values = (0..self.rng.range(2, 6)).map(|_| self.rng.uniform(-1.5, 1.5)).collect();
            self.program.tables.push(values);
        }
        if self.has("global") {
            self.make_globals();
        }
        let pointers = self.has("function_table") || self.has("callback");
        let helpers = match (self.has("call"), self.has("many_calls")) {
            _ if pointers => self.rng.range(3, 6) as usize,
            (_, true) => self.rng.range(2, 5) as usize,
            (true, false) => self.rng.range(1, 4) as usize,
            (false, false) => 0,
        };
        let dummy =
            Func { params: 0, vars: vec![], ret: None, body: Block::default(), is_noinline: false };
        self.program.funcs = vec![dummy; helpers + 1];
        for id in (1..=helpers).rev() {
            if self.has("returned_pointer") && self.rng.chance(35) {
                self.selector(id);
            } else {
                self.helper(id);
                self.make_table(id);
            }
        }
        self.main();
    }

    fn make_struct(&mut self) {
        if self.has("small_struct") && self.rng.chance(70) {
            // What calling conventions put into registers, and the least that they do not.
            let (int, float, double) =
                (Ty::Int(Int::I32), Ty::Real(Real::F32), Ty::Real(Real::F64));
            let fields = match self.rng.below(if self.has("float") { 8 } else { 4 }) {
                0 => vec![double.clone(), double],
                1 => vec![double, int],
                2 => vec![int, double],
                3 => vec![double.clone(), double.clone(), double],
                4 => vec![float.clone(), float],
                5 => vec![int, float],
                6 => vec![float.clone(), float.clone(), float],
                _ => vec![float, double],
            };
            self.program.structs.push(fields);
            return;
        }
        let mut fields = vec![];
        for _ in 0..self.rng.range(2, 5) {
            let real = Ty::Real(self.real_kind());
            let count = self.program.structs.len();
            fields.push(match self.rng.below(6) {
                0 | 1 => real,
                2 => Ty::Array(Box::new(real), self.rng.range(2, 4) as usize),
                3 => Ty::Int(self.int_kind()),
                4 if count > 0 => Ty::Struct(self.rng.below(count)),
                5 if self.has("member_pointer") => Ty::Ptr(Box::new(real)),
                _ => real,
            });
        }
        if !fields.iter().any(|f| matches!(f, Ty::Real(_))) {
            fields.push(Ty::Real(Real::F64));
        }
        self.program.structs.push(fields);
    }

    fn declare(&mut self, ty: Ty, is_const: bool, len: usize, high: i64) -> Known {
        self.vars.push(Var { ty, is_const, global: None });
        Known { id: self.vars.len() - 1, len, high, writable: !is_const }
    }

    fn start(&mut self) {
        self.vars.clear();
        self.scope.clear();
        self.labels.clear();
        self.label_count = 0;
        self.loops = 0;
    }

    /// A parameter of a helper.
    fn helper_param(&mut self, is_pure: bool) -> (Ty, Known, bool) {
        let real = Ty::Real(self.real_kind());
        let some_struct = (!self.program.structs.is_empty())
            .then(|| Ty::Struct(self.rng.below(self.program.structs.len())));
        if self.has("callback")
            && self.rng.chance(30)
            && let Some(model) = self.model()
        {
            let known = self.declare(Ty::Func(model.id), false, 0, 0);
            return (Ty::Func(model.id), Known { writable: false, ..known }, false);
        }
        if self.has("vector") && self.rng.chance(20) {
            let of = self.vector_type();
            let known = self.declare(of.clone(), false, 0, 0);
            return (of, known, false);
        }
        if self.has("struct_value")
            && self.has("small_struct")
            && self.rng.chance(35)
            && let Some(of) = some_struct.clone()
        {
            let known = self.declare(of.clone(), false, 0, 0);
            return (of, known, false);
        }
        let (ty, len, high) = match self.rng.below(if is_pure { 3 } else { 9 }) {
            0 | 1 => (real, 0, 0),
            2 => (Ty::Int(self.int_kind()), 0, self.rng.range(2, 5)),
            3 | 4 => (Ty::Ptr(Box::new(real)), self.rng.range(1, 4) as usize, 0),
            5 if self.has("intarray") => {
                (Ty::Ptr(Box::new(Ty::Int(self.int_kind()))), self.rng.range(1, 4) as usize, 0)
            }
            6 if some_struct.is_some() => (Ty::Ptr(Box::new(some_struct.unwrap_or(real))), 1, 0),
            7 if self.has("struct_value") && some_struct.is_some() => {
                (some_struct.unwrap_or(real), 0, 0)
            }
            8 if self.has("row_pointer") => (Ty::Ptr(Box::new(Ty::Array(Box::new(real), 3))), 2, 0),
            _ => (Ty::Ptr(Box::new(real)), self.rng.range(1, 4) as usize, 0),
        };
        let is_const = matches!(ty, Ty::Ptr(_)) && self.rng.chance(40);
        let known = self.declare(ty.clone(), is_const, len, high);
        (ty, known, is_const)
    }

    fn helper(&mut self, id: FuncId) {
        self.start();
        let pointers = self.has("function_table") || self.has("callback");
        let is_pure = self.rng.chance(if pointers { 60 } else { 40 });
        // Two functions of one type may stand in one table.
        let model = if is_pure && self.has("function_table") && self.rng.chance(70) {
            self.model()
        } else {
            None
        };
        self.is_pure = is_pure && self.is_divided;
        let is_recursive = model.is_none() && self.has("recursion") && self.rng.chance(50);
        let mut params = vec![];
        if is_recursive {
            let known = self.declare(Ty::Int(Int::I32), false, 0, 4);
            params.push((Ty::Int(Int::I32), known, false));
        }
        if let Some(model) = &model {
            for (ty, known, is_const) in &model.params {
                let own = self.declare(ty.clone(), *is_const, known.len, known.high);
                params.push((ty.clone(), Known { writable: known.writable, ..own }, *is_const));
            }
        } else {
            for _ in 0..self.rng.range(1, 4) {
                let p = self.helper_param(is_pure);
                params.push(p);
            }
        }
        let count = self.program.structs.len();
        self.ret = match self.rng.below(6) {
            0 | 1 if !is_pure => None,
            2 | 3 if !is_pure && self.has("struct_value") && count > 0 => {
                Some(Ty::Struct(self.rng.below(count)))
            }
            _ => Some(Ty::Real(self.real_kind())),
        };
        if let Some(model) = &model {
            self.ret = model.ret.clone();
        }
        self.scope = params.iter().map(|p| p.1.clone()).collect();
        for k in &mut self.scope {
            if matches!(self.vars[k.id].ty, Ty::Int(_)) {
                k.writable = false; // bounds and depths
            }
        }
        self.bring_globals(!is_pure);
        let fresh = if !is_pure && self.has("static_local") && self.rng.chance(40) {
            self.static_local(id)
        } else {
            vec![]
        };
        let callee = Callee { id, params, ret: self.ret.clone(), is_pure, is_recursive };
        self.current = is_recursive.then(|| callee.clone());
        self.budget = self.rng.range(3, 12) as usize;
        let mut body = self.body(if is_pure { 2 } else { 3 });
        if !fresh.is_empty() {
            // The block's variables may start with what the static one holds: that is set before.
            body = Block {
                locals: vec![],
                stmts: fresh.into_iter().chain([Stmt::Block(body)]).collect(),
            };
        }
        if is_recursive {
            // The scope is only the parameters again; the base case comes first.
            let base = self.returning();
            let test = CondE::Int(Cmp::Le, IntE::Load(Box::new(LValue::Var(0))), IntE::Lit(0));
            let block = Block { locals: vec![], stmts: vec![base] };
            let rest = body;
            body = Block {
                locals: vec![],
                stmts: vec![Stmt::If(test, block, Block::default()), Stmt::Block(rest)],
            };
        }
        if self.is_divided && !is_pure {
            self.set_globals(&mut body.stmts);
        }
        let last = self.returning();
        if self.ret.is_some() {
            body.stmts.push(last);
        }
        self.current = None;
        let vars = std::mem::take(&mut self.vars);
        let is_noinline = self.rng.chance(if self.has("outline") { 80 } else { 30 });
        self.program.funcs[id] =
            Func { params: callee.params.len(), vars, ret: self.ret.clone(), body, is_noinline };
        self.callees.push(callee);
    }

    fn main(&mut self) {
        self.start();
        self.ret = self.rng.chance(40).then(|| Ty::Real(self.real_kind()));
        let kind = self.real_kind();
        let mut cells = 0;
        let mut add = |g: &mut Gen, ty: Ty, is_const: bool, len: usize, high: i64| {
            let object = if let Ty::Ptr(e) = &ty { (**e).clone() } else { ty.clone() };
            let count = len.max(1);
            let mut kinds = vec![];
            (0..count).for_each(|_| g.program.kinds(&object, &mut kinds));
            let reals = kinds.iter().filter(|k| matches!(k, CellKind::Real(_))).count();
            if cells + reals > crate::dual::WIDTH {
                return;
            }
            cells += reals;
            let values: Vec<f64> = kinds
                .iter()
                .map(|k| {
                    if matches!(k, CellKind::Real(_)) {
                        g.rng.uniform(0.2, 1.6)
                    } else {
                        g.rng.range(0, 5) as f64
                    }
                })
                .collect();
            g.program.inputs.push(match &ty {
                Ty::Ptr(_) => Input::Memory(count, values),
                Ty::Int(_) => Input::Int(high - 1),
                _ => Input::Real(values[0]),
            });
            let mut known = g.declare(ty, is_const, len, high);
            if high > 0 {
                known.writable = false;
            }
            g.scope.push(known);
        };
        let n = self.rng.range(2, 6) as usize;
        let pointer = Ty::Ptr(Box::new(Ty::Real(kind)));
        if !self.has("scalar_param") || self.rng.chance(60) {
            let is_const = !self.has("inout") || self.rng.chance(50);
            add(self, pointer.clone(), is_const, n, 0);
        }
        if self.has("scalar_param") {
            for _ in 0..self.rng.range(1, 4) {
                let real = Ty::Real(self.real_kind());
                add(self, real, false, 0, 0);
            }
        }
        let m = self.rng.range(1, 4) as usize;
        if self.ret.is_none() || self.rng.chance(40) {
            add(self, pointer, false, m, 0);
        }
        let plain: Vec<usize> = (0..self.program.structs.len())
            .filter(|s| !self.has_pointer(&Ty::Struct(*s)))
            .collect();
        if self.has("struct_param") && !plain.is_empty() {
            let of = Ty::Ptr(Box::new(Ty::Struct(*self.rng.pick(&plain))));
            let (is_const, len) = (self.rng.chance(50), self.rng.range(1, 3) as usize);
            add(self, of, is_const, len, 0);
        }
        add(self, Ty::Int(Int::I32), false, 0, n as i64 + 1);
        if self.has("int_param") {
            let of = Ty::Ptr(Box::new(Ty::Int(self.int_kind())));
            let len = self.rng.range(1, 4) as usize;
            add(self, of, true, len, 0);
        }
        self.is_pure = false;
        let params = self.scope.len();
        self.bring_globals(true);
        self.budget = self.rng.range(5, 26) as usize;
        let body = self.main_body();
        let vars = std::mem::take(&mut self.vars);
        self.program.funcs[0] =
            Func { params, vars, ret: self.ret.clone(), body, is_noinline: false };
    }
}
