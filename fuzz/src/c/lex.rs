//! Tokens of a text, with where they are.

use super::{Is, reject};

/// What a token is.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    Name(String),
    /// The value; whether it is unsigned, and whether it is long.
    Int(i128, bool, bool),
    /// The value, and whether it is a `float`.
    Real(f64, bool),
    Text(String),
    Mark(&'static str),
    End,
}

/// A token and its place in the text.
#[derive(Clone, Debug)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// Longer ones first.
const MARKS: &[&str] = &[
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!",
    "<", ">", "=", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{", "}",
];

/// All tokens, and `End`.
pub fn tokens(text: &str) -> Is<Vec<Token>> {
    let bytes = text.as_bytes();
    let (mut all, mut at) = (vec![], 0);
    while at < bytes.len() {
        let (start, rest) = (at, &text[at..]);
        let length = |rest: &str, is: &dyn Fn(char) -> bool| {
            rest.find(|c: char| !is(c)).unwrap_or(rest.len())
        };
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            at += length(rest, &|c| c != '\n');
            continue;
        }
        if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |i| i + 2);
            continue;
        }
        let kind = if first == '@' || first == '_' || first.is_ascii_alphabetic() {
            at += 1;
            at += length(&text[at..], &|c| c == '_' || c.is_ascii_alphanumeric());
            Kind::Name(text[start..at].to_string())
        } else if first.is_ascii_digit() {
            number(rest, &mut at)?
        } else if first == '"' {
            let end = rest[1..].find('"').ok_or("open text")? + 1;
            at += end + 1;
            Kind::Text(rest[1..end].to_string())
        } else if first == '\'' {
            let c = bytes.get(at + 1).copied().ok_or("open character")?;
            at += 3;
            Kind::Int(i128::from(c), false, false)
        } else {
            match MARKS.iter().find(|m| rest.starts_with(**m)) {
                Some(mark) => {
                    at += mark.len();
                    Kind::Mark(mark)
                }
                None => return reject(format!("token {first}")),
            }
        };
        all.push(Token { kind, start, end: at });
    }
    all.push(Token { kind: Kind::End, start: text.len(), end: text.len() });
    Ok(all)
}

fn number(rest: &str, at: &mut usize) -> Is<Kind> {
    let is_hex = rest.starts_with("0x");
    let mut end = 0;
    let chars = rest.as_bytes();
    while end < chars.len() {
        let c = chars[end] as char;
        let is_sign = !is_hex && (c == '-' || c == '+') && matches!(chars[end - 1], b'e' | b'E');
        if !(c.is_ascii_alphanumeric() || c == '.' || end > 0 && is_sign) {
            break;
        }
        end += 1;
    }
    *at += end;
    let word = &rest[..end];
    if is_hex || !word.contains(['.', 'e', 'E']) {
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        let value = match digits.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        let suffix = word[digits.len()..].to_lowercase();
        let value = value.map_err(|e| format!("{word}: {e}"))?;
        return Ok(Kind::Int(value, suffix.contains('u'), suffix.contains('l')));
    }
    let is_single = word.ends_with('f');
    let value = word.trim_end_matches('f').parse().map_err(|e| format!("{word}: {e}"))?;
    Ok(Kind::Real(value, is_single))
}
