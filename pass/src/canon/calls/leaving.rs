//! Paths that leave: from where they begin no return is reached, for they end with an exception, or
//! with the program.
//!
//! What such a path computes and stores reaches no result. So it needs no derivative, and becomes a
//! call of a function that runs it as it is, and of which derivatives know that it reads memory. The
//! function takes its variables with it. What is left is a branch to a call, as for the exceptions of
//! the standard library.
//!
//! Must hold: nothing that is differentiated goes on afterwards. An exception must not reach a
//! handler in differentiated code that returns to what called it; a jump (`longjmp`) must not reach
//! anything there. This is asked of all functions that requests reach, as they were compiled.
//! A path that only cleans up after an exception stays as it is: it frees what has shadows. So does
//! one that stores reals in memory that others see, or that calls nothing but the library.
//!
//!   returns(f) = a `ret` of f is reached past calls of functions that return (greatest fixpoint)
//!   caught     = what is called where a handler catches that reaches a `ret`, and all that it calls

use super::{indirect::Targets, jumps, pending};
use crate::{
    annotations::{
        joint::Calls,
        outside::{After, Ways},
        registry, requests,
    },
    canon::{SUFFIX, Shared},
    llvm::{Block, Function, Module, Opcode, Value},
};
use adir::{
    Callee,
    hashed::{HashMap, HashSet},
    library,
};

/// What is known of the functions of a module.
#[derive(Default)]
pub struct Leaving {
    /// Functions that requests name.
    roots: Vec<Function>,
    /// Whether a function never returns.
    endless: HashMap<Function, bool>,
    /// Functions whose exceptions may be caught in what requests reach; `None` before anyone asks.
    caught: Option<HashSet<Function>>,
}

impl Leaving {
    /// Notes what else requests name.
    pub fn add_roots(&mut self, roots: &[Function]) {
        self.roots.extend(roots);
        self.caught = None;
    }

    /// Says at the calls of `function` which do not come back.
    pub fn mark(&mut self, function: Function) {
        self.settle(function);
        for call in calls(function).filter(|&c| self.is_endless(c)) {
            call.add_call_attribute("noreturn");
        }
    }

    fn is_endless(&self, call: Value) -> bool {
        call.called().as_function().is_some_and(|f| self.endless.get(&f).copied().unwrap_or(false))
    }

    /// Finds out which of the functions that `f` calls, itself included, never return.
    fn settle(&mut self, f: Function) {
        let (mut reached, mut stack) = (vec![], vec![f]);
        while let Some(f) = stack.pop() {
            if self.endless.contains_key(&f) {
                continue;
            }
            // Copies change while they are made.
            let is_copy = f.name().contains(SUFFIX);
            // The assembly of a naked function returns by itself.
            if f.is_declaration()
                || f.is_interposable()
                || f.has_attribute("naked")
                || registry::of(f).is_some()
            {
                let is_known = f.is_declaration() && f.has_attribute("noreturn");
                self.endless.insert(f, is_known);
                continue;
            }
            if !is_copy {
                self.endless.insert(f, false);
                reached.push(f);
            }
            stack.extend(calls(f).filter_map(|c| c.called().as_function()));
        }
        loop {
            let is_news = |&f: &Function| !self.endless[&f] && !self.returns(f);
            let news: Vec<Function> = reached.iter().copied().filter(is_news).collect();
            if news.is_empty() {
                return;
            }
            news.into_iter().for_each(|f| _ = self.endless.insert(f, true));
        }
    }

    fn returns(&self, f: Function) -> bool {
        f.blocks().first().is_none_or(|entry| self.returning(f).contains(entry))
    }

    /// The same of a function of which nothing need be known.
    pub fn returning_blocks(&mut self, f: Function) -> HashSet<Block> {
        calls(f).filter_map(|c| c.called().as_function()).for_each(|f| self.settle(f));
        self.returning(f)
    }

