//! Heads: what `--ad-tangent=`, `--ad-pattern=` and `--ad-adjoint=` ask for, as far as the driver must know.
//!
//! `f(y, $2)/(x)`: dependents, slash, independents, by name or position; `f` alone means
//! everything. The plugin parses heads and reports what is wrong with them. Here only the
//! function's name and whether parameters are named are read, tolerantly; and a symbol is matched
//! with a name: Fortran's mangling (flang: `_QMmodPproc`, `proc_`) without regard to case, C++'s
//! (Itanium) by its length-prefixed parts.

/// A head of the command line or of `ADCC_OPTIONS`, as far as it generates one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The option as written.
    pub option: String,
    /// The number of directions, of a function for several.
    pub directions: Option<u32>,
    /// The function's name.
    pub name: String,
    /// Whether a parameter is given by name, not only by position.
    pub names_parameters: bool,
    /// Whether it came from `ADCC_OPTIONS`, which speaks to every command of a build.
    pub from_environment: bool,
}

/// The most directions that the plugin knows.
pub const MOST_DIRECTIONS: u32 = 64;

impl Head {
    /// Reads `--ad-tangent=HEAD`, `--ad-pattern=HEAD` or `--ad-adjoint=HEAD`, with the function for one
    /// direction.
    pub fn parse(option: &str, from_environment: bool) -> Head {
        let head = option.split_once('=').map_or(option, |(_, head)| head).trim();
        let head = split_directions(head).0;
        let (name, rest) = split_name(head);
        let names_parameters = rest
            .split(|c: char| matches!(c, '(' | ')' | ',' | '/') || c.is_whitespace())
            .any(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        let directions = None;
        Head {
            option: option.into(),
            directions,
            name: name.into(),
            names_parameters,
            from_environment,
        }
    }

    /// That of a unit or a link: the mode, the number of directions, the head without it.
    pub fn of(mode: &str, directions: Option<u32>, text: &str) -> Head {
        Head { directions, ..Head::parse(&format!("--ad-{mode}={text}"), false) }
    }

    /// All that the option asks for: one function, and one more for several directions, as many as the
    /// head says, or else `directions`.
    pub fn all(&self, directions: Option<u32>) -> Vec<Head> {
        let is_pattern = self.parts().0 == "pattern";
        let own = split_directions(&self.option).1;
        let several = own.or(directions).filter(|_| !is_pattern);
        let several = several.map(|n| Head { directions: Some(n), ..self.clone() });
        [self.clone()].into_iter().chain(several).collect()
    }

    /// `tangent`, `pattern` or `adjoint`, and the head itself, without directions.
    pub fn parts(&self) -> (&str, &str) {
        let option = self.option.trim_start_matches('-');
        let (name, text) = option.split_once('=').unwrap_or((option, ""));
        (name.strip_prefix("ad-").unwrap_or(name), split_directions(text).0)
    }

    /// The option with a symbol in the place of the function's name.
    pub fn option_with_symbol(&self, symbol: &str) -> String {
        let directions = split_directions(&self.option).1;
        let directions = directions.map(|n| format!("*{n}")).unwrap_or_default();
        format!("--ad-{}={}{directions}", self.parts().0, self.with_symbol(symbol))
    }

    /// The head with a symbol in the place of the function's name.
    pub fn with_symbol(&self, symbol: &str) -> String {
        let text = self.parts().1.trim();
        let (name, rest) = split_name(text);
        let name = name.rsplit(['%', ':']).next().unwrap_or(name);
        // Among dependents, the function's name is its result.
        let (dependents, independents) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let words: Vec<String> = dependents
            .split_inclusive(['(', ',', ')'])
            .map(|word| match word.trim().trim_end_matches([',', ')']).trim() {
                own if own.eq_ignore_ascii_case(name) => word.replacen(own, "$0", 1),
                _ => word.to_owned(),
            })
            .collect();
        format!("{symbol}{}{independents}", words.concat())
    }

    /// The function's name without its scope.
    pub fn own_name(&self) -> &str {
        self.name.rsplit(['%', ':']).next().unwrap_or(&self.name)
    }

    /// What names of generated functions end with.
    pub fn suffix(&self) -> &'static str {
        match (self.parts().0, self.directions) {
            ("tangent", None) => "_d",
            ("tangent", Some(_)) => "_dv",
            ("pattern", _) => "_p",
            (_, None) => "_b",
            (_, Some(_)) => "_bv",
        }
    }

    /// The symbol of what the head generates for the function of that symbol.
    pub fn generated(&self, symbol: &str) -> String {
        let own = self.own_name().to_lowercase();
        match symbol.strip_suffix('_') {
            _ if symbol.starts_with("_Q") => format!("{own}{}_", self.suffix()),
            Some(procedure) => format!("{procedure}{}_", self.suffix()),
            None if symbol.starts_with("_Z") => format!("{}{}", self.own_name(), self.suffix()),
            None => format!("{symbol}{}", self.suffix()),
        }
    }

