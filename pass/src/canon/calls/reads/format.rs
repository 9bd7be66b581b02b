//! Formats of `scanf`.
//!
//! Source: ISO C, 7.21.6.2 (fscanf); POSIX, fscanf (`m`: the library allocates the text).

use crate::llvm::{Module, Type};
use adir::target;

/// What a format has arguments for.
pub struct Format {
    text: String,
    /// In the order of the arguments.
    pub conversions: Vec<Kind>,
}

/// What a conversion stores.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// A number of this type.
    Number(Type),
    /// Text with an end; where in the format `m` would stand.
    Text(usize),
    /// Characters without an end.
    Characters,
    /// An address.
    Address,
}

impl Format {
    /// Reads a format. Nothing where arguments have numbers, or some conversion is not known.
    pub fn of(module: Module, format: &str) -> Option<Format> {
        let mut conversions = vec![];
        let mut rest = format;
        while let Some((_, conversion)) = rest.split_once('%') {
            let is_dropped = conversion.starts_with('*');
            let conversion = conversion.trim_start_matches('*');
            let conversion = conversion.trim_start_matches(|c: char| c.is_ascii_digit());
            let at = format.len() - conversion.len();
            let kind = conversion.find(|c: char| !"hlLqjzt".contains(c))?;
            let (length, conversion) = conversion.split_at(kind);
            let letter = conversion.chars().next()?;
            rest = &conversion[letter.len_utf8()..];
            let kind = match (letter, length) {
                ('%', "") => continue,
                // GNU's older spelling of text that the library allocates.
                ('a', "") if rest.starts_with(['s', 'S', '[']) => return None,
                ('s', "") => Kind::Text(at),
                ('[', "") => {
                    // The first of the set may be the bracket itself.
                    let set = rest.strip_prefix('^').unwrap_or(rest);
                    let set = set.strip_prefix(']').unwrap_or(set);
                    rest = set.split_once(']')?.1;
                    Kind::Text(at)
                }
                ('c', "") => Kind::Characters,
                ('p', "") => Kind::Address,
                _ => Kind::Number(number(module, letter, length)?),
            };
            if !is_dropped {
                conversions.push(kind);
            }
        }
        Some(Format { text: format.to_owned(), conversions })
    }

    /// The same where the library allocates all text.
    pub fn allocating(&self) -> String {
        let mut text = self.text.clone();
        for kind in self.conversions.iter().rev() {
            if let Kind::Text(at) = kind {
                text.insert(*at, 'm');
            }
        }
        text
    }

    /// Whether it reads addresses.
    pub fn has_addresses(&self) -> bool {
        self.conversions.contains(&Kind::Address)
    }

    /// Whether it reads text.
    pub fn has_text(&self) -> bool {
        self.conversions.iter().any(|kind| matches!(kind, Kind::Text(_)))
    }
}

/// The type of a number; what `%n` counts is no conversion.
fn number(module: Module, letter: char, length: &str) -> Option<Type> {
    let context = module.context();
    let long = 8 * target::pointer() as u32;
    match (letter, length) {
        ('a' | 'A' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G', _) => match length {
            "" => Some(context.f32()),
            "l" => Some(context.f64()),
            "L" => Some(context.f80()),
            _ => None,
        },
        ('d' | 'i' | 'u' | 'o' | 'x' | 'X', _) => Some(context.int(match length {
            "" => 32,
            "h" => 16,
            "hh" => 8,
            "l" | "z" | "t" => long,
            "ll" | "q" | "j" | "L" => 64,
            _ => return None,
        })),
        _ => None,
    }
}
