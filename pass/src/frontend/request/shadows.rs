//! Shadows that a request is given: they must be memory of their own, of the size of their primals.
//!
//! Where it is seen that a shadow is the memory of an argument, that is an error. For all else
//! there is a check at run time, `ADRT_CHECK=1` (runtime/src/shadows.rs): before the request, a
//! function computes how far the accesses behind each argument reach (the shim's extent.cpp), and
//! hands rows of primals and shadows to the runtime. When it is off, it costs a look at a flag.
//!
//! Shadows that derivatives do not use may be anything, and so may those that a tangent only reads:
//! x may be a direction. Stack variables whose addresses would only be compared are stood for by
//! numbers: to hand the addresses on would keep the variables from becoming registers. Not so where
//! the address goes elsewhere, too: those stay in memory in any case, and a shadow that the program
//! reads somewhere may be the variable itself.

use super::{Parameter, Request, trace};
use crate::{
    annotations::{
        attributes::{RULE, is_ours},
        registry::CHECKS,
        requests::is_request,
    },
    codegen::{
        prebuilt::objects,
        versions::{self, Touched},
    },
    diagnostics::{self, Code, Diagnostic, names::readable},
    frontend::Host,
    llvm::{Builder, Extents, Function, IntPredicate, Opcode, Reach, Span, Type, Value, Variable},
};
use adanalysis::activity::Param;
use adir::{library::CHECK_SHADOWS, target};

/// Accesses of which spans are computed: of functions with more, only the pointers are compared.
const MOST_ACCESSES: usize = 400;
/// Calls through which a shadow is followed.
const MOST_CALLS: usize = 8;
/// The size of a shadow is not known; it is that of a block of the heap that starts there.
const UNKNOWN: u64 = u64::MAX;
const BLOCK: u64 = u64::MAX - 1;
/// Of a row: the spans hold; it is of memory behind pointers of the argument; it has no shadow; the
/// function writes it.
const KNOWN: u64 = 1;
const BEHIND: u64 = 2;
const CONSTANT: u64 = 4;
const WRITTEN: u64 = 8;
/// Of the check: the request is a tangent.
const TANGENT: u64 = 1;

/// A shadow that the derivative uses.
struct Given {
    /// Of which parameter, in which direction, and which of all shadows.
    param: usize,
    direction: usize,
    number: usize,
}

impl Request {
    /// Refuses shadows that are seen to be memory of arguments, and emits the check of all others;
    /// `derivative` takes the parameters, then the shadows.
    pub(super) fn check_shadows(
        &self,
        host: &mut dyn Host,
        b: &Builder,
        derivative: Function,
    ) -> Result<(), Vec<Diagnostic>> {
        let given = self.used_shadows(derivative);
        if given.is_empty() {
            return Ok(());
        }
        let unit = host.unit(self.function).map_err(|d| vec![d])?;
        let touched = versions::touched(&unit, &self.context());
        let found = self.own_shadows(&given, &touched);
        if !found.is_empty() {
            return Err(found);
        }
        self.emit_check(host, b, &given, touched)
    }

    fn used_shadows(&self, derivative: Function) -> Vec<Given> {
        let params = derivative.params();
        let of = |(i, p): (usize, &Parameter)| (0..p.shadows.len()).map(move |d| (i, d));
        let all = self.parameters.iter().enumerate().flat_map(of).enumerate();
        let is_used = |g: &Given| is_used(params[self.parameters.len() + g.number], MOST_CALLS);
        all.map(|(number, (param, direction))| Given { param, direction, number })
            .filter(|g| self.parameters[g.param].activity == Param::Shadowed)
            .filter(is_used)
            .collect()
    }

    fn shadow(&self, g: &Given) -> Value {
        self.parameters[g.param].shadows[g.direction]
    }

    /// Whether it matters that the shadow of one parameter shares memory with another, or with its
    /// shadow.
    fn matters(&self, touched: &Touched, i: usize, j: usize) -> bool {
        let is = |set: &[bool], i: usize| set[2 * i] || set[2 * i + 1];
        let touches = |i: usize| is(&touched.read, i) || is(&touched.written, i);
        touches(i)
            && touches(j)
            && (!self.kind.is_forward() || is(&touched.written, i) || is(&touched.written, j))
    }

