//! Line charts as SVG.

use std::fmt::Write as _;

/// A line with a name.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    /// From left to right.
    pub(crate) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
/// Around the lines: left, right, top, bottom.
const MARGIN: (f64, f64, f64, f64) = (64.0, 24.0, 44.0, 52.0);
const COLOURS: [&str; 4] = ["#2563eb", "#d97706", "#059669", "#9333ea"];

/// A chart of these lines. The vertical axis begins at zero; the horizontal one is logarithmic if wished.
pub(crate) fn lines(title: &str, across: &str, up: &str, logarithmic: bool, series: &[Series]) -> String {
    let points = || series.iter().flat_map(|line| line.points.iter().copied());
    let scale = |x: f64| if logarithmic { x.max(1.0).log10() } else { x };
    let (left, right) =
        points().map(|(x, _)| scale(x)).fold((f64::MAX, f64::MIN), |(least, most), x| (least.min(x), most.max(x)));
    let top = round_up(points().map(|(_, y)| y).fold(0.0, f64::max));
    let (wide, high) = (WIDTH - MARGIN.0 - MARGIN.1, HEIGHT - MARGIN.2 - MARGIN.3);
    let x_of = |x: f64| MARGIN.0 + wide * (scale(x) - left) / (right - left).max(f64::MIN_POSITIVE);
    let y_of = |y: f64| MARGIN.2 + high * (1.0 - y / top);

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{}\" y=\"24\" font-size=\"15\">{}</text>\n",
        MARGIN.0,
        escaped(title),
    );
    // Writing to a String cannot fail.
    for step in 0..=4 {
        let value = top * f64::from(step) / 4.0;
        let y = y_of(value);
        let _ = writeln!(svg, "<path d=\"M{:.1} {y:.1}H{:.1}\" stroke=\"#ddd\"/>", MARGIN.0, WIDTH - MARGIN.1);
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>", MARGIN.0 - 8.0, y + 4.0);
    }
    for (x, _) in series.iter().max_by_key(|line| line.points.len()).map(|line| line.points.as_slice()).unwrap_or_default() {
        let at = HEIGHT - MARGIN.3 + 18.0;
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{at}\" text-anchor=\"middle\">{}</text>", x_of(*x), grouped(*x));
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n<text x=\"12\" y=\"{}\">{}</text>",
        MARGIN.0 + wide / 2.0,
        HEIGHT - 12.0,
        escaped(across),
        MARGIN.2 - 8.0,
        escaped(up),
    );
    for (at, (line, colour)) in series.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let place = |(x, y): &(f64, f64)| format!("{:.1},{:.1}", x_of(*x), y_of(*y));
        let path: Vec<_> = line.points.iter().map(place).collect();
        let _ = writeln!(svg, "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>", path.join(" "));
        for (x, y) in &line.points {
            let _ = writeln!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>", x_of(*x), y_of(*y));
        }
        let y = MARGIN.2 + 14.0 * f64::from(u8::try_from(at).unwrap_or(u8::MAX)) - 6.0;
        let x = WIDTH - MARGIN.1;
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\" fill=\"{colour}\">{}</text>", escaped(&line.name));
    }
    svg + "</svg>\n"
}

/// The next greater number that has one digit other than zero, or 1.5, 2.5.
fn round_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    [1.0, 1.5, 2.0, 2.5, 4.0, 6.0, 8.0, 10.0].into_iter().map(|step| step * power).find(|limit| *limit >= value).unwrap_or(value)
}

/// A whole number with a comma before every three digits.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_in_the_picture() {
        let series = [Series { name: "a < b".into(), points: vec![(1000.0, 0.4), (10_000.0, 0.5), (1_000_000.0, 0.7)] }];
        let svg = lines("Cost & size", "rows", "ms", true, &series);
        assert_eq!(svg.matches("<circle").count(), 3);
        // A thousandth of the width is a third of it on a logarithmic axis.
        assert!(svg.contains("<polyline points=\"64.0,") && svg.contains(" 274.7,") && svg.contains(" 696.0,"), "{svg}");
        assert!(svg.contains("a &lt; b") && svg.contains("Cost &amp; size") && svg.contains(">1,000,000<"), "{svg}");
    }

    #[test]
    fn axes_end_above_the_greatest_value() {
        assert_eq!([0.7, 1.2, 10.0, 0.0].map(|value| round_up(value).to_string()), ["0.8", "1.5", "10", "1"]);
    }
}
