//! Programs of several files: function 0, other functions, variables and constant tables are in two to
//! four files, as chance has it. File 0 has the requests.
//!
//! The meaning of a program does not depend on how it is divided, so the interpreter is the oracle as it
//! is. A program is divided as text, whatever made it. What happens to an item depends on its name and
//! the program's number alone: a program stays divided in the same way while it shrinks.

pub mod build;
pub mod items;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::rng::Rng;
use items::{Item, Kind};

/// How an item is seen from the files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Linkage {
    /// By all.
    External,
    /// Static, by its own file; by another name, which other files have as well.
    Private,
    /// Static, and a copy of it is in each file that names it, as if from a header.
    Copied,
    /// The same, but the copies are weak, and the linker takes one.
    Merged,
    /// By all; another file has a weak definition, which gives way.
    Decoy,
    /// Each file that names it has a tentative definition.
    Common,
}

struct Placed {
    linkage: Linkage,
    /// Where it is defined, or, with `Decoy`, where the definition is that counts.
    home: usize,
    /// Where it is defined, copies included.
    files: BTreeSet<usize>,
}

/// A program, divided.
pub struct Division<'t> {
    prefix: String,
    seed: u64,
    number: u64,
    count: usize,
    items: Vec<Item>,
    placed: BTreeMap<String, Placed>,
    /// What calls the program, in file 0.
    driver: &'t str,
}

/// How many files there may be.
pub const MOST_FILES: usize = 4;