    /// Shadows that are seen to be arguments.
    fn own_shadows(&self, given: &[Given], touched: &Touched) -> Vec<Diagnostic> {
        let mut found = vec![];
        for g in given {
            let is_mine = |(j, p): &(usize, &Parameter)| {
                p.primal.ty().is_pointer()
                    && self.matters(touched, g.param, *j)
                    && is_same(p.primal, self.shadow(g))
            };
            let Some((_, same)) = self.parameters.iter().enumerate().find(is_mine) else {
                continue;
            };
            let name = self.named.name();
            let (mine, other) = (self.parameters[g.param].argument + 1, same.argument + 1);
            let what = if mine == other {
                "the argument itself".into()
            } else {
                format!("argument {other}")
            };
            let text = format!(
                "the shadow of argument {mine} of '{name}' is {what}: derivatives would overwrite it"
            );
            let remedy = "give the shadow memory of its own, of the same size; or mark the \
                argument ad_const and pass no shadow";
            found.push(Diagnostic::new(Code::RequestArguments, Some(self.call), text, remedy));
        }
        found
    }

    fn emit_check(
        &self,
        host: &mut dyn Host,
        b: &Builder,
        given: &[Given],
        touched: Touched,
    ) -> Result<(), Vec<Diagnostic>> {
        let module = host.module();
        let context = module.context();
        let (ptr, i64, i32) = (context.ptr(), context.int(64), context.int(32));
        let mut args = self.given();
        let first_size = args.len();
        args.extend(given.iter().map(|g| room(b, self.call, self.shadow(g))));
        let types: Vec<Type> = args.iter().map(|a| a.ty()).collect();
        let ty = Type::function(context.void(), &types, false);
        let name = self.function.name();

        // It looks at addresses alone, also where other requests differentiate this one: the name is
        // that of a mark, of which analyses know that it touches nothing.
        let check = host.new_function(&format!("adcc.shadows.{name}"), ty, self.function);
        check.add_attribute("noinline");
        check.add_attribute("cold");
        check.add_attribute_string(RULE, CHECK_SHADOWS);
        let end = check.append_block("entry");
        let extents = self.extents(host, end, touched.accesses)?;
        let c = Builder::at_end(context, end);
        let row = context.structure(&[i64, i64, i64, i64, i64, i64, i64, i32, i32, i32, i32]);
        let params = check.params();
        let mut rows: Vec<[Value; 11]> = vec![];
        let number = |n: u64| i32.int(n);
        let wide = |v: Value| c.cast(Opcode::LLVMPtrToInt, v, i64);
        let mut push = |i: usize, level: usize, shadow: Option<(usize, &Given)>| {
            let e = 2 * i + level;
            if !touched.read[e] && !touched.written[e] {
                return;
            }
            let x = extents.get(shadow.map_or(0, |(_, g)| g.direction));
            // What is accessed now and then is no fault; where nothing is, the pointers may be any.
            let reached = x.and_then(|x| x.reached.primals[e]).filter(|_| !touched.unclear[e]);
            let sure = x.and_then(|x| x.sure.primals[e]);
            let beside = shadow.and_then(|_| x.and_then(|x| x.sure.shadows[e]));
            let sure = sure.filter(|_| shadow.is_none() || beside.is_some());
            if sure.is_none() && level == 1 {
                return;
            }
            let is_some = |s: Span| c.icmp(IntPredicate::LLVMIntULT, s.low, s.high);
            let is_none = |s: Span| c.icmp(IntPredicate::LLVMIntUGE, s.low, s.high);
            let (is_some, is_none) = (sure.map(is_some), reached.map(is_none));
            let is_known = match (is_some, is_none) {
                (Some(some), Some(none)) => Some(c.or(some, none)),
                (some, none) => some.or(none),
            };
            let spans = sure.or(reached);
            let mut flags = if touched.written[e] { WRITTEN } else { 0 };
            flags |= if level == 1 { BEHIND } else { 0 };
            flags |= if shadow.is_none() { CONSTANT } else { 0 };
            let flags = match (is_known, x) {
                (Some(known), Some(x)) => {
                    let known = c.cast(Opcode::LLVMZExt, c.and(x.holds, known), i32);
                    c.or(number(flags), known)
                }
                _ => number(flags),
            };
            debug_assert_eq!(KNOWN, 1, "the condition is the flag");
            let primal = params[i];
            let at = shadow.map_or(ptr.zero(), |(_, g)| params[self.parameters.len() + g.number]);
            let size = shadow.map_or(i64.int(UNKNOWN), |(n, _)| params[first_size + n]);
            let ends = |s: Option<Span>, v: Value| {
                s.map_or_else(|| (wide(v), wide(v)), |s| (s.low, s.high))
            };
            let ((low, high), (slow, shigh)) =
                (ends(spans, primal), ends(beside.filter(|_| spans.is_some()), at));
            let (argument, direction) = (
                number(self.parameters[i].argument as u64 + 1),
                number(shadow.map_or(0, |(_, g)| g.direction as u64)),
            );
            rows.push([
                wide(primal),
                low,
                high,
                wide(at),
                slow,
                shigh,
                size,
                argument,
                flags,
                direction,
                number(0),
            ]);
        };
        for i in (0..self.parameters.len()).filter(|&i| self.parameters[i].primal.ty().is_pointer())
        {
            for level in [0, 1] {
                let mut mine = given.iter().enumerate().filter(|(_, g)| g.param == i).peekable();
                if mine.peek().is_none() {
                    push(i, level, None);
                }
                mine.for_each(|g| push(i, level, Some(g)));
            }
        }
        let count = rows.len() as u64;
        let table = c.alloca(row.array(count.max(1)), "rows");
        for (n, members) in rows.iter().enumerate() {
            let at = c.byte_offset(table, i64.int(n as u64 * module.alloc_size(row)));
            members.iter().enumerate().for_each(|(m, &v)| {
                c.store(v, c.member(row, at, m as u32));
            });
        }
        let runtime = module.declare(
            CHECK_SHADOWS,
            Type::function(context.void(), &[ptr, ptr, ptr, i64, i64], false),
        );
        runtime.add_attribute("nounwind");
        if !host.config().check {
            runtime.make_weak_reference();
        }
        let place = diagnostics::request_text(&super::origin(self.call), &module.source_file());
        let mode = i64.int(if self.kind.is_forward() { TANGENT } else { 0 });
        c.call(
            runtime,
            &[
                c.text(&readable(&self.named.name())),
                c.text(place.trim()),
                table,
                i64.int(count),
                mode,
            ],
        );
        c.ret_void();
        host.finish(check)?;

        let test = self.test(host, check, ty)?;
        if !host.config().validate {
            stand_in(b, &check.params(), &mut args);
        }
        b.call(test, &args);
        Ok(())
    }

