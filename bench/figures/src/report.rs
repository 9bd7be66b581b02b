//! Comparison of gradients, and the tables in Markdown.

use std::fmt::Write;

use crate::codes::Code;
use crate::measure::Figures;

/// Gradients under two settings differ by rounding only: at most so much, relatively.
const LIMIT: f64 = 1e-10;
/// The dot-product identity holds to so much.
const DOT_LIMIT: f64 = 1e-11;
/// An entry far below the largest carries the rounding of what cancelled in it: it counts relative
/// to this part of that.
const FLOOR: f64 = 1e-3;

const HEADER: [&str; 5] =
    ["without", "bytes recorded", "gradient / primal", "instructions", "gradient agrees"];

/// One line of a table.
#[derive(Debug)]
pub struct Row {
    /// What is switched off.
    pub without: String,
    /// What it costs.
    pub figures: Figures,
    /// Largest relative difference to the gradient with everything on; NaN if one of them is.
    pub difference: f64,
}

impl Row {
    /// Compares with the gradient that has every analysis on.
    pub fn new(without: &str, figures: Figures, reference: &[f64]) -> Row {
        Row { without: without.into(), difference: difference(&figures.values, reference), figures }
    }

    /// Whether the gradient is the same as with everything on, and the transpose of the tangent.
    pub fn is_right(&self) -> bool {
        self.difference <= LIMIT && self.figures.dot <= DOT_LIMIT
    }

    fn cells(&self) -> [String; 5] {
        let f = &self.figures;
        let verdict = if self.is_right() {
            format!("{:.0e}", self.difference)
        } else {
            format!("WRONG: {:.0e}, dot {:.0e}", self.difference, f.dot)
        };
        [
            self.without.clone(),
            grouped(f.recorded),
            format!("{:.2}", f.gradient / f.primal),
            grouped(f.instructions),
            verdict,
        ]
    }
}

/// The largest difference of two gradients, each entry relative to its size. NaN is larger than
/// everything.
pub fn difference(values: &[f64], reference: &[f64]) -> f64 {
    if values.len() != reference.len() || values.is_empty() {
        return f64::NAN;
    }
    let largest = reference.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let mut worst = 0.0;
    for (a, b) in values.iter().zip(reference) {
        let d = if a == b && a.is_finite() {
            0.0
        } else {
            (a - b).abs() / b.abs().max(FLOOR * largest)
        };
        if d.is_nan() {
            return f64::NAN;
        }
        worst = f64::max(worst, d);
    }
    worst
}

/// The table of one code, with columns that line up on a terminal too.
pub fn table(code: &Code, rows: &[Row]) -> String {
    let primal = rows.first().map_or(0.0, |row| row.figures.primal);
    let mut text =
        format!("## {}\n\n{}. Primal {:.1} ms.\n\n", code.name, capital(code.about), primal * 1e3);
    let mut lines = vec![HEADER.map(str::to_string)];
    lines.extend(rows.iter().map(Row::cells));
    let widths: Vec<usize> = (0..HEADER.len())
        .map(|c| lines.iter().map(|line| line[c].len()).max().unwrap_or(0))
        .collect();
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

/// The page around the tables; `command` is what made it.
pub fn page(command: &str, runs: u32, tables: &[String]) -> String {
    format!(
        "# What the analyses are worth\n\n\
         Made by `{command}`; not to be edited.\n\n\
         Seven codes at -O3, each differentiated with every analysis on (without: nothing), without each analysis alone, and \
         without all of them (`-ad-disable`).\n\n\
         - *Bytes recorded* is what one gradient takes from the tape's arena (`ADRT_STATS`, see [Limit the memory of the tape](how-to/limit-memory.md)). What lies in \
         the frame of the gradient itself, on the stack, is not in it: most of it becomes registers.\n\
         - *Gradient / primal* is the ratio of processor times, medians of {runs}, primal and gradient in turn in one process. It depends \
         on the machine and on what else runs there; bytes and instructions do not.\n\
         - *Instructions* are LLVM instructions generated for the adjoint, after the plugin's own simplification.\n\
         - *Gradient agrees* is the largest difference to the gradient with every analysis on, relative to the entry or to a \
         thousandth of the largest one. Above {LIMIT:.0e}, or where the gradient is not the transpose of the tangent, it reads WRONG.\n\n{}",
        tables.join("\n")
    )
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |c| c.to_uppercase().chain(chars).collect())
}

/// 1234567 as 1,234,567.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_that_differ_are_wrong_and_nan_is() {
        assert_eq!(difference(&[1.0, 2.0], &[1.0, 2.0]), 0.0);
        assert_eq!(difference(&[0.0, 0.0], &[0.0, 0.0]), 0.0);
        assert_eq!(difference(&[1.0, 3.0], &[1.0, 2.0]), 0.5);
        assert_eq!(difference(&[0.25, 1024.0], &[0.0, 1024.0]), 0.25 / 1.024);
        assert!(difference(&[1.0], &[1.0, 2.0]).is_nan());
        assert!(difference(&[f64::NAN, 2.0], &[1.0, 2.0]).is_nan());
        assert!(difference(&[f64::INFINITY], &[f64::INFINITY]).is_nan());
        let figures = |dot| Figures {
            recorded: 0,
            primal: 1.0,
            gradient: 1.0,
            instructions: 1,
            dot,
            values: vec![1.0],
        };
        assert!(Row::new("reload", figures(1e-16), &[1.0]).is_right());
        assert!(!Row::new("reload", figures(f64::NAN), &[1.0]).is_right());
        assert!(!Row::new("reload", figures(1e-16), &[1.0 + 1e-9]).is_right());
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            ["0", "999", "1,000", "12,345,678"],
            [0, 999, 1000, 12345678].map(grouped).each_ref().map(String::as_str)
        );
    }
}
