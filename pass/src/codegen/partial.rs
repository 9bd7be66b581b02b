//! Partials of operations as expressions, and their emission as IR.
//!
//! One description serves both modes: the tangent adds `partial · dot` over the operands, the
//! adjoint accumulates `partial · bar` into each operand. Expressions are `adrules::Expr`, for
//! instructions as for library functions.

use crate::llvm::{Builder, Context, Intrinsic, Module, RealPredicate, Type, Value};
use adir::{Body, Callee, Cast, Op, ValueId};
use adrules::{Cmp, Expr, Output, Precision, ValueKind};
use std::borrow::Cow;

/// The derivative of one operation.
pub struct Partials {
    /// (output, operand, partial): only those that are not zero.
    pub terms: Vec<(Output, usize, Cow<'static, Expr>)>,
    /// Zero times a partial is zero even where the partial is infinite.
    pub singular: bool,
    /// Values that expressions read as parameters behind the operation's own (equals.rs).
    pub others: Vec<ValueId>,
}

impl Partials {
    /// What stands for parameter `i` in the expressions of `v`.
    pub fn parameter(&self, body: &Body, v: ValueId, i: usize) -> ValueId {
        let operands = &body[v].operands;
        operands.get(i).copied().unwrap_or_else(|| self.others[i - operands.len()])
    }
    /// The parameters that an expression of `v` reads.
    pub fn read_by(&self, body: &Body, v: ValueId, expr: &Expr) -> Vec<usize> {
        (0..body[v].operands.len() + self.others.len()).filter(|&i| expr.uses_arg(i)).collect()
    }
}

/// The partials of `v`; `None` where the operation is not differentiated by partials.
pub fn partials(body: &Body, v: ValueId) -> Option<Partials> {
    let arg = |i| Box::new(Expr::Arg(i));
    let own = |terms: Vec<(usize, Expr)>| {
        let terms = terms.into_iter().map(|(i, e)| (Output::Return, i, Cow::Owned(e))).collect();
        Some(Partials { terms, singular: false, others: vec![] })
    };
    let one = || Expr::Const(1.0);
    match &body[v].op {
        Op::FNeg => own(vec![(0, Expr::Const(-1.0))]),
        Op::FAdd => own(vec![(0, one()), (1, one())]),
        Op::FSub => own(vec![(0, one()), (1, Expr::Const(-1.0))]),
        Op::FMul => own(vec![(0, Expr::Arg(1)), (1, Expr::Arg(0))]),
        Op::FDiv => own(vec![
            (0, Expr::Div(Box::new(one()), arg(1))),
            (1, Expr::Neg(Box::new(Expr::Div(Box::new(Expr::Result), arg(1))))),
        ]),
        Op::Cast(Cast::Float) | Op::Freeze => own(vec![(0, one())]),
        Op::FRem => adrules::rule("fmod").map(of_rule),
        Op::Call(Callee::Rule(rule, _)) => Some(of_rule(rule)),
        _ => None,
    }
}

/// The type of what a function with known partials stores through its pointers: that of its
/// variant.
pub fn pointee_type(context: Context, op: &Op) -> Type {
    match op {
        Op::Call(Callee::Rule(_, Precision::F32)) => context.f32(),
        Op::Call(Callee::Rule(_, Precision::F80)) => context.f80(),
        _ => context.f64(),
    }
}

fn of_rule(rule: &'static adrules::Rule) -> Partials {
    let terms = rule.partials.iter().map(|(o, i, e)| (*o, *i, Cow::Borrowed(e))).collect();
    Partials { terms, singular: rule.singular, others: vec![] }
}

/// Where an emission finds the operation's operands and result.
pub trait Values {
    /// Operand `i`.
    fn arg(&mut self, i: usize) -> Value;
    /// The operation's own value; of a struct, its element `i`.
    fn result(&mut self, i: usize) -> Value;
}

/// Emits expressions in one floating-point type, or a vector of it.
pub struct Emitter<'a> {
    builder: &'a Builder,
    module: Module,
    ty: Type,
}

