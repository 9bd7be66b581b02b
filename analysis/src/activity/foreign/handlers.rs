//! What in a function runs before an exception ends, and where handlers end.

use adir::{
    BlockId, Body, ValueId,
    hashed::{HashMap, HashSet},
};

/// Whether no other handler is open where one ends: none ends later, unless another exception comes first.
pub(super) fn is_outermost(body: &Body, end: ValueId) -> bool {
    let ends = |v: &ValueId| body.exceptions.ended.contains(v);
    let brings = |v: &ValueId| body.exceptions.made.contains(v);
    let block = body.block_of(end);
    let behind = body[end].place as usize + 1;
    let mut seen: HashSet<BlockId> = HashSet::default();
    let mut open = vec![(block, behind)];
    while let Some((block, from)) = open.pop() {
        if from == 0 && finds(body, block) {
            continue;
        }
        let rest = &body[block].insts[from..];
        match rest.iter().find(|v| ends(v) || brings(v)) {
            Some(v) if ends(v) => return false,
            Some(_) => {}
            None => {
                let next = body[block].succs.iter().filter(|b| seen.insert(**b));
                open.extend(next.map(|&b| (b, 0)));
            }
        }
    }
    true
}

/// Whether exceptions are found where a block begins.
fn finds(body: &Body, block: BlockId) -> bool {
    body.exceptions.found.contains(&block) || body.handed.contains_key(&block)
}

/// Where each way to the end of a function leads through an exception's end, or finds or hands over one first.
pub(super) struct Passing {
    /// Blocks from whose ends one leads there without.
    lasting: HashSet<BlockId>,
    /// Per block in which exceptions end, the place of the last instruction by which one does.
    ends: HashMap<BlockId, u32>,
}

impl Passing {
    /// Of a function.
    pub fn new(body: &Body) -> Passing {
        let mut ends: HashMap<BlockId, u32> = HashMap::default();
        // One that is handed over ends with what has no name in callers.
        for &end in body.exceptions.ended.iter().chain(&body.handing) {
            let last = ends.entry(body.block_of(end)).or_default();
            *last = body[end].place.max(*last);
        }
        let mut lasting: HashSet<BlockId> = body.exit.into_iter().collect();
        let mut open: Vec<BlockId> = body.exit.into_iter().collect();
        while let Some(block) = open.pop() {
            if !finds(body, block) && !ends.contains_key(&block) {
                open.extend(body[block].preds.iter().copied().filter(|&b| lasting.insert(b)));
            }
        }
        Passing { lasting, ends }
    }

    /// Whether an instruction is there.
    pub fn contains(&self, body: &Body, v: ValueId) -> bool {
        let block = body.block_of(v);
        let last = self.ends.get(&block);
        !self.lasting.contains(&block) || last.is_some_and(|&last| body[v].place <= last)
    }
}
