//! Functions that make text of numbers in memory, move it, and make numbers of it: what
//! analysis/src/activity/foreign/ follows. Output to files and terminals is no such text: what is
//! read from files is constant.

use super::outside::Outside;

/// Where a function puts what it makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum To {
    /// What that argument leads to; with the number of the argument that says how many bytes that
    /// has, if any.
    Argument(usize, Option<usize>),
    /// What it returns a pointer to.
    Result,
    /// The unit that a transfer (its first argument) belongs to.
    Unit,
}

/// What a function does with text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Makes text of its other arguments. True: what was there is gone.
    Writes(To, bool),
    /// Moves or searches text: of any argument, to the place and to what it returns. True: what was
    /// there is gone.
    Moves(To, bool),
    /// Reads text from what the argument leads to; makes numbers where the arguments from the
    /// second number on lead to, and returns one.
    Reads(usize, usize),
    /// Opens a transfer that writes to an internal unit, or reads from one: what its first argument
    /// leads to; true: through a descriptor.
    Opens(bool),
    /// Opens a transfer of another kind.
    OpensFile,
    /// Opens a file that is memory.
    OpensMemory,
}

use Role::*;
use To::*;

const fn to(argument: usize) -> To {
    Argument(argument, None)
}

/// By name.
#[rustfmt::skip]
static FUNCTIONS: &[(&str, Role)] = &[
    ("sprintf", Writes(to(0), true)), ("vsprintf", Writes(to(0), true)), ("__sprintf_chk", Writes(to(0), true)), ("__vsprintf_chk", Writes(to(0), true)),
    ("snprintf", Writes(Argument(0, Some(1)), true)), ("vsnprintf", Writes(Argument(0, Some(1)), true)), ("swprintf", Writes(to(0), true)), ("vswprintf", Writes(to(0), true)),
    ("__snprintf_chk", Writes(Argument(0, Some(1)), true)), ("__vsnprintf_chk", Writes(Argument(0, Some(1)), true)),
    ("asprintf", Writes(to(0), true)), ("vasprintf", Writes(to(0), true)), ("__asprintf_chk", Writes(to(0), true)), ("__vasprintf_chk", Writes(to(0), true)),
    ("strfromd", Writes(Argument(0, Some(1)), true)), ("strfromf", Writes(Argument(0, Some(1)), true)), ("strfroml", Writes(Argument(0, Some(1)), true)),
    ("strfromf32", Writes(Argument(0, Some(1)), true)), ("strfromf64", Writes(Argument(0, Some(1)), true)), ("strfromf128", Writes(Argument(0, Some(1)), true)),
    ("gcvt", Writes(to(2), true)), ("qgcvt", Writes(to(2), true)), ("ecvt", Writes(Result, true)), ("fcvt", Writes(Result, true)), ("qecvt", Writes(Result, true)), ("qfcvt", Writes(Result, true)),
    ("ecvt_r", Writes(to(4), true)), ("fcvt_r", Writes(to(4), true)), ("qecvt_r", Writes(to(4), true)), ("qfcvt_r", Writes(to(4), true)), ("quadmath_snprintf", Writes(Argument(0, Some(1)), true)),
    ("strcpy", Moves(to(0), true)), ("stpcpy", Moves(to(0), true)), ("strncpy", Moves(to(0), true)), ("strlcpy", Moves(to(0), true)), ("stpncpy", Moves(to(0), true)),
    ("__strcpy_chk", Moves(to(0), true)), ("__stpcpy_chk", Moves(to(0), true)), ("__strncpy_chk", Moves(to(0), true)),
    ("strcat", Moves(to(0), false)), ("strncat", Moves(to(0), false)), ("strlcat", Moves(to(0), false)), ("__strcat_chk", Moves(to(0), false)), ("__strncat_chk", Moves(to(0), false)),
    ("memccpy", Moves(to(0), false)), ("mempcpy", Moves(to(0), false)), ("__mempcpy_chk", Moves(to(0), false)), ("bcopy", Moves(to(1), false)), ("swab", Moves(to(1), false)),
    ("strdup", Moves(Result, true)), ("strndup", Moves(Result, true)), ("__strdup", Moves(Result, true)), ("__strndup", Moves(Result, true)),
    ("strchr", Moves(Result, true)), ("strrchr", Moves(Result, true)), ("strstr", Moves(Result, true)), ("memchr", Moves(Result, true)), ("strpbrk", Moves(Result, true)), ("rawmemchr", Moves(Result, true)),
    ("strchrnul", Moves(Result, true)), ("strtok", Moves(Result, true)), ("strtok_r", Moves(Result, true)), ("__strtok_r", Moves(Result, true)), ("strsep", Moves(Result, true)), ("memmem", Moves(Result, true)),
    ("tolower", Moves(Result, true)), ("toupper", Moves(Result, true)),
    ("atoi", Moves(Result, true)), ("atol", Moves(Result, true)), ("atoll", Moves(Result, true)), ("strtol", Moves(Result, true)), ("strtoll", Moves(Result, true)), ("strtoul", Moves(Result, true)),
    ("strtoull", Moves(Result, true)), ("__isoc23_strtol", Moves(Result, true)), ("__isoc23_strtoll", Moves(Result, true)), ("__isoc23_strtoul", Moves(Result, true)), ("__isoc23_strtoull", Moves(Result, true)),
    ("strtod", Reads(0, 2)), ("strtof", Reads(0, 2)), ("strtold", Reads(0, 2)), ("atof", Reads(0, 1)), ("strtod_l", Reads(0, 3)), ("strtof_l", Reads(0, 3)), ("strtold_l", Reads(0, 3)),
    ("__strtod_internal", Reads(0, 3)), ("__strtof_internal", Reads(0, 3)), ("__strtold_internal", Reads(0, 3)), ("strtof32", Reads(0, 2)), ("strtof64", Reads(0, 2)), ("strtof128", Reads(0, 2)),
    ("strtoflt128", Reads(0, 2)), ("wcstod", Reads(0, 2)), ("wcstof", Reads(0, 2)), ("wcstold", Reads(0, 2)),
    ("sscanf", Reads(0, 2)), ("vsscanf", Reads(0, 2)), ("__isoc99_sscanf", Reads(0, 2)), ("__isoc99_vsscanf", Reads(0, 2)), ("__isoc23_sscanf", Reads(0, 2)), ("__isoc23_vsscanf", Reads(0, 2)), ("swscanf", Reads(0, 2)),
    // Of files that are memory: others are nobody's text.
    ("fprintf", Writes(to(0), false)), ("vfprintf", Writes(to(0), false)), ("__fprintf_chk", Writes(to(0), false)), ("__vfprintf_chk", Writes(to(0), false)), ("fscanf", Reads(0, 2)),
    ("vfscanf", Reads(0, 2)), ("__isoc99_fscanf", Reads(0, 2)), ("__isoc23_fscanf", Reads(0, 2)), ("fmemopen", OpensMemory), ("open_memstream", OpensMemory),
    ("fwrite", Writes(to(3), false)), ("fwrite_unlocked", Writes(to(3), false)), ("fread", Reads(3, 0)), ("fread_unlocked", Reads(3, 0)),
    // Fortran.
    ("_FortranAioBeginInternalListOutput", Opens(false)), ("_FortranAioBeginInternalFormattedOutput", Opens(false)), ("_FortranAioBeginInternalListInput", Opens(false)),
    ("_FortranAioBeginInternalFormattedInput", Opens(false)), ("_FortranAioBeginInternalArrayListOutput", Opens(true)), ("_FortranAioBeginInternalArrayFormattedOutput", Opens(true)),
    ("_FortranAioBeginInternalArrayListInput", Opens(true)), ("_FortranAioBeginInternalArrayFormattedInput", Opens(true)),
];

