//! Horizontal bars on a logarithmic scale.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::style::{self, Area, Drawn, GRID, LABEL, SMALL, Sign};

/// Bars of one instance: the index of a series and a value.
#[derive(Debug)]
pub struct Group {
    /// What stands beside the bars.
    pub label: String,
    /// Series and value.
    pub bars: Vec<(usize, f64)>,
}

/// Widths in pixels: of the labels, of the bars, of the number beside the longest bar.
const WIDTHS: [u32; 3] = [200, 640, 50];
/// Height of a bar in pixels, with the gap to the next.
const BAR: f64 = 11.0;
/// That gap, and the gap between groups, as parts of a bar.
const GAPS: (f64, f64) = (0.2, 0.9);
/// Height of the numbers of the scale in pixels.
const SCALE: i32 = 24;
/// Where bars begin.
const START: f64 = 0.5;

/// Bars from a half on; `names` of the series in the order of colours. Values that are no numbers
/// have none.
pub fn bars(title: &str, names: &[&str], groups: &[Group]) -> Result<String, String> {
    let rows: f64 = groups.iter().map(|g| g.bars.len() as f64 + GAPS.1).sum();
    let height = style::HEADER + (rows * BAR) as i32 + SCALE;
    style::svg(WIDTHS.iter().sum(), height as u32, |area| {
        let (head, body) = area.split_vertically(style::HEADER);
        let sign = || Sign { width: 10, draw: square };
        let series: Vec<_> = names.iter().map(|name| (*name, sign())).collect();
        style::header(&head, WIDTHS[0] as i32, title, &series)?;
        chart(&body, groups, rows)
    })
}

fn square(area: &Area, (x, y): (i32, i32), series: usize) -> Drawn {
    let corners = [(x, y - 5), (x + 10, y + 5)];
    Ok(area.draw(&Rectangle::new(corners, style::colour(series).filled()))?)
}

fn chart(area: &Area, groups: &[Group], rows: f64) -> Drawn {
    let values = groups.iter().flat_map(|g| &g.bars).map(|(_, v)| *v);
    let largest = values.filter(|v| v.is_finite()).fold(2.0, f64::max);
    // Rows go down from zero.
    let (mut y, mut labels, mut rectangles) = (0.0, vec![], vec![]);
    for group in groups {
        labels.push((&group.label, y - group.bars.len() as f64 / 2.0));
        for &(series, value) in group.bars.iter().filter(|(_, v)| v.is_finite()) {
            rectangles.push((series, value, y));
            y -= 1.0;
        }
        y -= GAPS.1;
    }
    let across = (START..largest).log_scale().base(2.0);
    let mut chart = ChartBuilder::on(area)
        .set_label_area_size(LabelAreaPosition::Left, WIDTHS[0])
        .set_label_area_size(LabelAreaPosition::Bottom, SCALE)
        .margin_right(WIDTHS[2])
        .build_cartesian_2d(across, -rows..0.0)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .x_labels(20)
        .x_label_formatter(&style::number)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(GRID)
        .label_style(("sans-serif", LABEL))
        .draw()?;
    chart.draw_series(labels.iter().map(|&(label, middle)| {
        let before = Pos::new(HPos::Right, VPos::Center);
        let text = Text::new(label.clone(), (-8, 0), style::text(LABEL).pos(before));
        EmptyElement::at((START, middle)) + text
    }))?;
    chart.draw_series(rectangles.iter().map(|&(series, value, y)| {
        let corners = [(START, y), (value.max(START), y - 1.0 + GAPS.0)];
        Rectangle::new(corners, style::colour(series).filled())
    }))?;
    chart.draw_series(rectangles.iter().map(|&(_, value, y)| {
        let beside = Text::new(format!("{value:.2}"), (3, 0), style::text(SMALL));
        EmptyElement::at((value.max(START), y - (1.0 - GAPS.0) / 2.0)) + beside
    }))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_bars_for_larger_values_and_none_for_nan() {
        let groups = [Group { label: "a<b".into(), bars: vec![(0, 2.0), (1, 8.0), (2, f64::NAN)] }];
        let svg = bars("title", &["one", "two", "three"], &groups).expect("drawn");
        let width = |line: &str| -> Option<f64> {
            let rest = line.strip_prefix("<rect x=\"200\"")?.split_once(" width=\"")?.1;
            rest.split_once('"')?.0.parse().ok()
        };
        // The first is the first series' sign in the legend.
        let widths: Vec<f64> = svg.lines().filter_map(width).skip(1).collect();
        let is_about = |(found, wanted): (&f64, f64)| (found - wanted).abs() <= 1.0;
        assert_eq!(widths.len(), 2, "{svg}");
        assert!(widths.iter().zip([320.0, 640.0]).all(is_about), "{svg}");
        assert!(svg.contains("a&lt;b") && svg.trim_end().ends_with("</svg>"), "{svg}");
    }
}
