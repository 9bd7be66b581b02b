//! The book of docs/, built to target/book. Every page must be in its table of contents.

use crate::Findings;
use mdbook_driver::{MDBook, book::BookItem};
use std::{collections::HashSet, path::Path};

/// Builds the book.
pub fn build(root: &Path) -> Findings {
    let docs = root.join("docs");
    let book = match MDBook::load(&docs) {
        Ok(book) => book,
        Err(e) => return vec![format!("docs/book.toml:1: {e:#}")],
    };
    let listed: HashSet<_> = book
        .iter()
        .filter_map(|item| match item {
            BookItem::Chapter(chapter) => chapter.source_path.clone(),
            _ => None,
        })
        .collect();
    let mut found: Findings = crate::files(root, &[".md"])
        .iter()
        .filter_map(|page| page.strip_prefix("docs").ok())
        .filter(|page| page.as_os_str() != "SUMMARY.md" && !listed.contains(*page))
        .map(|page| format!("docs/{}:1: not in docs/SUMMARY.md", page.display()))
        .collect();
    if let Err(e) = book.build() {
        found.push(format!("docs/SUMMARY.md:1: {e:#}"));
    }
    found
}
