//! The order of requests and heads of which some differentiate what others make.
//!
//! What a request makes is ordinary code for the requests around it, and so is the function that a head
//! generates, for the heads that name it and for the code that calls it. So they are answered in waves:
//! those first that differentiate nothing of others, then those around them. A head that nobody
//! differentiates further is generated last.

use crate::{
    frontend::{
        heads::{Planned, Subject},
        request,
    },
    llvm::{Function, Module, Value},
};
use adir::hashed::{HashMap, HashSet};

/// The order of the requests and heads of a module.
pub struct Waves {
    /// What is answered together; there is always one.
    pub waves: Vec<Wave>,
    /// Requests that stand in code which others differentiate.
    pub inner: HashSet<Value>,
    /// Heads of which others differentiate what they generate.
    pub inner_heads: HashSet<usize>,
    /// Those that differentiate the function which makes them.
    pub circular: Vec<Value>,
    /// Heads of which the code that they differentiate calls what they generate.
    pub circular_heads: Vec<usize>,
    /// Requests around others of which a link that has other units knows more: no derivative of theirs goes
    /// through the machine code that the inner ones run.
    pub left: Vec<Value>,
    /// Such heads.
    pub left_heads: Vec<usize>,
}

/// What is answered together.
#[derive(Default)]
pub struct Wave {
    /// Requests.
    pub calls: Vec<Value>,
    /// Heads, by number.
    pub heads: Vec<usize>,
}

/// How references to functions are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follow {
    /// Through tables of functions as well.
    Tables,
    /// Those of instructions alone.
    Code,
}

/// Whether a link may answer a request or a head: of requests and heads, numbered in this order.
pub type IsOpen<'o> = dyn Fn(usize) -> bool + 'o;

/// Puts requests and heads in order.
pub fn waves(module: Module, calls: &[Value], heads: &[Planned], is_open: &IsOpen) -> Waves {
    let symbols = heads.iter().filter_map(|head| head.symbol.as_deref());
    let generated: HashSet<Function> =
        symbols.filter_map(|s| module.function(s)).filter(|f| f.is_declaration()).collect();
    let by = |follow| {
        let references = references(module, &generated, follow);
        Nodes { module, references, calls, heads }.order(is_open)
    };
    let all = by(Follow::Tables);
    // A table may hold functions that the code which refers to it does not call.
    if all.circular.is_empty() && all.circular_heads.is_empty() { all } else { by(Follow::Code) }
}

/// By function: those that it refers to, of those with a body and those that heads generate.
fn references(
    module: Module,
    generated: &HashSet<Function>,
    follow: Follow,
) -> HashMap<Function, Vec<Function>> {
    let mut all: HashMap<Function, Vec<Function>> = HashMap::default();
    let is_known = |f: &Function| !f.is_declaration() || generated.contains(f);
    for f in module.functions().into_iter().filter(is_known) {
        let mut seen = HashSet::default();
        let mut work = vec![f.value()];
        while let Some(v) = work.pop() {
            for user in v.users() {
                if user.is_instruction() {
                    let by = all.entry(user.block().function()).or_default();
                    if by.last() != Some(&f) {
                        by.push(f);
                    }
                } else if (follow == Follow::Tables || !user.is_global_variable())
                    && seen.insert(user)
                {
                    work.push(user);
                }
            }
        }
    }
    all
}

/// Requests and heads, numbered in this order.
struct Nodes<'a> {
    module: Module,
    references: HashMap<Function, Vec<Function>>,
    calls: &'a [Value],
    heads: &'a [Planned],
}

