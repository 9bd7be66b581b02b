//! Curves as SVG, on two logarithmic scales.

use std::fmt::Write;

/// One curve.
#[derive(Debug)]
pub struct Curve {
    /// What it is.
    pub name: String,
    /// Points, both coordinates positive.
    pub points: Vec<(f64, f64)>,
    /// Measured: dots on a line; else a dashed line.
    pub is_measured: bool,
}

/// Curves over one axis.
#[derive(Debug)]
pub struct Panel {
    /// What its height is.
    pub title: String,
    /// The curves.
    pub curves: Vec<Curve>,
}

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 70.0;
const COLOURS: [&str; 3] = ["#1b6ca8", "#d9822b", "#2e8b57"];

/// From one end of an axis to the other.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// Whole powers of ten around the values.
    fn of(values: impl Iterator<Item = f64> + Clone) -> Scale {
        let low = values.clone().fold(f64::INFINITY, f64::min).log10().floor();
        let high = values.fold(0.0, f64::max).log10().ceil();
        Scale { low, high: high.max(low + 1.0) }
    }
    /// Between 0 and 1.
    fn at(&self, value: f64) -> f64 {
        (value.log10() - self.low) / (self.high - self.low)
    }
    fn ticks(&self) -> impl Iterator<Item = f64> + use<> {
        (self.low as i32..=self.high as i32).map(|power| 10f64.powi(power))
    }
}

/// Panels side by side; `axis` is what goes to the right in each.
pub fn panels(axis: &str, panels: &[Panel]) -> String {
    let (width, height) = (panels.len() as f64 * (WIDTH + LEFT + 30.0), TOP + HEIGHT + 45.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (i, panel) in panels.iter().enumerate() {
        let left = LEFT + i as f64 * (WIDTH + LEFT + 30.0);
        let points = || {
            panel
                .curves
                .iter()
                .flat_map(|c| &c.points)
                .filter(|p| p.0 > 0.0 && p.1 > 0.0 && p.1.is_finite())
        };
        let (across, up) = (Scale::of(points().map(|p| p.0)), Scale::of(points().map(|p| p.1)));
        let x = |value: f64| left + WIDTH * across.at(value);
        let y = |value: f64| TOP + HEIGHT * (1.0 - up.at(value));
        let bottom = TOP + HEIGHT;
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"18\" font-size=\"14\">{}</text>",
            escaped(&panel.title)
        );
        for tick in across.ticks() {
            let _ = writeln!(
                svg,
                "<line x1=\"{0:.1}\" y1=\"{TOP}\" x2=\"{0:.1}\" y2=\"{bottom}\" stroke=\"#ccc\"/>\
                 <text x=\"{0:.1}\" y=\"{1}\" text-anchor=\"middle\">{tick}</text>",
                x(tick),
                bottom + 16.0
            );
        }
        for tick in up.ticks() {
            let _ = writeln!(
                svg,
                "<line x1=\"{left}\" y1=\"{0:.1}\" x2=\"{1}\" y2=\"{0:.1}\" stroke=\"#ccc\"/>\
                 <text x=\"{2}\" y=\"{0:.1}\" text-anchor=\"end\">{tick}</text>",
                y(tick),
                left + WIDTH,
                left - 6.0
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            left + WIDTH / 2.0,
            bottom + 34.0,
            escaped(axis)
        );
        for (k, curve) in panel.curves.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            let shown = curve.points.iter().filter(|p| p.0 > 0.0 && p.1 > 0.0 && p.1.is_finite());
            let line: Vec<String> =
                shown.clone().map(|&(a, b)| format!("{:.1},{:.1}", x(a), y(b))).collect();
            let dashes = if curve.is_measured { "" } else { " stroke-dasharray=\"5 4\"" };
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\"{dashes}/>",
                line.join(" ")
            );
            if curve.is_measured {
                for &(a, b) in shown {
                    let _ = writeln!(
                        svg,
                        "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                        x(a),
                        y(b)
                    );
                }
            }
            let at = 32.0 + 13.0 * k as f64;
            let _ = writeln!(
                svg,
                "<line x1=\"{left}\" y1=\"{0}\" x2=\"{1}\" y2=\"{0}\" stroke=\"{colour}\"{dashes}/><text x=\"{2}\" y=\"{3}\">{4}</text>",
                at - 4.0,
                left + 20.0,
                left + 26.0,
                at,
                escaped(&curve.name)
            );
        }
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
    fn points_lie_where_their_logarithms_are() {
        let curve = Curve {
            name: "a<b".into(),
            points: vec![(1.0, 10.0), (10.0, 1000.0), (100.0, 100.0)],
            is_measured: true,
        };
        let svg = panels("snapshots", &[Panel { title: "time".into(), curves: vec![curve] }]);
        assert!(svg.contains("points=\"60.0,370.0 260.0,70.0 460.0,220.0\""), "{svg}");
        assert!(
            svg.contains("a&lt;b")
                && svg.matches("<circle").count() == 3
                && svg.ends_with("</svg>\n")
        );
    }
}
