//! Random record types with mixed members, and the functions that fill and measure them.

use std::fmt::Write;

use crate::rng::Rng;

/// A record type and what idioms may do with it. Members are paths from the record, as `pos.v[1]`.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// The type, as `struct @rec0`.
    pub name: String,
    /// Members that hold reals.
    pub reals: Vec<String>,
    /// Those that are `double`.
    pub doubles: Vec<String>,
    /// Members that hold small integers.
    pub ints: Vec<String>,
    /// A member of type `char[8]`.
    pub text: Option<String>,
    /// Types.
    pub types: String,
    /// `@fillN`, which gives all members values, and `@measureN`, which adds them up.
    pub functions: String,
}

/// A type in the making.
struct Maker<'a> {
    rng: &'a mut Rng,
    number: usize,
    shape: Shape,
    /// Declarations of members.
    members: Vec<String>,
    /// Statements of `@fillN` and terms of `@measureN`.
    fills: Vec<String>,
    terms: Vec<String>,
    reals: usize,
}

const INTS: &[&str] = &[
    "int", "int", "long", "short", "char", "unsigned", "size_t", "unsigned char", "unsigned short",
];

/// Record type number `number`.
pub fn shape(rng: &mut Rng, number: usize, floats: bool) -> Shape {
    let mut m = Maker {
        rng,
        number,
        shape: Shape { name: format!("struct @rec{number}"), ..Shape::default() },
        members: vec![],
        fills: vec![],
        terms: vec![],
        reals: 0,
    };
    m.double("x");
    m.int("k");
    let kinds: Vec<usize> = (0..m.rng.below(5)).map(|_| m.rng.below(9)).collect();
    for (i, kind) in kinds.into_iter().enumerate() {
        match kind {
            0 => m.double(&format!("d{i}")),
            1 => m.array(&format!("v{i}")),
            2 => m.nested(&format!("in{i}")),
            3 => m.bits(i),
            4 if m.shape.text.is_none() => m.text(&format!("name{i}")),
            5 => m.union(&format!("u{i}")),
            6 => m.reference(&format!("ref{i}")),
            7 if floats => m.float(&format!("f{i}")),
            _ => m.int(&format!("n{i}")),
        }
    }
    m.finish()
}

