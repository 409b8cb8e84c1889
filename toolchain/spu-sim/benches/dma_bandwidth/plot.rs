//! Draws bandwidth against transfer size as a self-contained SVG.

use std::fmt::Write as _;

/// One line of the plot.
pub(crate) struct Curve {
    /// What the legend calls it.
    pub(crate) label: String,
    /// Transfer size in bytes, bandwidth in GB/s.
    pub(crate) points: Vec<(u32, f64)>,
}

/// A published range of bandwidths, drawn as a band over all sizes.
pub(crate) struct Band {
    /// What was published, and where.
    pub(crate) label: &'static str,
    /// Bounds in GB/s.
    pub(crate) range: (f64, f64),
    /// Colour of the curve that it is to be compared with.
    pub(crate) colour: &'static str,
}

/// Colours of the curves in order.
pub(crate) const COLOURS: [&str; 4] = ["#1b6ca8", "#c8651b", "#2e8540", "#8a3a9c"];

const WIDTH: f64 = 920.0;
const HEIGHT: f64 = 560.0;
/// Edges of the area between the axes.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 900.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 440.0;
/// Top of the vertical axis in GB/s.
const MOST: f64 = 28.0;

/// Horizontal place of a transfer size, on a logarithmic axis from 16 bytes to 16 KB.
fn across(size: u32) -> f64 {
    LEFT + (RIGHT - LEFT) * (f64::from(size).log2() - 4.0) / 10.0
}

/// Vertical place of a bandwidth in GB/s.
fn down(bandwidth: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * bandwidth / MOST
}

fn text(svg: &mut String, (x, y): (f64, f64), attributes: &str, words: &str) {
    let _ = writeln!(svg, "<text x='{x:.1}' y='{y:.1}' {attributes}>{words}</text>");
}

fn line(svg: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64), style: &str) {
    let _ = writeln!(svg, "<line x1='{x1:.1}' y1='{y1:.1}' x2='{x2:.1}' y2='{y2:.1}' {style}/>");
}

/// The plot. `peak` is the bandwidth that memory cannot exceed. Labels are plain words without markup.
pub(crate) fn draw(title: &str, curves: &[Curve], bands: &[Band], peak: f64) -> String {
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{HEIGHT}' \
         viewBox='0 0 {WIDTH} {HEIGHT}' font-family='sans-serif' font-size='13'>\n\
         <rect width='100%' height='100%' fill='white'/>\n"
    );
    text(&mut svg, (LEFT, 26.0), "font-size='17'", title);
    for band in bands {
        let (low, high) = band.range;
        let (top, height) = (down(high), down(low) - down(high));
        let _ = writeln!(
            svg,
            "<rect x='{LEFT}' y='{top:.1}' width='{:.1}' height='{height:.1}' fill='{}' fill-opacity='0.14'/>",
            RIGHT - LEFT,
            band.colour
        );
        let style = format!("font-size='12' text-anchor='end' fill='{}'", band.colour);
        // At the lower right of the band: the curves rise at the left, and saturate above.
        text(&mut svg, (RIGHT - 8.0, top + height - 5.0), &style, band.label);
    }
    for tick in (0..=28).step_by(4) {
        let y = down(f64::from(tick));
        line(&mut svg, (LEFT, y), (RIGHT, y), "stroke='#ddd'");
        text(&mut svg, (LEFT - 8.0, y + 4.0), "text-anchor='end'", &tick.to_string());
    }
    for power in 4..=14 {
        let size = 1 << power;
        line(&mut svg, (across(size), TOP), (across(size), BOTTOM), "stroke='#eee'");
        let label = if size < 1024 { format!("{size}") } else { format!("{}K", size / 1024) };
        text(&mut svg, (across(size), BOTTOM + 18.0), "text-anchor='middle'", &label);
    }
    line(&mut svg, (LEFT, down(peak)), (RIGHT, down(peak)), "stroke='#444' stroke-dasharray='6 4'");
    let words = format!("{peak} GB/s: peak of the memory interface");
    text(&mut svg, (LEFT + 8.0, down(peak) - 6.0), "font-size='12' fill='#444'", &words);
    line(&mut svg, (LEFT, BOTTOM), (RIGHT, BOTTOM), "stroke='black'");
    line(&mut svg, (LEFT, TOP), (LEFT, BOTTOM), "stroke='black'");
    text(&mut svg, (f64::midpoint(LEFT, RIGHT), BOTTOM + 40.0), "text-anchor='middle'", "bytes a transfer");
    let middle = f64::midpoint(TOP, BOTTOM);
    let turned = format!("text-anchor='middle' transform='rotate(-90 18 {middle})'");
    text(&mut svg, (18.0, middle), &turned, "GB/s of all SPEs together");
    for (index, (curve, colour)) in curves.iter().zip(COLOURS).enumerate() {
        let points: String =
            curve.points.iter().map(|&(size, y)| format!("{:.1},{:.1} ", across(size), down(y))).collect();
        let _ =
            writeln!(svg, "<polyline points='{points}' fill='none' stroke='{colour}' stroke-width='2.2'/>");
        for &(size, y) in &curve.points {
            let (x, y) = (across(size), down(y));
            let _ = writeln!(svg, "<circle cx='{x:.1}' cy='{y:.1}' r='3.2' fill='{colour}'/>");
        }
        let at = LEFT + 130.0 * index as f64;
        let y = BOTTOM + 64.0;
        line(&mut svg, (at, y), (at + 28.0, y), &format!("stroke='{colour}' stroke-width='2.2'"));
        text(&mut svg, (at + 36.0, y + 4.0), "", &curve.label);
    }
    let note = "Curves: simulated. Bands: published. [P] published page or abstract, [M] a paper from memory, \
                [D] derived (cell-facts C1, C2).";
    text(&mut svg, (LEFT, BOTTOM + 96.0), "font-size='11' fill='#444'", note);
    svg.push_str("</svg>\n");
    svg
}