    /// How far accesses reach, per direction; none where there are too many.
    fn extents(
        &self,
        host: &mut dyn Host,
        end: crate::llvm::Block,
        accesses: Vec<Reach>,
    ) -> Result<Vec<Extents>, Vec<Diagnostic>> {
        let unit = host.unit(self.function).map_err(|d| vec![d])?;
        if accesses.len() > MOST_ACCESSES {
            return Ok(vec![]);
        }
        let count = self.parameters.len();
        // The shadows follow the primals.
        let mut first = count;
        let mut firsts = vec![];
        for p in &self.parameters {
            firsts.push((p.activity == Param::Shadowed).then_some(first));
            first += p.shadows.len();
        }
        let of = |direction: usize| {
            let shadows: Vec<Option<u32>> =
                firsts.iter().map(|first| first.map(|at| (at + direction) as u32)).collect();
            unit.canon.function.emit_extents(end, &accesses, &shadows, 2 * count as u32, true)
        };
        Ok((0..self.width).map(of).collect())
    }

    /// `if (checks are not off) check(args…)`.
    fn test(
        &self,
        host: &mut dyn Host,
        check: Function,
        ty: Type,
    ) -> Result<Function, Vec<Diagnostic>> {
        let module = host.module();
        let context = module.context();
        let i8 = context.int(8);
        let flag = module
            .global(CHECKS)
            .unwrap_or_else(|| module.declare_variable(CHECKS, i8, !host.config().check));
        let f = host.new_function(&format!("{}.check", self.function.name()), ty, self.function);
        let [entry, look, run, done] = ["entry", "look", "run", "done"].map(|n| f.append_block(n));
        let b = Builder::at_end(context, entry);
        // Without the runtime there is no flag, and nothing to be checked with.
        b.cond_br(b.icmp(IntPredicate::LLVMIntNE, flag, context.ptr().zero()), look, done);
        b.position_at_end(look);
        b.cond_br(b.icmp(IntPredicate::LLVMIntEQ, b.load(i8, flag), i8.int(1)), done, run);
        b.position_at_end(run);
        b.call(check, &f.params());
        b.br(done);
        b.position_at_end(done);
        b.ret_void();
        host.finish(f)?;
        Ok(f)
    }
}

