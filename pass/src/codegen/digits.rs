//! Tests of conversions that may take reals apart into integers (analysis/digits.rs), in tangents
//! and forward sweeps: an error at run time (AD219).
//!
//! At the end of a block that uses it, a conversion's bit is set where the integer holds all digits
//! of the real; when the function returns, the bits are looked at. So loops have no branch more,
//! and can be vectorised. What LLVM made of `|x| < c ? (double)(long)x : x` converts always, and
//! chooses then: such a conversion counts where it is chosen.

use crate::{
    codegen::sweep::Sweep,
    diagnostics::{self, names::readable},
    image::unit::Unit,
    llvm::{
        Builder, FastMath, Function, IntPredicate, Intrinsic, Module, Opcode, RealPredicate, Type,
        Value,
    },
};
use adanalysis::{
    activity::Activity,
    digits::{self as conversions, Format, Test},
};
use adir::{BlockId, Body, Callee, Cast, Op, ValueId};

/// Name of the helper that ends the program if a bit is set.
const CHECK: &str = "__adcc.check.digits";
/// How far a conversion's uses are followed.
const DEPTH: u32 = 8;
/// And how far behind a choice.
const DEPTH_CHOSEN: u32 = 2;
/// How many of them.
const MOST_POINTS: usize = 40;

/// What the tests of a body look at: needed in the sweep that has them.
pub fn values(unit: &Unit, activity: &Activity) -> Vec<ValueId> {
    let mut found = vec![];
    for test in conversions::tests(&unit.body, activity) {
        found.extend(test.values());
        found.extend(
            points(&unit.body, test.conversion).into_iter().flat_map(|p| p.chosen).map(|c| c.0),
        );
    }
    found
}

/// The tests of a sweep.
pub struct Digits {
    /// With the stack variable of each one's bit, and where it is set.
    tests: Vec<(Test, Value, Vec<Point>)>,
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
        let body = sweep.body();
        let variable = |test: Test| {
            let at = sweep.builder.alloca(bit, "digits");
            sweep.builder.store(bit.zero(), at);
            (test, at, points(body, test.conversion))
        };
        Digits {
            tests: found.into_iter().map(variable).collect(),
            function: Some(entry.function()),
            module,
        }
    }

    /// Emits what belongs before `v`: at the end of a block its tests, at the return what looks at
    /// all.
    pub fn emit(&self, sweep: &mut Sweep, v: ValueId) {
        let body = sweep.body();
        if self.tests.is_empty()
            || !matches!(body[v].op, Op::Br | Op::CondBr | Op::Switch | Op::Invoke | Op::Ret)
        {
            return;
        }
        let block = body.block_of(v);
        sweep.position_at_terminator(block);
        sweep.builder.fast_math = FastMath::default();
        for (test, bit, points) in &self.tests {
            for point in points.iter().filter(|p| p.block == block) {
                let taken = condition(sweep, test, point);
                let b = &sweep.builder;
                b.store(b.or(b.load(taken.ty(), *bit), taken), *bit);
            }
        }
        if !matches!(body[v].op, Op::Ret) {
            return;
        }
        let helper = helper(self.module);
        for (test, bit, _) in &self.tests {
            let llvm = body.llvm(test.conversion);
            let name = readable(&sweep.unit.canon.source.name());
            let place = match diagnostics::place(llvm) {
                Some(place) => format!("at {place}, in '{name}'"),
                None => format!("in '{name}' (compile with -g for its line)"),
            };
            let b = &sweep.builder;
            b.call(helper, &[b.load(self.module.context().int(1), *bit), b.text(&place)]);
        }
    }

    /// Takes the helper into the function, when all is emitted.
    pub fn finish(&self) {
        let (Some(function), Some(helper)) = (self.function, self.module.function(CHECK)) else {
            return;
        };
        helper.inline_calls_in(function);
    }
}

/// Whether an integer holds all digits of the real, and is chosen.
fn condition(sweep: &Sweep, test: &Test, point: &Point) -> Value {
    let (b, module) = (&sweep.builder, sweep.module);
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
        let magnitude = b.call(module.intrinsic(Intrinsic::Fabs, &[ty]), &[x]);
        let from =
            b.fcmp(RealPredicate::LLVMRealOGE, magnitude, ty.real(2f64.powi(test.format.whole)));
        let is_whole = b.and(
            from,
            b.fcmp(RealPredicate::LLVMRealOLE, magnitude, ty.real(2f64.powi(test.bound as i32))),
        );
        taken = Some(taken.map_or(is_whole, |exact| b.select(is_whole, is_whole, exact)));
    }
    let mut taken = taken.expect("a test looks at something");
    let chosen = |taken: Value| {
        let conditions = point
            .chosen
            .iter()
            .map(|&(c, holds)| (sweep.value(c), holds))
            .filter(|(c, _)| c.ty() == taken.ty());
        conditions.fold(taken, |all, (c, holds)| {
            b.and(all, if holds { c } else { b.icmp(IntPredicate::LLVMIntEQ, c, c.ty().zero()) })
        })
    };
    taken = b.freeze(chosen(taken));
    if taken.ty().is_vector() {
        taken = b
            .freeze(chosen(b.call(module.intrinsic(Intrinsic::ReduceOr, &[taken.ty()]), &[taken])));
    }
    taken
}