impl Nodes<'_> {
    fn order(&self, is_open: &IsOpen) -> Waves {
        let requests = self.calls.len();
        let count = requests + self.heads.len();
        // By number: those in the code that it differentiates.
        let mut inside: Vec<Vec<usize>> = (0..count).map(|i| self.inside(i)).collect();
        let circular_heads: Vec<usize> =
            (0..self.heads.len()).filter(|h| holds(&inside, requests + h)).collect();
        let left: HashSet<usize> = (0..count)
            .filter(|&i| is_open(i) && !inside[i].is_empty() && !holds(&inside, i))
            .collect();
        left.iter().for_each(|&i| inside[i].clear());
        // The longest ways through them.
        let mut levels = vec![0; count];
        for _ in 0..count {
            let before = levels.clone();
            for i in 0..count {
                levels[i] = inside[i].iter().map(|&k| before[k] + 1).max().unwrap_or(0);
            }
            if levels == before {
                break;
            }
        }
        let is_endless = |i: &usize| levels[*i] >= count;
        let most = (0..count).filter(|i| !is_endless(i)).map(|i| levels[i]).max().unwrap_or(0);
        let mut inner = HashSet::default();
        let mut inner_heads = HashSet::default();
        for &i in inside.iter().flatten() {
            match i.checked_sub(requests) {
                None => _ = inner.insert(self.calls[i]),
                Some(head) => _ = inner_heads.insert(head),
            }
        }
        let mut waves: Vec<Wave> = (0..=most).map(|_| Wave::default()).collect();
        for i in (0..requests).filter(|i| !is_endless(i) && !left.contains(i)) {
            waves[levels[i]].calls.push(self.calls[i]);
        }
        let is_answered =
            |h: &usize| !circular_heads.contains(h) && !left.contains(&(requests + h));
        for head in (0..self.heads.len()).filter(is_answered) {
            // Around a circle, nothing is looked at.
            let level = if inner_heads.contains(&head) { levels[requests + head] } else { most };
            waves[level.min(most)].heads.push(head);
        }
        Waves {
            waves,
            inner,
            inner_heads,
            circular: (0..requests).filter(is_endless).map(|i| self.calls[i]).collect(),
            left: (0..requests).filter(|i| left.contains(i)).map(|i| self.calls[i]).collect(),
            left_heads: (0..self.heads.len()).filter(|h| left.contains(&(requests + h))).collect(),
            circular_heads,
        }
    }

    /// What stands in the code that number `i` differentiates.
    fn inside(&self, i: usize) -> Vec<usize> {
        let requests = self.calls.len();
        let subject = match i.checked_sub(requests) {
            None => request::asked_of(self.calls[i]),
            Some(head) => match self.heads[head].subject {
                Subject::Function(f) => Some(f),
                Subject::Head(of) => return vec![requests + of],
                Subject::Unknown => None,
            },
        };
        let Some(subject) = subject else { return vec![] };
        let reached = reached(&self.references, subject);
        let is_there = |&i: &usize| reached.contains(&self.calls[i].block().function());
        let is_called = |head: &usize| {
            let symbol = self.heads[*head].symbol.as_deref();
            let f = symbol.and_then(|symbol| self.module.function(symbol));
            f.is_some_and(|f| f.is_declaration() && reached.contains(&f))
        };
        let heads = (0..self.heads.len()).filter(is_called).map(|head| requests + head);
        (0..requests).filter(is_there).chain(heads).collect()
    }
}

/// Whether number `i` is inside itself.
fn holds(inside: &[Vec<usize>], i: usize) -> bool {
    let mut seen = HashSet::default();
    let mut work = inside[i].clone();
    while let Some(k) = work.pop() {
        if k == i {
            return true;
        }
        if seen.insert(k) {
            work.extend(&inside[k]);
        }
    }
    false
}

/// The functions that `f` may call, itself among them.
fn reached(references: &HashMap<Function, Vec<Function>>, f: Function) -> HashSet<Function> {
    let mut seen = HashSet::from_iter([f]);
    let mut work = vec![f];
    while let Some(f) = work.pop() {
        let next = references.get(&f).into_iter().flatten();
        work.extend(next.copied().filter(|g| seen.insert(*g)).collect::<Vec<_>>());
    }
    seen
}
