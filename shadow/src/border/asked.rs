//! Functions that are asked about at each call, by their names, when translated code comes to them: those that exchange data with other processes, of whose derivatives nobody knows
//! here (by the families of [`adrules::outside`], which the compiler looks at, too), and those that make numbers of text, which may be the text of active numbers ([`crate::text`]).

use std::{
    collections::HashMap,
    ffi::{CStr, CString},
};

use adrules::outside;

use crate::{Error, calls, state::State, symbols, text, word};

/// What is to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Whether the data are integers, which have no derivatives.
    Exchange(&'static str),
    /// Whether the text that the first argument leads to is that of an active number; its end, and the format, are those arguments.
    Text(&'static str, Option<usize>, Option<usize>),
}

/// Names of whole numbers: OpenMPI's variables, and MPICH's numbers.
const INTEGERS: [&CStr; 8] =
    [c"ompi_mpi_int", c"ompi_mpi_char", c"ompi_mpi_long", c"ompi_mpi_unsigned", c"ompi_mpi_unsigned_long", c"ompi_mpi_long_long_int", c"ompi_mpi_integer", c"ompi_mpi_logical"];
const INTEGER_NUMBERS: [u64; 8] = [0x4c00_0405, 0x4c00_0101, 0x4c00_0807, 0x4c00_0406, 0x4c00_0808, 0x4c00_0809, 0x4c00_041b, 0x4c00_041d];

#[rustfmt::skip]
const READERS: [(&str, Option<usize>, Option<usize>); 28] = [
    ("strtod", None, None), ("strtof", None, None), ("strtold", None, None), ("atof", None, None), ("strtod_l", None, None), ("strtof_l", None, None), ("strtold_l", None, None),
    ("__strtod_l", None, None), ("__strtof_l", None, None), ("__strtold_l", None, None), ("__strtod_internal", None, None), ("__strtof_internal", None, None),
    ("__strtold_internal", None, None), ("strtof32", None, None), ("strtof64", None, None), ("strtof32x", None, None), ("strtof64x", None, None), ("strtof128", None, None),
    ("sscanf", None, Some(1)), ("vsscanf", None, Some(1)), ("__isoc99_sscanf", None, Some(1)), ("__isoc99_vsscanf", None, Some(1)), ("__isoc23_sscanf", None, Some(1)),
    ("__isoc23_vsscanf", None, Some(1)),
    ("_ZSt10from_charsPKcS0_RfSt12chars_format", Some(1), None), ("_ZSt10from_charsPKcS0_RdSt12chars_format", Some(1), None), ("_ZSt10from_charsPKcS0_ReSt12chars_format", Some(1), None),
    ("strtoflt128", None, None),
];

fn find(name: &str) -> u64 {
    let name = CString::new(name).expect("no zero in a name");
    // SAFETY: a string.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as u64 }
}

/// Where they are, as far as they are loaded.
pub fn addresses() -> HashMap<u64, Asked> {
    let mut all = HashMap::new();
    let mut add = |name: &str, asked: Asked| match find(name) {
        0 => {}
        address => _ = all.entry(address).or_insert(asked),
    };
    for (name, end, format) in READERS {
        add(name, Asked::Text(name, end, format));
    }
    symbols::each(&|name| outside::carries(name).is_some(), &mut |name, address| _ = all.entry(address).or_insert(Asked::Exchange(name)));
    all
}

impl Asked {
    /// Refuses a call that is about to be made from code of that file.
    pub fn check(self, state: &State, library: &dyn Fn() -> String) -> Result<(), Error> {
        let arguments = calls::arguments(state);
        match self {
            Asked::Text(function, end, format) if text::is_read(arguments[0], end.map(|i| arguments[i]), format.map(|i| arguments[i])) => {
                Err(Error::Text { function, library: library() })
            }
            Asked::Exchange(function) if !is_of_integers(&arguments) => Err(Error::Exchange { function, library: library() }),
            _ => Ok(()),
        }
    }
}

/// Whether the type of what is exchanged is one of whole numbers, by itself or where Fortran has it.
fn is_of_integers(arguments: &[u64; 6]) -> bool {
    let known: Vec<u64> = INTEGERS.iter().filter_map(|name| name.to_str().ok()).map(find).filter(|a| *a != 0).collect();
    arguments.iter().skip(1).any(|a| known.contains(a) || INTEGER_NUMBERS.contains(a) || (word::IS_64 && INTEGER_NUMBERS.contains(&(a & 0xffff_ffff)) && a >> 32 == 0))
}
