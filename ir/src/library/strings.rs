//! Where libstdc++'s functions on text store pointers: in the strings and streams that they are
//! given, and in nothing else that has a name. By the names that the Itanium ABI gives its members.

use super::{copies_characters, is_output};
use crate::target;

/// Where an argument leads of a function on text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// To a string, which may get the address of other characters.
    String,
    /// To a string, or to characters, that stay as they are.
    Read,
    /// To a stream, or to a part of one: what its pointers lead to may get addresses as well.
    Stream,
    /// To memory that gets no address.
    Other,
}

/// How the names of a string's members begin, behind what says that they are nested and constant.
const MEMBER: &str = "St7__cxx1112basic_stringI";
/// What the names of functions with strings as parameters contain, one of them.
const PARAMETER: [&str; 2] = ["NSt7__cxx1112basic_stringI", "NS_12basic_stringI"];
/// Members of streams that keep what they are given the address of.
const KEEPING: &[&str] = &["15basic_streambufI", "3tieEPSo", "6setbufE", "9pubsetbufE"];
/// Classes with functions that streams call, and that see numbers or keep characters: their typeinfos, in
/// those of classes that are derived from them. Punctuation is neither, and streams ask for no facets but
/// the standard's.
pub const CALLED_BY_STREAMS: &[&str] = &[
    "_ZTISt15basic_streambufIcSt11char_traitsIcEE",
    "_ZTINSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE",
    "_ZTISt13basic_filebufIcSt11char_traitsIcEE",
    "_ZTISt5ctypeIcE",
    "_ZTISt7codecvtIcc11__mbstate_tE",
    "_ZTISt7num_getIcSt19istreambuf_iteratorIcSt11char_traitsIcEEE",
    "_ZTISt7num_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEE",
];
/// Bytes of a string that hold a short text, the last ones.
const SHORT: u64 = 16;

/// Bytes of a `std::string`: an address, a length and the characters of a short text.
pub fn bytes() -> u64 {
    2 * target::pointer() + SHORT
}

/// Where in a string a short text lies.
pub fn short_text() -> i64 {
    (bytes() - SHORT) as i64
}

/// Whether a function is a member of `std::string`.
pub fn is_member(symbol: &str) -> bool {
    member(symbol).is_some()
}

/// A member of a string: whether it is constant, and its name with what follows.
fn member(symbol: &str) -> Option<(bool, &str)> {
    let constant = symbol.strip_prefix("_ZNK").and_then(|s| s.strip_prefix(MEMBER));
    let other = symbol.strip_prefix("_ZN").and_then(|s| s.strip_prefix(MEMBER));
    constant.map(|s| (true, s)).or(other.map(|s| (false, s)))
}

/// Where a pointer leads that is the argument with this number.
pub fn argument(symbol: &str, number: usize) -> Argument {
    use Argument::{Other, Read, Stream, String};
    if let Some((is_constant, name)) = member(symbol) {
        return match number {
            0 if is_constant && !name.contains("6substrE") => Read,
            0 if name.contains("3_S_") => Other,
            0 => String,
            _ if is_constant && name.contains("RKS4_") => Read,
            _ if is_constant || copies_characters(symbol) || keeps_characters(symbol) => Other,
            _ => String,
        };
    }
    let makes_string =
        ["_ZNK", "_ZNO"].iter().any(|p| symbol.starts_with(p)) && symbol.ends_with("3strEv");
    let has_string = PARAMETER.iter().any(|part| symbol.contains(part));
    match number {
        0 | 1 if reads_digits(symbol) => Read,
        0 if makes_string => String,
        0 => Stream,
        1 if makes_string => Stream,
        // What writes a string to a stream takes its characters.
        _ if has_string && is_output(symbol) && !keeps_arguments(symbol) => Read,
        _ if has_string => String,
        _ if keeps_arguments(symbol) => Stream,
        _ => Other,
    }
}

/// Whether a function reads a number from the characters between the addresses that come first.
fn reads_digits(symbol: &str) -> bool {
    symbol.starts_with("_ZSt10from_chars")
}

