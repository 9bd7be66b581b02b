//! Derivatives of parallel regions: functions that fork teams, as the function does that stands for one
//! (canon/calls/teams.rs).
//!
//! The tangent of a team is a team that runs the tangent of the region. In adjoint mode, both sweeps fork: each
//! thread of the forward sweep keeps the frame of its region with the team (runtime/src/team.rs), and the thread of
//! the same number undoes it. What is private to a thread has a shadow of its own; how threads add to shadows of shared
//! memory: codegen/sums.rs. Barriers and critical sections have a place in the reverse sweep of the
//! region itself (adjoint/shared.rs).
//!
//! Source: Hascoët & Pascual, RR-7957, section 3 (order of adjoint statements); that each thread undoes what it did:
//! Bischof, Guertler, Kowarz & Walther, Parallel reverse mode AD for OpenMP programs (2008).

use super::{
    Queries,
    adjoint::{Advance, FrameStorage, Pair},
    check::{self, Mode},
    tangent::Carried,
    versions,
};
use crate::{
    canon::teams::{NUMBERS, emit_fork},
    diagnostics::{Code, Diagnostic, names::readable},
    image::unit::Unit,
    llvm::{Builder, Function, IntPredicate, Module, Opcode, Type, Value},
};
use adanalysis::{
    activity::{Activity, Param},
    calls::Caller,
    context::Context,
    diff_liveness::DiffLiveness,
};
use adir::{Callee, Op, ValueId};

use std::rc::Rc;

pub use crate::canon::teams::is_team;

/// A team in one context.
struct Team {
    module: Module,
    /// What its threads run, and what that is given.
    region: Function,
    params: Vec<Param>,
    context: Context,
    /// Per parameter of the region behind the numbers: which parameter of the team's function it is.
    given: Vec<usize>,
    /// Activity of the parameters of the team's function.
    own: Vec<Param>,
    width: usize,
}

impl Team {
    fn of(
        queries: &mut dyn Queries,
        unit: &Unit,
        params: &[Param],
        context: &Context,
        (width, mode): (usize, Mode),
    ) -> Result<Team, Vec<Diagnostic>> {
        let locations = unit.locations(context);
        let known = unit.known(&locations);
        let follows = queries.config().uses("activity");
        let activity = match mode {
            Mode::Tangent => Activity::of_tangent(known, params, context, follows),
            Mode::Adjoint => Activity::compute(known, params, context, follows),
        };
        check::check(unit, known, context, &activity, mode)?;
        let live = DiffLiveness::everything(&unit.body);
        let caller = Caller { known, context, activity: &activity, live: &live, tbr: None };
        let body = &unit.body;
        let calls = |v: &ValueId| matches!(body[*v].op, Op::Call(Callee::Defined));
        let call = body.insts().find(calls).expect("a team runs a region");
        let region = body.callee(call);
        let params = activity.call_params(body, call);
        let given = body[call].operands[NUMBERS..].iter().map(|&o| match body[o].op {
            Op::Param(i) => i as usize,
            _ => unreachable!("a team hands on what it is given"),
        });
        let team = Team {
            module: queries.module(),
            region,
            context: caller.context_of(call).in_parallel(),
            given: given.collect(),
            own: activity.params.clone(),
            width,
            params,
        };
        team.check()?;
        Ok(team)
    }

    /// Reals that a region is given by value as integers are not known as reals.
    fn check(&self) -> Result<(), Vec<Diagnostic>> {
        let types = self.region.ty().function_params();
        let is_hidden = |(p, ty): (&Param, &Type)| *p == Param::Active && !ty.is_float();
        if !self.params.iter().zip(&types).any(is_hidden) {
            return Ok(());
        }
        let text = format!(
            "parallel region '{}' takes a private copy of an active real as an integer",
            readable(&self.region.name())
        );
        let remedy = "make the variable shared, and copy it to a variable inside of the region";
        Err(vec![Diagnostic::new(Code::Parallel, None, text, remedy)])
    }

    /// Per parameter of the region behind the numbers: the parameter of a derivative of the team's function where its
    /// shadows begin, if it has some and `has` says so.
    fn shadow_of(&self, k: usize, has: fn(Param) -> bool) -> Option<usize> {
        let i = self.given[k];
        let before = self.own[..i].iter().filter(|p| has(**p)).count();
        has(self.own[i]).then_some(self.own.len() + before * self.width)
    }

    /// What threads are given of the parameters of `f`, a derivative of the team's function: the region's own parameters,
    /// then the shadows of those that `has` names; and their types.
    fn block(&self, b: &Builder, f: Function, has: fn(Param) -> bool) -> Vec<Value> {
        let all = f.params();
        let mut block: Vec<Value> = self.given.iter().map(|&i| all[i]).collect();
        for (k, param) in self.params[NUMBERS..].iter().enumerate().filter(|(_, p)| has(**p)) {
            let first = self.shadow_of(k, has);
            debug_assert!(first.is_some() || *param == Param::Shadowed);
            let null = b.context().ptr().zero();
            block.extend((0..self.width).map(|d| first.map_or(null, |first| all[first + d])));
        }
        block
    }

