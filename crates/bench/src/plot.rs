//! Line charts as SVG: readable on light and on dark ground, in print, and without their colours.

mod axis;

use std::fmt::Write as _;

pub use axis::Scale;
use axis::{Axis, named};

/// What is drawn.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What stands above it.
    pub title: String,
    /// What the horizontal axis counts, with its unit, and how it is spread.
    pub across: (&'static str, Scale),
    /// The same of the vertical axis.
    pub up: (&'static str, Scale),
    /// What is drawn between the axes.
    pub lines: Vec<Line>,
}

/// A line with a name.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 28.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 60.0;
/// The room that a letter of a legend takes at most, and that which an entry takes besides its letters.
const LETTER: f64 = 7.2;
const ENTRY: f64 = 44.0;

/// Colours of text, grid and lines: on light ground, and on dark.
const STYLE: &str = "\
svg{color-scheme:light dark;background:#ffffff;font-family:system-ui,sans-serif;font-size:13px}\
.ground{fill:#ffffff}text{fill:#1f2328}.title{font-size:17px;font-weight:600}.quiet{fill:#59636e}\
.grid{stroke:#d1d9e0;stroke-width:1}.line{fill:none;stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}\
.c0{color:#0969da}.c1{color:#bc4c00}.c2{color:#1a7f37}.c3{color:#8250df}\
.line{stroke:currentColor}.mark{fill:currentColor}\
@media(prefers-color-scheme:dark){svg{background:#0d1117}.ground{fill:#0d1117}text{fill:#e6edf3}.quiet{fill:#9198a1}\
.grid{stroke:#30363d}.c0{color:#58a6ff}.c1{color:#f0883e}.c2{color:#3fb950}.c3{color:#bc8cff}}";
/// As many lines have a colour and a mark of their own.
const KINDS: usize = 4;

impl Chart {
    /// The picture.
    #[must_use]
    pub fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| line.points.iter());
        let across = Axis::around(self.across.1, points().map(|(x, _)| *x));
        let up = Axis::around(self.up.1, points().map(|(_, y)| *y));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"title\">\n\
             <title id=\"title\">{title}</title>\n<style>{STYLE}</style>\n\
             <rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n\
             <text class=\"title\" x=\"{LEFT}\" y=\"32\">{title}</text>\n",
            title = escaped(&self.title),
        );
        // Writing to a String cannot fail.
        let _ = self.axes(&mut svg, &across, &up);
        let _ = self.lines(&mut svg, |(x, y)| (x_of(&across, *x), y_of(&up, *y)));
        svg + "</svg>\n"
    }

    fn axes(&self, svg: &mut String, across: &Axis, up: &Axis) -> std::fmt::Result {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for tick in &up.ticks {
            let (y, text) = (y_of(up, *tick), named(*tick));
            writeln!(svg, "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/>")?;
            writeln!(svg, "<text class=\"quiet\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>", LEFT - 10.0, y + 4.5)?;
        }
        for tick in &across.ticks {
            let (x, text) = (x_of(across, *tick), named(*tick));
            writeln!(svg, "<path class=\"grid\" d=\"M{x:.1} {bottom}v6\"/>")?;
            writeln!(svg, "<text class=\"quiet\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{text}</text>", bottom + 22.0)?;
        }
        let (middle, under) = (f64::midpoint(LEFT, right), HEIGHT - 14.0);
        writeln!(svg, "<text x=\"{middle}\" y=\"{under}\" text-anchor=\"middle\">{}</text>", escaped(self.across.0))?;
        let middle = f64::midpoint(TOP, bottom);
        let turned = format!("transform=\"rotate(-90 20 {middle})\"");
        writeln!(svg, "<text x=\"20\" y=\"{middle}\" text-anchor=\"middle\" {turned}>{}</text>", escaped(self.up.0))
    }

    fn lines(&self, svg: &mut String, place: impl Fn(&(f64, f64)) -> (f64, f64)) -> std::fmt::Result {
        let mut at = LEFT;
        for (line, kind) in self.lines.iter().zip((0..KINDS).cycle()) {
            let points: Vec<_> = line.points.iter().filter(|(_, y)| y.is_finite()).map(&place).collect();
            let path: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            writeln!(svg, "<g class=\"c{kind}\">\n<polyline class=\"line\" points=\"{}\"/>", path.join(" "))?;
            for (x, y) in points {
                writeln!(svg, "{}", mark(kind, x, y))?;
            }
            writeln!(svg, "<path class=\"line\" d=\"M{at:.1} 56h22\"/>\n{}", mark(kind, at + 11.0, 56.0))?;
            writeln!(svg, "<text x=\"{:.1}\" y=\"60.5\">{}</text>\n</g>", at + 29.0, escaped(&line.name))?;
            at += ENTRY + LETTER * f64::from(u16::try_from(line.name.chars().count()).unwrap_or(u16::MAX));
        }
        Ok(())
    }
}

fn x_of(axis: &Axis, value: f64) -> f64 {
    LEFT + (WIDTH - LEFT - RIGHT) * axis.place(value)
}

fn y_of(axis: &Axis, value: f64) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - axis.place(value))
}

/// What stands at a point: lines differ in it as well as in colour.
fn mark(kind: usize, x: f64, y: f64) -> String {
    match kind {
        0 => format!("<circle class=\"mark\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"),
        1 => format!("<path class=\"mark\" d=\"M{x:.1} {y:.1}m-4-4h8v8h-8z\"/>"),
        2 => format!("<path class=\"mark\" d=\"M{x:.1} {y:.1}m0-5l5 9h-10z\"/>"),
        _ => format!("<path class=\"mark\" d=\"M{x:.1} {y:.1}m0-5l5 5l-5 5l-5-5z\"/>"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_and_every_name_is_in_the_picture() {
        let points = vec![(1000.0, 0.4), (10_000.0, 0.5), (1_000_000.0, 0.7)];
        let lines =
            ["a < b", "second", "third", "fourth", "fifth"].map(|name| Line { name: name.into(), points: points.clone() });
        let (across, up) = (("rows", Scale::Logarithmic), ("ms", Scale::Linear));
        let svg = Chart { title: "Cost & size".into(), across, up, lines: lines.into() }.svg();
        // The fifth line looks like the first; each has a mark in the legend.
        assert_eq!(svg.matches("<circle").count(), 2 * (3 + 1));
        // A tenfold of a thousandfold is a third of the width.
        assert!(
            svg.contains("<polyline class=\"line\" points=\"72.0,") && svg.contains(" 292.0,") && svg.contains(" 732.0,"),
            "{svg}"
        );
        assert!(svg.contains(">a &lt; b<") && svg.contains(">Cost &amp; size<") && svg.contains(">1M<"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn a_chart_of_nothing_is_empty_axes() {
        let svg = Chart { title: "x".into(), across: ("a", Scale::Linear), up: ("b", Scale::Logarithmic), lines: vec![] }.svg();
        assert!(!svg.contains("NaN") && !svg.contains("polyline"), "{svg}");
    }
}
