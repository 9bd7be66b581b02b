//! The tree of a text. Statements know where they are in it, so that the shrinker can cut them out.

use std::collections::HashMap;

use crate::ast::Real;

use super::types::{Int, Records, Type};

/// A part of the text: first byte, and the one behind the last.
pub type Span = (usize, usize);

/// Unary operations that are no places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    Minus,
    Not,
    Flip,
}

/// Binary operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// An expression.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Expr {
    Int(i128, Int),
    Real(f64, Real),
    Text(String),
    Name(String),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    All(Box<Expr>, Box<Expr>),
    Any(Box<Expr>, Box<Expr>),
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    Assign(Option<Binary>, Box<Expr>, Box<Expr>),
    /// By how much, and whether the old value is the result.
    Step(Box<Expr>, i128, bool),
    Call(Box<Expr>, Vec<Expr>),
    Deref(Box<Expr>),
    Address(Box<Expr>),
    Member(Box<Expr>, String),
    Cast(Type, Box<Expr>),
    SizeOfType(Type),
    SizeOf(Box<Expr>),
    OffsetOf(Type, Vec<String>),
    /// `(struct s){..}`.
    Compound(Type, Box<Init>),
    Comma(Box<Expr>, Box<Expr>),
}

/// How an object starts.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Init {
    Expr(Expr),
    /// Of members in order, or of those with the name; the rest is zero.
    List(Vec<(Option<String>, Init)>),
}

/// A variable.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Decl {
    pub name: String,
    pub ty: Type,
    pub init: Option<Init>,
}

/// A statement.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum StmtKind {
    Empty,
    Expr(Expr),
    Decl(Vec<Decl>),
    Block(Vec<Stmt>),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    Do(Box<Stmt>, Expr),
    For(Option<Box<Stmt>>, Option<Expr>, Option<Expr>, Box<Stmt>),
    /// The body; cases are labels in it.
    Switch(Expr, Vec<Stmt>),
    /// `None` is `default`.
    Case(Option<i128>),
    Break,
    Continue,
    Return(Option<Expr>),
}

/// A function.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Function {
    pub ret: Type,
    pub params: Vec<(String, Type)>,
    pub body: Vec<Stmt>,
}

/// A text.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Unit {
    pub records: Records,
    pub functions: HashMap<String, Function>,
    pub globals: Vec<Decl>,
    /// The declarations and definitions of the file, in order.
    pub items: Vec<Span>,
    /// The declarations of members.
    pub members: Vec<Span>,
}