    /// The blocks from which a return is reached.
    fn returning(&self, f: Function) -> HashSet<Block> {
        let mut before: HashMap<Block, Vec<Block>> = HashMap::default();
        let mut stack = vec![];
        for b in f.blocks() {
            let insts = b.instructions();
            if insts.iter().any(|&i| i.is_call() && !i.is_invoke() && self.is_endless(i)) {
                continue;
            }
            let Some(&end) = insts.last() else { continue };
            let next = match end.is_invoke() {
                true if self.is_endless(end) => vec![end.invoke_destinations().1],
                true => <[Block; 2]>::from(end.invoke_destinations()).to_vec(),
                false => end.successors(),
            };
            next.into_iter().for_each(|to| before.entry(to).or_default().push(b));
            if end.opcode() == Opcode::LLVMRet {
                stack.push(b);
            }
        }
        let mut found = HashSet::default();
        while let Some(b) = stack.pop() {
            if found.insert(b) {
                stack.extend(before.get(&b).into_iter().flatten().copied());
            }
        }
        found
    }

    /// Where paths begin that leave `f`, and all blocks of them; but for those that clean up.
    fn paths(&self, f: Function) -> (Vec<Block>, Vec<Block>) {
        let returning = self.returning(f);
        let blocks = f.blocks();
        if blocks.first().is_none_or(|entry| !returning.contains(entry)) {
            return (vec![], vec![]);
        }
        let mut starts: Vec<Block> = vec![];
        for b in blocks.into_iter().filter(|b| returning.contains(b)) {
            for to in successors(b) {
                if !returning.contains(&to) && !is_pad(to) && !starts.contains(&to) {
                    starts.push(to);
                }
            }
        }
        let mut all = starts.clone();
        let mut seen: HashSet<Block> = all.iter().copied().collect();
        let mut at = 0;
        while at < all.len() {
            let next = successors(all[at]).into_iter().filter(|&b| seen.insert(b));
            all.extend(next.collect::<Vec<_>>());
            at += 1;
        }
        (starts, all)
    }

    /// The functions whose exceptions something that requests reach may catch.
    fn find_caught(&mut self, targets: &Targets) -> HashSet<Function> {
        // What a library, or a request, is given it may call.
        let given = |call: Value| {
            let arguments = (0..call.argument_count()).map(move |i| call.operand(i));
            arguments.filter_map(Value::as_function)
        };
        let called = |call: Value| match call.called().as_function() {
            Some(f) if f.is_declaration() => given(call).chain([f]).collect(),
            Some(f) => vec![f],
            None => targets.of(call),
        };
        let with_all = |mut list: Vec<Function>| {
            let mut found = HashSet::default();
            while let Some(f) = list.pop() {
                if found.insert(f) && !f.is_declaration() {
                    list.extend(calls(f).flat_map(called));
                }
            }
            found
        };
        let reached = with_all(self.roots.clone());
        let mut caught = vec![];
        for &f in reached.iter().filter(|f| !f.is_declaration()) {
            let invokes: Vec<Value> = calls(f).filter(|c| c.is_invoke()).collect();
            if invokes.is_empty() {
                continue;
            }
            self.settle(f);
            let returning = self.returning(f);
            let into = |c: &Value| returning.contains(&c.invoke_destinations().1);
            caught.extend(invokes.into_iter().filter(into).flat_map(called));
        }
        with_all(caught)
    }
}

fn calls(f: Function) -> impl Iterator<Item = Value> {
    f.blocks().into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call())
}

fn successors(b: Block) -> Vec<Block> {
    b.terminator().map(|t| t.successors()).unwrap_or_default()
}

fn is_pad(b: Block) -> bool {
    b.instructions().iter().any(|i| i.opcode() == Opcode::LLVMLandingPad)
}