/// Whether a parameter of a derivative is used for anything.
fn is_used(v: Value, depth: usize) -> bool {
    let matters = |u: Value| {
        if !u.is_instruction() || depth == 0 {
            return true;
        }
        match u.opcode() {
            Opcode::LLVMGetElementPtr => is_used(u, depth),
            Opcode::LLVMCall | Opcode::LLVMInvoke => {
                let Some(f) = u
                    .called()
                    .as_function()
                    .filter(|f| f.is_private() && !f.is_declaration() && !f.is_variadic())
                else {
                    return true;
                };
                let params = f.params();
                (0..u.argument_count().min(params.len()))
                    .any(|i| u.operand(i) == v && is_used(params[i], depth - 1))
            }
            _ => true,
        }
    };
    v.users().into_iter().any(matters)
}

/// Whether two pointers surely lead to the same place.
fn is_same(a: Value, b: Value) -> bool {
    let ((a, at), (b, from)) = (place(a), place(b));
    let is_nothing = a.is_null() || a.is_undef();
    at == from && !is_nothing && (a == b || is_same_load(a, b))
}

/// Steps from one address to another that are followed.
const MOST_STEPS: usize = 16;

/// A pointer without constant steps and copies, and how far it was from there.
fn place(pointer: Value) -> (Value, i64) {
    let (mut at, mut offset) = (pointer, 0);
    for _ in 0..MOST_STEPS {
        let (base, steps) = at.base();
        let origin = trace::origin(base);
        offset += steps;
        if origin == at {
            break;
        }
        at = origin;
    }
    (at, offset)
}

/// Whether two loads of one place have nothing between them that may write to it.
fn is_same_load(a: Value, b: Value) -> bool {
    let is_load = |v: Value| {
        v.is_instruction() && v.opcode() == Opcode::LLVMLoad && !v.is_volatile() && !v.is_atomic()
    };
    if !is_load(a)
        || !is_load(b)
        || a.block() != b.block()
        || a.ty() != b.ty()
        || place(a.operand(0)) != place(b.operand(0))
    {
        return false;
    }
    let writes = |v: &Value| {
        matches!(
            v.opcode(),
            Opcode::LLVMStore
                | Opcode::LLVMCall
                | Opcode::LLVMInvoke
                | Opcode::LLVMAtomicRMW
                | Opcode::LLVMAtomicCmpXchg
        )
    };
    let all = a.block().instructions();
    let at = |v: Value| all.iter().position(|x| *x == v).unwrap_or(0);
    let (from, to) = (at(a).min(at(b)), at(a).max(at(b)));
    !all[from..to].iter().any(writes)
}

/// How many bytes there are from a pointer on, as far as that is seen; one of the numbers above
/// where it is not.
fn room(b: &Builder, call: Value, pointer: Value) -> Value {
    let i64 = b.context().int(64);
    let (base, offset) = place(pointer);
    if let Some(v) = base.variable().filter(|v| v.base == base) {
        return i64.int((v.bytes as i64 - offset).max(0) as u64);
    }
    if !base.is_instruction() || !base.is_call() {
        return i64.int(UNKNOWN);
    }
    let Some(name) = base.called().as_function().map(|f| f.name()) else { return i64.int(UNKNOWN) };
    let sizes: &[usize] = match name.as_str() {
        "malloc"
        | "_Znwm"
        | "_Znam"
        | "_ZnwmRKSt9nothrow_t"
        | "_ZnamRKSt9nothrow_t"
        | "_Znwj"
        | "_Znaj" => &[0],
        "calloc" => &[0, 1],
        "realloc" | "aligned_alloc" | "memalign" => &[1],
        "reallocarray" => &[1, 2],
        _ => return i64.int(UNKNOWN),
    };
    let operands: Vec<Value> = sizes.iter().map(|&i| base.operand(i)).collect();
    let constants: Option<Vec<i64>> = operands.iter().map(|o| o.as_int()).collect();
    if let Some(numbers) = constants {
        let bytes: i64 = numbers.iter().product();
        return i64.int((bytes - offset).max(0) as u64);
    }
    // What is seen through a variable need not be computed wherever the request is reached.
    let is_before = base.block() == call.block()
        || base.block().function().blocks().first() == Some(&base.block());
    if !is_before {
        let is_block = offset == 0
            && matches!(
                name.as_str(),
                "malloc" | "calloc" | "realloc" | "aligned_alloc" | "memalign" | "reallocarray"
            );
        return i64.int(if is_block { BLOCK } else { UNKNOWN });
    }
    let wide = |v: Value| if v.ty() == i64 { v } else { b.cast(Opcode::LLVMZExt, v, i64) };
    let bytes =
        operands.into_iter().map(wide).reduce(|x, y| b.mul(x, y)).expect("there is an operand");
    b.sub(bytes, i64.int(offset as u64))
}