    /// A function that each thread runs: it is given where its numbers are, and `block`. `run` fills it, with
    /// its parameters and what lies in the block.
    fn thread(
        &self,
        queries: &mut dyn Queries,
        name: &str,
        types: &[Type],
        run: impl FnOnce(&Builder, [Value; NUMBERS], Vec<Value>, Value),
    ) -> Result<Function, Vec<Diagnostic>> {
        let context = self.module.context();
        let ptr = context.ptr();
        let name = format!("{}.{name}", self.region.name());
        let ty = Type::function(context.void(), &[ptr; NUMBERS + 1], false);
        let f = queries.new_function(&name, ty, self.region);
        let b = Builder::at_end(context, f.append_block("entry"));
        let params = f.params();
        let layout = context.structure(types);
        let member = |(i, ty): (usize, &Type)| b.load(*ty, b.member(layout, params[2], i as u32));
        let given = types.iter().enumerate().map(member).collect();
        run(&b, [params[0], params[1]], given, params[2]);
        b.ret_void();
        queries.finish(f)?;
        Ok(f)
    }

    /// The numbers, and null as the shadows of those that would have one.
    fn numbers(&self, at: [Value; NUMBERS], has: fn(Param) -> bool) -> (Vec<Value>, Vec<Value>) {
        let shadowed = self.params[..NUMBERS].iter().filter(|p| has(**p)).count();
        (at.to_vec(), vec![at[0].ty().zero(); shadowed * self.width])
    }

    /// Forks a team that runs `thread` with a block that holds `values`.
    fn fork(&self, b: &Builder, place: Value, thread: Function, values: &[Value]) -> Value {
        let types: Vec<Type> = values.iter().map(|v| v.ty()).collect();
        let layout = b.context().structure(&types);
        let block = b.alloca(layout, "block");
        for (i, &value) in values.iter().enumerate() {
            b.store(value, b.member(layout, block, i as u32));
        }
        emit_fork(self.module, b, place, thread, &[block]);
        block
    }

    /// Number of the thread, and of threads.
    fn own_and_size(&self, b: &Builder) -> [Value; 2] {
        let i32 = b.context().int(32);
        let ask = |name| b.call(self.module.declare(name, Type::function(i32, &[], false)), &[]);
        [ask("omp_get_thread_num"), ask("omp_get_num_threads")]
    }

    /// Which version the threads of a team run.
    fn is_apart(&self, b: &Builder, team: Value) -> Value {
        let i32 = b.context().int(32);
        let which = self.runtime(b, "adrt_team_is_apart", i32, &[team]);
        b.icmp(IntPredicate::LLVMIntNE, which, i32.zero())
    }

    fn runtime(&self, b: &Builder, name: &str, result: Type, args: &[Value]) -> Value {
        let types: Vec<Type> = args.iter().map(|v| v.ty()).collect();
        let f = self.module.declare(name, Type::function(result, &types, false));
        f.add_attribute("nounwind");
        b.call(f, args)
    }
}

fn types_of(values: &[Value]) -> Vec<Type> {
    values.iter().map(|v| v.ty()).collect()
}

/// Fills the tangent of a team's function.
pub fn define_tangent(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    (function, carried): (Function, Carried),
) -> Result<(), Vec<Diagnostic>> {
    if carried == Carried::Sets {
        let text = "sparsity patterns of parallel regions are not supported";
        let remedy = "compile the code without -fopenmp for the pattern";
        return Err(vec![Diagnostic::new(Code::Parallel, None, text, remedy)]);
    }
    let width = carried.width();
    let team = Team::of(queries, unit, params, context, (width, Mode::Tangent))?;
    let (region, own) = (team.region, team.params.clone());
    let tangent = queries.tangents(region, &own, team.context.clone(), carried)?;
    team.define_plain(queries, "tangent.thread", (function, tangent), Param::is_active)
}

/// Fills the forward sweep of a team's function that records nothing.
pub fn define_advance(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    (function, form): (Function, Advance),
) -> Result<(), Vec<Diagnostic>> {
    let Advance::Plain(width) = form else {
        let text = "a parallel region runs in code that asks for an adjoint";
        let remedy = "request the outer derivative in tangent mode";
        return Err(vec![Diagnostic::new(Code::Parallel, None, text, remedy)]);
    };
    let team = Team::of(queries, unit, params, context, (width, Mode::Adjoint))?;
    let (region, own) = (team.region, team.params.clone());
    let advance = queries.advance(region, &own, team.context.clone(), form)?;
    team.define_plain(queries, "advance.thread", (function, advance), |p| p == Param::Shadowed)
}

