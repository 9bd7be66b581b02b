//! What a link answers of open requests and heads: those that only a link can answer, and those of
//! which it knows more than their unit.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::env;

use super::command::Inputs;
use super::object::{Header, MachineCode, Open, OpenHead, Reach};
use super::resolve::Loaded;
use crate::error::Error;
use crate::heads::Head;
use crate::run::HEADS_SEEN;

/// What a link answers.
#[derive(Debug, Default)]
pub struct Answers<'a> {
    /// The functions that stand for requests.
    pub requests: HashSet<&'a str>,
    /// Heads.
    pub heads: Vec<AnsweredHead<'a>>,
}

/// A head that a link generates.
#[derive(Debug, PartialEq, Eq)]
pub struct AnsweredHead<'a> {
    /// `tangent`, `pattern` or `adjoint`.
    pub mode: String,
    /// The number of directions, of a function for several.
    pub directions: Option<u32>,
    /// With the function's symbol in the place of its name.
    pub text: String,
    /// The function.
    pub symbol: String,
    /// What it generates.
    pub generates: String,
    /// Names of the function's parameters that only its compilation knows.
    pub names: &'a [String],
    /// Whether a unit has an answer of its own.
    pub is_tried: bool,
    /// Whether it is only for code of this link that calls what it generates.
    pub is_optional: bool,
}

impl Answers<'_> {
    /// Whether there is nothing to do.
    pub fn are_none(&self) -> bool {
        self.requests.is_empty() && self.heads.is_empty()
    }

    /// Whether the link generates a unit's head.
    fn has(&self, head: &OpenHead) -> bool {
        let is_it = |h: &AnsweredHead| {
            Some(&h.symbol) == head.symbol.as_ref()
                && (&h.mode, h.directions) == (&head.mode, head.directions)
        };
        self.heads.iter().any(|h| !h.is_optional && is_it(h))
    }
}

impl<'a> AnsweredHead<'a> {
    /// That of a unit with its function.
    fn of(head: &'a OpenHead, symbol: &str) -> AnsweredHead<'a> {
        let parsed = head.parsed();
        AnsweredHead {
            mode: head.mode.clone(),
            directions: head.directions,
            text: parsed.with_symbol(symbol),
            symbol: symbol.into(),
            generates: head.generates.clone().unwrap_or_else(|| parsed.generated(symbol)),
            names: &head.names,
            is_tried: !head.is_needed,
            is_optional: false,
        }
    }
}

/// What this link answers; `heads` are those of its command.
///
/// # Errors
/// [`Error::HeadUnseen`]; [`Error::HeadTwice`].
pub fn of<'a>(loaded: &'a Loaded, heads: &[Head]) -> Result<Answers<'a>, Error> {
    let known = Known::of(loaded);
    let requests = known.requests();
    let mut heads = known.heads(heads)?;
    if !requests.is_empty() || !heads.is_empty() {
        let others = known.others(&heads);
        heads.extend(others);
    }
    Ok(Answers { requests, heads })
}

/// What a link knows.
struct Known<'a> {
    loaded: &'a Loaded,
    /// The symbols, and in which object the definition of each is that counts.
    winners: HashMap<&'a str, usize>,
}

impl<'a> Known<'a> {
    fn of(loaded: &'a Loaded) -> Known<'a> {
        Known { loaded, winners: loaded.winners() }
    }

    fn has_ir(&self, symbol: &str) -> bool {
        self.winners.get(symbol).is_some_and(|&n| !self.loaded.objects[n].units.is_empty())
    }

    /// Whether a head of a unit generates this, in the unit or at the link.
    fn is_generated(&self, symbol: &String) -> bool {
        let mut heads = self.loaded.headers().flat_map(|(_, header)| &header.heads);
        heads.any(|head| head.generates.as_ref() == Some(symbol))
    }

    /// Whether what a request reaches is known better than in the unit where it is, of object `at`.
    fn is_more(&self, reach: &Reach, at: usize, unit: &Header) -> bool {
        // Of several units in one object, another one may have what is weak in this one.
        let is_replaced_within = |symbol: &String| {
            let object = &self.loaded.objects[at];
            object.units.len() > 1 && object.defined.iter().any(|d| d.name == *symbol && !d.is_weak)
        };
        let is_replaced = |symbol: &String| {
            let winner = self.winners.get(symbol.as_str());
            winner.is_some_and(|&winner| winner != at || is_replaced_within(symbol))
        };
        let others = || {
            let headers = self.loaded.headers().map(|(_, header)| header);
            headers.filter(|header| !std::ptr::eq(*header, unit))
        };
        let is_called_elsewhere = |ty: &String| {
            others().flat_map(|header| &header.addresses).any(|address| address.ty == *ty)
        };
        // What a unit says of others' functions holds for all.
        let is_ruled =
            || !reach.missing.is_empty() && others().any(|header| !header.registers.is_empty());
        // An answer that may be of another definition than the program's is no better.
        if self.loaded.is_partial {
            return false;
        }
        is_ruled()
            || reach.missing.iter().any(|symbol| self.has_ir(symbol) || self.is_generated(symbol))
            || reach.replaceable.iter().any(is_replaced)
            || reach.called.iter().any(is_called_elsewhere)
    }

    fn requests(&self) -> HashSet<&'a str> {
        let headers = self.loaded.headers();
        let all: Vec<(usize, &Header, &Open)> = headers
            .flat_map(|(n, header)| header.open.iter().map(move |open| (n, header, open)))
            .collect();
        // Both sweeps of a function have one tape.
        let of: HashSet<&str> = all
            .iter()
            .filter(|(at, unit, open)| open.is_needed || self.is_more(&open.reach, *at, unit))
            .map(|(_, _, open)| open.of.as_str())
            .collect();
        let answered = all.into_iter().filter(|(_, _, open)| of.contains(open.of.as_str()));
        answered.map(|(_, _, open)| open.function.as_str()).collect()
    }

