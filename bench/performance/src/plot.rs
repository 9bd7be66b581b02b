//! Bars as SVG, written by hand: a plotting library would be the largest dependency of the
//! workspace, for rectangles and text.

use std::fmt::Write;

/// Bars of one instance: the index of a series and a value.
#[derive(Debug)]
pub struct Group {
    /// What stands beside the bars.
    pub label: String,
    /// Series and value.
    pub bars: Vec<(usize, f64)>,
}

const COLOURS: [&str; 6] = ["#1b6ca8", "#7f7f7f", "#5fb0e5", "#d9822b", "#7a5195", "#2e8b57"];
const LABELS: f64 = 200.0;
const WIDTH: f64 = 640.0;
const BAR: f64 = 11.0;
const GAP: f64 = 10.0;
const TOP: f64 = 54.0;
/// Room for the number beside the longest bar.
const NUMBERS: f64 = 50.0;

/// Horizontal bars on a logarithmic scale from a half; `names` of the series in the order of
/// colours.
pub fn bars(title: &str, names: &[&str], groups: &[Group]) -> String {
    let largest = groups
        .iter()
        .flat_map(|g| &g.bars)
        .map(|(_, v)| *v)
        .filter(|v| v.is_finite())
        .fold(2.0, f64::max);
    let scale = WIDTH / (2.0 * largest).log2();
    let x = |value: f64| LABELS + (2.0 * value).log2().max(0.0) * scale;
    let height = TOP + groups.iter().map(|g| g.bars.len() as f64 * BAR + GAP).sum::<f64>() + 20.0;
    let width = LABELS + WIDTH + NUMBERS;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LABELS}\" y=\"16\" font-size=\"14\">{}</text>\n",
        escaped(title)
    );
    let mut at = LABELS;
    for (name, colour) in names.iter().zip(COLOURS) {
        let _ = writeln!(
            svg,
            "<rect x=\"{at}\" y=\"26\" width=\"10\" height=\"10\" fill=\"{colour}\"/><text x=\"{}\" y=\"35\">{}</text>",
            at + 14.0,
            escaped(name)
        );
        at += 30.0 + 7.0 * name.len() as f64;
    }
    let mut tick = 1.0;
    while tick <= largest {
        let _ = writeln!(
            svg,
            "<line x1=\"{0:.1}\" y1=\"{1}\" x2=\"{0:.1}\" y2=\"{2}\" stroke=\"#ccc\"/><text x=\"{0:.1}\" y=\"{3}\" text-anchor=\"middle\">{tick}</text>",
            x(tick),
            TOP - 8.0,
            height - 16.0,
            height - 4.0
        );
        tick *= 2.0;
    }
    let mut y = TOP;
    for group in groups {
        let middle = y + group.bars.len() as f64 * BAR / 2.0 + 4.0;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{}</text>",
            LABELS - 8.0,
            escaped(&group.label)
        );
        for (series, value) in group.bars.iter().filter(|(_, v)| v.is_finite()) {
            let _ = writeln!(
                svg,
                "<rect x=\"{LABELS}\" y=\"{y}\" width=\"{:.1}\" height=\"{}\" fill=\"{}\"/><text x=\"{:.1}\" y=\"{}\" font-size=\"9\">{value:.2}</text>",
                x(*value) - LABELS,
                BAR - 2.0,
                COLOURS[series % COLOURS.len()],
                x(*value) + 3.0,
                y + BAR - 3.0
            );
            y += BAR;
        }
        y += GAP;
    }
    svg.push_str("</svg>\n");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_bars_for_larger_values_and_none_for_nan() {
        let groups = [Group { label: "a<b".into(), bars: vec![(0, 2.0), (1, 8.0), (2, f64::NAN)] }];
        let svg = bars("title", &["one", "two", "three"], &groups);
        let widths: Vec<f64> = svg
            .lines()
            .filter_map(|line| {
                line.strip_prefix("<rect x=\"200\" y=\"")?
                    .split_once("width=\"")?
                    .1
                    .split_once('"')?
                    .0
                    .parse()
                    .ok()
            })
            .filter(|width| *width != 10.0)
            .collect();
        assert_eq!(widths, [320.0, 640.0]);
        assert!(svg.contains("a&lt;b") && svg.ends_with("</svg>\n"));
    }
}
