//! Specifiers and declarators.

use std::rc::Rc;

use super::super::lex::Kind;
use super::super::types::{INT, Int, Type};
use super::super::{Is, reject};
use super::Parser;
use crate::ast::Real;

/// Words that say nothing about values here.
const SILENT: [&str; 7] =
    ["const", "volatile", "static", "extern", "inline", "register", "restrict"];

impl Parser {
    /// Whether a type begins here.
    pub fn is_type(&self, by: usize) -> bool {
        let Kind::Name(name) = self.ahead(by) else { return false };
        let words = [
            "void", "char", "short", "int", "long", "float", "double", "unsigned", "signed",
            "struct", "union", "enum", "typedef", "__attribute__",
        ];
        words.contains(&name.as_str())
            || SILENT.contains(&name.as_str())
            || self.typedefs.contains_key(name)
    }

    /// The type in front of declarators, and whether it is named by `typedef`.
    pub fn specifiers(&mut self) -> Is<(Type, bool)> {
        let (mut is_typedef, mut found, mut words) = (false, None, vec![]);
        while let Kind::Name(word) = self.token().kind.clone() {
            match word.as_str() {
                "typedef" => is_typedef = true,
                "__attribute__" => {
                    self.at += 1;
                    self.skip_group()?;
                    continue;
                }
                w if SILENT.contains(&w) => {}
                "struct" | "union" => {
                    self.at += 1;
                    found = Some(self.record_type(word == "union")?);
                    continue;
                }
                "enum" => {
                    self.at += 1;
                    self.enumeration()?;
                    found = Some(Type::Int(Int { bits: 32, is_signed: false }));
                    continue;
                }
                "void" | "char" | "short" | "int" | "long" | "float" | "double" | "unsigned"
                | "signed" => words.push(word),
                _ if found.is_none() && words.is_empty() => match self.typedefs.get(&word) {
                    Some(ty) => found = Some(ty.clone()),
                    None => return reject(format!("unknown type {word}")),
                },
                _ => break,
            }
            self.at += 1;
        }
        let ty = match found {
            Some(ty) => ty,
            None => basic(&words)?,
        };
        Ok((ty, is_typedef))
    }

    fn record_type(&mut self, is_union: bool) -> Is<Type> {
        let name = if self.is("{") { None } else { Some(self.name()?) };
        let id = self.record(is_union, name);
        if self.is("{") {
            let fields = self.members()?;
            if self.unit.records.0[id].is_complete {
                return reject("a record twice");
            }
            self.unit.records.complete(id, fields)?;
        }
        Ok(Type::Record(id))
    }

    fn enumeration(&mut self) -> Is<()> {
        if !self.is("{") {
            self.name()?;
        }
        if self.eat("{") {
            let mut next = 0;
            while !self.eat("}") {
                let name = self.name()?;
                if self.eat("=") {
                    next = self.constant()?;
                }
                self.constants.insert(name, next);
                next += 1;
                self.eat(",");
            }
        }
        Ok(())
    }

    /// The name (empty for none), its type, and the parameters of a function.
    #[allow(clippy::type_complexity)]
    pub fn declarator(&mut self, mut base: Type) -> Is<(String, Type, Vec<(String, Type)>)> {
        while self.eat("*") {
            base = base.pointer();
            while SILENT.iter().any(|w| self.is_word(w)) {
                self.at += 1;
            }
        }
        if self.is("(") && *self.ahead(1) == Kind::Mark("*") {
            let inner = self.at + 1;
            self.skip_group()?;
            let (ty, _) = self.suffix(base)?;
            let end = std::mem::replace(&mut self.at, inner);
            let result = self.declarator(ty)?;
            self.expect(")")?;
            self.at = end;
            return Ok(result);
        }
        let name = match self.token().kind {
            Kind::Name(_) => self.name()?,
            _ => String::new(),
        };
        let (ty, params) = self.suffix(base)?;
        Ok((name, ty, params))
    }

    fn suffix(&mut self, base: Type) -> Is<(Type, Vec<(String, Type)>)> {
        if self.eat("[") {
            let count = if self.is("]") { 0 } else { self.constant()? as usize };
            self.expect("]")?;
            let (element, _) = self.suffix(base)?;
            return Ok((Type::Array(Rc::new(element), count), vec![]));
        }
        if !self.eat("(") {
            return Ok((base, vec![]));
        }
        let mut params = vec![];
        if self.is_word("void") && *self.ahead(1) == Kind::Mark(")") {
            self.at += 1;
        }
        while !self.eat(")") {
            let (of, _) = self.specifiers()?;
            let (name, ty, _) = self.declarator(of)?;
            let ty = match ty {
                Type::Array(e, _) => Type::Ptr(e),
                f @ Type::Func(_) => f.pointer(),
                other => other,
            };
            params.push((name, ty));
            self.eat(",");
        }
        let types = params.iter().map(|p| p.1.clone()).collect();
        Ok((Type::Func(Rc::new((base, types))), params))
    }

    /// A type without a name.
    pub fn type_name(&mut self) -> Is<Type> {
        let (base, _) = self.specifiers()?;
        Ok(self.declarator(base)?.1)
    }
}

fn basic(words: &[String]) -> Is<Type> {
    let has = |w: &str| words.iter().any(|x| x == w);
    let is_signed = !has("unsigned");
    let int = |bits| Type::Int(Int { bits, is_signed });
    Ok(match () {
        _ if has("void") => Type::Void,
        _ if has("float") => Type::Real(Real::F32),
        _ if has("double") && !has("long") => Type::Real(Real::F64),
        _ if has("char") => int(8),
        _ if has("short") => int(16),
        _ if has("long") && !has("double") => int(64),
        _ if has("int") => Type::Int(Int { is_signed, ..INT }),
        _ if has("unsigned") || has("signed") => int(32),
        _ => return reject("no type"),
    })
}