impl<'a> Emitter<'a> {
    /// Emits partials of operations on values of type `ty`. Those of short reals are computed in
    /// float.
    pub fn new(builder: &'a Builder, module: Module, ty: Type) -> Emitter<'a> {
        use llvm_sys::LLVMTypeKind::*;
        let is_short = matches!(ty.scalar().kind(), LLVMHalfTypeKind | LLVMBFloatTypeKind);
        let ty = if is_short { ty.with_scalar(module.context().f32()) } else { ty };
        Emitter { builder, module, ty }
    }

    fn precision(&self) -> Precision {
        let context = self.module.context();
        match self.ty.scalar() {
            t if t == context.f32() => Precision::F32,
            t if t == context.f80() => Precision::F80,
            _ => Precision::F64,
        }
    }

    /// partial · d.
    fn times(&self, partial: &Expr, d: Value, values: &mut dyn Values) -> Value {
        let b = self.builder;
        match partial {
            Expr::Const(1.0) => d,
            Expr::Const(-1.0) => b.fneg(d),
            Expr::Neg(e) => b.fneg(self.times(e, d, values)),
            // (x / y) d = x (d / y): the quotient d / y is shared by the partials of a division.
            Expr::Div(x, y) => {
                let y = self.value(y, values);
                self.times(x, b.fdiv(d, y), values)
            }
            e => b.fmul(self.value(e, values), d),
        }
    }

    /// partial · d; where the operation is singular, 0 where `d` is 0, whatever the partial. Only what
    /// is no number otherwise is chosen so: of a choice by `d` alone, a derivative by `d` where that is
    /// 0 would be none.
    pub fn times_or_zero(
        &self,
        partial: &Expr,
        singular: bool,
        d: Value,
        values: &mut dyn Values,
    ) -> Value {
        let d = self.real(d);
        let product = self.times(partial, d, values);
        if !singular || matches!(partial, Expr::Const(_)) {
            return product;
        }
        let zero = self.ty.zero();
        let is_zero = self.builder.fcmp(RealPredicate::LLVMRealOEQ, d, zero);
        let is_none = self.builder.fcmp(RealPredicate::LLVMRealUNO, product, zero);
        let is_lost = self.builder.and(is_zero, is_none);
        self.builder.select(is_lost, zero, product)
    }

    fn value(&self, e: &Expr, values: &mut dyn Values) -> Value {
        let b = self.builder;
        match e {
            Expr::Arg(i) => self.real(values.arg(*i)),
            Expr::Result => self.real(values.result(0)),
            Expr::Element(i) => self.real(values.result(*i)),
            Expr::Const(c) => self.ty.real(*c),
            Expr::IntOffset(i, k) => {
                let n = values.arg(*i);
                b.add(n, b.splat(n.ty().scalar().int(*k as u64), n.ty()))
            }
            Expr::IntConst(k) => b.context().int(32).int(*k as u64),
            Expr::Neg(x) => b.fneg(self.value(x, values)),
            Expr::Add(x, y) => {
                let (x, y) = (self.value(x, values), self.value(y, values));
                b.fadd(x, y)
            }
            Expr::Sub(x, y) => {
                let (x, y) = (self.value(x, values), self.value(y, values));
                b.fsub(x, y)
            }
            Expr::Mul(x, y) => {
                let (x, y) = (self.value(x, values), self.value(y, values));
                b.fmul(x, y)
            }
            Expr::Div(x, y) => {
                let (x, y) = (self.value(x, values), self.value(y, values));
                b.fdiv(x, y)
            }
            Expr::Select(cmp, x, y, yes, no) => {
                let (x, y) = (self.value(x, values), self.value(y, values));
                let c = b.fcmp(predicate(*cmp), x, y);
                let (yes, no) = (self.value(yes, values), self.value(no, values));
                b.select(c, yes, no)
            }
            Expr::Call(name, args) => self.call(name, args, values),
        }
    }

    /// A value in the emitter's type: integers are converted, other precisions too.
    fn real(&self, v: Value) -> Value {
        if v.ty().scalar().is_int() {
            let ty = v.ty().with_scalar(self.ty.scalar());
            return self.builder.splat(self.builder.int_to_float(v, ty), self.ty);
        }
        self.builder.float_cast(v, self.ty)
    }

    fn call(&self, name: &str, args: &[Expr], values: &mut dyn Values) -> Value {
        let rule = adrules::rule(name);
        let kinds = rule.map(|r| r.params.clone()).unwrap_or_default();
        let args: Vec<Value> = args
            .iter()
            .enumerate()
            .map(|(i, a)| match a {
                Expr::Arg(k) if kinds.get(i) == Some(&ValueKind::Int) => values.arg(*k),
                a => self.value(a, values),
            })
            .collect();
        if let Some(intrinsic) = adrules::intrinsic(name).and_then(Intrinsic::named) {
            let mut types = vec![self.ty];
            types.extend(args.iter().map(|a| a.ty()).filter(|t| t.scalar().is_int()));
            return self.builder.call(self.module.intrinsic(intrinsic, &types), &args);
        }
        if self.ty.is_vector() {
            return self.by_element(name, &args);
        }
        self.symbol_call(name, &args)
    }

    /// A library function on vectors: element by element.
    fn by_element(&self, name: &str, args: &[Value]) -> Value {
        let b = self.builder;
        let i32 = b.context().int(32);
        let mut result = self.ty.poison();
        for i in 0..self.ty.vector_length() {
            let at = i32.int(i.into());
            let of = |a: &Value| if a.ty().is_vector() { b.extract_element(*a, at) } else { *a };
            let element = self.symbol_call(name, &args.iter().map(of).collect::<Vec<_>>());
            result = b.insert_element(result, element, at);
        }
        result
    }

    fn symbol_call(&self, name: &str, args: &[Value]) -> Value {
        let result = self.ty.scalar();
        let symbol = adrules::symbol(name, self.precision());
        let params: Vec<Type> = args.iter().map(|a| a.ty()).collect();
        let known = self.module.function(&symbol);
        let f = self.module.declare(&symbol, Type::function(result, &params, false));
        let call = self.builder.call_value(Type::function(result, &params, false), f.value(), args);
        // What it may leave in errno is nobody's business: equal calls are one.
        call.add_call_attribute("memory");
        if known.is_none() {
            for attribute in ["nounwind", "willreturn", "nofree", "nosync"] {
                f.add_attribute(attribute);
            }
        }
        call
    }
}

fn predicate(cmp: Cmp) -> RealPredicate {
    match cmp {
        Cmp::Lt => RealPredicate::LLVMRealOLT,
        Cmp::Le => RealPredicate::LLVMRealOLE,
        Cmp::Eq => RealPredicate::LLVMRealOEQ,
        Cmp::Gt => RealPredicate::LLVMRealOGT,
        Cmp::Ge => RealPredicate::LLVMRealOGE,
        Cmp::Ne => RealPredicate::LLVMRealONE,
    }
}
