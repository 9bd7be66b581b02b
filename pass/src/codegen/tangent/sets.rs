//! Sets of inputs in place of derivatives: what a pattern of a Jacobian or a Hessian is read from.
//!
//! Where a tangent has the derivative of a real, there is the handle of a set in its lowest 32 bits
//! (runtime/src/sparse); moves and copies are the same for both. An operation unites the sets of its
//! operands, and notes which of them its partials depend on: those interact in a second derivative
//! (Walther 2008, Computing sparse Hessians with automatic differentiation).

use super::Tangent;
use crate::{
    canon::stand_ins,
    codegen::{inner::STAND_IN, partial},
    diagnostics::{Code, Diagnostic},
    image::unit::Unit,
    llvm::{Builder, Module, Opcode, Type, Value},
};
use adanalysis::activity::Activity;
use adir::{Op, Ty, ValueId, foreign};
use adrules::{Expr, Output};

/// Bits of a handle.
const HANDLE: u32 = 32;

/// What has no sets: values that are shorter than a handle, and atomic sums.
pub(super) fn check(unit: &Unit, activity: &Activity) -> Result<(), Vec<Diagnostic>> {
    let body = &unit.body;
    let refused = |v: ValueId| {
        let is_varied = activity.is_active(v);
        let what = match body[v].op {
            Op::Update(_) if activity.has_shadow(body[v].operands[0]) => {
                "adds to memory atomically"
            }
            _ if is_varied && is_short(body[v].ty) => "computes with reals of 16 bits",
            _ => return None,
        };
        let text = format!("a pattern is asked of code that {what}: not supported yet");
        let remedy = "take the pattern of the same code in double precision and on one thread";
        Some(Diagnostic::new(Code::RequestUnsupported, Some(body.llvm(v)), text, remedy))
    };
    let found: Vec<Diagnostic> = body.insts().filter_map(refused).take(1).collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn is_short(ty: Ty) -> bool {
    matches!(ty, Ty::F16 | Ty::BF16)
}

impl Tangent<'_, '_> {
    /// The set of one output of `v`; `None` where it depends on no input. `like` has the type of the
    /// output.
    pub(super) fn set_of(&mut self, v: ValueId, output: Output, like: Value) -> Option<Value> {
        let body = self.sweep.body();
        let partials = partial::partials(body, v)?;
        let operands = &body[v].operands;
        let sweep = &self.sweep;
        let b = &sweep.builder;
        let sets = Sets { module: sweep.module, b };
        let mut united: Option<Value> = None;
        let mut before: Vec<(usize, &Expr)> = vec![];
        for (_, i, expr) in partials.terms.iter().filter(|(out, ..)| *out == output) {
            let Some(set) =
                sweep.shadow(operands[*i]).filter(|_| sweep.activity.is_varied(operands[*i]))
            else {
                continue;
            };
            let own = match depends(expr, *i) {
                true => sets.nonlinear(sets.handles(set)),
                false => sets.handles(set),
            };
            let interacts = |(j, other): &(usize, &Expr)| depends(expr, *j) || depends(other, *i);
            united = Some(match united {
                None => own,
                Some(all) if before.iter().any(interacts) => sets.product(all, own),
                Some(all) => sets.union(all, own),
            });
            before.push((*i, expr));
        }
        united.map(|all| sets.carried(all, like.ty()))
    }

    /// The set of what a function with a tangent of the user's own returns: every real may be combined
    /// with every other. Through memory nothing is known of it.
    pub(super) fn set_of_custom(&mut self, v: ValueId) -> Result<(), Vec<Diagnostic>> {
        let body = self.sweep.body();
        let operands = body[v].operands.clone();
        let is_value = |&o: &ValueId| body[o].ty.is_real() || !self.sweep.activity.has_shadow(o);
        // Machine code may keep data of its own.
        let is_foreign = stand_ins::is_called(self.sweep.value(v));
        if is_foreign || !operands.iter().all(is_value) || !body[v].ty.is_real() {
            return Err(vec![refuse(v, self.unit)]);
        }
        self.sweep.position_after(v);
        let ty = self.sweep.value(v).ty();
        let sweep = &self.sweep;
        let sets = Sets { module: sweep.module, b: &sweep.builder };
        let varied = operands.iter().filter(|&&o| sweep.activity.is_varied(o));
        let all = varied.filter_map(|&o| sweep.shadow(o)).map(|set| sets.handles(set));
        let set = all.reduce(|x, y| sets.union(x, y)).map(|all| sets.nonlinear(all));
        let set = set.map_or(ty.zero(), |all| sets.carried(all, ty));
        self.sweep.set_shadow(v, set);
        Ok(())
    }

    /// The set in another precision.
    pub(super) fn converted(&self, set: Value, to: Type) -> Value {
        let sets = Sets { module: self.sweep.module, b: &self.sweep.builder };
        sets.carried(sets.handles(set), to)
    }
}

/// What a pattern is told at a call of a function without sets.
fn refuse(v: ValueId, unit: &Unit) -> Diagnostic {
    let call = unit.body.llvm(v);
    let name = call.called().name();
    let name = name.strip_suffix(foreign::SUFFIX).unwrap_or(&name);
    let is_inner = unit.body.callee(v).attribute_string(STAND_IN).is_some();
    let (what, remedy) = match stand_ins::is_called(call) {
        _ if is_inner => (
            "is an adjoint that this code asks for",
            "take the pattern of the differentiated function itself: it is that of its Hessian \
             (ad_sparse_hessian)",
        ),
        true => ("exists only as machine code", "compile its source with adcc"),
        false => (
            "has a registered derivative and accesses memory",
            "take the pattern of a version of the code that does not register the derivative",
        ),
    };
    let text = format!("a pattern is asked of code that calls '{name}', which {what}");
    Diagnostic::new(Code::UnknownCallee, Some(call), text, remedy)
}

/// Whether a partial depends on the value of operand `i`. What decides between two partials changes
/// nothing about either.
fn depends(e: &Expr, i: usize) -> bool {
    match e {
        Expr::Arg(k) => *k == i,
        Expr::Result | Expr::Element(_) => true,
        Expr::Const(_) | Expr::IntConst(_) | Expr::IntOffset(..) => false,
        Expr::Neg(x) => depends(x, i),
        Expr::Add(x, y) | Expr::Sub(x, y) | Expr::Mul(x, y) | Expr::Div(x, y) => {
            depends(x, i) || depends(y, i)
        }
        Expr::Select(_, _, _, yes, no) => depends(yes, i) || depends(no, i),
        // Of the second argument only the sign.
        Expr::Call("copysign", args) => args.first().is_some_and(|x| depends(x, i)),
        Expr::Call(_, args) => args.iter().any(|x| depends(x, i)),
    }
}

/// Emits calls of the runtime's sets; of vectors, element by element.
struct Sets<'a> {
    module: Module,
    b: &'a Builder,
}

