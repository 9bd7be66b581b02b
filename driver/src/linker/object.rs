//! What an object file says: its symbols, and the units whose IR it carries.

use ::object::read::elf::{FileHeader, SectionHeader, Sym};
use ::object::{Endianness, elf};
use serde::Deserialize;
use std::path::PathBuf;

use super::references::{self, References};
use crate::heads::Head;

/// The section that holds IR.
const SECTION: &[u8] = b".adcc.ir";
/// How each unit in it starts; the digit is the format's version.
const MAGIC: &[u8] = b"ADCCIR3\n";
/// How it starts in any version.
const ANY_MAGIC: &[u8] = b"ADCCIR";
/// Bytes in front of the header: the magic, and two lengths.
const START: usize = 8 + 4 + 8;

/// An open request.
#[derive(Clone, Debug, Deserialize)]
pub struct Open {
    /// The function that stands for it.
    pub function: String,
    /// What it differentiates.
    pub of: String,
    /// Whether only a link can answer it; else its unit has an answer of its own.
    pub is_needed: bool,
    /// What it reaches in other units.
    pub reach: Reach,
}

/// A head that a unit was compiled with.
#[derive(Clone, Debug, Deserialize)]
pub struct OpenHead {
    /// `tangent`, `pattern` or `adjoint`.
    pub mode: String,
    /// The number of directions, of a function for several.
    #[serde(default)]
    pub directions: Option<u32>,
    /// As the user wrote it, without directions.
    pub text: String,
    /// Its function, if the unit has it.
    pub symbol: Option<String>,
    /// What it generates then.
    #[serde(default)]
    pub generates: Option<String>,
    /// Names of the function's parameters that only the unit's compilation knows.
    pub names: Vec<String>,
    /// Whether only a link can generate it.
    pub is_needed: bool,
    /// What the function reaches in other units.
    pub reach: Reach,
}

impl OpenHead {
    /// As an option asks for it.
    pub fn parsed(&self) -> Head {
        Head::of(&self.mode, self.directions, &self.text)
    }
}

/// What a request reaches beyond its unit.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Reach {
    /// Functions without body there.
    pub missing: Vec<String>,
    /// Functions with a body there, in the place of which another one may be taken.
    pub replaceable: Vec<String>,
    /// Types of functions that are called through pointers.
    pub called: Vec<String>,
}

/// A function whose address a unit takes.
#[derive(Clone, Debug, Deserialize)]
pub struct Address {
    /// The function.
    pub symbol: String,
    /// Its type.
    pub ty: String,
    /// Tables of virtual functions that hold it.
    pub tables: Vec<String>,
    /// Whether something else holds it as well.
    pub is_elsewhere: bool,
}

/// A function whose derivative goes through its machine code.
#[derive(Clone, Debug, Deserialize)]
pub struct MachineCode {
    /// The function.
    pub function: String,
    /// file:line:column of a call, if that is known.
    pub at: Option<String>,
}

/// What the header of a unit says.
#[derive(Clone, Debug, Deserialize)]
pub struct Header {
    /// Its name.
    pub unit: String,
    /// What it was compiled from.
    pub source: String,
    /// The level of optimisation.
    pub level: String,
    /// Its open requests.
    #[serde(default)]
    pub open: Vec<Open>,
    /// Heads that it was compiled with.
    #[serde(default)]
    pub heads: Vec<OpenHead>,
    /// Variables that say something of derivatives.
    #[serde(default)]
    pub registers: Vec<String>,
    /// Functions whose addresses it takes.
    #[serde(default)]
    pub addresses: Vec<Address>,
    /// What its own derivatives run machine code of.
    #[serde(default)]
    pub machine_code: Vec<MachineCode>,
    /// The mpi.h that its messages were compiled with, if it sends any.
    #[serde(default)]
    pub mpi: Option<PathBuf>,
    /// Bytes of the bitcode.
    pub size: usize,
    /// How the IR is packed, for the plugin.
    pub coding: String,
}

/// A unit that an object carries.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What is known without its IR.
    pub header: Header,
    /// Its IR.
    pub ir: Vec<u8>,
}

/// A symbol that an object defines for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defined {
    /// Its name.
    pub name: String,
    /// Whether the definition of another object takes its place.
    pub is_weak: bool,
}

/// What matters of an object.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// Symbols that it defines for others.
    pub defined: Vec<Defined>,
    /// Symbols that it needs.
    pub undefined: Vec<String>,
    /// Symbols that it does without.
    pub weak: Vec<String>,
    /// Its units.
    pub units: Vec<Unit>,
    /// What it refers to; none if that cannot be read.
    pub references: Option<References>,
    /// Whether it carries IR that cannot be read: of another version of adcc, or broken.
    pub is_strange: bool,
}

