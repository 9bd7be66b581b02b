//! Tests of conversions that may take reals apart into integers (analysis/digits.rs), in tangents and forward sweeps: an error at run time (AD219).
//!
//! At the end of a conversion's block a bit of it is set where the integer holds all digits of the real; when the function returns, the bits are looked at. So
//! loops have no branch more, and can be vectorised. What LLVM made of `|x| < c ? (double)(long)x : x` converts always, and chooses then: such a
//! conversion counts where it is chosen.

use crate::{
    analysis::{
        activity::Activity,
        digits::{self as conversions, Format, Test},
    },
    diag,
    ir::{BlockId, Body, Callee, Cast, Op, ValueId},
    llvm::{Builder, FastMath, Function, IntPredicate, Module, Opcode, RealPredicate, Type, Value},
    names::readable,
    sweep::Sweep,
    unit::Unit,
};

/// Name of the helper that ends the program if a bit is set.
const CHECK: &str = "__adcc.check.digits";
/// How far from a conversion choices are looked for.
const DEPTH: u32 = 8;

/// What the tests of a body look at: needed in the sweep that has them.
pub fn values(unit: &Unit, activity: &Activity) -> Vec<ValueId> {
    let mut found = vec![];
    for test in conversions::tests(&unit.body, activity) {
        found.extend(test.values());
        conditions(&unit.body, test.conversion, DEPTH, &mut found);
    }
    found
}

/// The tests of a sweep.
pub struct Digits {
    /// With the stack variable of each one's bit.
    tests: Vec<(Test, Value)>,
    function: Option<Function>,
    module: Module,
}

impl Digits {
    /// Finds them, and makes their bits.
    pub fn new(sweep: &mut Sweep) -> Digits {
        let found = conversions::tests(sweep.body(), sweep.activity);
        let module = sweep.module;
        if found.is_empty() || sweep.body().exit.is_none() {
            return Digits { tests: vec![], function: None, module };
        }
        let entry = sweep.block(BlockId(0));
        sweep.builder.position_at_start(entry);
        let bit = module.context().int(1);
        let variable = |test: Test| {
            let at = sweep.builder.alloca(bit, "digits");
            sweep.builder.store(bit.zero(), at);
            (test, at)
        };
        Digits { tests: found.into_iter().map(variable).collect(), function: Some(entry.function()), module }
    }

    /// Emits what belongs before `v`: at the end of a block its tests, at the return what looks at all.
    pub fn emit(&self, sweep: &mut Sweep, v: ValueId) {
        let body = sweep.body();
        if self.tests.is_empty() || !matches!(body[v].op, Op::Br | Op::CondBr | Op::Switch | Op::Invoke | Op::Ret) {
            return;
        }
        let block = body[v].block.expect("a terminator has a block");
        sweep.position_at_terminator(block);
        sweep.builder.fast_math = FastMath::default();
        for (test, bit) in self.tests.iter().filter(|(test, _)| body[test.conversion].block == Some(block)) {
            let taken = condition(sweep, test);
            let b = &sweep.builder;
            b.store(b.or(b.load(taken.ty(), *bit), taken), *bit);
        }
        if !matches!(body[v].op, Op::Ret) {
            return;
        }
        let helper = helper(self.module);
        for (test, bit) in &self.tests {
            let llvm = body[test.conversion].llvm.expect("imported values know theirs");
            let name = readable(&sweep.unit.canon.source.name());
            let place = match diag::place(llvm) {
                Some(place) => format!("at {place}, in '{name}'"),
                None => format!("in '{name}' (compile with -g for its line)"),
            };
            let b = &sweep.builder;
            b.call(helper, &[b.load(self.module.context().int(1), *bit), b.text(&place)]);
        }
    }

    /// Takes the helper into the function, when all is emitted.
    pub fn finish(&self) {
        let (Some(function), Some(helper)) = (self.function, self.module.function(CHECK)) else { return };
        for user in helper.value().users() {
            if user.is_instruction() && user.block().function() == function {
                user.inline();
            }
        }
    }
}

/// Whether an integer holds all digits of the real, and is chosen.
fn condition(sweep: &Sweep, test: &Test) -> Value {
    let (b, body, module) = (&sweep.builder, sweep.body(), sweep.module);
    let (mut x, n) = (sweep.value(test.real), sweep.value(test.conversion));
    if test.is_first {
        x = b.extract_element(x, b.context().int(32).zero());
    }
    let ty = x.ty();
    let mut taken: Option<Value> = None;
    if let Some(root) = test.root {
        let op = if test.is_unsigned { Opcode::LLVMUIToFP } else { Opcode::LLVMSIToFP };
        let is_whole = b.fcmp(RealPredicate::LLVMRealOEQ, b.cast(op, n, ty), x);
        let mut exact = b.and(is_whole, has_many_digits(b, sweep.value(root.real), root.format));
        if root.is_rest {
            exact = b.and(exact, b.fcmp(RealPredicate::LLVMRealUNE, x, ty.zero()));
        }
        taken = Some(exact);
    }
    if test.holds_whole {
        let magnitude = b.call(module.intrinsic("llvm.fabs", &[ty]), &[x]);
        let from = b.fcmp(RealPredicate::LLVMRealOGE, magnitude, ty.real(2f64.powi(test.format.whole)));
        let is_whole = b.and(from, b.fcmp(RealPredicate::LLVMRealOLE, magnitude, ty.real(2f64.powi(test.bound as i32))));
        taken = Some(taken.map_or(is_whole, |exact| b.select(is_whole, is_whole, exact)));
    }
    let mut taken = taken.expect("a test looks at something");
    let block = body[test.conversion].block.expect("an instruction has a block");
    if let Some(chosen) = choice(sweep, test.conversion, block, taken.ty(), DEPTH) {
        taken = b.and(taken, chosen);
    }
    let taken = b.freeze(taken);
    if taken.ty().is_vector() { b.call(module.intrinsic("llvm.vector.reduce.or", &[taken.ty()]), &[taken]) } else { taken }
}

