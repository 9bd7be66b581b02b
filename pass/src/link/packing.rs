//! How objects carry bitcode: without what nobody reads, and packed.
//!
//! [`adbitpack`] packs it, and knows beforehand what modules of C++ have in common: both ends show it
//! the same small module (`models/primer.cpp`). What it cannot pack, LLVM compresses with zstd.

use crate::llvm::{Module, compress, decompress};
use adbitpack::Primer;
use serde::Serialize;

/// A module that is much like others.
static PRIMER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/primer.bc"));

/// How bytes stand for bitcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Coding {
    /// They are it.
    Plain,
    /// LLVM compressed it.
    Zstd,
    /// [`adbitpack`] packed it.
    Packed,
}

impl Coding {
    /// The one of a name, as headers and lists have it.
    pub fn of_name(name: &str) -> Option<Coding> {
        match name {
            "plain" => Some(Coding::Plain),
            "zstd" => Some(Coding::Zstd),
            "packed" => Some(Coding::Packed),
            _ => None,
        }
    }
}

/// Bitcode in fewer bytes.
pub struct Packed {
    pub coding: Coding,
    pub bytes: Vec<u8>,
}

fn primer() -> Primer {
    Primer::new(&adbitpack::without_names(PRIMER).unwrap_or_default())
}

/// A module's bitcode without names that have no reader.
pub fn bitcode(module: Module) -> Vec<u8> {
    let bitcode = module.bitcode();
    adbitpack::without_names(&bitcode).unwrap_or(bitcode)
}

/// Packs bitcode as well as that can be done.
pub fn pack(bitcode: &[u8]) -> Packed {
    if let Some(bytes) = adbitpack::pack(bitcode, &primer()) {
        return Packed { coding: Coding::Packed, bytes };
    }
    match compress(bitcode) {
        Some(bytes) => Packed { coding: Coding::Zstd, bytes },
        None => Packed { coding: Coding::Plain, bytes: bitcode.to_vec() },
    }
}

/// The bitcode that bytes stand for, of which `whole` are expected.
///
/// # Errors
/// Why there is none.
pub fn unpack(packed: Packed, whole: usize) -> Result<Vec<u8>, String> {
    match packed.coding {
        Coding::Plain => Ok(packed.bytes),
        Coding::Zstd => {
            decompress(&packed.bytes, whole).ok_or_else(|| "it cannot be decompressed".into())
        }
        Coding::Packed => adbitpack::unpack(&packed.bytes, &primer()).map_err(|e| e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_primer_is_packed_to_little() {
        let bitcode = adbitpack::without_names(PRIMER).expect("it is bitcode");
        let packed = pack(&bitcode);
        assert_eq!(packed.coding, Coding::Packed);
        assert!(packed.bytes.len() * 10 < bitcode.len(), "{}", packed.bytes.len());
        assert_eq!(unpack(packed, bitcode.len()), Ok(bitcode));
    }

    #[test]
    fn what_is_no_bitcode_is_compressed() {
        let bytes = [7; 1000];
        let packed = pack(&bytes);
        assert_ne!(packed.coding, Coding::Packed);
        assert_eq!(unpack(packed, 1000), Ok(bytes.to_vec()));
    }
}
