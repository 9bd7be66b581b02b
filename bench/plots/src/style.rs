//! What all plots share: the drawing, colours, fonts and legends.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// An area of a plot.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// What drawing may end with.
pub type Drawn = Result<(), Box<dyn Error>>;

/// Of lines behind the data.
pub const GRID: RGBColor = RGBColor(204, 204, 204);
/// Sizes of titles, of labels, and of small numbers, in plotters' units: 1.24 to a pixel.
pub const TITLE: f64 = 17.4;
pub const LABEL: f64 = 13.6;
pub const SMALL: f64 = 11.2;

/// Of series, in order.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0x1b, 0x6c, 0xa8),
    RGBColor(0x7f, 0x7f, 0x7f),
    RGBColor(0x5f, 0xb0, 0xe5),
    RGBColor(0xd9, 0x82, 0x2b),
    RGBColor(0x7a, 0x51, 0x95),
    RGBColor(0x2e, 0x8b, 0x57),
];
/// Height of a title and of a legend, in pixels.
const TITLE_HEIGHT: i32 = 24;
pub const HEADER: i32 = TITLE_HEIGHT + 24;
/// Pixels from a sign of the legend to its text, and from a text to the next sign.
const GAPS: (i32, i32) = (6, 16);
/// Width of a letter, as a part of its size.
const LETTER: f64 = 0.5;

/// The colour of a series.
pub fn colour(series: usize) -> RGBColor {
    COLOURS[series % COLOURS.len()]
}

/// Text that begins at its place, at half its height.
pub fn text(size: f64) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center))
}

/// A number of a scale, without what logarithms leave of rounding.
pub fn number(value: &f64) -> String {
    format!("{value:.6}").trim_end_matches('0').trim_end_matches('.').to_string()
}

/// A drawing of so many pixels.
pub fn svg(width: u32, height: u32, draw: impl FnOnce(&Area) -> Drawn) -> Result<String, String> {
    let mut svg = String::new();
    let drawn = || -> Drawn {
        let area = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
        area.fill(&WHITE)?;
        draw(&area)?;
        Ok(area.present()?)
    };
    drawn().map_err(|e| format!("cannot draw: {e}"))?;
    Ok(svg)
}

/// The sign of a series in a legend, of this width in pixels, drawn with its left end at a place.
pub struct Sign {
    pub width: i32,
    pub draw: fn(&Area, (i32, i32), usize) -> Drawn,
}

/// The title and, below it in one row, what the series are; `left` is where both begin.
pub fn header(area: &Area, left: i32, title: &str, series: &[(&str, Sign)]) -> Drawn {
    area.draw(&Text::new(title.to_string(), (left, TITLE_HEIGHT / 2), text(TITLE)))?;
    let (mut x, y) = (left, TITLE_HEIGHT + 8);
    for (number, (name, sign)) in series.iter().enumerate() {
        (sign.draw)(area, (x, y), number)?;
        x += sign.width + GAPS.0;
        area.draw(&Text::new(name.to_string(), (x, y), text(LABEL)))?;
        x += (name.len() as f64 * LETTER * LABEL) as i32 + GAPS.1;
    }
    Ok(())
}
