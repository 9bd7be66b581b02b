//! Links between the Markdown files of the repository: the file must exist, and so must the anchor.

use crate::Findings;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

struct Link {
    line: usize,
    target: String,
}

struct Page {
    anchors: HashSet<String>,
    links: Vec<Link>,
}

/// Checks all relative links; addresses of other hosts are left alone.
pub fn check(root: &Path) -> Findings {
    let names = crate::files(root, &[".md"]);
    let pages: HashMap<PathBuf, Page> = names
        .into_iter()
        .map(|name| {
            let text = fs::read_to_string(root.join(&name)).expect("a page can be read");
            (name, read(&text))
        })
        .collect();
    let mut found = vec![];
    for (name, page) in &pages {
        for link in page.links.iter().filter(|l| !l.target.contains("://")) {
            if let Some(problem) = problem(root, &pages, name, &link.target) {
                found.push(format!("{}:{}: {problem}", name.display(), link.line));
            }
        }
    }
    found.sort();
    found
}

fn problem(
    root: &Path,
    pages: &HashMap<PathBuf, Page>,
    from: &Path,
    target: &str,
) -> Option<String> {
    let (path, anchor) = target.split_once('#').map_or((target, None), |(p, a)| (p, Some(a)));
    let file = match path {
        "" => from.to_owned(),
        _ => normal(&from.parent().unwrap_or(Path::new("")).join(path)),
    };
    if !root.join(&file).exists() {
        return Some(format!("there is no {}", file.display()));
    }
    let page = pages.get(&file)?;
    let anchor = anchor.filter(|a| !page.anchors.contains(*a))?;
    Some(format!("{} has no heading #{anchor}", file.display()))
}

/// A path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts: Vec<_> = vec![];
    for part in path.components() {
        match part.as_os_str().to_str() {
            Some("..") => drop(parts.pop()),
            Some(".") => {}
            _ => parts.push(part),
        }
    }
    parts.into_iter().collect()
}

fn read(text: &str) -> Page {
    let mut page = Page { anchors: HashSet::new(), links: vec![] };
    let mut heading: Option<String> = None;
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let mut anchor = slug(&heading.take().unwrap_or_default());
                let first = anchor.clone();
                let mut number = 0;
                while !page.anchors.insert(anchor) {
                    number += 1;
                    anchor = format!("{first}-{number}");
                }
            }
            Event::Text(words) | Event::Code(words) => {
                heading.iter_mut().for_each(|h| h.push_str(&words));
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                page.links.push(Link { line: line_of(range.start), target: dest_url.to_string() });
            }
            _ => {}
        }
    }
    page
}

/// The anchor of a heading, as Git hosts and mdBook make it.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_anchors() {
        assert_eq!(
            slug("AD001: the compiler uses another LLVM"),
            "ad001-the-compiler-uses-another-llvm"
        );
        assert_eq!(slug("What is covered"), "what-is-covered");
    }

    #[test]
    fn links_are_found_with_their_lines() {
        let page = read("# One\n\n[a](b.md#c)\n\n## One\n");
        assert!(page.anchors.contains("one") && page.anchors.contains("one-1"));
        assert_eq!((page.links[0].line, page.links[0].target.as_str()), (3, "b.md#c"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let pages = HashMap::from([(PathBuf::from("Cargo.toml"), read("# Here\n"))]);
        let of = |target: &str| problem(root, &pages, Path::new("Cargo.toml"), target);
        assert_eq!(of("#here"), None);
        assert!(of("#there").is_some_and(|p| p.contains("#there")));
        assert!(of("absent.md").is_some_and(|p| p.contains("absent.md")));
    }
}
