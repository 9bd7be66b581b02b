//! The tables in Markdown.

use std::fmt::Write;

use crate::cases::Case;
use crate::measure::{Effort, Measured};
use crate::peers::{PEERS, Peer};

/// What came of one instance of a case.
#[derive(Debug)]
pub struct Row {
    /// The case.
    pub case: &'static Case,
    /// The instance, for tables.
    pub instance: &'static str,
    /// Whether files of data were to be used and are not there.
    pub is_generated_instead: bool,
    /// With `restrict`.
    pub adcc: Measured,
    /// Without the word; None if it was not asked for.
    pub may_alias: Option<Measured>,
    /// What peers have for it.
    pub peers: Vec<(Peer, Measured)>,
}

impl Row {
    /// All checks that fail, of all programs.
    pub fn failures(&self) -> Vec<String> {
        let mut programs = vec![("adcc", &self.adcc)];
        programs.extend(self.may_alias.iter().map(|it| ("adcc without restrict", it)));
        programs.extend(self.peers.iter().map(|(peer, it)| (peer.name(), it)));
        let of = |(name, it): (&str, &Measured)| {
            let failures = it.failures(self.case.limit);
            failures
                .into_iter()
                .map(|why| format!("{} {}, {name}: {why}", self.case.name, self.instance))
                .collect::<Vec<_>>()
        };
        programs.into_iter().flat_map(of).collect()
    }

    /// Case and instance.
    pub fn label(&self) -> String {
        format!(
            "{} {}{}",
            self.case.name,
            self.instance,
            if self.is_generated_instead { " \\*" } else { "" }
        )
    }

    /// What this tool has measured for the instance.
    pub fn peer(&self, peer: Peer) -> Option<&Measured> {
        self.peers.iter().find(|(p, _)| *p == peer).map(|(_, it)| it)
    }

    /// The worst agreement of derivatives with anything else.
    fn agreement(&self) -> String {
        if !self.failures().is_empty() {
            return "WRONG".into();
        }
        let programs = [Some(&self.adcc), self.may_alias.as_ref()]
            .into_iter()
            .flatten()
            .chain(self.peers.iter().map(|(_, it)| it));
        let checks = programs.flat_map(|it| &it.checks).filter(|(name, _)| name != "differences");
        format!("{:.0e}", checks.fold(0.0, |worst: f64, (_, r)| worst.max(*r)))
    }
}

/// Everything on one page. `missing` are lines about peers that could not run.
pub fn page(
    command: &str,
    processor: &str,
    effort: Effort,
    rows: &[Row],
    missing: &[String],
) -> String {
    let mut text = format!(
        "# Performance\n\n\
         Made by `{command}`; not to be edited.\n\n\
         Gradients by adcc beside hand-written ones and other tools, all in one run on {processor}. Compiled at plain -O3 with the \
         C library's malloc as it is, run on one thread. Every program of bench/performance computes value and derivative, \
         derivatives are added to the \
         caller's memory; adcc keeps its tape's arena between evaluations, and hand-written code its memory.\n\n\
         - A *ratio* is the time of a derivative over that of the same program's own primal: processor time, medians of {} \
         measurements of at least {} s each; primal, tangent, gradient and hand-written derivative in turn in one process.\n\
         - *Tape* is what one derivative takes from the arena (`ADRT_STATS`, see [Limit the memory of the tape](how-to/limit-memory.md)): all of it, and the most at once.\n\
         - *Agreement* is the worst difference between derivatives: adcc, without `restrict`, by hand, peers, the tangent's transpose. \
         Above {:.0e} ({}), or for NaN, it reads WRONG and the command fails.\n\
         - A peer's ratio is to the primal as that peer runs it, in the same algorithm; ADOL-C records at each evaluation (bundle \
         adjustment: once). An empty cell: the case is not written for this tool, or its recording would be too large.\n",
        effort.runs,
        effort.seconds,
        crate::cases::LIMIT,
        exceptions(rows),
    );
    for line in missing {
        let _ = writeln!(text, "- {line}.");
    }
    if rows.iter().any(|row| row.is_generated_instead) {
        text.push_str("- \\* Real data are not there: generated inputs of the same sizes.\n");
    }
    text.push_str(
        "\n## Gradient / primal\n\n![Gradient over primal](performance-gradient.svg)\n\n",
    );
    text.push_str(&table(&gradients(rows)));
    text.push_str("\n## Tangent / primal\n\n![Tangent over primal](performance-tangent.svg)\n\n");
    text.push_str(&table(&tangents(rows)));
    text.push_str("\n## Arguments that may overlap\n\nThe same sources without `restrict`; ratios are to the primal without it.\n\n");
    text.push_str(&table(&overlapping(rows)));
    text.push_str("\n## Times, in milliseconds\n\n");
    text.push_str(&table(&times(rows)));
    text.push_str("\n## The cases\n\n");
    let mut last = "";
    for row in
        rows.iter().filter(|row| std::mem::replace(&mut last, row.case.name) != row.case.name)
    {
        let _ =
            writeln!(text, "- **{}**: {}. `{}`", row.case.name, row.case.about, row.case.source);
    }
    text
}

