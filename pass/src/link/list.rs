//! The list of a link, as adcc writes it.
//!
//! ```text
//! wraps SYMBOL               undefined references to it are to `__wrap_SYMBOL`
//! object of units            the following units are in one object
//! unit NAME FILE             a unit: its name, and the file with its IR
//! source FILE                what it was compiled from
//! size BYTES CODING          bytes of the unit's bitcode, and how the file has it: plain, zstd, packed
//! defines SYMBOL             what the unit's machine code defines
//! loses SYMBOL               what it defines as well, but another object's definition counts
//! opens SYMBOL               a request of the unit that is open
//! tries SYMBOL               the same, but the unit has an answer of its own
//! registers SYMBOL           a variable of the unit that says something of derivatives
//! takes 0|1 SYMBOL|TYPE|…    a function whose address the unit takes, whether elsewhere than in
//!                            tables of virtual functions, its type, and such tables
//! has SYMBOL                 what code without IR defines
//! head 0|1|2 MODE MADE HEAD  a head, with the symbol of its function; `MODE*N` for N directions;
//!                            what it generates, or `-`;
//!                            whether a unit has an answer of its own (1), or the head is only for code
//!                            of the link that calls what it generates (2)
//! names SYMBOL:NAME,…        names of a function's parameters
//! ```
//! Lines below `unit` belong to it. A file name is the rest of its line.

use super::packing::Coding;
use crate::{
    annotations::{config::Config, heads},
    diagnostics::Code,
    frontend::heads::{Asked, Mode},
    llvm::{Module, Severity},
};
use adir::hashed::{HashMap, HashSet};
use std::{fs, path::PathBuf};

/// A unit of the link.
pub struct Unit {
    pub name: String,
    pub source: String,
    pub file: PathBuf,
    pub size: usize,
    pub coding: Coding,
    pub registers: Vec<String>,
    /// Symbols of which another object's definition counts.
    pub lost: HashSet<String>,
    object: usize,
}

/// A head that the link generates.
pub struct ListedHead {
    pub asked: Asked,
    /// What it generates, if that is known.
    pub generated: Option<String>,
    /// Whether a unit has an answer of its own.
    pub is_tried: bool,
    /// Whether it is only for code of the link that calls what it generates.
    pub is_optional: bool,
}

/// A function whose address a unit takes.
pub struct Address {
    pub symbol: String,
    pub ty: String,
    pub tables: Vec<String>,
    pub is_elsewhere: bool,
}

/// What is linked.
#[derive(Default)]
pub struct List {
    pub units: Vec<Unit>,
    /// Requests, in order.
    pub open: Vec<String>,
    /// Those among them to which their units have answers of their own.
    pub tried: HashSet<String>,
    /// The units that may have the IR of a symbol: several only where they are in one object.
    pub units_of: HashMap<String, Vec<usize>>,
    /// Symbols that objects define.
    pub defined: HashSet<String>,
    pub addresses: Vec<Address>,
    /// Symbols that the linker takes for others where they are undefined (`--wrap`).
    pub wrapped: Vec<String>,
    /// Heads.
    pub heads: Vec<ListedHead>,
    /// Names of parameters: symbol, names in order.
    pub names: Vec<(String, Vec<String>)>,
    objects: usize,
}

impl List {
    /// The list of the link, if this is one.
    pub fn of(module: Module, config: &Config) -> Option<List> {
        List::read(config.link.as_deref()?).map_err(|e| say(module, &format!("-ad-link={e}"))).ok()
    }

    /// Reads a list.
    fn read(path: &str) -> Result<List, String> {
        let text = fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
        let mut list = List::default();
        for (number, line) in text.lines().enumerate() {
            list.take(line).ok_or_else(|| format!("{path}:{}: not understood", number + 1))?;
        }
        Ok(list)
    }

