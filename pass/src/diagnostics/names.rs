//! Names in messages: as the source has them, not as symbols have them.

use crate::llvm;

/// What the names of functions of scalars end with (see `frontend::by_value`).
pub const BY_VALUE: &str = ".by_value";

/// What the names of functions for a list of arguments go on with (see `canon::calls::variadic`);
/// the types of these follow, and a parenthesis.
pub const VARIADIC: &str = ".variadic(";

/// What the names of functions end with that store the structure which the source returns (see
/// `canon::calls::structs`).
pub const STORING: &str = ".storing";

/// What the names of functions end with that hand over the exceptions that the source throws (see
/// `canon::calls::pending`).
pub const HANDING: &str = ".handing";

/// What the names of functions go on with that take pointers in place of some integers, whose positions
/// follow (see `canon::calls::addresses`).
pub const ADDRESSES: &str = ".addresses(";

/// What the names of a unit's internal functions and variables go on with where other units reach
/// them (see `link`); the unit's number follows, in hexadecimal digits.
pub const OF_UNIT: &str = ".ad.";
/// How many digits.
pub const UNIT_DIGITS: usize = 16;

/// The symbol that an internal function or variable has in its unit.
pub fn symbol_in_unit(symbol: &str) -> &str {
    symbol.split(OF_UNIT).next().unwrap_or(symbol)
}

/// The parts of flang's name of a procedure (`mark` P) or a variable (E): `[mod, outer, proc]` of
/// `_QMmodFouterPproc`; of `proc_` `[proc]`.
pub fn fortran_parts(symbol: &str, mark: char) -> Option<Vec<&str>> {
    match symbol.strip_prefix("_Q") {
        // The names are in lower case, the marks M, S, F and P before them are not. Copies of ours
        // and tables of flang's have a dot.
        Some(_) if symbol.contains('.') => None,
        Some(rest) => {
            let (scopes, own) = rest.rsplit_once(mark)?;
            let is_mark = |c: char| c.is_ascii_uppercase();
            let is_name = !own.is_empty() && !own.contains(is_mark);
            let scopes = scopes.split(is_mark).filter(|s| !s.is_empty());
            is_name.then(|| scopes.chain([own]).collect())
        }
        None => symbol.strip_suffix('_').map(|own| vec![own]),
    }
}

/// What a user may call a Fortran procedure: `mod::outer::proc`.
pub fn fortran_name(symbol: &str) -> Option<String> {
    fortran_parts(symbol, 'P').map(|parts| parts.join("::"))
}

/// The name of what has flang's own kind of symbol.
fn flangs(symbol: &str, mark: char) -> Option<String> {
    let has_scope = ["_QM", "_QF", "_QP"].iter().any(|start| symbol.starts_with(start));
    fortran_parts(symbol, mark).filter(|_| has_scope).map(|parts| parts.join("::"))
}

/// The text with mangled symbols of C++ and flang replaced by the names that they stand for, and without what
/// we append to names.
pub fn readable(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        result.push_str(&rest[..start]);
        let word = &rest[start..];
        let (word, after) = word.split_at(word.find(|c| !is_word(c)).unwrap_or(word.len()));
        let cpp = || word.starts_with("_Z").then(|| llvm::demangled(word)).flatten();
        let fortran = || ['P', 'E'].into_iter().find_map(|mark| flangs(word, mark));
        match cpp().or_else(fortran) {
            Some(name) => result.push_str(&name),
            None => result.push_str(word),
        }
        let after = after.strip_prefix(BY_VALUE).unwrap_or(after);
        let arguments = after.strip_prefix(VARIADIC).and_then(|list| list.split_once(')'));
        let after = arguments.map_or(after, |(_, after)| after);
        let after = after.strip_prefix(HANDING).unwrap_or(after);
        let after = after.strip_prefix(STORING).unwrap_or(after);
        let positions = after.strip_prefix(ADDRESSES).and_then(|list| list.split_once(')'));
        let after = positions.map_or(after, |(_, after)| after);
        rest = without_unit(after).unwrap_or(after);
    }
    result + rest
}

/// What follows the number of a unit.
fn without_unit(text: &str) -> Option<&str> {
    let (digits, after) = text.strip_prefix(OF_UNIT)?.split_at_checked(UNIT_DIGITS)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn units_are_left_out() {
        assert_eq!(readable("'_ZL1v.ad.0123456789abcdef'"), "'v'");
        assert_eq!(readable("v.ad.0123456789abcdef.x"), "v.x");
        assert_eq!(readable("v.ad.012"), "v.ad.012");
    }

    #[test]
    fn symbols_become_names() {
        assert_eq!(
            readable("function '_Z1fRKd' has no body"),
            "function 'f(double const&)' has no body"
        );
        assert_eq!(
            readable("'_ZN1a1bIdEET_S1_', '_Z1gv'."),
            "'double a::b<double>(double)', 'g()'."
        );
    }

    #[test]
    fn symbols_of_flang_become_names() {
        for (symbol, name) in [
            ("'_QMheatPstep'", "'heat::step'"),
            ("'_QMheatFrunPinner'", "'heat::run::inner'"),
            ("'_QMheatEfield' and 'step_'", "'heat::field' and 'step_'"),
            ("_QMheatFrunEsaved", "heat::run::saved"),
            ("_QFrunPinner", "run::inner"),
        ] {
            assert_eq!(readable(symbol), name);
        }
    }

    #[test]
    fn other_words_stay() {
        for text in [
            "",
            "-",
            "function 'x_Z1fv' of '__ad_adjoint'",
            "_Z",
            "_Zebra is no symbol",
            "_Quebec, _QQclX68, _QM",
            "a_b, $1; %3",
        ] {
            assert_eq!(readable(text), text);
        }
    }

    #[test]
    fn what_we_append_goes() {
        assert_eq!(readable("'length.by_value' and '_Z1fd.by_value'"), "'length' and 'f(double)'");
        assert_eq!(readable("'sum.variadic(double@0, i32@8)'."), "'sum'.");
        assert_eq!(readable("'pair.storing' and 'f.by_value.storing'"), "'pair' and 'f'");
    }
}
