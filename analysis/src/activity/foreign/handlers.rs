//! Where exceptions begin and end: blocks that end in one, and the ends of handlers.

use adir::{BlockId, Body, Callee, Op, ValueId, hashed::HashSet};

/// Whether a call ends a handler: says so, or frees an exception that was found. One that is freed by who has
/// allocated it was not thrown.
pub(super) fn ends(body: &Body, v: ValueId) -> bool {
    let Some(symbol) = body[v].symbol.as_deref() else { return false };
    let is_found = || body[v].operands.first().is_some_and(|&o| !matches!(body[o].op, Op::Call(_)));
    symbol.ends_with("end_catch") || symbol.contains("free_exception") && is_found()
}

/// Whether no other handler is open where one ends: none ends later, unless another exception comes first.
pub(super) fn is_outermost(body: &Body, end: ValueId) -> bool {
    let block = body.block_of(end);
    let behind = body[block].insts.iter().position(|&v| v == end).map_or(0, |i| i + 1);
    let mut seen: HashSet<BlockId> = HashSet::default();
    let mut open = vec![(block, behind)];
    while let Some((block, from)) = open.pop() {
        let rest = &body[block].insts[from..];
        let until = rest.iter().position(|&v| ends(body, v) || brings(body, v));
        match until.map(|i| rest[i]) {
            Some(v) if ends(body, v) => return false,
            Some(_) => {}
            None => {
                let next = body[block].succs.iter().filter(|b| !body.handed.contains_key(b));
                open.extend(next.filter(|&&b| seen.insert(b)).map(|&b| (b, 0)));
            }
        }
    }
    true
}

/// Blocks that only an exception leaves: each path from there to the end of the function finds one first.
pub(super) fn throwing(body: &Body) -> HashSet<BlockId> {
    let is_pad = |v: &ValueId| matches!(body[*v].op, Op::Call(Callee::Unwound));
    let finds = |b: BlockId| body.handed.contains_key(&b) || body[b].insts.iter().any(is_pad);
    let mut returning: HashSet<BlockId> = body.exit.into_iter().collect();
    let mut open: Vec<BlockId> = body.exit.into_iter().collect();
    while let Some(block) = open.pop() {
        if !finds(block) {
            open.extend(body[block].preds.iter().copied().filter(|&b| returning.insert(b)));
        }
    }
    body.block_ids().filter(|b| !returning.contains(b)).collect()
}

/// Whether a call makes room for an exception.
pub(super) fn allocates(body: &Body, v: ValueId) -> bool {
    matches!(body[v].op, Op::Call(_))
        && body[v].symbol.as_deref().is_some_and(|s| s.contains("allocate_exception"))
}

/// Whether an exception is found here, or one is about to be thrown.
fn brings(body: &Body, v: ValueId) -> bool {
    matches!(body[v].op, Op::Call(Callee::Unwound)) || allocates(body, v)
}
