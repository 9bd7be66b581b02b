//! What of the program can run: objects of a class are made only where code that can run refers to
//! its table of virtual functions.

use std::collections::{HashMap, HashSet};

use super::command::Inputs;
use super::resolve::Loaded;

/// Where a program begins.
const STARTS: [&str; 2] = ["_start", "main"];

/// The symbols that the program reaches from its start, its initialisers and what others may ask for;
/// `None` where any may be reached: in a library, or where not all of the program is known.
pub fn of(inputs: &Inputs, loaded: &Loaded) -> Option<HashSet<String>> {
    let is_open = inputs.is_shared || inputs.is_open || loaded.is_partial;
    if is_open || loaded.objects.iter().any(|object| object.references.is_none()) {
        return None;
    }
    let objects = || {
        let all = loaded.objects.iter().enumerate();
        all.filter_map(|(n, object)| Some((n, object.references.as_ref()?)))
    };
    // A name is the same symbol in all objects.
    let mut named: HashMap<&str, Vec<(usize, u32)>> = HashMap::new();
    let mut edges: Vec<HashMap<u32, Vec<u32>>> = vec![];
    let mut work: Vec<(usize, u32)> = vec![];
    for (n, references) in objects() {
        for (node, name) in &references.names {
            named.entry(name).or_default().push((n, *node));
        }
        let mut of: HashMap<u32, Vec<u32>> = HashMap::new();
        references.edges.iter().for_each(|(from, to)| of.entry(*from).or_default().push(*to));
        edges.push(of);
        work.extend(references.roots.iter().map(|node| (n, *node)));
    }
    let asked = inputs.wanted.iter().chain(&inputs.exported).map(String::as_str);
    let asked = STARTS.into_iter().chain(asked);
    // Libraries call functions of the program by name, their own among them.
    let libraries = loaded.shared.iter().chain(&loaded.asked_by_shared).map(String::as_str);
    for name in asked.chain(libraries) {
        work.extend(named.get(name).into_iter().flatten());
    }
    let mut seen: HashSet<(usize, u32)> = HashSet::new();
    let mut live = HashSet::new();
    while let Some((n, node)) = work.pop() {
        if !seen.insert((n, node)) {
            continue;
        }
        work.extend(edges[n].get(&node).into_iter().flatten().map(|to| (n, *to)));
        let names = loaded.objects[n].references.as_ref().map(|r| &r.names);
        if let Some(name) = names.and_then(|names| names.get(&node)) {
            let meant = inputs.meant_by(name);
            live.insert(name.clone());
            work.extend(named.get(name.as_str()).into_iter().flatten());
            work.extend(named.get(&*meant).into_iter().flatten());
        }
    }
    Some(live)
}