/// Whether one of the low bits of a real is set.
fn has_many_digits(b: &Builder, x: Value, format: Format) -> Value {
    let int = b.context().int(format.bits);
    let low = b.shl(b.bitcast(x, int), int.int(u64::from(format.bits - format.low)));
    b.icmp(IntPredicate::LLVMIntNE, low, int.zero())
}

/// What becomes of a value in a use of it.
enum Use {
    /// Nothing that has a derivative.
    Nothing,
    /// It is chosen by operand 0: where that is so, or is not.
    Chosen(bool),
    /// A value that is computed of it, here.
    Computed,
    /// Anything.
    Other,
}

fn use_of(body: &Body, user: ValueId, v: ValueId, block: BlockId) -> Use {
    let data = &body[user];
    match &data.op {
        Op::ICmp | Op::FCmp | Op::Gep(..) => Use::Nothing,
        _ if data.block != Some(block) => Use::Other,
        Op::Select if data.operands[0] == v || data.operands[1] == data.operands[2] => Use::Other,
        Op::Select => Use::Chosen(data.operands[1] == v),
        Op::IntBinary(_) | Op::Cast(Cast::Int | Cast::ZeroExtend | Cast::IntToFloat | Cast::Float) | Op::FNeg | Op::FAdd | Op::FSub | Op::FMul | Op::FDiv => Use::Computed,
        Op::Call(Callee::Rule(rule, _)) if matches!(rule.name, "fma" | "fabs" | "copysign") => Use::Computed,
        _ => Use::Other,
    }
}

/// Collects the conditions of choices that take a value, or not, in its block; whether there are such for all uses.
fn conditions(body: &Body, v: ValueId, depth: u32, found: &mut Vec<ValueId>) -> bool {
    let Some(block) = body[v].block.filter(|_| depth > 0) else { return false };
    body.users[v.index()].iter().all(|&u| match use_of(body, u, v, block) {
        Use::Nothing => true,
        Use::Chosen(_) => {
            found.push(body.operand(u, 0));
            true
        }
        Use::Computed => conditions(body, u, depth - 1, found),
        Use::Other => false,
    })
}

/// Whether some use of a value is chosen, of the same shape as `ty`; `None` where that is always so.
fn choice(sweep: &Sweep, v: ValueId, block: BlockId, ty: Type, depth: u32) -> Option<Value> {
    let (body, b) = (sweep.body(), &sweep.builder);
    let mut chosen = ty.zero();
    if depth == 0 {
        return None;
    }
    for &u in &body.users[v.index()] {
        let here = match use_of(body, u, v, block) {
            Use::Nothing => continue,
            Use::Chosen(is_first) => {
                let c = sweep.value(body.operand(u, 0));
                if c.ty() != ty {
                    return None;
                }
                if is_first { c } else { b.icmp(IntPredicate::LLVMIntEQ, c, ty.zero()) }
            }
            Use::Computed => choice(sweep, u, block, ty, depth - 1)?,
            Use::Other => return None,
        };
        chosen = b.or(chosen, here);
    }
    Some(chosen)
}

/// The helper that ends the program.
fn helper(module: Module) -> Function {
    if let Some(f) = module.function(CHECK) {
        return f;
    }
    let context = module.context();
    let f = module.add_function(CHECK, Type::function(context.void(), &[context.int(1), context.ptr()], false));
    f.set_external(false);
    for attribute in ["alwaysinline", "nounwind"] {
        f.add_attribute(attribute);
    }
    let b = Builder::at_end(context, f.append_block("entry"));
    let [lost, fine] = ["lost", "fine"].map(|name| f.append_block(name));
    b.cond_br(f.params()[0], lost, fine);
    b.position_at_end(lost);
    let end = module.declare("adrt_taken_apart", Type::function(context.void(), &[context.ptr()], false));
    for attribute in ["cold", "noreturn", "nounwind"] {
        end.add_attribute(attribute);
    }
    b.call(end, &[f.params()[1]]);
    b.unreachable();
    b.position_at_end(fine);
    b.ret_void();
    f
}
