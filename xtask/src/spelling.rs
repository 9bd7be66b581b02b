//! Known misspellings (the dictionary of `typos`) in pages, comments and names.

use crate::Findings;
use std::{fs, path::Path};
use typos::tokens::Tokenizer;

/// Words of ours, or of what we work with, that the dictionary takes for misspellings of others.
const OURS: &str = include_str!("words.txt");
const ENDINGS: &[&str] = &[".md", ".rs", ".h", ".cpp", ".c", ".f90", ".toml", ".sh", "Makefile"];

/// Checks all sources and pages.
pub fn check(root: &Path) -> Findings {
    let tokenizer = Tokenizer::new();
    let mut found = vec![];
    for name in crate::files(root, ENDINGS) {
        let text = fs::read_to_string(root.join(&name)).expect("a source can be read");
        for (number, line) in text.lines().enumerate() {
            for word in tokenizer.parse_str(line).flat_map(|i| i.split().collect::<Vec<_>>()) {
                if let Some(right) = correction(word.token()) {
                    let line = number + 1;
                    let word = word.token();
                    found.push(format!(
                        "{}:{line}: '{word}': did you mean {right}?",
                        name.display()
                    ));
                }
            }
        }
    }
    found
}

fn correction(word: &str) -> Option<String> {
    if OURS.lines().any(|ours| ours.eq_ignore_ascii_case(word)) {
        return None;
    }
    let right = typos_dict::WORD.find(&word.into())?;
    Some(right.iter().map(|r| format!("'{r}'")).collect::<Vec<_>>().join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_are_found_and_words_are_not() {
        assert!(correction(concat!("rec", "ieve")).is_some());
        assert!(correction("receive").is_none() && correction("adjoint").is_none());
    }
}