/// Whether nothing that is differentiated goes on where an exception leaves `source`.
fn leaves_all(module: Module, source: Function, shared: &mut Shared) -> bool {
    // What hands over exceptions is called where some are caught.
    if jumps::is_declared(module) || pending::is_copy(source) {
        return false;
    }
    if shared.leaving.caught.is_none() {
        shared.targets(module);
        let Shared { targets, leaving, .. } = shared;
        let found = leaving.find_caught(targets.as_ref().expect("just found"));
        leaving.caught = Some(found);
    }
    shared.leaving.caught.as_ref().is_some_and(|caught| !caught.contains(&source))
}

/// The blocks of `function`, a copy of `source`, that are going to be taken out of it.
pub fn blocks(
    module: Module,
    function: Function,
    source: Function,
    shared: &mut Shared,
) -> HashSet<Block> {
    if !leaves_all(module, source, shared) {
        return HashSet::default();
    }
    all_blocks(function, shared)
}

/// The blocks of paths that leave `function`.
pub fn all_blocks(function: Function, shared: &mut Shared) -> HashSet<Block> {
    shared.leaving.settle(function);
    shared.leaving.paths(function).1.into_iter().collect()
}

/// Which calls of a module stand on paths that leave, for all that requests on some functions reach.
pub struct Ends {
    module: Module,
    shared: Shared,
    found: HashMap<Function, HashSet<Block>>,
    /// The blocks of functions from which a return is reached.
    returning: HashMap<Function, HashSet<Block>>,
}

impl Ends {
    /// Of requests on `roots`.
    pub fn new(module: Module, roots: &[Function]) -> Ends {
        let mut shared = Shared::new(0, Calls::Auto);
        shared.add_roots(roots);
        Ends { module, shared, found: HashMap::default(), returning: HashMap::default() }
    }
}

impl Ways for Ends {
    fn after(&mut self, call: Value) -> After {
        let f = call.block().function();
        let found = || blocks(self.module, f, f, &mut self.shared);
        let leaves = self.found.entry(f).or_insert_with(found).contains(&call.block());
        // A jump may lead from anywhere to where a function returns.
        if jumps::is_declared(self.module) {
            return After { leaves, returns: true, is_caught: true };
        }
        let found = || self.shared.leaving.returning_blocks(f);
        let returning = self.returning.entry(f).or_insert_with(found);
        let is_caught = call.is_invoke() && returning.contains(&call.invoke_destinations().1);
        After { leaves, returns: returning.contains(&call.block()), is_caught }
    }
    fn targets(&mut self, call: Value) -> Vec<Function> {
        self.shared.targets(self.module).of(call)
    }
}

/// Takes the paths that leave out of `function`, a copy of `source`.
pub fn outline(module: Module, function: Function, source: Function, shared: &mut Shared) {
    if !leaves_all(module, source, shared) {
        return;
    }
    shared.leaving.settle(function);
    let (starts, all) = shared.leaving.paths(function);
    let mut has_any = false;
    for start in starts {
        if !is_worth_it(start) {
            continue;
        }
        let name = format!("{}{}{SUFFIX}", library::LEAVING, source.name());
        if let Some(made) = function.outline_leaving(start, &all, &name) {
            shared.outlined.push(made);
            has_any = true;
        }
    }
    if has_any {
        function.drop_unreachable();
    }
}

/// Whether a path calls more than the library, or what works on text, and nothing that has a meaning
/// where it stands.
fn is_worth_it(start: Block) -> bool {
    let (mut all, mut at) = (vec![start], 0);
    while at < all.len() {
        for next in successors(all[at]) {
            if !all.contains(&next) {
                all.push(next);
            }
        }
        at += 1;
    }
    let mut is_worth_it = false;
    for call in all.into_iter().flat_map(|b| b.instructions()).filter(|i| i.is_call()) {
        let Some(f) = call.called().as_function() else {
            is_worth_it = true;
            continue;
        };
        if requests::is_request(f) || f.name().starts_with("ad_") {
            return false;
        }
        is_worth_it |= !f.is_intrinsic()
            && (!f.is_declaration()
                || matches!(library::classify(&f.name()), None | Some(Callee::Passive)));
    }
    is_worth_it
}