/// Whether one of the low bits of a real is set.
fn has_many_digits(b: &Builder, x: Value, format: Format) -> Value {
    let int = b.context().int(format.bits);
    let low = b.shl(b.bitcast(x, int), int.int(u64::from(format.bits - format.low)));
    b.icmp(IntPredicate::LLVMIntNE, low, int.zero())
}

/// Where the integer of a conversion matters: at the end of a block, and where these conditions
/// hold, or do not.
struct Point {
    block: BlockId,
    chosen: Vec<(ValueId, bool)>,
}

/// All points of a conversion. One that is used as it is, is so in its block; else its uses are
/// followed through arithmetic and choices to where something becomes of them: passes convert
/// before conditions, and out of loops, what the source converts behind them.
fn points(body: &Body, conversion: ValueId) -> Vec<Point> {
    let own = body.block_of(conversion);
    let mut found = vec![];
    let is_always = walk(body, conversion, own, &mut vec![], DEPTH, &mut found);
    if is_always || found.is_empty() {
        return vec![Point { block: own, chosen: vec![] }];
    }
    found
}

/// Follows the uses of a value; whether some of it is always used in the block `own`, or there are
/// too many uses.
fn walk(
    body: &Body,
    v: ValueId,
    own: BlockId,
    chosen: &mut Vec<(ValueId, bool)>,
    depth: u32,
    found: &mut Vec<Point>,
) -> bool {
    if depth == 0 && !chosen.is_empty() {
        found.push(Point { block: body.block_of(v), chosen: chosen.clone() });
        return false;
    }
    if depth == 0 || found.len() > MOST_POINTS {
        return true;
    }
    body.users[v].iter().any(|&u| {
        let (data, at) = (&body[u], body.block_of(u));
        let mut is_used = |block: BlockId, chosen: Vec<(ValueId, bool)>| {
            let is_always = block == own && chosen.is_empty();
            found.push(Point { block, chosen });
            is_always
        };
        match &data.op {
            Op::ICmp | Op::FCmp | Op::Gep(..) => false,
            Op::Phi(from) => {
                let incoming = data.operands.iter().zip(from).filter(|(o, _)| **o == v);
                incoming
                    .map(|(_, &p)| p)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .any(|p| is_used(p, [chosen.clone(), edge(body, p, at)].concat()))
            }
            Op::Select if data.operands[0] != v && data.operands[1] != data.operands[2] => {
                chosen.push((data.operands[0], data.operands[1] == v));
                let is_always = walk(body, u, own, chosen, DEPTH_CHOSEN.min(depth - 1), found);
                chosen.pop();
                is_always
            }
            Op::IntBinary(_)
            | Op::Cast(Cast::Int | Cast::ZeroExtend | Cast::IntToFloat | Cast::Float)
            | Op::FNeg
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv => walk(body, u, own, chosen, depth - 1, found),
            Op::Call(Callee::Rule(rule, _))
                if matches!(rule.name, "fma" | "fabs" | "copysign" | "ldexp") =>
            {
                walk(body, u, own, chosen, depth - 1, found)
            }
            _ => is_used(at, chosen.clone()),
        }
    })
}

/// The condition of an edge.
fn edge(body: &Body, from: BlockId, to: BlockId) -> Vec<(ValueId, bool)> {
    let last = body.terminator(from);
    match (&body[last].op, &body[from].succs[..]) {
        (Op::CondBr, &[yes, no]) if yes != no => vec![(body.operand(last, 0), yes == to)],
        _ => vec![],
    }
}

/// The helper that ends the program.
fn helper(module: Module) -> Function {
    if let Some(f) = module.function(CHECK) {
        return f;
    }
    let context = module.context();
    let f = module.add_function(
        CHECK,
        Type::function(context.void(), &[context.int(1), context.ptr()], false),
    );
    f.set_external(false);
    for attribute in ["alwaysinline", "nounwind"] {
        f.add_attribute(attribute);
    }
    let b = Builder::at_end(context, f.append_block("entry"));
    let [lost, fine] = ["lost", "fine"].map(|name| f.append_block(name));
    b.cond_br(f.params()[0], lost, fine);
    b.position_at_end(lost);
    let end =
        module.declare("adrt_taken_apart", Type::function(context.void(), &[context.ptr()], false));
    for attribute in ["cold", "noreturn", "nounwind"] {
        end.add_attribute(attribute);
    }
    b.call(end, &[f.params()[1]]);
    b.unreachable();
    b.position_at_end(fine);
    b.ret_void();
    f
}