/// The variables into which pointers lead.
pub(super) fn variables(b: &Builder, pointers: impl Iterator<Item = Value>) -> Vec<Variable> {
    let bases = pointers.filter(|p| p.ty().is_pointer()).map(|p| place(p).0);
    bases.filter_map(|base| objects::variable_of(b, base)).collect()
}

/// The stack variables of a function whose addresses lie in memory: pointers that are passed may lead
/// to them.
pub(super) fn stored_variables(f: Function) -> Vec<Variable> {
    let allocas = f.blocks().into_iter().take(1).flat_map(|b| b.instructions());
    allocas
        .filter(|i| i.opcode() == Opcode::LLVMAlloca && is_stored(*i, MOST_STEPS))
        .filter_map(|i| i.variable())
        .collect()
}

fn is_stored(address: Value, depth: usize) -> bool {
    address.users().into_iter().filter(|u| u.is_instruction()).any(|u| match u.opcode() {
        Opcode::LLVMStore => u.operand(0) == address,
        Opcode::LLVMGetElementPtr if depth > 0 => is_stored(u, depth - 1),
        _ => false,
    })
}

/// Whether an address is only compared, or passed on to be compared.
fn is_compared(address: Value) -> bool {
    let compares = |u: Value| match u.opcode() {
        Opcode::LLVMPtrToInt | Opcode::LLVMICmp => true,
        Opcode::LLVMStore => u.operand(0) == address,
        Opcode::LLVMFreeze => is_compared(u),
        _ => false,
    };
    address.users().into_iter().all(compares)
}

/// Whether an address goes anywhere but to loads, stores, and derivatives: somebody may have it as
/// a shadow, from where is not seen.
fn escapes(address: Value, depth: usize) -> bool {
    let is_kept = |u: Value| {
        if !u.is_instruction() || depth == 0 {
            return true;
        }
        match u.opcode() {
            Opcode::LLVMLoad => false,
            Opcode::LLVMStore => u.operand(0) == address,
            Opcode::LLVMGetElementPtr => escapes(u, depth - 1),
            Opcode::LLVMCall | Opcode::LLVMInvoke => {
                let is_idle = |f: Function| {
                    let is_memory = f.intrinsic().is_some_and(|i| {
                        i.is_lifetime() || i.is_memcpy() || i.is_memmove() || i.is_memset()
                    });
                    is_memory || is_request(f) || is_ours(f)
                };
                !u.called().as_function().is_some_and(is_idle)
            }
            _ => true,
        }
    };
    address.users().into_iter().any(is_kept)
}

/// Puts numbers in place of the addresses of stack variables that are only compared: each variable
/// has an address of its own there.
fn stand_in(b: &Builder, params: &[Value], args: &mut [Value]) {
    if target::pointer() != 8 {
        return;
    }
    let i64 = b.context().int(64);
    let mut variables: Vec<Value> = vec![];
    for (param, arg) in params.iter().zip(args).filter(|(p, _)| p.ty().is_pointer()) {
        let (base, offset) = place(*arg);
        let is_variable = base.is_instruction() && base.opcode() == Opcode::LLVMAlloca;
        if !is_variable || !is_compared(*param) || escapes(base, MOST_STEPS) {
            continue;
        }
        let n = variables.iter().position(|v| *v == base).unwrap_or_else(|| {
            variables.push(base);
            variables.len() - 1
        });
        // Beyond all addresses that the system gives.
        let address = (1u64 << 56).wrapping_add((n as u64 + 1) << 40).wrapping_add(offset as u64);
        *arg = b.cast(Opcode::LLVMIntToPtr, i64.int(address), b.context().ptr());
    }
}