/// By how the name begins; behind those by name.
static BEGINNINGS: &[(&str, Role)] = &[
    ("_FortranAioBegin", OpensFile),
    ("_FortranAioOutput", Writes(Unit, false)),
    ("_FortranAioInputReal", Reads(0, 1)),
    ("_FortranAioInputComplex", Reads(0, 1)),
    ("_FortranAioInputDescriptor", Reads(0, 1)),
    ("_FortranAioInputNamelist", Reads(0, 1)),
    ("_FortranAioInputDerivedType", Reads(0, 1)),
    ("_FortranAioInputInteger", Moves(to(1), false)),
    ("_FortranAioInputAscii", Moves(to(1), false)),
    ("_FortranAioInputCharacter", Moves(to(1), false)),
    // C++: reals to and from streams, and characters.
    ("_ZNSo9_M_insertIdE", Writes(to(0), false)),
    ("_ZNSo9_M_insertIeE", Writes(to(0), false)),
    ("_ZNSolsEd", Writes(to(0), false)),
    ("_ZNSolsEf", Writes(to(0), false)),
    ("_ZNSolsEe", Writes(to(0), false)),
    ("_ZNSi10_M_extractIfE", Reads(0, 1)),
    ("_ZNSi10_M_extractIdE", Reads(0, 1)),
    ("_ZNSi10_M_extractIeE", Reads(0, 1)),
    ("_ZNSirsERf", Reads(0, 1)),
    ("_ZNSirsERd", Reads(0, 1)),
    ("_ZNSirsERe", Reads(0, 1)),
    ("_ZNSi10_M_extractI", Moves(to(1), false)),
    ("_ZNSirsER", Moves(to(1), false)),
    ("_ZStrsI", Moves(to(1), false)),
    ("_ZSt7getlineI", Moves(to(1), false)),
    ("_ZNSi7getlineE", Moves(to(1), false)),
    ("_ZNSi4readE", Moves(to(1), false)),
    ("_ZNSi3getE", Moves(to(1), false)),
    ("_ZSt8to_charsPcS_f", Writes(to(0), true)),
    ("_ZSt8to_charsPcS_d", Writes(to(0), true)),
    ("_ZSt8to_charsPcS_e", Writes(to(0), true)),
    ("_ZSt8to_charsPcS_DF", Writes(to(0), true)),
    ("_ZSt10from_charsPKcS0_Rf", Reads(0, 2)),
    ("_ZSt10from_charsPKcS0_Rd", Reads(0, 2)),
    ("_ZSt10from_charsPKcS0_Re", Reads(0, 2)),
    ("_ZSt10from_charsPKcS0_RDF", Reads(0, 2)),
];