    /// Whether the head names what another one generates, which has that symbol.
    pub fn names_generated(&self, other: &Head, symbol: &str) -> bool {
        let plain = |name: &str| name.replace('%', "::").to_lowercase();
        self.fits(symbol)
            || plain(&self.name) == plain(&format!("{}{}", other.name, other.suffix()))
    }

    /// Whether a symbol is that of what the head generates.
    pub fn generates(&self, symbol: &str) -> bool {
        let suffix = self.suffix();
        let own = format!("{}{suffix}", self.own_name());
        symbol == own || symbol.strip_suffix('_').is_some_and(|s| s.eq_ignore_ascii_case(&own))
    }

    /// Whether a function that is defined elsewhere fits the head's name.
    pub fn fits(&self, symbol: &str) -> bool {
        symbol == self.name
            || is_fortran_name_of(&self.name, symbol)
            || starts_like_itanium(&self.name, symbol)
    }

    /// Whether the plugin's word that it generated `seen` answers this head. `seen` is the head's
    /// name or the function's symbol.
    pub fn is_answered_by(&self, seen: &str) -> bool {
        let seen = seen.trim();
        // What a head generates has no scope.
        let is_generated = || {
            let own = self.own_name();
            let plain = seen.strip_suffix('_').unwrap_or(seen);
            let is_suffixed = ["_b", "_d", "_bv", "_dv"].iter().any(|end| own.ends_with(end));
            is_suffixed && plain.eq_ignore_ascii_case(own)
        };
        seen == self.name
            || is_generated()
            || is_fortran_name_of(&self.name, seen)
            || is_itanium_name_of(&self.name, seen)
    }
}

/// A head without its number of directions, `f(y)/(x)*4`, and that number. What is not one the plugin
/// refuses.
fn split_directions(head: &str) -> (&str, Option<u32>) {
    let known = head.rsplit_once('*').and_then(|(head, n)| Some((head, directions(n)?)));
    known.map_or((head, None), |(head, n)| (head.trim_end(), Some(n)))
}

/// A number of directions, as text.
pub fn directions(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|n| (1..=MOST_DIRECTIONS).contains(n))
}

/// The name, and what follows it from the list of dependents on. `f<int>(x)`, `ns::f(y)/(x)` and
/// `operator()(x)` have their parameter list where a parenthesis first opens outside of `<>`.
fn split_name(head: &str) -> (&str, &str) {
    let start = head.find("operator()").map_or(0, |at| at + "operator()".len());
    let mut depth = 0_usize;
    for (at, c) in head.char_indices().skip_while(|(at, _)| *at < start) {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' | '/' if depth == 0 => return (head[..at].trim(), &head[at..]),
            _ => {}
        }
    }
    (head, "")
}

/// Whether a head's `name` means the Fortran procedure of this linker symbol, or of flang's own
/// name for it before `_` is appended (`_QPproc`). Case does not count; `mod::proc` and `mod%proc`
/// say the module too.
pub fn is_fortran_name_of(name: &str, symbol: &str) -> bool {
    let name = &name.replace('%', "::");
    let (module, procedure) = match name.rsplit_once("::") {
        Some((module, procedure)) => (Some(module), procedure),
        None => (None, name.as_str()),
    };
    if name.eq_ignore_ascii_case(symbol) {
        return true;
    }
    if let Some(parts) = symbol.strip_prefix("_Q") {
        // Fortran names are in lower case here, the marks M, S, F, P between them are not.
        let Some((scope, own)) = parts.rsplit_once('P') else {
            return false;
        };
        let mut scopes = scope.split(|c: char| c.is_ascii_uppercase());
        let are_scopes =
            |wanted: &str| wanted.split("::").all(|w| scopes.any(|s| s.eq_ignore_ascii_case(w)));
        return own.eq_ignore_ascii_case(procedure) && module.is_none_or(are_scopes);
    }
    module.is_none() && symbol.strip_suffix('_').is_some_and(|s| s.eq_ignore_ascii_case(name))
}

/// Whether `symbol` is the Itanium-mangled name of the function `ns::f`, whatever its parameters are.
fn starts_like_itanium(name: &str, symbol: &str) -> bool {
    let parts: String = name.split("::").map(|part| format!("{}{part}", part.len())).collect();
    let starts: &[&str] = if name.contains("::") { &["_ZN", "_ZNK"] } else { &["_Z"] };
    starts.iter().any(|start| symbol.strip_prefix(start).is_some_and(|s| s.starts_with(&parts)))
}