impl Division<'_> {
    /// Divides the definitions of program `number`, which the driver calls.
    pub fn new<'t>(definitions: &str, driver: &'t str, number: usize, seed: u64) -> Division<'t> {
        let prefix = format!("p{number}_");
        let items = items::items(definitions, &prefix);
        let mut all = Division {
            prefix,
            seed,
            number: number as u64,
            count: 0,
            items,
            placed: BTreeMap::new(),
            driver,
        };
        all.count = 2 + all.below("files", MOST_FILES - 1);
        all.place();
        all
    }

    /// The program's part of a file; `names` counts what is private there.
    pub fn part(&self, file: usize, names: &mut usize) -> String {
        let mut text = String::new();
        if file >= self.count {
            return text;
        }
        self.of(Kind::Type).for_each(|item| line(&mut text, &item.text));
        let mut other: BTreeMap<&str, String> = BTreeMap::new();
        for (name, placed) in &self.placed {
            if placed.linkage == Linkage::Private && placed.home == file {
                other.insert(name, format!("fz_local{names}"));
                *names += 1;
            }
        }
        self.declare(file, &mut text);
        for item in self.of(Kind::Variable).chain(self.of(Kind::Function)) {
            let placed = &self.placed[&item.name];
            if placed.files.contains(&file) {
                line(&mut text, &self.definition(item, placed, file));
            }
        }
        for item in self.of(Kind::Variable).filter(|item| self.is_asked_for(item)) {
            let (name, home) = (&item.name, self.placed[&item.name].home);
            if file == home {
                line(&mut text, &format!("{name}_type *{name}_at(void) {{ return &{name}; }}"));
            }
        }
        if file == 0 {
            text.push_str(&self.driver());
        }
        items::renamed(&text, &self.prefix, |name| other.get(name).cloned())
    }

    /// Whether a file may be in an archive: linkers load no member in the place of a weak definition.
    pub fn may_be_archived(&self, file: usize) -> bool {
        let is_awaited = |p: &Placed| p.linkage == Linkage::Decoy && p.home == file;
        file != 0 && !self.placed.values().any(is_awaited)
    }

    /// What stands in front of definitions: all that other files have as well.
    fn declare(&self, file: usize, text: &mut String) {
        for item in self.of(Kind::Variable) {
            let declared = items::declaration(&item.text);
            let plain = items::without_linkage(declared);
            let placed = &self.placed[&item.name];
            if self.is_asked_for(item) {
                let name = &item.name;
                let ty = items::renamed(&plain, &self.prefix, |n| {
                    (n == name).then(|| format!("{name}_type"))
                });
                line(text, &format!("typedef {ty};\nextern {name}_type *{name}_at(void);"));
            }
            match placed.linkage {
                Linkage::Private | Linkage::Copied => {}
                _ => line(text, &format!("extern {plain};")),
            }
        }
        for item in self.of(Kind::Function) {
            let head = item.text.split('{').next().unwrap_or_default();
            let declared = self.of(Kind::Prototype).find(|p| p.name == item.name);
            let declared = declared.map_or(head, |p| p.text.trim_end_matches(';'));
            let plain = items::without_linkage(declared);
            let placed = &self.placed[&item.name];
            match placed.linkage {
                Linkage::Private | Linkage::Copied if placed.files.contains(&file) => {
                    line(text, &format!("static {plain};"));
                }
                Linkage::Private | Linkage::Copied => {}
                _ => line(text, &format!("{plain};")),
            }
        }
    }

    fn definition(&self, item: &Item, placed: &Placed, file: usize) -> String {
        let plain = items::without_linkage(&item.text);
        match placed.linkage {
            _ if item.is_odd => item.text.clone(),
            Linkage::External | Linkage::Common => plain,
            Linkage::Private | Linkage::Copied => format!("static {plain}"),
            Linkage::Merged => format!("__attribute__((weak)) {plain}"),
            Linkage::Decoy if file == placed.home => plain,
            Linkage::Decoy => {
                let head = plain.split('{').next().unwrap_or_default();
                format!("__attribute__((weak)) {head} {{ __builtin_trap(); }}")
            }
        }
    }

    /// The driver, with calls in the place of variables that it cannot name.
    fn driver(&self) -> String {
        let is_asked_for = |name: &str| self.item(name).is_some_and(|item| self.is_asked_for(item));
        items::renamed(self.driver, &self.prefix, |name| {
            is_asked_for(name).then(|| format!("(*{name}_at())"))
        })
    }

    /// Whether the driver names a variable that is static in another file.
    fn is_asked_for(&self, item: &Item) -> bool {
        let placed = &self.placed[&item.name];
        item.kind == Kind::Variable
            && placed.linkage == Linkage::Private
            && placed.home != 0
            && self.driver_names().contains(&item.name)
    }

    fn driver_names(&self) -> BTreeSet<String> {
        items::mentioned(self.driver, &self.prefix)
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(move |item| item.kind == kind)
    }

    fn item(&self, name: &str) -> Option<&Item> {
        let is_defined = |i: &&Item| matches!(i.kind, Kind::Variable | Kind::Function);
        self.items.iter().filter(is_defined).find(|item| item.name == name)
    }

    /// A number that depends on a name alone.
    fn below(&self, what: &str, n: usize) -> usize {
        let hash = what.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Rng::new(self.seed ^ 0xf11e, self.number ^ hash).below(n)
    }

    fn chance(&self, what: &str, name: &str, percent: usize) -> bool {
        self.below(&format!("{what} {name}"), 100) < percent
    }

    /// Decides about each item when all is decided about those that name it.
    fn place(&mut self) {
        let defined: Vec<Item> =
            self.of(Kind::Variable).chain(self.of(Kind::Function)).cloned().collect();
        let users: BTreeMap<String, Vec<String>> = defined
            .iter()
            .map(|item| {
                let names = |user: &&Item| {
                    user.name != item.name
                        && items::names(&user.text, &self.prefix).any(|(_, n)| n == item.name)
                };
                let users = defined.iter().filter(names).map(|user| user.name.clone());
                (item.name.clone(), users.collect())
            })
            .collect();
        // What cannot be declared elsewhere keeps those that name it, and what they name so, together.
        let mut together: BTreeSet<String> = BTreeSet::new();
        for item in defined.iter().filter(|item| item.is_odd) {
            together.insert(item.name.clone());
            together.extend(users[&item.name].iter().cloned());
        }
        let mut left: Vec<&Item> = defined.iter().rev().collect();
        while !left.is_empty() {
            let is_ready =
                |item: &&&Item| users[&item.name].iter().all(|user| self.placed.contains_key(user));
            let at = left.iter().position(|item| is_ready(&item)).unwrap_or(0);
            let item = left.remove(at);
            let placed = self.placed_item(item, &users[&item.name], together.contains(&item.name));
            self.placed.insert(item.name.clone(), placed);
        }
    }

    fn placed_item(&self, item: &Item, users: &[String], is_together: bool) -> Placed {
        let name = item.name.as_str();
        let at = |linkage, home, files| Placed { linkage, home, files };
        let all = || (0..self.count).collect::<BTreeSet<usize>>();
        let mut used: BTreeSet<usize> = BTreeSet::new();
        for user in users {
            used.extend(self.placed.get(user).map_or_else(all, |placed| placed.files.clone()));
        }
        let is_function = item.kind == Kind::Function;
        let is_asked = self.driver_names().contains(name);
        if is_asked && is_function {
            used.insert(0);
        }
        let mut home = self.below(&format!("home {name}"), self.count);
        if is_asked && is_function && self.chance("with driver", name, 40) {
            home = 0;
        } else if self.chance("near", name, 50) {
            home = used.first().copied().unwrap_or(home);
        }
        let only = BTreeSet::from([home]);
        if is_together {
            let home = self.below("together", self.count);
            let linkage = if item.is_odd { Linkage::Private } else { Linkage::External };
            return at(linkage, home, BTreeSet::from([home]));
        }
        if used.is_subset(&only) && self.chance("private", name, 60) {
            return at(Linkage::Private, home, only);
        }
        let body = item.text.split_once('{').map_or("", |(_, body)| body);
        let drawn = self.below(&format!("linkage {name}"), 100);
        let used = if used.is_empty() { only.clone() } else { used };
        match item.kind {
            Kind::Function if drawn < 15 && !body.contains("static ") && !self.is_taken(name) => {
                at(Linkage::Copied, home, used)
            }
            Kind::Function if (15..27).contains(&drawn) => at(Linkage::Merged, home, used),
            Kind::Function if (27..37).contains(&drawn) => {
                at(Linkage::Decoy, home, BTreeSet::from([home, (home + 1) % self.count]))
            }
            Kind::Variable if is_constant(item) && drawn < 40 => at(Linkage::Copied, home, used),
            Kind::Variable if !item.text.contains('=') && drawn < 40 => {
                at(Linkage::Common, home, &used | &only)
            }
            _ => at(Linkage::External, home, only),
        }
    }

    /// Whether the address of a function is taken: copies of it differ.
    fn is_taken(&self, name: &str) -> bool {
        let is_call = |text: &str, at: usize| text[at + name.len()..].starts_with('(');
        self.items.iter().any(|item| {
            items::names(&item.text, &self.prefix)
                .any(|(at, found)| found == name && !is_call(&item.text, at))
        })
    }
}

/// Whether a variable does not change.
fn is_constant(item: &Item) -> bool {
    let declared = items::declaration(&item.text);
    declared.starts_with("static const double") || declared.contains("*const ")
}

fn line(text: &mut String, line: &str) {
    let _ = writeln!(text, "{line}");
}
