//! What an object carries: a header and the module's bitcode.
//!
//! ```text
//! "ADCCIR1\n", bytes of the header (u32), bytes of the IR (u64), the header (JSON), the IR
//! ```
//! Numbers are little-endian. `ld -r` puts sections one behind the other, so a section may hold
//! several of these.

use super::{SECTION, addresses, open, suffix};
use crate::{
    annotations::{config::Config, registry},
    canon,
    frontend::request,
    llvm::{Module, Opcode, Value, compress, hash},
};
use serde::Serialize;

/// How each starts.
const MAGIC: &[u8; 8] = b"ADCCIR1\n";

/// What a link wants to know of a unit before it reads its IR.
#[derive(Serialize)]
struct Header<'a> {
    /// A name that no other unit has.
    unit: &'a str,
    source: String,
    /// The level of optimisation that the unit is compiled at.
    level: &'a str,
    /// Requests that the link answers.
    open: &'a [open::Open],
    /// Variables that say something of derivatives.
    registers: Vec<String>,
    /// Functions whose addresses it takes.
    addresses: Vec<addresses::Address>,
    /// Bytes of the bitcode.
    size: usize,
    is_compressed: bool,
}

/// What the object of a module carries.
pub struct Carried {
    bytes: Vec<u8>,
    /// Whether there are requests that the link answers.
    pub is_open: bool,
}

impl Carried {
    /// Puts it into the module.
    pub fn embed(self, module: Module) {
        module.embed(&self.bytes, SECTION);
    }
}

/// Opens the requests that reach other units, and returns what the object is to carry.
pub fn carry(module: Module, config: &Config) -> Option<Carried> {
    let level = config.objects.as_deref()?;
    let mut bitcode = module.bitcode();
    let unit = format!("{:016x}", hash(&bitcode));
    let opened = open::requests(module, config, &unit);
    if !opened.is_empty() {
        bitcode = module.bitcode();
        opened.iter().for_each(|o| o.function.delete_body());
    }
    share(module, &unit);
    let symbol = |g: Value| match g.is_private_global() {
        true => format!("{}{}", g.name(), suffix(&unit)),
        false => g.name(),
    };
    let registers = module.globals().into_iter().filter(|g| registry::is_declaration(&g.name()));
    let header = Header {
        unit: &unit,
        source: module.source_file(),
        level,
        open: &opened,
        registers: registers.map(symbol).collect(),
        addresses: addresses::of(module, &symbol),
        size: bitcode.len(),
        is_compressed: false,
    };
    let (header, ir) = match compress(&bitcode) {
        Some(ir) => (Header { is_compressed: true, ..header }, ir),
        None => (header, bitcode),
    };
    let header = serde_json::to_vec(&header).expect("texts and numbers");
    let mut bytes = MAGIC.to_vec();
    bytes.extend(u32::try_from(header.len()).ok()?.to_le_bytes());
    bytes.extend((ir.len() as u64).to_le_bytes());
    bytes.extend(header);
    bytes.extend(ir);
    Some(Carried { bytes, is_open: !opened.is_empty() })
}

/// Lets other units reach what is internal to this one: variables, and functions whose addresses are
/// compared or stored.
fn share(module: Module, unit: &str) {
    let is_called = |u: &Value, f: Value| {
        u.is_instruction()
            && matches!(u.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
            && u.called() == f
            && (0..u.argument_count()).all(|i| u.operand(i) != f)
    };
    let functions =
        module.functions().into_iter().filter(|f| !f.is_declaration() && f.is_private());
    let functions =
        functions.map(|f| f.value()).filter(|&f| f.users().iter().any(|u| !is_called(u, f)));
    // Markers mean something by their names alone.
    let variables = module.globals().into_iter().filter(|&g| {
        g.initializer().is_some()
            && g.is_private_global()
            && !(g.is_global_constant() && g.has_no_address() && !canon::is_virtual_table(g))
            && !g.name().is_empty()
            && !g.name().starts_with("llvm.")
            && !request::is_marker(g)
            && !registry::is_declaration(&g.name())
    });
    for g in functions.chain(variables).collect::<Vec<_>>() {
        g.share(&format!("{}{}", g.name(), suffix(unit)));
    }
}