/// The page with these sections in the place of those that have the same heading; new ones come
/// last. Sections begin with a heading of the second level.
pub fn updated(page: &str, sections: &str) -> String {
    const START: &str = "\n## ";
    let heading = |section: &str| section.lines().next().unwrap_or_default().to_string();
    let mut all: Vec<String> = page.split(START).map(String::from).collect();
    for section in sections.split(START).skip(1) {
        match all.iter_mut().skip(1).find(|old| heading(old) == heading(section)) {
            Some(old) => *old = section.into(),
            None => all.push(section.into()),
        }
    }
    let mut text = all.iter().map(|s| s.trim_end_matches('\n')).collect::<Vec<_>>().join("\n\n## ");
    text.push('\n');
    text
}

/// Cases with a limit of their own.
fn exceptions(rows: &[Row]) -> String {
    let mut own: Vec<String> = rows
        .iter()
        .filter(|row| row.case.limit != crate::cases::LIMIT)
        .map(|row| format!("{} {:.0e}", row.case.name, row.case.limit))
        .collect();
    own.dedup();
    if own.is_empty() { "in all cases".into() } else { own.join(", ") }
}

fn gradients(rows: &[Row]) -> Vec<Vec<String>> {
    let mut header = vec!["case", "adcc", "by hand", "adcc / by hand"];
    header.extend(PEERS.iter().map(|peer| peer.name()));
    header.extend(["tape: traffic", "peak", "agreement"]);
    let mut lines = vec![words(&header)];
    for row in rows {
        let mut line = vec![row.label(), ratio(&row.adcc, "gradient"), ratio(&row.adcc, "by_hand")];
        line.push(number(
            row.adcc.time("gradient").zip(row.adcc.time("by_hand")).map(|(a, b)| a / b),
        ));
        line.extend(
            PEERS
                .iter()
                .map(|peer| row.peer(*peer).map_or(String::new(), |it| ratio(it, "gradient"))),
        );
        line.extend([bytes(row.adcc.traffic), bytes(row.adcc.peak), row.agreement()]);
        lines.push(line);
    }
    lines
}

fn tangents(rows: &[Row]) -> Vec<Vec<String>> {
    let mut header = vec!["case", "adcc"];
    header.extend(PEERS.iter().map(|peer| peer.name()));
    let mut lines = vec![words(&header)];
    for row in rows {
        let mut line = vec![row.label(), ratio(&row.adcc, "tangent")];
        line.extend(
            PEERS
                .iter()
                .map(|peer| row.peer(*peer).map_or(String::new(), |it| ratio(it, "tangent"))),
        );
        lines.push(line);
    }
    lines
}

fn overlapping(rows: &[Row]) -> Vec<Vec<String>> {
    let header = [
        "case",
        "gradient",
        "by hand",
        "tangent",
        "primal / primal with restrict",
        "gradient / gradient with restrict",
        "tape: traffic",
    ];
    let mut lines = vec![words(&header)];
    for row in rows {
        let Some(it) = &row.may_alias else { continue };
        let against =
            |kind: &str| number(it.time(kind).zip(row.adcc.time(kind)).map(|(a, b)| a / b));
        let mut line =
            vec![row.label(), ratio(it, "gradient"), ratio(it, "by_hand"), ratio(it, "tangent")];
        line.extend([against("primal"), against("gradient"), bytes(it.traffic)]);
        lines.push(line);
    }
    lines
}

