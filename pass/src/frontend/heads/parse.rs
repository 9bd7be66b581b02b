//! Parsing of heads.

use crate::annotations::heads::MOST_DIRECTIONS;

/// `function(dependents)/(independents)`, `function/(independents)` for its result, or `function`
/// alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Name or symbol of the function.
    pub function: String,
    /// Names or positions; `None` where the head is a name alone.
    pub dependents: Option<Vec<String>>,
    /// Names or positions; `None` likewise.
    pub independents: Option<Vec<String>>,
}

impl Head {
    /// Parses one head; the error is worded for the user.
    pub fn parse(text: &str) -> Result<Head, String> {
        let text = text.trim();
        let Some(open) = text.find('(') else {
            return if text.is_empty() || text.contains(['/', ')', ',']) {
                Err(format!("'{text}' is not a valid head"))
            } else if let Some(wrong) = wrong_directions(text) {
                Err(wrong)
            } else {
                Ok(Head { function: text.into(), dependents: None, independents: None })
            };
        };
        let before = text[..open].trim();
        let (function, dependents, rest) = match before.strip_suffix('/') {
            Some(function) => {
                let slash = text[..open].rfind('/').unwrap_or(open);
                (function.trim(), vec!["$0".to_string()], &text[slash..])
            }
            None => {
                let (dependents, rest) = list(&text[open..])?;
                (before, dependents, rest)
            }
        };
        let rest = rest
            .trim_start()
            .strip_prefix('/')
            .ok_or(format!("'{text}' lacks '/' between dependents and independents"))?;
        let (independents, rest) = list(rest.trim_start())?;
        if !rest.trim().is_empty() {
            let unexpected = || format!("unexpected '{}' after the head", rest.trim());
            return Err(wrong_directions(rest).unwrap_or_else(unexpected));
        }
        if function.is_empty() || dependents.is_empty() || independents.is_empty() {
            return Err(format!("'{text}' names no function, no dependent or no independent"));
        }
        Ok(Head {
            function: function.into(),
            dependents: Some(dependents),
            independents: Some(independents),
        })
    }
}

/// What is wrong with a number of directions that none could be: what is right is not in the text.
fn wrong_directions(text: &str) -> Option<String> {
    let number = text.rsplit_once('*')?.1.trim();
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| {
        format!("'*{number}' asks for {number} directions, but 1 to {MOST_DIRECTIONS} are possible")
    })
}

/// A list in parentheses, and what follows it.
fn list(text: &str) -> Result<(Vec<String>, &str), String> {
    let inner = text.strip_prefix('(').ok_or(format!("'(' expected before '{text}'"))?;
    let (names, rest) = inner.split_once(')').ok_or(format!("')' is missing after '{text}'"))?;
    let names: Vec<String> = names.split(',').map(|n| n.trim().to_string()).collect();
    if names.len() > 1 && names.iter().any(|n| n.is_empty()) {
        return Err(format!("an empty name in '({})'", names.join(", ")));
    }
    Ok((names.into_iter().filter(|n| !n.is_empty()).collect(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_parse() {
        let h = Head::parse(" gmm_objective(err) / (alphas, means,icf)").unwrap();
        assert_eq!(h.function, "gmm_objective");
        assert_eq!(h.dependents.unwrap(), ["err"]);
        assert_eq!(h.independents.unwrap(), ["alphas", "means", "icf"]);
        assert_eq!(Head::parse("f").unwrap().dependents, None);
        assert_eq!(Head::parse("f($2)/($1)").unwrap().dependents.unwrap(), ["$2"]);
        for of_result in ["m::f/(x)", "m::f / (x)"] {
            let h = Head::parse(of_result).unwrap();
            assert_eq!((h.function.as_str(), h.dependents.unwrap()), ("m::f", vec!["$0".into()]));
            assert_eq!(h.independents.unwrap(), ["x"]);
        }
    }

    #[test]
    fn broken_heads_are_refused() {
        for bad in [
            "", "f(", "f(y)", "f(y)(x)", "f(y)/x", "f()/(x)", "f(y)/()", "(y)/(x)", "f(y)/(x) z",
            "f(y,,z)/(x)", "/(x)", "f/x", "f(y)/(x)*",
        ] {
            assert!(Head::parse(bad).is_err(), "{bad}");
        }
        for bad in ["f*0", "f(y)/(x)*65", "ns::f/(x) * 100"] {
            assert!(Head::parse(bad).unwrap_err().ends_with("but 1 to 64 are possible"), "{bad}");
        }
        for name in ["T::operator*", "f<int*>", "f<2*3>"] {
            assert_eq!(Head::parse(name).unwrap().function, name);
        }
    }
}
