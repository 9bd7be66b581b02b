//! Recursive descent over the tokens: the file's declarations here, types, expressions and
//! statements in their files.

use std::collections::HashMap;

use super::lex::{self, Kind, Token};
use super::syntax::*;
use super::types::{Field, Record, Type};
use super::{Is, reject};

mod expr;
mod stmt;
mod types;

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    unit: Unit,
    /// By `struct NAME` and `union NAME`.
    tags: HashMap<String, usize>,
    typedefs: HashMap<String, Type>,
    /// Members of enumerations.
    constants: HashMap<String, i128>,
}

/// The tree of a text.
pub fn parse(text: &str) -> Is<Unit> {
    let mut p = Parser {
        tokens: lex::tokens(text)?,
        at: 0,
        unit: Unit::default(),
        tags: HashMap::new(),
        typedefs: HashMap::from([("size_t".into(), Type::Int(super::types::SIZE))]),
        constants: HashMap::new(),
    };
    let with_line = |why: String, p: &Parser| {
        let line = text[..p.token().start].lines().count();
        format!("{why}, before {:?} in line {line}", p.token().kind)
    };
    while p.token().kind != Kind::End {
        p.item().map_err(|why| with_line(why, &p))?;
    }
    Ok(p.unit)
}

impl Parser {
    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    /// The token that is so many behind the next one.
    fn ahead(&self, by: usize) -> &Kind {
        &self.tokens[(self.at + by).min(self.tokens.len() - 1)].kind
    }

    fn is(&self, mark: &str) -> bool {
        matches!(&self.token().kind, Kind::Mark(m) if *m == mark)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.token().kind, Kind::Name(n) if n == word)
    }

    fn eat(&mut self, mark: &str) -> bool {
        let is = self.is(mark);
        self.at += usize::from(is);
        is
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, mark: &str) -> Is<()> {
        if self.eat(mark) { Ok(()) } else { reject(format!("no {mark}")) }
    }

    fn name(&mut self) -> Is<String> {
        match self.token().kind.clone() {
            Kind::Name(n) => {
                self.at += 1;
                Ok(n)
            }
            _ => reject("no name"),
        }
    }

    /// Behind the bracket that closes the one at hand.
    fn skip_group(&mut self) -> Is<()> {
        let mut depth = 0;
        loop {
            match &self.token().kind {
                Kind::Mark("(" | "[" | "{") => depth += 1,
                Kind::Mark(")" | "]" | "}") => depth -= 1,
                Kind::End => return reject("open bracket"),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// The end of the last token that was read.
    fn end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |i| self.tokens[i].end)
    }

    /// A declaration or definition of the file.
    fn item(&mut self) -> Is<()> {
        let start = self.token().start;
        let (base, is_typedef) = self.specifiers()?;
        if !self.eat(";") {
            loop {
                let (name, ty, params) = self.declarator(base.clone())?;
                if is_typedef {
                    self.typedefs.insert(name, ty);
                } else if let Type::Func(f) = &ty {
                    if self.is("{") {
                        let body = self.braced()?;
                        let function = Function { ret: f.0.clone(), params, body };
                        self.unit.functions.insert(name, function);
                        self.unit.items.push((start, self.end()));
                        return Ok(());
                    }
                } else {
                    let decl = self.initialised(name, ty)?;
                    self.unit.globals.push(decl);
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        self.unit.items.push((start, self.end()));
        Ok(())
    }

    /// A variable with what follows its declarator; an array takes its length from it.
    fn initialised(&mut self, name: String, mut ty: Type) -> Is<Decl> {
        let init = if self.eat("=") { Some(self.initialiser()?) } else { None };
        if let (Type::Array(_, n @ 0), Some(init)) = (&mut ty, &init) {
            *n = match init {
                Init::List(list) => list.len(),
                Init::Expr(Expr::Text(text)) => text.len() + 1,
                Init::Expr(_) => return reject("initialiser of an array"),
            };
        }
        Ok(Decl { name, ty, init })
    }

    /// The struct or union of a name; without one, a new one.
    fn record(&mut self, is_union: bool, name: Option<String>) -> usize {
        let key = name.as_ref().map(|n| format!("{is_union} {n}"));
        if let Some(id) = key.as_ref().and_then(|k| self.tags.get(k)) {
            return *id;
        }
        let id = self.unit.records.0.len();
        let name = name.unwrap_or_default();
        self.unit.records.0.push(Record { name, is_union, align: 1, ..Record::default() });
        if let Some(key) = key {
            self.tags.insert(key, id);
        }
        id
    }

    /// The members between braces.
    fn members(&mut self) -> Is<Vec<Field>> {
        let mut fields = vec![];
        self.expect("{")?;
        while !self.eat("}") {
            let start = self.token().start;
            let (base, _) = self.specifiers()?;
            if self.eat(";") {
                fields.push(Field { name: String::new(), ty: base, bits: None, at: 0 });
                continue;
            }
            loop {
                let (name, ty, _) = self.declarator(base.clone())?;
                let bits = if self.eat(":") { Some(self.constant()? as usize) } else { None };
                fields.push(Field { name, ty, bits, at: 0 });
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
            self.unit.members.push((start, self.end()));
        }
        Ok(fields)
    }
}
