//! Random well-formed bodies: structured programs over memory, reals and counted loops, as import
//! makes them. They pass the verifier, and every value is defined on all ways to its uses.

use adir::Body;
use proptest::{collection::vec, option, prelude::*};

/// A statement. Numbers choose among the values that are in scope.
#[derive(Clone, Debug)]
enum Statement {
    Simple(u8, u8, u8),
    If(u8, Vec<Statement>, Vec<Statement>),
    Loop { body: Vec<Statement>, tests_first: bool, breaks: Option<u8> },
}

fn statements(most_depth: u32) -> impl Strategy<Value = Vec<Statement>> {
    let simple =
        (0u8..24, any::<u8>(), any::<u8>()).prop_map(|(kind, a, b)| Statement::Simple(kind, a, b));
    let statement = simple.prop_recursive(most_depth, 24, 5, |inner| {
        let list = || vec(inner.clone(), 0..5);
        let counted = (list(), any::<bool>(), option::weighted(0.3, any::<u8>()));
        prop_oneof![
            2 => inner.clone(),
            1 => (any::<u8>(), list(), list()).prop_map(|(c, yes, no)| Statement::If(c, yes, no)),
            2 => counted.prop_map(|(body, tests_first, breaks)| Statement::Loop { body, tests_first, breaks }),
        ]
    });
    vec(statement, 1..10)
}

/// A random program that verifies.
pub fn programs() -> impl Strategy<Value = Body> {
    (statements(4), any::<[bool; 3]>(), any::<bool>()).prop_map(|(list, noalias, gives)| {
        let text = Writer::program(&list, noalias, gives);
        let body = crate::parsed(&text);
        body.verify().unwrap_or_else(|e| panic!("{e}\n{text}"));
        body
    })
}

/// Values in scope.
#[derive(Clone, Default)]
struct Scope {
    reals: Vec<u32>,
    pointers: Vec<u32>,
    ints: Vec<u32>,
    conditions: Vec<u32>,
}

struct Writer {
    loops: Vec<String>,
    lines: Vec<String>,
    scope: Scope,
    values: u32,
    blocks: u32,
    block: u32,
}

/// Constants, after the parameters: -1, 0, 1, 8, 16.
const ONE: u32 = 9;
const ZERO: u32 = 8;
const EIGHT: u32 = 10;
const LEAVES: &str = "
    v7 = const -1
    v8 = const 0
    v9 = const 1
    v10 = const 8
    v11 = const 16
    v12: f64 = const
    v13 = global @g
    v14 = global const @t
";
const FIRST_FREE: u32 = 15;

impl Writer {
    fn program(list: &[Statement], noalias: [bool; 3], gives: bool) -> String {
        let scope = Scope {
            reals: vec![3, 4, 12],
            pointers: vec![0, 1, 2, 13, 14],
            ints: vec![5, ZERO, ONE],
            conditions: vec![6],
        };
        let mut w =
            Writer { loops: vec![], lines: vec![], scope, values: FIRST_FREE, blocks: 1, block: 0 };
        w.line("b0:".into());
        for op in ["alloca", "alloca", "call malloc(v11)"] {
            let p = w.value("ptr", op);
            w.scope.pointers.push(p);
        }
        w.list(list);
        let result = last(&w.scope.reals);
        w.line(if gives { format!("ret v{result}") } else { "ret".into() });
        let param = |i: usize| format!("v{i}: ptr{}", if noalias[i] { " noalias" } else { "" });
        let pointers = [0, 1, 2].map(param).join(", ");
        let head = format!("body @f({pointers}, v3: f64, v4: f64, v5: i64, v6: i1)\n");
        head + &w.loops.join("\n") + LEAVES + &w.lines.join("\n")
    }

    fn line(&mut self, line: String) -> usize {
        self.lines.push(line);
        self.lines.len() - 1
    }
    fn value(&mut self, ty: &str, rest: &str) -> u32 {
        let v = self.values;
        self.values += 1;
        self.line(format!("v{v}: {ty} = {rest}"));
        v
    }
    fn new_block(&mut self) -> u32 {
        self.blocks += 1;
        self.blocks - 1
    }
    fn begin(&mut self, block: u32) {
        self.block = block;
        self.line(format!("b{block}:"));
    }

    fn list(&mut self, list: &[Statement]) {
        for s in list {
            match s {
                Statement::Simple(kind, a, b) => self.simple(*kind, *a, *b),
                Statement::If(c, yes, no) => self.branch(*c, yes, no),
                Statement::Loop { body, tests_first, breaks } => {
                    self.counted(body, *tests_first, *breaks)
                }
            }
        }
    }