    fn heads(&self, own: &[Head]) -> Result<Vec<AnsweredHead<'a>>, Error> {
        let headers = self.loaded.headers();
        let carried: Vec<(usize, &Header, &OpenHead)> =
            headers.flat_map(|(n, h)| h.heads.iter().map(move |head| (n, h, head))).collect();
        let key = |head: &Head| {
            let (mode, text) = head.parts();
            (mode.to_owned(), head.directions, text.to_owned())
        };
        let mut seen = HashSet::new();
        let mut made = Made::default();
        let mut answered = vec![];
        for (at, unit, head) in &carried {
            let Some(symbol) = &head.symbol else { continue };
            let parsed = head.parsed();
            made.add(&parsed, symbol)?;
            let is_new = seen.insert(key(&parsed));
            if is_new && (head.is_needed || self.is_more(&head.reach, *at, unit)) {
                answered.push(AnsweredHead::of(head, symbol));
            }
        }
        // Those whose function no unit had that was compiled with them.
        let elsewhere = carried.iter().filter(|(_, _, head)| head.symbol.is_none());
        let elsewhere = elsewhere.map(|(_, _, head)| head.parsed());
        let left = own.iter().cloned().chain(elsewhere);
        let mut left: Vec<Head> = left.filter(|head| seen.insert(key(head))).collect();
        // Those that name what others generate come after these.
        loop {
            let before = left.len();
            let mut unknown = vec![];
            for head in left {
                let generated = || {
                    let carried = carried
                        .iter()
                        .filter_map(|(_, _, of)| Some((of.parsed(), of.generates.clone()?)));
                    let own = answered.iter().map(|of: &AnsweredHead| {
                        (Head::of(&of.mode, of.directions, &of.text), of.generates.clone())
                    });
                    let mut all = carried.chain(own);
                    all.find(|(of, symbol)| head.names_generated(of, symbol))
                        .map(|(_, symbol)| symbol)
                };
                let function = self.function_of(&head).map(str::to_owned);
                let Some(symbol) = function.or_else(generated) else {
                    unknown.push(head);
                    continue;
                };
                made.add(&head, &symbol)?;
                answered.push(AnsweredHead {
                    mode: head.parts().0.into(),
                    directions: head.directions,
                    text: head.with_symbol(&symbol),
                    generates: head.generated(&symbol),
                    symbol,
                    names: &[],
                    is_tried: false,
                    is_optional: false,
                });
            }
            left = unknown;
            if left.len() == before {
                break;
            }
        }
        for head in left {
            // A build's options are for all of its commands, and what was compiled in this one
            // is looked at when it is done.
            let is_there = || self.winners.keys().any(|symbol| head.generates(symbol));
            if head.from_environment || env::var_os(HEADS_SEEN).is_some() || is_there() {
                continue;
            }
            return Err(Error::HeadUnseen {
                reason: "not exactly one object of this link has the IR of",
                name: head.name.clone(),
                option: head.option.clone(),
            });
        }
        Ok(answered)
    }

    /// The heads of units that this link does not answer: code of the link may call what they generate.
    fn others(&self, answered: &[AnsweredHead<'a>]) -> Vec<AnsweredHead<'a>> {
        let mut others: Vec<AnsweredHead<'a>> = vec![];
        for head in self.loaded.headers().flat_map(|(_, header)| &header.heads) {
            let Some(symbol) = &head.symbol else { continue };
            let other = AnsweredHead {
                is_tried: false,
                is_optional: true,
                ..AnsweredHead::of(head, symbol)
            };
            let is_same = |known: &AnsweredHead| {
                known.mode == other.mode && known.generates == other.generates
            };
            if !answered.iter().chain(&others).any(is_same) {
                others.push(other);
            }
        }
        others
    }

    /// The function that a head names: that of this very symbol, or else the only one that fits.
    fn function_of(&self, head: &Head) -> Option<&'a str> {
        let mut fitting = self.winners.keys().filter(|s| head.fits(s) && self.has_ir(s));
        let exact = self.winners.get_key_value(head.name.as_str()).map(|(symbol, _)| *symbol);
        match exact.filter(|symbol| self.has_ir(symbol)) {
            Some(symbol) => Some(symbol),
            None => fitting.next().copied().filter(|_| fitting.next().is_none()),
        }
    }
}

