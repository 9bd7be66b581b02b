//! What an object carries: a header and the module's bitcode, packed ([`super::packing`]).
//!
//! ```text
//! "ADCCIR3\n", bytes of the header (u32), bytes of the IR (u64), the header (JSON), the IR
//! ```
//! Numbers are little-endian. `ld -r` puts sections one behind the other, so a section may hold
//! several of these.

use super::{
    SECTION, addresses, heads, internal, open,
    packing::{self, Coding, Packed},
    suffix,
};
use crate::{
    annotations::{config::Config, registry, visibility},
    canon,
    codegen::prebuilt::MachineCode,
    frontend::{heads::Planned, request},
    llvm::{Linkage, Module, Opcode, Value, hash},
};
use serde::Serialize;

/// How each starts.
const MAGIC: &[u8; 8] = b"ADCCIR3\n";

/// What a link wants to know of a unit before it reads its IR.
#[derive(Serialize)]
struct Header<'a> {
    /// A name that no other unit has.
    unit: &'a str,
    source: String,
    /// The level of optimisation that the unit is compiled at.
    level: &'a str,
    /// Requests that the link answers, or may answer.
    #[serde(skip_serializing_if = "is_empty")]
    open: &'a [open::Open],
    /// Heads that the unit is compiled with.
    #[serde(skip_serializing_if = "is_empty")]
    heads: &'a [heads::OpenHead],
    /// Variables that say something of derivatives.
    #[serde(skip_serializing_if = "is_empty")]
    registers: &'a [String],
    /// Functions whose addresses it takes.
    #[serde(skip_serializing_if = "is_empty")]
    addresses: &'a [addresses::Address],
    /// What the unit's own derivatives run machine code of.
    #[serde(skip_serializing_if = "is_empty")]
    machine_code: &'a [MachineCode],
    /// The mpi.h that its messages are compiled with, if it sends any.
    #[serde(skip_serializing_if = "Option::is_none")]
    mpi: Option<&'a str>,
    /// Bytes of the bitcode.
    size: usize,
    coding: Coding,
}

fn is_empty<T>(list: &[T]) -> bool {
    list.is_empty()
}

/// What the object of a module carries.
pub struct Carried {
    unit: String,
    level: String,
    open: Vec<open::Open>,
    /// Heads that the unit is compiled with.
    pub heads: Vec<heads::OpenHead>,
    registers: Vec<String>,
    addresses: Vec<addresses::Address>,
    mpi: Option<String>,
    bitcode: Vec<u8>,
}

impl Carried {
    /// Whether there are requests that the link answers.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty() || !self.heads.is_empty()
    }

    /// Whether the link may know more of what a head differentiates.
    pub fn has_open(&self, head: &Planned) -> bool {
        self.heads.iter().any(|open| open.is_it(head) && open.is_open())
    }

    /// Leaves a head to the link.
    pub fn leave(&mut self, head: &Planned) {
        self.heads.iter_mut().filter(|open| open.is_it(head)).for_each(heads::OpenHead::leave);
    }

    /// Puts it into the module, whose own derivatives run that machine code.
    pub fn embed(mut self, module: Module, machine_code: &[MachineCode]) {
        for open in self.open.iter_mut().filter(|open| !open.is_needed) {
            open.is_needed = open.function.linkage() == Linkage::External;
        }
        if let Some(bytes) = self.bytes(module, machine_code) {
            module.embed(&bytes, SECTION);
        }
    }

    fn bytes(&self, module: Module, machine_code: &[MachineCode]) -> Option<Vec<u8>> {
        let Packed { coding, bytes: ir } = packing::pack(&self.bitcode);
        let header = Header {
            unit: &self.unit,
            source: module.source_file(),
            level: &self.level,
            open: &self.open,
            heads: &self.heads,
            registers: &self.registers,
            addresses: &self.addresses,
            machine_code,
            mpi: self.mpi.as_deref(),
            size: self.bitcode.len(),
            coding,
        };
        let header = serde_json::to_vec(&header).expect("texts and numbers");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(u32::try_from(header.len()).ok()?.to_le_bytes());
        bytes.extend((ir.len() as u64).to_le_bytes());
        bytes.extend(header);
        bytes.extend(ir);
        Some(bytes)
    }
}

/// Opens the requests that reach other units, and returns what the object is to carry.
pub fn carry(module: Module, config: &Config) -> Option<Carried> {
    // With link-time optimisation LLVM optimises a second time, for the object's own machine code.
    let level = config.objects.clone().filter(|_| !module.has_section(SECTION))?;
    internal::mark(module);
    let mut bitcode = packing::bitcode(module);
    let unit = format!("{:016x}", hash(&bitcode));
    let open = open::requests(module, config, &unit);
    if !open.is_empty() {
        bitcode = packing::bitcode(module);
        open::close(&open);
    }
    visibility::erase(module);
    share(module, &unit);
    let symbol = |g: Value| match g.is_private_global() {
        true => format!("{}{}", g.name(), suffix(&unit)),
        false => g.name(),
    };
    let heads = heads::of(module, config, &symbol);
    let registers = module.globals().into_iter().filter(|g| registry::is_declaration(&g.name()));
    let registers = registers.map(symbol).collect();
    let addresses = addresses::of(module, &symbol);
    let is_message = |name: &str| name.starts_with("MPI_") || name.starts_with("mpi_");
    let sends = module.functions().into_iter().any(|f| f.is_declaration() && is_message(&f.name()));
    let mpi = config.mpi.clone().filter(|_| sends);
    Some(Carried { unit, level, open, heads, registers, addresses, mpi, bitcode })
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