impl Sets<'_> {
    /// The handles that values carry.
    fn handles(&self, carried: Value) -> Value {
        let bits = self.bits(carried.ty());
        self.resized(self.b.bitcast(carried, bits), bits.with_scalar(self.handle()))
    }
    /// Values of type `ty` that carry these handles.
    fn carried(&self, handles: Value, ty: Type) -> Value {
        self.b.bitcast(self.resized(handles, self.bits(ty)), ty)
    }
    fn handle(&self) -> Type {
        self.module.context().int(HANDLE)
    }
    /// Integers as long as the reals of a type.
    fn bits(&self, real: Type) -> Type {
        let bytes = self.module.store_size(real.scalar());
        real.with_scalar(self.module.context().int(8 * bytes as u32))
    }
    fn resized(&self, x: Value, to: Type) -> Value {
        match (x.ty().scalar().int_width(), to.scalar().int_width()) {
            (from, to) if from == to => x,
            (from, short) if from > short => self.b.cast(Opcode::LLVMTrunc, x, to),
            _ => self.b.cast(Opcode::LLVMZExt, x, to),
        }
    }

    fn union(&self, x: Value, y: Value) -> Value {
        self.call("adrt_set_union", &[x, y])
    }
    fn product(&self, x: Value, y: Value) -> Value {
        self.call("adrt_set_product", &[x, y])
    }
    fn nonlinear(&self, x: Value) -> Value {
        self.call("adrt_set_nonlinear", &[x])
    }
    fn call(&self, name: &str, args: &[Value]) -> Value {
        let handle = self.handle();
        let ty = Type::function(handle, &vec![handle; args.len()], false);
        let f = self.module.declare(name, ty);
        ["nounwind", "willreturn", "nofree"].iter().for_each(|a| f.add_attribute(a));
        let ty = args[0].ty();
        if !ty.is_vector() {
            return self.b.call(f, args);
        }
        let mut all = ty.poison();
        for i in 0..ty.vector_length() {
            let at = self.module.context().int(32).int(i.into());
            let of = |v: &Value| self.b.extract_element(*v, at);
            let one = self.b.call(f, &args.iter().map(of).collect::<Vec<_>>());
            all = self.b.insert_element(all, one, at);
        }
        all
    }
}