/// Whether a function returns a length, a place or an order: numbers that do not follow the digits of
/// a text.
pub fn counts(symbol: &str) -> bool {
    const NAMES: &[&str] = &["4sizeEv", "6lengthEv", "8capacityEv", "8max_sizeEv", "5emptyEv"];
    member(symbol)
        .is_some_and(|(is_constant, name)| is_constant && NAMES.iter().any(|n| name.ends_with(n)))
}

/// Whether a function makes the string that comes first.
pub fn makes(symbol: &str) -> bool {
    let is_made = |name: &str| {
        ["C1", "C2", "6substrE", "12_M_constructI", "12_M_constructE"]
            .iter()
            .any(|m| name.contains(m))
    };
    member(symbol).is_some_and(|(_, name)| is_made(name)) || symbol.ends_with("3strEv")
}

/// Whether a function writes to no other memory than the string or stream that comes first.
pub fn only_reads(symbol: &str) -> bool {
    let is_constant = member(symbol).is_some_and(|(is_constant, name)| {
        is_constant && !name.contains("4copyEPc") && !name.contains("6substrE")
    });
    is_constant || copies_characters(symbol) || is_output(symbol)
}

/// Whether a member, if it returns an address, returns one of characters.
pub fn returns_characters(symbol: &str) -> bool {
    is_member(symbol) && !super::returns_first(symbol)
}

/// Whether a function makes a new block of characters for a string.
pub fn allocates(symbol: &str) -> bool {
    member(symbol).is_some_and(|(_, name)| name.contains("9_M_createE"))
}

/// Whether a string keeps the address that comes second.
pub fn keeps_characters(symbol: &str) -> bool {
    member(symbol).is_some_and(|(is_constant, name)| {
        !is_constant && (name.contains("7_M_dataEPc") || name.contains("12_Alloc_hiderC"))
    })
}

/// Whether a stream keeps the addresses that it is given.
pub fn keeps_arguments(symbol: &str) -> bool {
    KEEPING.iter().any(|part| symbol.contains(part))
}

#[cfg(test)]
mod tests {
    use super::{Argument::*, *};
    use crate::library::is_text;

    #[test]
    fn members_of_strings_change_strings_only() {
        let member =
            |name: &str| format!("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE{name}");
        assert_eq!(argument(&member("9push_backEc"), 0), String);
        assert_eq!(argument(&member("6appendEPKc"), 1), Other);
        assert_eq!(argument(&member("4swapERS4_"), 1), String);
        assert_eq!(argument(&member("13_S_copy_charsEPcS5_S5_"), 0), Other);
        assert_eq!(argument(&member("7_M_dataEPc"), 1), Other);
        assert!(keeps_characters(&member("7_M_dataEPc")));
        let constant = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
        assert_eq!(argument(&format!("{constant}7compareEPKc"), 0), Read);
        assert_eq!(argument(&format!("{constant}7compareEPKc"), 1), Other);
        assert_eq!(argument(&format!("{constant}7compareERKS4_"), 1), Read);
        assert_eq!(argument(&format!("{constant}6substrEmm"), 0), String);
        assert!(only_reads(&format!("{constant}7compareEPKc")) && !only_reads("_ZNSirsERd"));
    }

    #[test]
    fn streams_lead_to_their_buffers() {
        assert_eq!(argument("_ZNSirsERd", 0), Stream);
        assert_eq!(argument("_ZNSirsERd", 1), Other);
        let text = "_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv";
        assert_eq!([argument(text, 0), argument(text, 1)], [String, Stream]);
        // C++20.
        for qualified in [text.replace("_ZNK", "_ZNKR"), text.replace("_ZNK", "_ZNO")] {
            assert_eq!([argument(&qualified, 0), argument(&qualified, 1)], [String, Stream]);
            assert!(is_text(&qualified) && makes(&qualified));
        }
        let read = "_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE";
        assert_eq!([argument(read, 0), argument(read, 1)], [Stream, String]);
        let written = "_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE";
        assert_eq!([argument(written, 0), argument(written, 1)], [Stream, Read]);
        let made = "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode";
        assert_eq!([argument(made, 0), argument(made, 1)], [Stream, String]);
        assert_eq!(argument("_ZNSoC1EPSt15basic_streambufIcSt11char_traitsIcEE", 1), Stream);
    }
}