impl Object {
    /// Whether it refers to rules of messages between ranks.
    pub fn uses_rules_of_messages(&self) -> bool {
        let starts = ["adrt_MPI_", "adrt_mpi_", "adrt_ranks_"];
        self.undefined.iter().any(|symbol| starts.iter().any(|start| symbol.starts_with(start)))
    }
    /// Whether it refers to the shadow runtime.
    pub fn uses_shadow_runtime(&self) -> bool {
        self.undefined.iter().any(|symbol| symbol.starts_with("adshadow_"))
    }
}

/// Reads an object file; none where it is no ELF object that is linked statically.
pub fn read(bytes: &[u8]) -> Option<Object> {
    match ::object::FileKind::parse(bytes).ok()? {
        ::object::FileKind::Elf64 => of::<elf::FileHeader64<Endianness>>(bytes),
        ::object::FileKind::Elf32 => of::<elf::FileHeader32<Endianness>>(bytes),
        _ => None,
    }
}

fn of<E: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> Option<Object> {
    let header = E::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    if header.e_type(endian) != elf::ET_REL {
        return None;
    }
    let sections = header.sections(endian, bytes).ok()?;
    let symbols = sections.symbols(endian, bytes, elf::SHT_SYMTAB).ok()?;
    let references = references::of(endian, bytes, &sections, &symbols);
    let mut object = Object { references, ..Object::default() };
    for symbol in symbols.iter().filter(|s| s.st_bind() != elf::STB_LOCAL) {
        let name = symbol.name(endian, symbols.strings()).ok()?;
        let Ok(name) = std::str::from_utf8(name) else { continue };
        let is_undefined = symbol.is_undefined(endian);
        match (is_undefined, symbol.st_bind()) {
            // Nobody loads an archive's member for it.
            (true, elf::STB_WEAK) => object.weak.push(name.into()),
            (true, _) => object.undefined.push(name.into()),
            (false, bind) => object.defined.push(Defined {
                name: name.into(),
                is_weak: bind == elf::STB_WEAK || symbol.is_common(endian),
            }),
        }
    }
    for section in sections.iter() {
        if sections.section_name(endian, section).is_ok_and(|name| name == SECTION) {
            let (units, is_strange) = units(section.data(endian, bytes).ok()?);
            object.units.extend(units);
            object.is_strange |= is_strange;
        }
    }
    Some(object)
}

/// The units of a section, and whether there is one that cannot be read. Linkers that put sections
/// together may leave zeros between them.
fn units(mut bytes: &[u8]) -> (Vec<Unit>, bool) {
    let mut all = vec![];
    while let Some(start) = bytes.windows(ANY_MAGIC.len()).position(|w| w == ANY_MAGIC) {
        bytes = &bytes[start..];
        let Some((unit, rest)) = unit(bytes) else { return (all, true) };
        all.push(unit);
        bytes = rest;
    }
    (all, false)
}

fn unit(bytes: &[u8]) -> Option<(Unit, &[u8])> {
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    let header = u32::from_le_bytes(bytes.get(8..12)?.try_into().ok()?) as usize;
    let ir = usize::try_from(u64::from_le_bytes(bytes.get(12..20)?.try_into().ok()?)).ok()?;
    let end = START.checked_add(header)?.checked_add(ir)?;
    let unit = Unit {
        header: serde_json::from_slice(bytes.get(START..START + header)?).ok()?,
        ir: bytes.get(START + header..end)?.to_vec(),
    };
    Some((unit, &bytes[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(unit: &str, ir: &[u8]) -> Vec<u8> {
        let header = format!(
            r#"{{"unit":"{unit}","source":"a.c","level":"2","open":[{{"function":"r","of":"f","is_needed":true,
                "reach":{{"missing":["g"],"replaceable":[],"called":[]}}}}],
                "registers":["v"],"size":9,"coding":"packed"}}"#
        );
        let mut bytes = MAGIC.to_vec();
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend((ir.len() as u64).to_le_bytes());
        bytes.extend(header.bytes());
        bytes.extend(ir);
        bytes
    }

    #[test]
    fn a_section_holds_several_units() {
        let all = [written("1", b"abc"), vec![0; 5], written("2", b"")].concat();
        let (units, is_strange) = units(&all);
        assert!(!is_strange);
        let names: Vec<&str> = units.iter().map(|u| u.header.unit.as_str()).collect();
        assert_eq!(names, ["1", "2"]);
        assert_eq!(units[0].ir, b"abc");
        let open = &units[0].header.open[0];
        assert_eq!(
            (&units[0].header.registers[..], units[0].header.heads.len()),
            (&["v".into()][..], 0)
        );
        assert_eq!((&*open.function, &*open.reach.missing[0]), ("r", "g"));
    }

    #[test]
    fn what_is_cut_off_or_of_another_version_is_strange() {
        let mut all = written("1", b"abc");
        for size in [all.len() - 1, 10] {
            let (units, is_strange) = units(&all[..size]);
            assert!(units.is_empty() && is_strange);
        }
        assert!(!units(&[0; 20]).1);
        all[6] = b'1';
        assert!(units(&all).1);
        assert!(read(b"!<arch>\n").is_none() && read(b"").is_none());
    }
}