/// The functions that heads make, by their names.
#[derive(Default)]
struct Made {
    /// The symbol of the function, and the head.
    of: HashMap<String, (String, String)>,
}

impl Made {
    /// Adds what a head makes for the function of that symbol. One name is one function in a program:
    /// of two, the linker would take either.
    fn add(&mut self, head: &Head, symbol: &str) -> Result<(), Error> {
        let (mode, text) = head.parts();
        let directions = head.directions.map(|n| format!("*{n}")).unwrap_or_default();
        let own = (symbol.to_string(), format!("{text}{directions}"));
        match self.of.entry(format!("{}{}", head.own_name(), head.suffix())) {
            Entry::Vacant(free) => {
                free.insert(own);
                Ok(())
            }
            Entry::Occupied(known) if *known.get() == own => Ok(()),
            Entry::Occupied(known) => Err(Error::HeadTwice {
                option: head.option.clone(),
                other: format!("--ad-{mode}={}", known.get().1),
                is_one_function: known.get().0 == symbol,
            }),
        }
    }
}

/// Derivatives know functions by the symbols of their units: a link must not take one for another.
///
/// # Errors
/// [`Error::Renamed`].
pub fn check_names(loaded: &Loaded, inputs: &Inputs) -> Result<(), Error> {
    // What has no IR is called by its symbol, and what the linker makes of that is right.
    let has_ir = |symbol: &String| {
        let mut units = loaded.objects.iter().filter(|object| !object.units.is_empty());
        units.any(|object| object.defined.iter().any(|d| d.name == *symbol))
    };
    match inputs.renamed.iter().find(|(symbol, _)| has_ir(symbol)) {
        Some((symbol, option)) => {
            Err(Error::Renamed { symbol: symbol.clone(), option: option.clone() })
        }
        None => Ok(()),
    }
}

/// Whether no derivative of the units' own runs machine code: those that would, the link answers.
pub fn use_no_machine_code(loaded: &Loaded, answers: &Answers) -> bool {
    let is_answered = |header: &Header| {
        let mut heads = header.heads.iter().filter(|head| head.symbol.is_some());
        let reached = |used: &MachineCode| {
            let of_requests = header.open.iter().map(|open| &open.reach);
            let mut all = of_requests.chain(header.heads.iter().map(|head| &head.reach));
            all.any(|reach| reach.missing.contains(&used.function))
        };
        header.open.iter().all(|open| answers.requests.contains(open.function.as_str()))
            && heads.all(|head| answers.has(head))
            && header.machine_code.iter().all(reached)
    };
    let users = loaded.objects.iter().filter(|object| object.uses_shadow_runtime());
    users.into_iter().all(|object| {
        !object.units.is_empty() && object.units.iter().all(|unit| is_answered(&unit.header))
    })
}

/// Says of which functions units run machine code, in derivatives of their own.
pub fn note_machine_code(loaded: &Loaded, answers: &Answers) {
    let has_own = |header: &&Header| {
        header.heads.iter().any(|head| head.symbol.is_some() && !answers.has(head))
            || header.open.iter().any(|open| !answers.requests.contains(open.function.as_str()))
    };
    let mut seen = HashSet::new();
    for used in loaded
        .headers()
        .map(|(_, header)| header)
        .filter(has_own)
        .flat_map(|header| &header.machine_code)
    {
        if seen.insert(&used.function) {
            eprintln!("{}", note(used));
        }
    }
}

fn note(used: &MachineCode) -> String {
    let at = used.at.as_ref().map(|at| format!(" [called at {at}]")).unwrap_or_default();
    format!(
        "adcc: note: no object of this link has the IR of '{}'{at}: derivatives run its machine code, \
         which takes 100 to 1,000 times as long",
        used.function
    )
}

