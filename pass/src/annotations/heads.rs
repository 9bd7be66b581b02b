//! What heads of the command line ask for. A head gives one function, and with a number of directions a
//! second one beside: `f(y)/(x)*4`, or `-ad-directions=4` for all heads.

use serde::Serialize;

/// The most directions that a derivative has.
pub const MOST_DIRECTIONS: usize = 64;

/// The mode of a head.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Directional derivatives.
    Tangent,
    /// Sets of inputs in the place of derivatives.
    Pattern,
    /// Gradients.
    Adjoint,
}

impl Mode {
    /// From its name.
    pub fn of_name(name: &str) -> Option<Mode> {
        match name {
            "tangent" => Some(Mode::Tangent),
            "pattern" => Some(Mode::Pattern),
            "adjoint" => Some(Mode::Adjoint),
            _ => None,
        }
    }
    /// The option that asks for it.
    pub fn option(self) -> &'static str {
        match self {
            Mode::Tangent => "ad-tangent",
            Mode::Pattern => "ad-pattern",
            Mode::Adjoint => "ad-adjoint",
        }
    }
    /// What names of shadows end with.
    pub fn of_shadows(self) -> &'static str {
        match self {
            Mode::Tangent => "d",
            Mode::Pattern => "s",
            Mode::Adjoint => "b",
        }
    }
}

/// A function that a head asks for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Asked {
    /// Its mode.
    pub mode: Mode,
    /// The number of directions, of a function for several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directions: Option<usize>,
    /// The head as the user wrote it, without directions.
    pub text: String,
}

impl Asked {
    /// What names of generated functions end with.
    pub fn suffix(&self) -> &'static str {
        match (self.mode, self.directions) {
            (Mode::Tangent, None) => "_d",
            (Mode::Tangent, Some(_)) => "_dv",
            (Mode::Pattern, _) => "_p",
            (Mode::Adjoint, None) => "_b",
            (Mode::Adjoint, Some(_)) => "_bv",
        }
    }
    /// As an option asks for it.
    pub fn option(&self) -> String {
        let directions = self.directions.map(|n| format!("*{n}")).unwrap_or_default();
        format!("-{}='{}{directions}'", self.mode.option(), self.text)
    }
}

/// What heads ask for, tangents first; `directions` are those of heads without a number of their own.
pub fn asked(written: &[(Mode, String)], directions: Option<usize>) -> Vec<Asked> {
    let mut all: Vec<Asked> = vec![];
    for (mode, text) in written {
        let (mode, (text, own)) = (*mode, in_directions(text));
        let is_pattern = mode == Mode::Pattern;
        let several = own.or(directions.filter(|_| !is_pattern));
        // A pattern in several directions is refused.
        let one = (!is_pattern || own.is_none()).then_some(None);
        for directions in one.into_iter().chain(several.map(Some)) {
            let asked = Asked { mode, directions, text: text.into() };
            if !all.contains(&asked) {
                all.push(asked);
            }
        }
    }
    all.sort_by_key(|asked| asked.mode);
    all
}

/// A head without its number of directions, and that number.
fn in_directions(text: &str) -> (&str, Option<usize>) {
    let split = text.rsplit_once('*');
    let known = split.and_then(|(head, number)| Some((head.trim_end(), directions(number)?)));
    known.map_or((text, None), |(head, number)| (head, Some(number)))
}

/// A number of directions, as text.
pub fn directions(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|n| (1..=MOST_DIRECTIONS).contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_have_directions() {
        let of = |written: &[(Mode, &str)], directions| -> Vec<String> {
            let written: Vec<(Mode, String)> =
                written.iter().map(|(mode, text)| (*mode, text.to_string())).collect();
            let all = asked(&written, directions);
            all.iter().map(|asked| format!("{} {}", asked.suffix(), asked.option())).collect()
        };
        let (tangent, adjoint, pattern) = (Mode::Tangent, Mode::Adjoint, Mode::Pattern);
        let one = "_b -ad-adjoint='f(y)/(x)'";
        assert_eq!(of(&[(adjoint, "f(y)/(x)")], None), [one]);
        let several = "_bv -ad-adjoint='f(y)/(x)*4'";
        assert_eq!(of(&[(adjoint, "f(y)/(x)")], Some(4)), [one, several]);
        assert_eq!(of(&[(adjoint, "f(y)/(x) * 4")], Some(7)), [one, several]);
        let mixed = [(adjoint, "g*64"), (pattern, "f"), (tangent, "f")];
        let expected = [
            "_d -ad-tangent='f'", "_dv -ad-tangent='f*2'", "_p -ad-pattern='f'",
            "_b -ad-adjoint='g'", "_bv -ad-adjoint='g*64'",
        ];
        assert_eq!(of(&mixed, Some(2)), expected);
        assert_eq!(of(&[(pattern, "f*2")], None), ["_p -ad-pattern='f*2'"]);
        // No numbers of directions: the head's syntax decides.
        for text in ["f*0", "f*65", "f*", "T::operator*", "f<int*>", "f<2*3>(y)/(x)"] {
            assert_eq!(of(&[(tangent, text)], None), [format!("_d -ad-tangent='{text}'")]);
        }
    }
}
