//! What the machine code and the data of an object refer to, symbol by symbol.
//!
//! A reference is a relocation, from the symbol in whose bytes it lies to the one that it names.
//! Assemblers leave none behind for a call of a symbol that no other object sees, in the same
//! section; so all code of a section refers to all such symbols of it. Errs towards too many.

use std::collections::HashMap;

use ::object::read::elf::{FileHeader, Rela, SectionHeader, SectionTable, Sym, SymbolTable};
use ::object::{Endianness, SectionIndex, SymbolIndex, elf};

/// A symbol of an object, or a section for what is in it and has no symbol.
type Node = u32;

/// The references of an object.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// Names of the nodes that other objects see.
    pub names: HashMap<Node, String>,
    /// From, to.
    pub edges: Vec<(Node, Node)>,
    /// What runs, or is looked at, though nothing refers to it: initialisers.
    pub roots: Vec<Node>,
}

/// A symbol with bytes in a section.
struct Placed {
    node: Node,
    start: u64,
    end: u64,
    /// Whether no other object sees it.
    is_own: bool,
}

/// Sections that are read without a reference to them: by the program's start and its end, and
/// by the symbols that a linker makes for sections whose names are identifiers.
fn is_root(name: &[u8], flags: u64) -> bool {
    const STARTS: [&[u8]; 7] = [
        b".init_array", b".ctors", b".preinit_array", b".fini_array", b".dtors", b".init", b".fini",
    ];
    let is_identifier = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    flags & u64::from(elf::SHF_GNU_RETAIN) != 0
        || STARTS.iter().any(|start| name.starts_with(start))
        || !name.is_empty() && name.iter().all(is_identifier)
}

/// Relocations in a form that is not read here (`SHT_CREL`).
const COMPACT: u32 = 0x4000_0014;

/// How code that is called after an exception, and seldom, is named, beside the function that it is
/// part of: only tables for exceptions lead to some of it.
const COLD: &str = ".cold";

/// The references of an object; none where it is broken.
pub fn of<E: FileHeader<Endian = Endianness>>(
    endian: Endianness,
    bytes: &[u8],
    sections: &SectionTable<E>,
    symbols: &SymbolTable<E>,
) -> Option<References> {
    let count = u32::try_from(symbols.len()).ok()?;
    let of_section = |section: SectionIndex| count + section.0 as Node;
    let mut all = References::default();
    let mut placed: HashMap<SectionIndex, Vec<Placed>> = HashMap::new();
    let mut own_by_name: HashMap<&str, Node> = HashMap::new();
    let mut cold: Vec<(&str, Node)> = vec![];
    for (index, symbol) in symbols.enumerate() {
        let node = index.0 as Node;
        if matches!(symbol.st_type(), elf::STT_SECTION | elf::STT_FILE) {
            continue;
        }
        let name = symbol.name(endian, symbols.strings()).ok()?;
        let name = std::str::from_utf8(name).unwrap_or_default();
        let is_local = symbol.st_bind() == elf::STB_LOCAL;
        if !is_local && !name.is_empty() {
            all.names.insert(node, name.to_string());
        }
        if let Some(section) = symbols.symbol_section(endian, symbol, index).ok()? {
            own_by_name.insert(name, node);
            if let Some((function, _)) = name.split_once(COLD) {
                cold.push((function, node));
            }
            let start = symbol.st_value(endian).into();
            let end = start + symbol.st_size(endian).into();
            let is_own = is_local || symbol.st_visibility() != elf::STV_DEFAULT;
            placed.entry(section).or_default().push(Placed { node, start, end, is_own });
        }
    }
    all.edges.extend(cold.iter().filter_map(|(of, part)| Some((*own_by_name.get(of)?, *part))));
    for (section, here) in &mut placed {
        here.sort_by_key(|p| p.start);
        let flags: u64 = sections.section(*section).ok()?.sh_flags(endian).into();
        let whole = of_section(*section);
        // Names of the same place.
        for pair in here.windows(2).filter(|pair| pair[0].start == pair[1].start) {
            all.edges.extend([(pair[0].node, pair[1].node), (pair[1].node, pair[0].node)]);
        }
        // What has no size may be all that follows.
        let unsized_ones = here.iter().filter(|p| p.start == p.end).map(|p| (p.node, whole));
        all.edges.extend(unsized_ones);
        if flags & u64::from(elf::SHF_EXECINSTR) != 0 {
            let own: Vec<Node> = here.iter().filter(|p| p.is_own).map(|p| p.node).collect();
            for from in here.iter().map(|p| p.node).chain([whole]) {
                all.edges.extend(own.iter().map(|to| (from, *to)));
            }
        }
    }
    let at = |section: SectionIndex, address: u64| -> Vec<Node> {
        let here = placed.get(&section).map_or(&[][..], Vec::as_slice);
        let before = here.partition_point(|p| p.start <= address);
        let found: Vec<Node> =
            here[..before].iter().filter(|p| address < p.end).map(|p| p.node).collect();
        if found.is_empty() { vec![of_section(section)] } else { found }
    };
    for (index, section) in sections.enumerate() {
        let flags: u64 = section.sh_flags(endian).into();
        let name = sections.section_name(endian, section).ok()?;
        if flags & u64::from(elf::SHF_ALLOC) != 0 && is_root(name, flags) {
            all.roots.push(of_section(index));
            all.roots.extend(placed.get(&index).into_iter().flatten().map(|p| p.node));
        }
    }
    for (_, section) in sections.enumerate() {
        if section.sh_type(endian) == COMPACT {
            return None;
        }
        let of = section.info_link(endian);
        let Ok(target) = sections.section(of) else { continue };
        let is_of_exceptions = sections.section_name(endian, target).ok()? == b".eh_frame";
        if u64::from(elf::SHF_ALLOC) & target.sh_flags(endian).into() == 0 || is_of_exceptions {
            continue;
        }
        let mut refer =
            |place: u64, symbol: Option<SymbolIndex>, addend: Option<i64>| -> Option<()> {
                let Some(index) = symbol else { return Some(()) };
                let symbol = symbols.symbol(index).ok()?;
                let to = match symbols.symbol_section(endian, symbol, index).ok()? {
                    Some(section) if symbol.st_type() == elf::STT_SECTION => match addend {
                        Some(addend) => addresses(addend).flat_map(|a| at(section, a)).collect(),
                        None => {
                            let here = placed.get(&section).into_iter().flatten();
                            here.map(|p| p.node).chain([of_section(section)]).collect()
                        }
                    },
                    _ => vec![index.0 as Node],
                };
                for from in at(of, place) {
                    all.edges.extend(to.iter().map(|to| (from, *to)));
                }
                Some(())
            };
        if let Some((relocations, _)) = section.rela(endian, bytes).ok()? {
            for r in relocations {
                refer(
                    r.r_offset(endian).into(),
                    r.symbol(endian, false),
                    Some(r.r_addend(endian).into()),
                )?;
            }
        }
        if let Some((relocations, _)) = section.rel(endian, bytes).ok()? {
            use ::object::read::elf::Rel;
            for r in relocations {
                refer(r.r_offset(endian).into(), r.symbol(endian), None)?;
            }
        }
    }
    all.edges.sort_unstable();
    all.edges.dedup();
    Some(all)
}

/// The addresses in a section that a relocation may mean: relative ones count from the end of the
/// instruction, up to eight bytes behind the place.
fn addresses(addend: i64) -> impl Iterator<Item = u64> {
    [0, 4, 5, 6, 8].into_iter().filter_map(move |more| u64::try_from(addend + more).ok())
}
