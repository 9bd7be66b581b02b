//! The fenced blocks of a page, with the section that each stands in.

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The word behind the opening fence: `c`, `cpp`, `fortran`, `sh`, or nothing.
    pub language: String,
    /// Its text, without the fences.
    pub text: String,
    /// The line of its first line, from 1.
    pub line: usize,
    /// The heading above it, without `#`.
    pub section: String,
}

/// All fenced blocks of a page, in order.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = vec![];
    let (mut section, mut open) = (String::new(), None);
    for (index, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => {
                open = Some(Block {
                    language: language.trim().into(),
                    text: String::new(),
                    line: index + 2,
                    section: section.clone(),
                });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) if line.starts_with('#') => {
                section = line.trim_start_matches('#').trim().into()
            }
            (None, None) => {}
        }
    }
    found
}

/// The headings of a page, without `#`.
pub fn headings(page: &str) -> Vec<String> {
    let mut is_code = false;
    let mut found = vec![];
    for line in page.lines() {
        is_code ^= line.starts_with("```");
        if !is_code && line.starts_with('#') {
            found.push(line.trim_start_matches('#').trim().to_string());
        }
    }
    found
}

/// A shell block `$ command`, with ` \` at the end of a line that goes on, as its commands and what
/// they print.
pub fn commands(block: &str) -> (Vec<String>, String) {
    let (mut commands, mut output): (Vec<String>, _) = (vec![], String::new());
    let mut goes_on = false;
    for line in block.lines() {
        match (line.strip_prefix("$ "), goes_on) {
            (Some(command), _) => commands.push(command.to_string()),
            (None, true) => {
                if let Some(last) = commands.last_mut() {
                    last.truncate(last.trim_end_matches('\\').len());
                    last.push_str(line.trim());
                }
            }
            (None, false) => {
                output.push_str(line);
                output.push('\n');
            }
        }
        goes_on = (goes_on || line.starts_with("$ ")) && line.ends_with('\\');
    }
    (commands, output)
}

/// The words of a text that are numbers, without what follows them directly.
pub fn numbers(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
    words
        .map(|w| w.trim_end_matches('.'))
        .filter(|w| w.parse::<f64>().is_ok_and(f64::is_finite))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "# Page\n## One\n```c\nint x;\n# not a heading\n```\ntext\n### Two: it\n```\nplain\n```\n";

    #[test]
    fn blocks_have_sections_and_lines() {
        let found = blocks(PAGE);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].language.as_str(), found[0].line, found[0].section.as_str()),
            ("c", 4, "One")
        );
        assert_eq!(found[0].text, "int x;\n# not a heading\n");
        assert_eq!((found[1].language.as_str(), found[1].section.as_str()), ("", "Two: it"));
        assert_eq!(headings(PAGE), ["Page", "One", "Two: it"]);
    }

    #[test]
    fn commands_may_take_two_lines() {
        let (commands, output) =
            commands("$ adcc -c a.c\n$ adcc b.c \\\n     -o b && ./b\none\ntwo\n");
        assert_eq!(commands, ["adcc -c a.c", "adcc b.c -o b && ./b"]);
        assert_eq!(output, "one\ntwo\n");
    }

    #[test]
    fn numbers_are_words() {
        assert_eq!(numbers("row 0: 2 -1.5; x3 is 1e-3, nan inf."), ["0", "2", "-1.5", "1e-3"]);
    }
}
