//! Names as in the source, and names that are nearly others.

use crate::llvm::demangled;

/// The last part of a symbol's name, without namespaces, parameters and arguments of templates.
pub(super) fn name_in_source(symbol: &str) -> String {
    let Some(text) = demangled(symbol) else { return symbol.to_owned() };
    let (mut depth, mut name) = (0usize, String::new());
    for c in text.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 && !name.is_empty() => break,
            _ if depth > 0 => {}
            ' ' | ':' | '*' | '&' => name.clear(),
            _ => name.push(c),
        }
    }
    name
}

/// The types of the parameters of a C++ function, from its demangled name.
pub(super) fn parameters(demangled: &str) -> Vec<&str> {
    let Some(end) = demangled.rfind(')') else { return vec![] };
    let mut depth = 0usize;
    let start = demangled[..end].char_indices().rev().find(|(_, c)| match c {
        ')' => {
            depth += 1;
            false
        }
        '(' if depth > 0 => {
            depth -= 1;
            false
        }
        c => *c == '(',
    });
    let Some((start, _)) = start else { return vec![] };
    let list = &demangled[start + 1..end];
    let (mut depth, mut from, mut found) = (0usize, 0, vec![]);
    for (i, c) in list.char_indices() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(list[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    found.push(list[from..].trim());
    found.retain(|ty| !ty.is_empty());
    found
}

/// The type that an instance of a C++ template of functions returns, from its demangled name.
pub(super) fn returned_type(demangled: &str) -> Option<&str> {
    let mut depth = 0usize;
    let end = demangled.char_indices().find(|(_, c)| {
        match c {
            '(' | '<' => depth += 1,
            ')' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *c == ' '
    });
    end.map(|(i, _)| &demangled[..i])
}

/// The candidate that differs from `name` in the fewest letters, and in how many.
pub(super) fn nearest(
    name: &str,
    candidates: impl Iterator<Item = &'static str>,
) -> Option<(&'static str, usize)> {
    candidates.map(|c| (c, distance(name, c))).min_by_key(|(_, d)| *d)
}

/// The candidate that the beginning of `name` differs from in the fewest letters, and in how many.
pub(super) fn nearest_beginning(
    name: &str,
    candidates: impl Iterator<Item = &'static str>,
) -> Option<(&'static str, usize)> {
    let of = |c: &'static str| {
        let ends = (c.len().saturating_sub(2)..=c.len() + 2)
            .filter_map(|end| name.get(..end.min(name.len())));
        ends.map(|start| distance(start, c)).min().map(|d| (c, d))
    };
    candidates.filter_map(of).min_by_key(|(_, d)| *d)
}

/// How many letters must be put in, left out, changed, or exchanged with their neighbour to make
/// one of the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        for (a, b, slips) in [
            ("ad_dup", "ad_dup", 0),
            ("ad_dub", "ad_dup", 1),
            ("adjiont", "adjoint", 1),
            ("", "ab", 2),
            ("cnst", "const", 1),
        ] {
            assert_eq!(distance(a, b), slips, "{a} {b}");
        }
    }

    #[test]
    fn beginnings_count_without_what_follows() {
        let names = || ["__ad_adjoint", "__ad_tangent"].into_iter();
        assert_eq!(nearest_beginning("__ad_adjiont_norm", names()), Some(("__ad_adjoint", 1)));
        assert_eq!(nearest_beginning("__ad_tan", names()).map(|(n, _)| n), Some("__ad_tangent"));
        assert_eq!(nearest("x", names()).map(|(n, _)| n), Some("__ad_adjoint"));
    }

    #[test]
    fn types_of_parameters_and_results() {
        let name = "std::pair<double, int> a::f<std::pair<double, int>, void (*)(int, double*&)>\
            (void (*)(int, double*&), double*&&, std::map<int, float> const&)";
        assert_eq!(
            parameters(name),
            ["void (*)(int, double*&)", "double*&&", "std::map<int, float> const&"]
        );
        assert_eq!(returned_type(name), Some("std::pair<double, int>"));
        assert_eq!(parameters("f(int)"), ["int"]);
        assert_eq!(parameters("f()"), [""; 0]);
        assert_eq!(returned_type("f(int)"), None);
    }
}