    fn take(&mut self, line: &str) -> Option<()> {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "unit" => {
                let (name, file) = rest.split_once(' ')?;
                self.units.push(Unit {
                    name: name.into(),
                    source: String::new(),
                    file: file.into(),
                    size: 0,
                    coding: Coding::Plain,
                    registers: vec![],
                    lost: HashSet::default(),
                    object: self.objects,
                });
            }
            "object" => self.objects += 1,
            "has" => {
                self.defined.insert(rest.into());
            }
            "wraps" => self.wrapped.push(rest.into()),
            "head" => {
                let mut parts = rest.splitn(4, ' ');
                let kind = parts.next()?;
                let mode = parts.next()?;
                let (mode, directions) = match mode.split_once('*') {
                    Some((mode, n)) => (mode, Some(heads::directions(n)?)),
                    None => (mode, None),
                };
                let mode = Mode::of_name(mode)?;
                let generated = parts.next().filter(|symbol| *symbol != "-").map(str::to_owned);
                self.heads.push(ListedHead {
                    asked: Asked { mode, directions, text: parts.next()?.into() },
                    generated,
                    is_tried: kind == "1",
                    is_optional: kind == "2",
                });
            }
            "names" => {
                let (symbol, names) = rest.split_once(':')?;
                let names = names.split(',').map(str::to_owned).collect();
                self.names.push((symbol.into(), names));
            }
            "takes" => {
                let (is_elsewhere, rest) = rest.split_once(' ')?;
                let mut parts = rest.split('|').map(str::to_owned);
                self.addresses.push(Address {
                    symbol: parts.next()?,
                    ty: parts.next()?,
                    tables: parts.collect(),
                    is_elsewhere: is_elsewhere == "1",
                });
            }
            _ => {
                let number = self.units.len().checked_sub(1)?;
                let unit = &mut self.units[number];
                match word {
                    "size" => {
                        let (size, coding) = rest.split_once(' ')?;
                        unit.size = size.parse().ok()?;
                        unit.coding = Coding::of_name(coding)?;
                    }
                    "source" => unit.source = rest.into(),
                    "registers" => {
                        unit.registers.push(rest.into());
                        self.units_of.insert(rest.into(), vec![number]);
                    }
                    "defines" => {
                        self.defined.insert(rest.into());
                        let object = unit.object;
                        let units = self.units_of.entry(rest.into()).or_default();
                        if units.first().is_none_or(|&u| self.units[u].object == object) {
                            units.push(number);
                        }
                    }
                    "loses" => {
                        unit.lost.insert(rest.into());
                    }
                    "opens" | "tries" => {
                        if word == "tries" {
                            self.tried.insert(rest.into());
                        }
                        self.open.push(rest.into());
                        self.units_of.insert(rest.into(), vec![number]);
                    }
                    _ => return None,
                }
            }
        }
        Some(())
    }
}

/// Reports that something of the link cannot be read.
pub fn say(module: Module, text: &str) {
    let code = Code::Option as u32;
    let text = format!("AD{code:03}: {text}; remedy: compile the file again with adcc -c");
    module.context().diagnose(Severity::Error, &text, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_the_unit_above_them() {
        let mut list = List::default();
        for line in [
            "wraps malloc",
            "object of units",
            "unit 01 /tmp/with blank",
            "size 12 packed",
            "defines f",
            "opens r",
            "tries s",
            "object of units",
            "unit 02 b",
            "registers __ad_register_adjoint_g",
            "defines f",
            "defines g",
            "unit 03 c",
            "defines g",
            "takes 1 g|double (double)|_ZTV1A",
            "loses w",
            "has h",
            "head 1 adjoint f_b f(y)/(x, z)",
            "head 0 adjoint*4 f_bv f(y)/(x, z)",
            "names f:x,,y",
        ] {
            list.take(line).expect(line);
        }
        assert_eq!(list.units[0].file, PathBuf::from("/tmp/with blank"));
        assert_eq!((list.units[0].size, list.units[0].coding), (12, Coding::Packed));
        assert_eq!(list.units[1].registers, ["__ad_register_adjoint_g"]);
        assert_eq!((&list.units_of["f"], &list.units_of["r"]), (&vec![0], &vec![0]));
        assert_eq!(list.open, ["r", "s"]);
        assert!(list.tried.contains("s") && !list.tried.contains("r"));
        assert_eq!(list.units_of["g"], [1, 2]);
        assert!(list.units[2].lost.contains("w") && list.units[1].lost.is_empty());
        assert_eq!(list.wrapped, ["malloc"]);
        let address = &list.addresses[0];
        assert_eq!((&*address.symbol, &*address.ty), ("g", "double (double)"));
        assert!(address.is_elsewhere && address.tables == ["_ZTV1A"]);
        assert!(list.defined.contains("h") && !list.defined.contains("r"));
        let head = &list.heads[0];
        let asked =
            |directions| Asked { mode: Mode::Adjoint, directions, text: "f(y)/(x, z)".into() };
        assert!(head.asked == asked(None) && head.is_tried);
        assert!(list.heads[1].asked == asked(Some(4)));
        assert_eq!(head.generated.as_deref(), Some("f_b"));
        assert_eq!(list.names[0].1, ["x", "", "y"]);
        assert!(List::default().take("defines f").is_none());
        assert!(List::default().take("unit").is_none());
    }
}