/// Whether `symbol` is an Itanium-mangled name with the parts of `ns::f` in order.
fn is_itanium_name_of(name: &str, symbol: &str) -> bool {
    let Some(mut rest) = symbol.strip_prefix("_Z") else {
        return false;
    };
    name.split('<').next().unwrap_or(name).split("::").all(|part| {
        let mangled = format!("{}{part}", part.len());
        match rest.find(&mangled) {
            Some(at) => {
                rest = &rest[at + mangled.len()..];
                true
            }
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_heads() {
        for (head, name, names_parameters) in [
            ("f", "f", false),
            ("f($2)/($1)", "f", false),
            ("f(y)/($1)", "f", true),
            ("gmm_objective(err)/(alphas, means, icf)", "gmm_objective", true),
            (" f ( ) / ( x )", "f", true),
            ("ns::f<int, 3>($1)/($2)", "ns::f<int, 3>", false),
            ("T::operator()(y)/(x)", "T::operator()", true),
            ("mod%proc(y)/(x)", "mod%proc", true),
            ("f/(x)", "f", true),
            ("f(y)/($1)*4", "f", true),
            ("f * 12", "f", false),
            ("T::operator*", "T::operator*", false),
        ] {
            let read = Head::parse(&format!("--ad-adjoint={head}"), false);
            assert_eq!((read.name.as_str(), read.names_parameters), (name, names_parameters));
        }
    }

    #[test]
    fn functions_of_other_files_fit_a_head() {
        for (name, symbol, fits) in [
            ("f", "f", true),
            ("f", "f_", true),
            ("f", "_Z1fPd", true),
            ("f", "_Z1gR1f", false),
            ("ns::f", "_ZN2ns1fEd", true),
            ("ns::f", "_ZNK2ns1fEd", true),
            ("f", "_ZN2ns1fEd", false),
            ("mod%f", "_QMmodPf", true),
        ] {
            assert_eq!(Head::parse(&format!("--ad-adjoint={name}"), false).fits(symbol), fits);
        }
        let head = Head::parse("--ad-adjoint= mod%f (y)/(x)", false);
        assert_eq!(head.parts(), ("adjoint", " mod%f (y)/(x)"));
        assert_eq!(head.with_symbol("_QMmodPf"), "_QMmodPf(y)/(x)");
        let own = Head::parse("--ad-adjoint=mod%f(y, F)/(f)", false);
        assert_eq!(own.with_symbol("_QMmodPf"), "_QMmodPf(y, $0)/(f)");
        assert!(own.generates("f_b_") && own.generates("f_b") && !own.generates("f_d"));
    }

    #[test]
    fn directions_are_a_function_more() {
        let of = |head: &str, directions| -> Vec<(Option<u32>, String)> {
            let all = Head::parse(head, false).all(directions);
            all.iter().map(|h| (h.directions, h.generated("f_"))).collect()
        };
        let (one, several) = ((None, "f_b_".to_string()), |n| (Some(n), "f_bv_".to_string()));
        assert_eq!(of("--ad-adjoint=f(y)/(x)", None), std::slice::from_ref(&one));
        assert_eq!(of("--ad-adjoint=f(y)/(x)", Some(4)), [one.clone(), several(4)]);
        assert_eq!(of("--ad-adjoint=f(y)/(x)*2", Some(4)), [one, several(2)]);
        assert_eq!(of("--ad-pattern=f", Some(4)).len(), 1);
        let head = Head::parse("--ad-tangent=m%f(y)/(x) *2", false);
        assert_eq!(head.parts(), ("tangent", "m%f(y)/(x)"));
        assert_eq!(head.option_with_symbol("_QMmPf"), "--ad-tangent=_QMmPf(y)/(x)*2");
        let several = Head::of("tangent", Some(3), "f(y)/(x)");
        assert!(several.generates("f_dv_") && !several.generates("f_d_"));
        let other = Head::parse("--ad-adjoint=f_dv(yd1)/(x)", false);
        assert!(other.names_generated(&several, "_QMmPf"));
        assert!(other.is_answered_by("f_dv_"));
    }

    #[test]
    fn fortran_symbols() {
        for (name, symbol, is) in [
            ("Burgers", "burgers_", true),
            ("burgers", "_QPburgers", true),
            ("BURGERS", "burgers", true),
            ("c_Burgers", "c_Burgers", true),
            ("foo", "_QMmodPfoo", true),
            ("Mod::Foo", "_QMmodPfoo", true),
            ("mod%foo", "_QMmodPfoo", true),
            ("other::foo", "_QMmodPfoo", false),
            ("foo", "_QMmodSsubPfoo", true),
            ("inner", "_QMmodFfooPinner", true),
            ("mod::foo::inner", "_QMmodFfooPinner", true),
            ("foo::mod::inner", "_QMmodFfooPinner", false),
            ("foo", "_QMmodPfoo2", false),
            ("_QMmodPfoo", "_QMmodPfoo", true),
            ("urgers", "burgers_", false),
            ("mod::burgers", "burgers_", false),
        ] {
            assert_eq!(is_fortran_name_of(name, symbol), is, "{name} {symbol}");
        }
    }

    #[test]
    fn what_was_seen_answers_a_head() {
        for (name, seen, is) in [
            ("f", "f", true),
            ("f", "f2", false),
            ("ns::f", "_ZN2ns1fEd", true),
            ("f", "_Z1fPd", true),
            ("f<int>", "_Z1fIiEvT_", true),
            ("g", "_Z1fPd", false),
            ("Burgers", "burgers_", true),
        ] {
            let head = Head::parse(&format!("--ad-tangent={name}"), false);
            assert_eq!(head.is_answered_by(seen), is, "{name} {seen}");
        }
    }
}