#[cfg(test)]
mod tests {
    use super::super::command;
    use super::super::object::{Address, Defined, Header, Object, Unit};
    use super::*;

    fn symbols(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    fn missing(names: &[&str]) -> Reach {
        Reach { missing: symbols(names), ..Reach::default() }
    }

    fn request(function: &str, of: &str, reach: Reach) -> Open {
        Open { function: function.into(), of: of.into(), is_needed: false, reach }
    }

    /// An object with IR.
    fn unit(defined: &[(&str, bool)], open: Vec<Open>, addresses: Vec<Address>) -> Object {
        let header = Header {
            unit: String::new(),
            source: String::new(),
            level: "2".into(),
            open,
            heads: vec![],
            registers: vec![],
            addresses,
            machine_code: vec![],
            mpi: None,
            size: 0,
            coding: "plain".into(),
        };
        Object { units: vec![Unit { header, ir: vec![] }], ..plain(defined) }
    }

    /// An object without.
    fn plain(defined: &[(&str, bool)]) -> Object {
        let symbol = |&(name, is_weak): &(&str, bool)| Defined { name: name.into(), is_weak };
        Object { defined: defined.iter().map(symbol).collect(), ..Object::default() }
    }

    fn answers(objects: Vec<Object>) -> Vec<String> {
        let loaded = Loaded { objects, ..Loaded::default() };
        let answers = of(&loaded, &[]).expect("no heads");
        let mut all: Vec<String> = answers.requests.into_iter().map(String::from).collect();
        all.sort();
        all
    }

    #[test]
    fn ir_of_what_a_unit_misses_counts() {
        let main = || unit(&[], vec![request("r", "f", missing(&["g"]))], vec![]);
        assert!(answers(vec![main()]).is_empty());
        assert!(answers(vec![main(), plain(&[("g", false)])]).is_empty());
        assert_eq!(answers(vec![main(), unit(&[("g", false)], vec![], vec![])]), ["r"]);
        // The linker takes the one without.
        let weak = unit(&[("g", true)], vec![], vec![]);
        assert!(answers(vec![main(), weak, plain(&[("g", false)])]).is_empty());
    }

    #[test]
    fn definitions_that_are_replaced_count_with_ir_or_without() {
        let reach = || Reach { replaceable: symbols(&["g"]), ..Reach::default() };
        let main = || unit(&[("g", true)], vec![request("r", "f", reach())], vec![]);
        assert!(answers(vec![main()]).is_empty());
        assert!(answers(vec![main(), plain(&[("g", true)])]).is_empty());
        assert_eq!(answers(vec![main(), plain(&[("g", false)])]), ["r"]);
    }

    #[test]
    fn calls_through_pointers_reach_functions_of_their_type() {
        let reach = Reach { called: symbols(&["double (double)"]), ..Reach::default() };
        let main = || unit(&[], vec![request("r", "f", reach.clone())], vec![]);
        let with = |ty: &str| {
            let address =
                Address { symbol: "g".into(), ty: ty.into(), tables: vec![], is_elsewhere: true };
            unit(&[("g", false)], vec![], vec![address])
        };
        assert!(answers(vec![main(), with("double (ptr)")]).is_empty());
        assert_eq!(answers(vec![main(), with("double (double)")]), ["r"]);
    }

    #[test]
    fn all_requests_of_a_function_are_answered_together() {
        let main = unit(
            &[],
            vec![
                request("a", "f", missing(&[])),
                Open { is_needed: true, ..request("b", "f", missing(&[])) },
                request("c", "h", missing(&[])),
            ],
            vec![],
        );
        assert_eq!(answers(vec![main]), ["a", "b"]);
    }

    fn head(symbol: Option<&str>, reach: Reach) -> OpenHead {
        OpenHead {
            mode: "adjoint".into(),
            directions: None,
            text: "f(y)/(x)".into(),
            symbol: symbol.map(Into::into),
            generates: None,
            names: vec![],
            is_needed: symbol.is_none(),
            reach,
        }
    }

    fn with_heads(defined: &[(&str, bool)], heads: Vec<OpenHead>) -> Object {
        let mut object = unit(defined, vec![], vec![]);
        object.units[0].header.heads = heads;
        object
    }

    fn heads(objects: Vec<Object>, own: &[&str]) -> Result<Vec<(String, bool)>, Error> {
        let loaded = Loaded { objects, ..Loaded::default() };
        let own: Vec<Head> = own.iter().map(|option| Head::parse(option, false)).collect();
        let heads = of(&loaded, &own)?.heads;
        Ok(heads.into_iter().map(|head| (head.text, head.is_tried)).collect())
    }

    #[test]
    fn heads_give_way_to_links_that_know_more() {
        let f = || with_heads(&[("f_", false)], vec![head(Some("f_"), missing(&["g"]))]);
        assert_eq!(heads(vec![f()], &["--ad-adjoint=f(y)/(x)"]).expect("found"), []);
        let g = unit(&[("g", false)], vec![], vec![]);
        let expected = [("f_(y)/(x)".to_string(), true)];
        assert_eq!(heads(vec![f(), g], &[]).expect("found"), expected);
    }

    #[test]
    fn symbols_of_units_are_not_taken_for_others() {
        let renamed = |symbol: &str| command::parse(&[format!("--defsym={symbol}=0").into()]);
        let mut with = unit(&[("f", false)], vec![], vec![]);
        with.undefined.push("g".into());
        let loaded = Loaded { objects: vec![with, plain(&[("h", false)])], ..Loaded::default() };
        for (symbol, is_right) in [("f", false), ("g", true), ("h", true)] {
            assert_eq!(check_names(&loaded, &renamed(symbol)).is_ok(), is_right, "{symbol}");
        }
    }

    #[test]
    fn heads_make_one_function_of_a_name() {
        let f =
            |symbol: &str| with_heads(&[(symbol, false)], vec![head(Some(symbol), missing(&[]))]);
        // The function of one header, in two units.
        assert!(heads(vec![f("_Z1fd"), f("_Z1fd")], &[]).is_ok());
        assert!(heads(vec![f("f.ad.1"), f("f.ad.2")], &[]).is_err());
        assert!(heads(vec![f("f")], &["--ad-adjoint=f(y)/(x, z)"]).is_err());
        assert!(heads(vec![f("f")], &["--ad-adjoint=f(y)/(x)"]).is_ok());
        assert!(heads(vec![f("f")], &["--ad-tangent=f(y)/(x, z)"]).is_ok());
    }

    #[test]
    fn callers_of_what_heads_generate_are_the_links() {
        // The unit with g has left g_bv to the link.
        let needed = OpenHead {
            generates: Some("g_bv".into()),
            is_needed: true,
            directions: Some(2),
            ..head(Some("g"), missing(&["h"]))
        };
        let g = || with_heads(&[("g", false)], vec![needed.clone()]);
        let f = |calls| with_heads(&[("f", false)], vec![head(Some("f"), missing(&[calls]))]);
        for (calls, is_answered) in [("g_bv", true), ("k", false)] {
            let loaded = Loaded { objects: vec![g(), f(calls)], ..Loaded::default() };
            let answers = of(&loaded, &[]).expect("found");
            assert!(answers.has(&needed));
            assert_eq!(answers.has(&head(Some("f"), missing(&[]))), is_answered, "{calls}");
        }
    }

    #[test]
    fn heads_with_directions_are_others() {
        let several = |n| OpenHead { directions: Some(n), ..head(Some("f_"), missing(&["g"])) };
        let f = |all| with_heads(&[("f_", false)], all);
        let g = || unit(&[("g", false)], vec![], vec![]);
        let objects = vec![f(vec![head(Some("f_"), missing(&["g"])), several(4)]), g()];
        let loaded = Loaded { objects, ..Loaded::default() };
        let answers = of(&loaded, &[]).expect("found");
        let made: Vec<&str> = answers.heads.iter().map(|head| &*head.generates).collect();
        assert_eq!(made, ["f_b_", "f_bv_"]);
        assert!(answers.has(&several(4)) && !answers.has(&several(3)));
        // One name would be two functions.
        assert!(heads(vec![f(vec![several(4)]), f(vec![several(3)])], &[]).is_err());
    }

    #[test]
    fn heads_find_functions_of_other_units() {
        let asks = || with_heads(&[], vec![head(None, missing(&[]))]);
        let f = |symbol: &str| unit(&[(symbol, false)], vec![], vec![]);
        let expected = [("_Z1fPd(y)/(x)".to_string(), false)];
        assert_eq!(heads(vec![asks(), f("_Z1fPd")], &[]).expect("found"), expected);
        let own = ["--ad-adjoint=f(y)/(x)"];
        assert_eq!(heads(vec![f("_Z1fPd")], &own).expect("found"), expected);
        // None, or several that fit alike.
        assert!(heads(vec![asks(), plain(&[("f", false)])], &[]).is_err());
        assert!(heads(vec![f("_Z1fPd"), f("_Z1fd")], &own).is_err());
    }
}