impl Maker<'_> {
    fn real(&mut self, path: &str, is_double: bool) {
        self.shape.reals.push(path.to_string());
        if is_double {
            self.shape.doubles.push(path.to_string());
        }
        let scale = self.rng.uniform(0.3, 1.2);
        self.fills.push(format!("r->{path} = x[(k + {}) % n] * {scale:?};", self.reals));
        self.terms.push(format!("{:?} * r->{path}", self.rng.uniform(0.3, 1.5)));
        self.reals += 1;
    }

    fn double(&mut self, name: &str) {
        self.members.push(format!("double {name};"));
        self.real(name, true);
    }

    fn float(&mut self, name: &str) {
        self.members.push(format!("float {name};"));
        self.real(name, false);
    }

    fn count(&mut self, path: &str) {
        self.shape.ints.push(path.to_string());
        self.fills.push(format!("r->{path} = (k + {}) % 4;", self.rng.below(4)));
        self.terms.push(format!("0.25 * (double)r->{path}"));
    }

    fn int(&mut self, name: &str) {
        self.members.push(format!("{} {name};", self.rng.pick(INTS)));
        self.count(name);
    }

    fn array(&mut self, name: &str) {
        let n = self.rng.range(2, 4);
        if self.rng.chance(75) {
            self.members.push(format!("double {name}[{n}];"));
            (0..n).for_each(|k| self.real(&format!("{name}[{k}]"), true));
        } else {
            self.members.push(format!("{} {name}[{n}];", self.rng.pick(INTS)));
            (0..n).for_each(|k| self.count(&format!("{name}[{k}]")));
        }
    }

    fn nested(&mut self, name: &str) {
        let tag = format!("struct @{name}_{}", self.number);
        let int = *self.rng.pick(INTS);
        let (a, b) = (format!("{name}.a"), format!("{name}.b"));
        let members =
            *self.rng.pick(&["double a, b; I k;", "I k; double a, b;", "double a; I k; double b;"]);
        let body = format!("{{ {} }}", members.replace('I', int));
        if self.rng.chance(60) {
            let _ = writeln!(self.shape.types, "{tag} {body};");
            self.members.push(format!("{tag} {name};"));
        } else {
            self.members.push(format!("struct {body} {name};"));
        }
        self.real(&a, true);
        self.real(&b, true);
        self.count(&format!("{name}.k"));
    }

    fn bits(&mut self, i: usize) {
        let unit = *self
            .rng
            .pick(&["unsigned", "unsigned", "unsigned char", "unsigned short", "unsigned long"]);
        let names = [format!("b{i}"), format!("c{i}")];
        let width = self.rng.range(2, 8);
        self.members.push(format!("{unit} {} : {width}, {} : 3;", names[0], names[1]));
        names.iter().for_each(|n| self.count(n));
    }

    fn text(&mut self, name: &str) {
        self.members.push(format!("char {name}[8];"));
        let copy = match self.rng.below(3) {
            0 => format!("strcpy(r->{name}, \"item\");"),
            1 => format!("memset(r->{name}, 0, sizeof r->{name}); r->{name}[0] = 'a' + k % 5;"),
            _ => format!(
                "strncpy(r->{name}, \"longer\", sizeof r->{name}); r->{name}[2] = 'a' + k % 5;"
            ),
        };
        self.fills.push(copy);
        self.terms.push(format!("0.01 * r->{name}[0]"));
        self.shape.text = Some(name.to_string());
    }

    /// A tag and a union: which member counts is in the tag.
    fn union(&mut self, name: &str) {
        let int = *self.rng.pick(&["int", "long", "short"]);
        let tag = *self.rng.pick(&["int", "char", "unsigned", "long"]);
        let union =
            format!("union {{ double d; {int} i; struct {{ double a; {int} n; }} s; }} {name};");
        let tag = format!("{tag} tag_{name};");
        self.members.push(if self.rng.chance(50) {
            format!("{tag} {union}")
        } else {
            format!("{union} {tag}")
        });
        let shift = self.rng.below(3);
        self.fills.push(format!(
            "r->tag_{name} = (k + {shift}) % 3;\n  if (r->tag_{name} == 0) r->{name}.d = x[k % n];\n  \
             else if (r->tag_{name} == 1) r->{name}.i = k % 5;\n  else {{ r->{name}.s.a = 0.5 * x[(k + 1) % n]; r->{name}.s.n = 2; }}"
        ));
        self.terms.push(format!(
            "(r->tag_{name} == 0 ? r->{name}.d : r->tag_{name} == 1 ? 0.5 * r->{name}.i : r->{name}.s.a * r->{name}.s.n)"
        ));
    }

    fn reference(&mut self, name: &str) {
        self.members.push(format!("const double *{name};"));
        self.fills.push(format!("r->{name} = x + (k + 1) % n;"));
        self.terms.push(format!("0.5 * *r->{name}"));
    }

    fn finish(mut self) -> Shape {
        for i in (1..self.members.len()).rev() {
            self.members.swap(i, self.rng.below(i + 1));
        }
        let (n, name) = (self.number, &self.shape.name);
        let _ = writeln!(self.shape.types, "{name} {{\n  {}\n}};", self.members.join("\n  "));
        let out = *self.rng.pick(&["static", "static __attribute__((noinline))"]);
        let literal = format!("*r = ({name}){{0}};\n  ");
        let clear = *self.rng.pick(&["", "memset(r, 0, sizeof *r);\n  ", &literal]);
        self.shape.functions = format!(
            "{out} void @fill{n}({name} *r, const double *x, int n, int k) {{\n  {clear}{}\n}}\n\
             {out} double @measure{n}(const {name} *r) {{\n  return {};\n}}\n",
            self.fills.join("\n  "),
            self.terms.join(" + ")
        );
        self.shape
    }
}