fn times(rows: &[Row]) -> Vec<Vec<String>> {
    let mut header: Vec<String> = words(&["case", "primal", "tangent", "gradient", "by hand"]);
    for peer in PEERS {
        header.extend([format!("{} primal", peer.name()), format!("{} gradient", peer.name())]);
    }
    let mut lines = vec![header];
    let milliseconds = |it: &Measured, kind: &str| {
        it.time(kind).map_or(String::new(), |s| format!("{:.3}", s * 1e3))
    };
    for row in rows {
        let mut line = vec![row.label()];
        line.extend(
            ["primal", "tangent", "gradient", "by_hand"].map(|kind| milliseconds(&row.adcc, kind)),
        );
        for peer in PEERS {
            line.extend(
                ["primal", "gradient"]
                    .map(|kind| row.peer(peer).map_or(String::new(), |it| milliseconds(it, kind))),
            );
        }
        lines.push(line);
    }
    lines
}

/// A table with columns that line up on a terminal too; the first line is the header.
pub fn table(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let widths: Vec<usize> =
        (0..columns).map(|c| lines.iter().map(|line| line[c].len()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        for (c, cell) in line.iter().enumerate() {
            let width = widths[c];
            let _ = if c == 0 {
                write!(text, "| {cell:width$} ")
            } else {
                write!(text, "| {cell:>width$} ")
            };
        }
        text.push_str("|\n");
        if i == 0 {
            for (c, width) in widths.iter().enumerate() {
                let _ =
                    write!(text, "|{}{}", "-".repeat(width + 1), if c == 0 { "-" } else { ":" });
            }
            text.push_str("|\n");
        }
    }
    text
}

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| word.to_string()).collect()
}

/// A ratio to the primal, or nothing.
pub fn ratio(it: &Measured, kind: &str) -> String {
    number(it.ratio(kind))
}

/// A number of a table, or nothing.
pub fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |v| if v < 100.0 { format!("{v:.2}") } else { format!("{v:.0}") })
}

/// In units that people read: 42.1 MB.
pub fn bytes(n: u64) -> String {
    match n {
        0 => "0".into(),
        1..10_000 => format!("{n} B"),
        10_000..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        _ => format!("{:.1} MB", n as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::CASES;

    fn row(agreement: f64) -> Row {
        let adcc = Measured {
            times: [("primal", 1e-3), ("tangent", 1.5e-3), ("gradient", 3e-3), ("by_hand", 2e-3)]
                .map(|(k, s)| (k.to_string(), s))
                .to_vec(),
            checks: vec![("by_hand".into(), agreement)],
            traffic: 42_000_000,
            peak: 512,
            ..Measured::default()
        };
        Row {
            case: &CASES[0],
            instance: "small",
            is_generated_instead: true,
            adcc: adcc.clone(),
            may_alias: Some(adcc),
            peers: vec![],
        }
    }

    #[test]
    fn sections_of_a_page_are_replaced_by_heading() {
        let page = "# Page\n\n## One\n\nold\n\n## Two\n\nstays\n";
        assert_eq!(
            updated(page, "\n## One\n\nnew\n\n## Three\n\nmore"),
            "# Page\n\n## One\n\nnew\n\n## Two\n\nstays\n\n## Three\n\nmore\n"
        );
    }

    #[test]
    fn a_page_shows_ratios_and_what_is_wrong() {
        let effort = Effort { seconds: 0.2, runs: 7 };
        let text =
            page("adbench", "a processor", effort, &[row(1e-12)], &["JAX is not installed".into()]);
        for part in [
            "3.00", "2.00", "1.50", "42.0 MB", "512 B", "1e-12", "generated inputs",
            "JAX is not installed",
        ] {
            assert!(text.contains(part), "{part} is missing:\n{text}");
        }
        assert!(!text.contains("| WRONG"));
        let wrong = row(f64::NAN);
        assert_eq!(wrong.failures().len(), 2);
        assert_eq!(wrong.agreement(), "WRONG");
    }
}