impl Team {
    /// Fills `function`, which forks a team that runs `derivative`.
    fn define_plain(
        &self,
        queries: &mut dyn Queries,
        name: &str,
        (function, derivative): (Function, Function),
        has: fn(Param) -> bool,
    ) -> Result<(), Vec<Diagnostic>> {
        let b = Builder::at_end(self.module.context(), function.append_block("entry"));
        let block = self.block(&b, function, has);
        let own = self.given.len();
        let thread = self.thread(queries, name, &types_of(&block), |b, numbers, given, _| {
            let (numbers, nulls) = self.numbers(numbers, has);
            let args = [&numbers[..], &given[..own], &nulls, &given[own..]].concat();
            b.call(derivative, &args);
        })?;
        self.fork(&b, function.params()[0], thread, &block);
        b.ret_void();
        Ok(())
    }
}

/// Defines both sweeps of a team's function.
pub fn define(
    queries: &mut dyn Queries,
    unit: &Unit,
    params: &[Param],
    context: &Context,
    pair: &Pair,
) -> Result<(), Vec<Diagnostic>> {
    let team = Team::of(queries, unit, params, context, (pair.width, Mode::Adjoint))?;
    let (region, own) = (team.region, team.params.clone());
    let place = FrameStorage::Arena;
    let any = queries.adjoint(region, &own, team.context.clone(), pair.width, place)?;
    let choice = team.choice(queries, pair.width)?;
    let apart = match &choice {
        Some(choice) => {
            Some(queries.adjoint(region, &own, choice.context.clone(), pair.width, place)?)
        }
        None => None,
    };
    let sweeps = Sweeps { any, apart: choice.map(|c| c.function).zip(apart) };
    team.define_forward(queries, pair, &sweeps)?;
    team.define_reverse(queries, pair, &sweeps)
}

/// Both sweeps of a region.
struct Sweeps {
    any: Rc<Pair>,
    /// The test of whether memory does not overlap, and the sweeps for that.
    apart: Option<(Function, Rc<Pair>)>,
}

impl Sweeps {
    /// `run` for the version that `is_apart` says; both give the same.
    fn choose(
        &self,
        b: &Builder,
        is_apart: impl FnOnce() -> Value,
        run: impl Fn(&Pair) -> Value,
    ) -> Value {
        let Some((_, apart)) = &self.apart else { return run(&self.any) };
        let f = b.block().function();
        let [fast, slow, done] = ["apart", "any", "chosen"].map(|name| f.append_block(name));
        b.cond_br(is_apart(), fast, slow);
        let version = |block, pair| {
            b.position_at_end(block);
            let result = run(pair);
            b.br(done);
            (result, b.block())
        };
        let both = [version(fast, apart), version(slow, &self.any)];
        b.position_at_end(done);
        if both[0].0.ty().is_void() {
            return both[0].0;
        }
        let result = b.phi(both[0].0.ty(), "");
        both.iter().for_each(|&(value, block)| result.add_incoming(value, block));
        result
    }
}

impl Team {
    /// The test of whether memory that the region is given does not overlap, if two versions pay.
    fn choice(
        &self,
        queries: &mut dyn Queries,
        width: usize,
    ) -> Result<Option<versions::Choice>, Vec<Diagnostic>> {
        let unit = queries.unit(self.region).map_err(|d| vec![d])?;
        let context = self.module.context();
        let mut types = self.region.ty().function_params();
        let shadowed = types.iter().zip(&self.params).filter(|(_, p)| **p == Param::Shadowed);
        let shadows: Vec<Type> = shadowed.flat_map(|(ty, _)| vec![*ty; width]).collect();
        // The test runs before there are threads.
        types[..NUMBERS].fill(context.int(8));
        types.extend(shadows);
        let ty = Type::function(context.int(1), &types, false);
        let name = format!("{}.is_apart", self.region.name());
        let found =
            versions::choice(queries, &unit, &self.params, &self.context, &name, (ty, width));
        if let Some(choice) = &found {
            choice.finish_test(self.module);
            queries.finish(choice.function)?;
        }
        Ok(found)
    }