    fn simple(&mut self, kind: u8, a: u8, b: u8) {
        let Scope { reals, pointers, ints, conditions } = &self.scope;
        let (x, y) = (pick(reals, a), pick(reals, b));
        let (p, q) = (pick(pointers, a), pick(pointers, b));
        let (i, c) = (pick(ints, b), pick(conditions, a));
        let offset = 8 * (b % 4);
        let (ty, rest) = match kind {
            0 => ("f64", format!("fadd v{x}, v{y}")),
            1 => ("f64", format!("fmul v{x}, v{y}")),
            2 => ("f64", format!("fneg v{x}")),
            3 => ("f64", format!("call rule sin.f64(v{x})")),
            4 => ("f64", format!("select v{c}, v{x}, v{y}")),
            5..8 => ("f64", format!("load v{p}")),
            8..11 => ("", format!("store v{x}, v{q}")),
            11 => ("ptr", format!("load v{p}")),
            12 => ("", format!("store v{p}, v{q}")),
            13 | 14 => ("ptr", format!("gep v{p} + {offset}")),
            15 => ("ptr", format!("gep v{p} + v{i}*8")),
            16 => ("ptr", format!("select v{c}, v{p}, v{q}")),
            17 => ("ptr", format!("call memcpy(v{p}, v{q}, v{EIGHT})")),
            18 => ("i64", format!("load v{p}")),
            19 => ("", format!("store v{i}, v{p}")),
            20 => ("i1", format!("fcmp v{x}, v{y}")),
            21 => ("i64", format!("add v{i}, v{ONE}")),
            22 => ("f64", format!("call unknown @u(v{p}, v{y})")),
            _ => ("", format!("call defined @d(v{q}, v{x})")),
        };
        if ty.is_empty() {
            self.line(rest);
            return;
        }
        let v = self.value(ty, &rest);
        match ty {
            "f64" => self.scope.reals.push(v),
            "ptr" => self.scope.pointers.push(v),
            "i64" => self.scope.ints.push(v),
            _ => self.scope.conditions.push(v),
        }
    }

    fn branch(&mut self, c: u8, yes: &[Statement], no: &[Statement]) {
        let (then, other, join) = (self.new_block(), self.new_block(), self.new_block());
        self.line(format!("condbr v{} -> b{then} b{other}", pick(&self.scope.conditions, c)));
        let before = self.scope.clone();
        let mut ends = vec![];
        for (block, list) in [(then, yes), (other, no)] {
            self.scope = before.clone();
            self.begin(block);
            self.list(list);
            ends.push((self.block, last(&self.scope.reals), last(&self.scope.pointers)));
            self.line(format!("br -> b{join}"));
        }
        self.scope = before;
        self.begin(join);
        let phi = |of: fn(&(u32, u32, u32)) -> u32| {
            ends.iter()
                .fold("phi".to_string(), |text, end| format!("{text} [b{} v{}]", end.0, of(end)))
        };
        let (real, pointer) = (phi(|e| e.1), phi(|e| e.2));
        let (real, pointer) = (self.value("f64", &real), self.value("ptr", &pointer));
        self.scope.reals.push(real);
        self.scope.pointers.push(pointer);
    }

    /// A loop with a counter, a real and a pointer that go round. It is left where it is tested, at
    /// the beginning or the end, and perhaps from its middle.
    fn counted(&mut self, list: &[Statement], tests_first: bool, breaks: Option<u8>) {
        let number = self.loops.len();
        self.loops.push(String::new());
        let (preheader, header, exit) = (self.block, self.new_block(), self.new_block());
        let before = self.scope.clone();
        let at_entry = (ZERO, last(&before.reals), last(&before.pointers));
        self.line(format!("br -> b{header}"));
        self.begin(header);
        let phis = self.lines.len();
        let counter = self.value("i64", "");
        let real = self.value("f64", "");
        let pointer = self.value("ptr", "");
        self.scope.ints.push(counter);
        self.scope.reals.push(real);
        self.scope.pointers.push(pointer);
        let mut exiting = vec![];
        if tests_first {
            let inside = self.new_block();
            exiting.push(self.block);
            self.line(format!("condbr v{} -> b{inside} b{exit}", last(&self.scope.conditions)));
            self.begin(inside);
        }
        let middle = breaks.map_or(0, |at| at as usize % (list.len() + 1));
        self.list(&list[..middle]);
        if let Some(c) = breaks {
            let rest = self.new_block();
            exiting.push(self.block);
            self.line(format!("condbr v{} -> b{exit} b{rest}", pick(&self.scope.conditions, c)));
            self.begin(rest);
        }
        self.list(&list[middle..]);
        let next = self.value("i64", &format!("add v{counter}, v{ONE}"));
        let latch = self.block;
        let round = (next, last(&self.scope.reals), last(&self.scope.pointers));
        if tests_first {
            self.line(format!("br -> b{header}"));
        } else {
            exiting.push(latch);
            let c = self.value("i1", &format!("icmp v{next}, v5"));
            self.line(format!("condbr v{c} -> b{header} b{exit}"));
        }
        for (i, (v, ty, start, again)) in [
            (counter, "i64", at_entry.0, round.0),
            (real, "f64", at_entry.1, round.1),
            (pointer, "ptr", at_entry.2, round.2),
        ]
        .into_iter()
        .enumerate()
        {
            self.lines[phis + i] =
                format!("v{v}: {ty} = phi [b{preheader} v{start}] [b{latch} v{again}]");
        }
        self.scope = before;
        self.begin(exit);
        let from = |v: u32| {
            exiting.iter().fold("phi".to_string(), |text, b| format!("{text} [b{b} v{v}]"))
        };
        let (count, real) = (self.value("i64", &from(counter)), self.value("f64", &from(real)));
        self.scope.reals.push(real);
        self.loops[number] = format!(
            "loop l{number} header b{header} preheader b{preheader} latch b{latch} counter v{counter} \
             exits b{exit}:v{count}{}",
            if exiting.len() == 1 { " single" } else { "" }
        );
    }
}

fn pick(from: &[u32], choice: u8) -> u32 {
    // The newest are the most interesting.
    from[from.len() - 1 - choice as usize % from.len()]
}

fn last(from: &[u32]) -> u32 {
    from[from.len() - 1]
}
