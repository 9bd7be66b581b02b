//! Response files: `@file` on the command line stands for the words in the file.
//!
//! The compiler expands them by itself, so they are passed as they are. They are read here because
//! sources, `-c` and our own `--ad-…` may stand in them; only a file that contains something of
//! ours is replaced, by a temporary one without it. Quoting is LLVM's GNU style
//! (`cl::TokenizeGNUCommandLine`): white space separates, a backslash makes the next character
//! plain everywhere, single and double quotes group.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Files inside files: deeper ones are left to the compiler to reject.
const MAX_DEPTH: usize = 16;

/// One word of the command line after expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub text: OsString,
    /// Index of the argument it came from.
    pub argument: usize,
    /// Whether that argument is a response file.
    pub in_file: bool,
}

/// All words of the command line in order, response files opened.
///
/// A file that cannot be read is no error: the compiler then takes the word as it is.
pub fn expand(arguments: &[OsString]) -> Vec<Word> {
    let mut words = Vec::with_capacity(arguments.len());
    for (argument, text) in arguments.iter().enumerate() {
        match read(text, &mut Vec::new()) {
            Some(inner) => {
                words.extend(inner.into_iter().map(|text| Word { text, argument, in_file: true }));
            }
            None => words.push(Word { text: text.clone(), argument, in_file: false }),
        }
    }
    words
}

/// The words behind `@file`, or None when `text` is no readable response file. `open` holds the
/// files being read: a file that names itself is not entered twice.
fn read(text: &OsStr, open: &mut Vec<OsString>) -> Option<Vec<OsString>> {
    let path = text.as_bytes().strip_prefix(b"@")?;
    if path.is_empty() || open.len() >= MAX_DEPTH || open.iter().any(|o| o.as_bytes() == path) {
        return None;
    }
    let path = OsStr::from_bytes(path);
    let content = fs::read(path).ok()?;
    open.push(path.to_os_string());
    let mut words = Vec::new();
    for word in split(&content) {
        match read(&word, open) {
            Some(inner) => words.extend(inner),
            None => words.push(word),
        }
    }
    open.pop();
    Some(words)
}

fn split(content: &[u8]) -> Vec<OsString> {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote: Option<u8> = None;
    let mut bytes = content.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => {
                // At the very end of the file a backslash stands for itself.
                word.get_or_insert_default().push(bytes.next().unwrap_or(b'\\'));
            }
            (_, Some(q)) if byte == q => quote = None,
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (b' ' | b'\t' | b'\r' | b'\n', None) => {
                words.extend(word.take().map(OsString::from_vec));
            }
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

/// The text of a response file with these words.
pub fn write(words: &[OsString]) -> Vec<u8> {
    let mut content = Vec::new();
    for word in words {
        content.push(b'"');
        for &byte in word.as_bytes() {
            if matches!(byte, b'"' | b'\\') {
                content.push(b'\\');
            }
            content.push(byte);
        }
        content.extend_from_slice(b"\"\n");
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        split(text.as_bytes())
    }

    #[test]
    fn words_are_split_as_the_compiler_does() {
        for (text, expected) in [
            ("-c  a.c\n-O2", vec!["-c", "a.c", "-O2"]),
            ("'a b.c' \"c d\"", vec!["a b.c", "c d"]),
            (r#"-DX=\"s\" a\ b"#, vec![r#"-DX="s""#, "a b"]),
            (r#""a\"b" 'a\'b'"#, vec![r#"a"b"#, "a'b"]),
            ("\"\" x", vec!["", "x"]),
            ("# no comment", vec!["#", "no", "comment"]),
            ("pre'mid dle'post", vec!["premid dlepost"]),
            ("  \n", vec![]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn written_words_read_back() {
        let given: Vec<OsString> =
            ["a b", "", "q\"uo'te", r"back\slash", "--ad-x=f(a, b)"].map(OsString::from).to_vec();
        assert_eq!(split(&write(&given)), given);
    }

    #[test]
    fn files_nest_and_a_loop_ends() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let path = |name: &str| dir.path().join(name);
        let at = |name: &str| OsString::from(format!("@{}", path(name).display()));
        fs::write(path("outer"), format!("-O1 @{} -O3", path("inner").display())).expect("write");
        fs::write(path("inner"), format!("-O2 @{}", path("outer").display())).expect("write");
        let got: Vec<OsString> =
            expand(&["-v".into(), at("outer"), at("absent")]).into_iter().map(|w| w.text).collect();
        let outer = at("outer");
        let expected: Vec<OsString> =
            vec!["-v".into(), "-O1".into(), "-O2".into(), outer, "-O3".into(), at("absent")];
        assert_eq!(got, expected);
    }
}
