//! Tokens of one line of a body's text.

use super::super::print::is_word;

/// A piece of a line.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// Letters, digits, `_`, `.`, `$`; does not begin with a digit.
    Word(&'a str),
    /// A whole number.
    Number(i128),
    /// What follows `@`.
    Symbol(String),
    /// `->`.
    Arrow,
    /// One of `:,=()[]+*`.
    Mark(char),
}

/// The tokens of a line, from the front.
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub number: usize,
    tokens: std::iter::Peekable<std::vec::IntoIter<Token<'a>>>,
}

impl<'a> Line<'a> {
    /// Splits a line.
    pub fn new(text: &'a str, number: usize) -> Result<Line<'a>, String> {
        let tokens = tokens(text).map_err(|e| format!("line {number}: {e}"))?;
        Ok(Line { number, tokens: tokens.into_iter().peekable() })
    }
    /// The next token, which stays.
    pub fn peek(&mut self) -> Option<Token<'a>> {
        self.tokens.peek().cloned()
    }
    /// Passes over a token.
    pub fn next(&mut self) {
        self.tokens.next();
    }
    /// Whether nothing is left.
    pub fn is_over(&mut self) -> bool {
        self.tokens.peek().is_none()
    }
    /// An error where something is left.
    pub fn end(&mut self) -> Result<(), String> {
        if self.is_over() { Ok(()) } else { Err(format!("{} too much", self.found())) }
    }
    /// The next token if it is a word.
    pub fn word(&mut self) -> Option<&'a str> {
        match self.tokens.next_if(|t| matches!(t, Token::Word(_)))? {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }
    /// The next token if it is a symbol.
    pub fn symbol(&mut self) -> Option<String> {
        match self.tokens.next_if(|t| matches!(t, Token::Symbol(_)))? {
            Token::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }
    /// Whether the next token is that word, which is passed.
    pub fn take_word(&mut self, word: &'static str) -> bool {
        self.tokens.next_if_eq(&Token::Word(word)).is_some()
    }
    /// Whether the next token is that mark, which is passed.
    pub fn take(&mut self, mark: char) -> bool {
        self.tokens.next_if_eq(&Token::Mark(mark)).is_some()
    }
    /// Whether the next token is an arrow, which is passed.
    pub fn take_arrow(&mut self) -> bool {
        self.tokens.next_if_eq(&Token::Arrow).is_some()
    }
    /// Passes over a mark that must be here.
    pub fn expect(&mut self, mark: char) -> Result<(), String> {
        if self.take(mark) {
            Ok(())
        } else {
            Err(format!("expected '{mark}', found {}", self.found()))
        }
    }
    /// A number that fits `T`.
    pub fn integer<T: TryFrom<i128>>(&mut self) -> Result<T, String> {
        match self.peek() {
            Some(Token::Number(n)) => {
                self.next();
                T::try_from(n).map_err(|_| format!("{n} is out of range"))
            }
            _ => Err(format!("expected a number, found {}", self.found())),
        }
    }
    fn found(&mut self) -> String {
        match self.peek() {
            None => "the line's end".into(),
            Some(Token::Word(word)) => format!("'{word}'"),
            Some(Token::Number(n)) => format!("'{n}'"),
            Some(Token::Symbol(symbol)) => format!("'@{symbol}'"),
            Some(Token::Arrow) => "'->'".into(),
            Some(Token::Mark(mark)) => format!("'{mark}'"),
        }
    }
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, String> {
    let mut tokens = vec![];
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            break;
        }
        let token;
        (token, rest) = match first {
            '@' if rest[1..].starts_with('"') => quoted(&rest[2..])?,
            '@' => {
                let (word, rest) = word(&rest[1..]);
                (Token::Symbol(word.into()), rest)
            }
            '-' if rest.starts_with("->") => (Token::Arrow, &rest[2..]),
            '-' | '0'..='9' => {
                let (digits, after) = word(&rest[1..]);
                let number = &rest[..1 + digits.len()];
                (
                    Token::Number(number.parse().map_err(|_| format!("'{number}' is no number"))?),
                    after,
                )
            }
            ':' | ',' | '=' | '(' | ')' | '[' | ']' | '+' | '*' => (Token::Mark(first), &rest[1..]),
            c if is_word(c) => {
                let (word, rest) = word(rest);
                (Token::Word(word), rest)
            }
            c => return Err(format!("unexpected character {c:?}")),
        };
        tokens.push(token);
        rest = rest.trim_start();
    }
    Ok(tokens)
}

fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c| !is_word(c)).unwrap_or(text.len()))
}

fn quoted(text: &str) -> Result<(Token<'_>, &str), String> {
    let mut symbol = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((Token::Symbol(symbol), &text[at + 1..])),
            '\\' => match chars.next() {
                Some((_, 'n')) => symbol.push('\n'),
                Some((_, c @ ('\\' | '"'))) => symbol.push(c),
                _ => return Err("a backslash stands before a backslash, a quote or n".into()),
            },
            c => symbol.push(c),
        }
    }
    Err("a quote is not closed".into())
}