/// Fortran's input of one item that is no text.
const ITEMS: &[&str] = &["Real", "Complex", "Integer", "Logical"];

/// Whether a function of C++ or Fortran reads an integer from text, to where an argument leads.
pub fn reads_integers(symbol: &str) -> bool {
    let begins = |begin: &&str| symbol.starts_with(*begin);
    ["_FortranAioInputInteger", "_ZNSi10_M_extractI", "_ZNSirsER"].iter().any(begins)
        && matches!(role(symbol), Some(Moves(..)))
}

/// Whether a function reads a number or a logical of a Fortran unit, the first argument, to where the
/// second leads.
pub fn reads_items(symbol: &str) -> bool {
    let item = symbol.strip_prefix("_FortranAioInput");
    item.is_some_and(|item| ITEMS.iter().any(|begin| item.starts_with(begin)))
}

/// What the function does with text.
pub fn role(symbol: &str) -> Option<Role> {
    let by_name = FUNCTIONS.iter().find(|(name, _)| *name == symbol);
    let found = by_name.or_else(|| BEGINNINGS.iter().find(|(begin, _)| symbol.starts_with(begin)));
    found.map(|(_, role)| *role).or_else(|| {
        // Exceptions have the text that they are made of.
        let is_message = symbol == MESSAGE || symbol.ends_with("4whatEv");
        match () {
            () if super::strings::counts(symbol) => None,
            () if super::is_text(symbol) => Some(Moves(to(0), false)),
            () if super::is_exception(symbol) && !super::is_destructor(symbol) => {
                Some(Moves(to(0), true))
            }
            () if is_message => Some(Moves(Result, true)),
            () => None,
        }
    })
}

/// The runtime's function that asks an exception for its message.
const MESSAGE: &str = "adrt_what";

/// What callers of a function that calls this one have to know.
pub fn effect(symbol: &str) -> Outside {
    match role(symbol) {
        Some(Writes(..)) if is_of_files(symbol) => Outside::NONE,
        Some(Writes(..) | OpensMemory) => Outside::WRITES_TEXT,
        Some(Reads(..)) => Outside::READS_TEXT,
        _ => Outside::NONE,
    }
}

/// Whether a function makes text of reals that other files may read: in memory, or in a stream that
/// may be memory. Fortran's transfers are none: what they write is there when they end.
pub fn makes(symbol: &str) -> bool {
    FUNCTIONS
        .iter()
        .any(|(name, role)| *name == symbol && matches!(role, Writes(..)) && !is_binary(symbol))
        || is_inserter(symbol)
}

/// Whether it makes text of the numbers among its arguments alone: a call without a real among them
/// makes no digits of one.
pub fn formats(symbol: &str) -> bool {
    let is_list = symbol.trim_start_matches('_').starts_with('v');
    symbol.contains("printf") && !is_list && matches!(role(symbol), Some(Writes(..)))
}