    fn define_forward(
        &self,
        queries: &mut dyn Queries,
        pair: &Pair,
        sweeps: &Sweeps,
    ) -> Result<(), Vec<Diagnostic>> {
        let context = self.module.context();
        let (ptr, i64) = (context.ptr(), context.int(64));
        let has: fn(Param) -> bool = |p| p == Param::Shadowed;
        let f = pair.forward;
        let b = Builder::at_end(context, f.append_block("entry"));
        let place = f.params()[0];
        let team = self.runtime(&b, "adrt_team_begin", ptr, &[place]);
        let block = [vec![team], self.block(&b, f, has)].concat();
        let own = self.given.len();
        if let Some((test, _)) = sweeps.apart {
            let types = test.ty().function_params();
            let numbers: Vec<Value> = types[..NUMBERS].iter().map(|ty| ty.zero()).collect();
            let (_, nulls) = self.numbers([place; NUMBERS], has);
            let args = [&numbers[..], &block[1..1 + own], &nulls, &block[1 + own..]].concat();
            let is_apart = b.cast(Opcode::LLVMZExt, b.call(test, &args), context.int(32));
            self.runtime(&b, "adrt_team_choose", context.void(), &[team, is_apart]);
        }
        let run = |b: &Builder, numbers: [Value; NUMBERS], given: Vec<Value>, _: Value| {
            let name = b.text(&readable(&self.region.name()));
            let [number, size] = self.own_and_size(b);
            let token = self.runtime(b, "adrt_team_record", i64, &[given[0], number, name]);
            let (numbers, nulls) = self.numbers(numbers, has);
            let args = [&numbers[..], &given[1..1 + own], &nulls, &given[1 + own..]].concat();
            sweeps.choose(
                b,
                || self.is_apart(b, given[0]),
                |pair| {
                    let frame = b.call(pair.forward, &args);
                    let args = [given[0], token, number, size, frame, pair.reverse.value()];
                    self.runtime(b, "adrt_team_recorded", context.void(), &args)
                },
            );
        };
        let thread = self.thread(queries, "forward.thread", &types_of(&block), run)?;
        self.fork(&b, place, thread, &block);
        b.ret(team);
        Ok(())
    }

    fn define_reverse(
        &self,
        queries: &mut dyn Queries,
        pair: &Pair,
        sweeps: &Sweeps,
    ) -> Result<(), Vec<Diagnostic>> {
        let context = self.module.context();
        let (ptr, i32) = (context.ptr(), context.int(32));
        let f = pair.reverse;
        let b = Builder::at_end(context, f.append_block("entry"));
        let team = f.params()[0];
        // What the threads give to reals by value: which parameter of the team's function that is, and its type.
        let types = self.region.ty().function_params();
        let active = (NUMBERS..types.len()).filter(|&k| self.params[k] == Param::Active);
        let sums: Vec<(usize, Type)> =
            active.flat_map(|k| vec![(self.given[k - NUMBERS], types[k]); self.width]).collect();
        let block = [vec![team], sums.iter().map(|(_, ty)| ty.zero()).collect()].concat();
        let layout = context.structure(&types_of(&block));
        let run = |b: &Builder, _: [Value; NUMBERS], given: Vec<Value>, block: Value| {
            let [own, size] = self.own_and_size(b);
            let ty = Type::function(ptr, &[i32], false);
            let top = b.call(self.module.declare("llvm.frameaddress.p0", ty), &[i32.zero()]);
            let bars = sweeps.choose(
                b,
                || self.is_apart(b, given[0]),
                |pair| {
                    let args = [given[0], own, size, pair.reverse.value(), top];
                    let frame = self.runtime(b, "adrt_team_undo", ptr, &args);
                    b.call(pair.reverse, &[frame])
                },
            );
            for i in 0..sums.len() as u32 {
                b.atomic_fadd(b.extract(bars, i), b.member(layout, block, 1 + i));
            }
            self.runtime(b, "adrt_team_undone", context.void(), &[given[0], own, size]);
        };
        let thread = self.thread(queries, "reverse.thread", &types_of(&block), run)?;
        let place = self.runtime(&b, "adrt_team_place", ptr, &[team]);
        let size = self.runtime(&b, "adrt_team_size", i32, &[team]);
        let number = self.runtime(&b, "__kmpc_global_thread_num", i32, &[place]);
        self.runtime(&b, "__kmpc_push_num_threads", context.void(), &[place, number, size]);
        let block = self.fork(&b, place, thread, &block);
        let returned = f.ty().function_result();
        if returned.is_void() {
            b.ret_void();
            return Ok(());
        }
        let own = self.own.iter().enumerate().filter(|(_, p)| **p == Param::Active);
        let mut all = returned.poison();
        for (n, (param, _)) in own.enumerate() {
            for direction in 0..self.width {
                let is_of = |(j, (i, _)): &(usize, &(usize, Type))| {
                    *i == param && j % self.width == direction
                };
                let ty = returned.struct_members()[n * self.width + direction];
                let parts = sums.iter().enumerate().filter(is_of);
                let part = |(j, _)| b.load(ty, b.member(layout, block, 1 + j as u32));
                let sum = parts.map(part).reduce(|x, y| b.fadd(x, y)).unwrap_or(ty.zero());
                all = b.insert_value(all, sum, (n * self.width + direction) as u32);
            }
        }
        b.ret(all);
        Ok(())
    }
}
