//! Curves on two logarithmic scales, in panels side by side.

use std::ops::Range;

use plotters::element::DashedPathElement;
use plotters::prelude::*;

use crate::style::{self, Area, Drawn, GRID, LABEL, Sign};

/// One curve.
#[derive(Debug)]
pub struct Curve {
    /// What it is.
    pub name: String,
    /// Points. Those whose coordinates are not both positive numbers are left out.
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

/// Width of a panel's plot, of the numbers beside it, and of the gap to the next, in pixels.
const WIDTHS: [u32; 3] = [400, 60, 30];
/// Height of a panel's plot, and of the numbers and words below it, in pixels.
const HEIGHTS: (u32, u32) = (300, 45);
/// Length of a dash and of the gap behind it in pixels.
const DASHES: (u32, u32) = (5, 4);
const DOT: u32 = 3;
/// Colours of curves, which must differ more than those of bars: dashes show little of them.
const COLOURS: [usize; 3] = [0, 3, 5];

/// Panels side by side; `axis` is what goes to the right in each.
pub fn panels(axis: &str, panels: &[Panel]) -> Result<String, String> {
    let width = panels.len() as u32 * WIDTHS.iter().sum::<u32>();
    let height = style::HEADER as u32 + HEIGHTS.0 + HEIGHTS.1;
    style::svg(width, height, |area| {
        for (place, panel) in area.split_evenly((1, panels.len())).iter().zip(panels) {
            draw(place, axis, panel)?;
        }
        Ok(())
    })
}

fn draw(area: &Area, axis: &str, panel: &Panel) -> Drawn {
    let (head, body) = area.split_vertically(style::HEADER);
    let sign = |c: &Curve| Sign { width: 20, draw: if c.is_measured { dotted } else { dashed } };
    let series: Vec<_> = panel.curves.iter().map(|c| (c.name.as_str(), sign(c))).collect();
    style::header(&head, WIDTHS[1] as i32, &panel.title, &series)?;

    let shown = || panel.curves.iter().flat_map(Curve::shown);
    let (across, up) = (decades(shown().map(|p| p.0)), decades(shown().map(|p| p.1)));
    let mut chart = ChartBuilder::on(&body)
        .set_label_area_size(LabelAreaPosition::Left, WIDTHS[1])
        .set_label_area_size(LabelAreaPosition::Bottom, HEIGHTS.1)
        .margin_right(WIDTHS[2])
        .build_cartesian_2d(across.log_scale(), up.log_scale())?;
    chart
        .configure_mesh()
        .x_label_formatter(&style::number)
        .y_label_formatter(&style::number)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(GRID)
        .label_style(("sans-serif", LABEL))
        .x_desc(axis)
        .draw()?;
    for (series, curve) in panel.curves.iter().enumerate() {
        let colour = colour(series);
        if curve.is_measured {
            chart.draw_series(LineSeries::new(curve.shown(), colour))?;
            let dot = |at| Circle::new(at, DOT, colour.filled());
            chart.draw_series(curve.shown().map(dot))?;
        } else {
            let line = DashedLineSeries::new(curve.shown(), DASHES.0, DASHES.1, colour.into());
            chart.draw_series(line)?;
        }
    }
    Ok(())
}

impl Curve {
    fn shown(&self) -> impl Iterator<Item = (f64, f64)> + Clone {
        let is_shown = |v: f64| v > 0.0 && v.is_finite();
        self.points.iter().copied().filter(move |p| is_shown(p.0) && is_shown(p.1))
    }
}

/// Whole powers of ten around the values, at least one apart.
fn decades(values: impl Iterator<Item = f64> + Clone) -> Range<f64> {
    let low = values.clone().fold(f64::INFINITY, f64::min).log10().floor();
    let high = values.fold(0.0, f64::max).log10().ceil().max(low + 1.0);
    match low.is_finite() && high.is_finite() {
        true => 10f64.powf(low)..10f64.powf(high),
        // No value at all.
        false => 1.0..10.0,
    }
}

fn colour(series: usize) -> RGBColor {
    style::colour(COLOURS[series % COLOURS.len()])
}

fn dotted(area: &Area, (x, y): (i32, i32), series: usize) -> Drawn {
    let colour = colour(series);
    area.draw(&PathElement::new([(x, y), (x + 20, y)], colour))?;
    Ok(area.draw(&Circle::new((x + 10, y), DOT, colour.filled()))?)
}

fn dashed(area: &Area, (x, y): (i32, i32), series: usize) -> Drawn {
    let ends = [(x, y), (x + 20, y)];
    let line = DashedPathElement::new(ends, DASHES.0, DASHES.1, colour(series));
    Ok(area.draw(&line)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_where_their_logarithms_are() {
        let curve = Curve {
            name: "a<b".into(),
            points: vec![(1.0, 10.0), (10.0, 1000.0), (100.0, 100.0), (1000.0, f64::NAN)],
            is_measured: true,
        };
        let panel = Panel { title: "time".into(), curves: vec![curve] };
        let svg = panels("snapshots", &[panel]).expect("drawn");
        // From 60 to 459 across, from 347 up to 48.
        let line = "points=\"60,347 259,48 459,198 \"";
        assert!(svg.contains(line), "{svg}");
        // One in the legend.
        assert_eq!(svg.matches("<circle").count(), 4, "{svg}");
        assert!(svg.contains("a&lt;b") && svg.trim_end().ends_with("</svg>"), "{svg}");
    }

    #[test]
    fn scales_are_whole_decades() {
        assert_eq!(decades([3.0, 40.0].into_iter()), 1.0..100.0);
        assert_eq!(decades([10.0].into_iter()), 10.0..100.0);
        assert_eq!(decades([].into_iter()), 1.0..10.0);
    }
}