/// Whether it is one of C++'s streams that takes a real, and returns the stream.
pub fn is_inserter(symbol: &str) -> bool {
    ["_ZNSo9_M_insertI", "_ZNSolsE"].iter().any(|begin| symbol.starts_with(begin))
        && matches!(role(symbol), Some(Writes(..)))
}

/// Whether a function of C or C++ makes numbers of text.
pub fn reads(symbol: &str) -> bool {
    !symbol.starts_with("_Fortran")
        && !symbol.starts_with("fread")
        && matches!(role(symbol), Some(Reads(..)))
}

/// Parts of the names of the classes that count who uses an object, in libstdc++ and Boost.
const COUNTS: &[&str] = &["_Sp_counted_", "sp_counted_"];
/// Parts of the names of their functions that destroy it: it goes with the text that it has.
const DESTROYS: &[&str] = &["disposeEv", "destroyEv", "release_last_use", "7releaseEv"];

/// Whether a function destroys an object that nobody uses any more.
pub fn destroys_counted(symbol: &str) -> bool {
    let has = |parts: &[&str]| parts.iter().any(|part| symbol.contains(part));
    has(COUNTS) && has(DESTROYS)
}

/// Whether text that it is given is known afterwards wherever somebody asks for it by its name.
pub fn publishes(symbol: &str) -> bool {
    matches!(symbol, "setenv" | "putenv")
}

/// Whether it opens a file that is memory, or reads or writes files of which some may be.
pub fn is_of_files(symbol: &str) -> bool {
    symbol.contains("fprintf")
        || symbol.contains("fscanf")
        || is_binary(symbol)
        || symbol.starts_with("fread")
}

/// Whether it writes the bytes of numbers, not their text.
pub fn is_binary(symbol: &str) -> bool {
    symbol.starts_with("fwrite")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_one_row() {
        for (i, (name, _)) in FUNCTIONS.iter().enumerate() {
            assert!(FUNCTIONS[i + 1..].iter().all(|(other, _)| other != name), "{name}");
        }
    }

    #[test]
    fn names_before_beginnings_before_the_rest() {
        assert_eq!(role("_FortranAioBeginInternalListInput"), Some(Opens(false)));
        assert_eq!(role("_FortranAioBeginExternalListOutput"), Some(OpensFile));
        assert_eq!(role("_FortranAioOutputReal64"), Some(Writes(Unit, false)));
        assert_eq!(role("_ZNSi10_M_extractIdEERSiRT_"), Some(Reads(0, 1)));
        assert_eq!(role("_ZNSi10_M_extractIlEERSiRT_"), Some(Moves(to(1), false)));
        assert_eq!(
            role("_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv"),
            Some(Moves(to(0), false))
        );
        assert!(role("printf").is_none() && role("sqrt").is_none());
    }

    #[test]
    fn callers_hear_of_text_that_comes_and_goes() {
        assert!(
            effect("snprintf").has(Outside::WRITES_TEXT)
                && effect("strtod").has(Outside::READS_TEXT)
        );
        assert!(!effect("fprintf").is_any() && !effect("strcpy").is_any());
    }

    #[test]
    fn functions_with_a_list_of_arguments_may_be_given_reals() {
        assert!(formats("sprintf") && formats("__snprintf_chk"));
        assert!(!formats("vsprintf") && !formats("__vsnprintf_chk") && !formats("printf"));
    }

    #[test]
    fn items_of_units_are_numbers_and_logicals() {
        assert!(reads_items("_FortranAioInputReal64") && reads_items("_FortranAioInputLogical"));
        assert!(
            !reads_items("_FortranAioInputDescriptor") && !reads_items("_FortranAioInputAscii")
        );
    }

    #[test]
    fn integers_are_read_where_no_real_is() {
        assert!(reads_integers("_ZNSirsERi") && reads_integers("_ZNSi10_M_extractIlEERSiRT_"));
        assert!(!reads_integers("_ZNSirsERd") && !reads_integers("strcpy"));
    }

    #[test]
    fn text_for_others_is_that_of_reals() {
        assert!(
            makes("snprintf")
                && makes("fprintf")
                && makes("_ZNSo9_M_insertIdEERSoT_")
                && reads("strtod")
        );
        assert!(
            !makes("printf")
                && !makes("strcpy")
                && !makes("_FortranAioOutputReal64")
                && !makes("_ZNSo9_M_insertIlEERSoT_")
                && !reads("_FortranAioInputReal64")
        );
    }
}
