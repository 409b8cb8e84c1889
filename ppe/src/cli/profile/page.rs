//! The report of `pmatrix profile` as a page: what the model says against what was measured, for every kind, as a
//! table and as plots. The page needs no other file.

use std::fmt::Write as _;

use pmatrix::session::Measured;
use pmatrix::time::fitted::{Met, Point};

/// Sides of a plot and its margin, in pixels.
const SIDE: f64 = 240.0;
const MARGIN: f64 = 8.0;

/// The worst points of a row that the page names.
const NAMED: usize = 3;

const STYLE: &str = "\
body { font: 14px sans-serif; margin: 2em; color: #222 }
table { border-collapse: collapse }
td, th { padding: 2px 10px; text-align: right; border-bottom: 1px solid #ddd }
td:first-child, th:first-child, td:last-child { text-align: left }
figure { display: inline-block; margin: 8px }
figcaption { font-size: 12px }
svg { border: 1px solid #ccc; background: #fff }
circle { fill: #2266aa; fill-opacity: 0.6 }
line { stroke: #999 }";

/// The whole page.
pub(super) fn page(title: &str, measured: &Measured) -> String {
    let title = escaped(title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<style>\n{STYLE}\n</style></head><body>\n<h1>{title}</h1>\n"
    );
    page.push_str(
        "<p>What the fitted model says against what was measured. A deviation is a share of the measured time.</p>\n\
         <table><tr><th>row</th><th>precision</th><th>measurements</th><th>R&sup2;</th><th>median</th>\
         <th>worst</th><th>the worst</th></tr>\n",
    );
    for met in &measured.met {
        row(&mut page, met);
    }
    page.push_str("</table>\n<h2>Plots</h2>\n<p>Across: measured; up: by the model; both in nanoseconds, logarithmic.</p>\n");
    for met in &measured.met {
        plot(&mut page, met);
    }
    page.push_str("<h2>Outliers</h2>\n");
    match measured.outliers.is_empty() {
        true => page.push_str("<p>No sample was far from the mean of its trial.</p>\n"),
        false => {
            page.push_str("<ul>\n");
            for outlier in &measured.outliers {
                _ = writeln!(page, "<li>{}</li>", escaped(outlier));
            }
            page.push_str("</ul>\n");
        }
    }
    page.push_str("</body></html>\n");
    page
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn row(page: &mut String, met: &Met) {
    let (median, worst) = met.median_and_worst();
    let mut points: Vec<&Point> = met.points.iter().collect();
    points.sort_by(|a, b| b.deviation().abs().total_cmp(&a.deviation().abs()));
    let named: Vec<String> = points
        .iter()
        .take(NAMED)
        .map(|point| format!("{} {:+.1} %", escaped(&point.trial), 100.0 * point.deviation()))
        .collect();
    _ = writeln!(
        page,
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.5}</td><td>{:.2} %</td><td>{:.2} %</td><td>{}</td></tr>",
        met.row,
        met.precision.name(),
        met.points.len(),
        met.r_squared(),
        100.0 * median,
        100.0 * worst,
        named.join("; ")
    );
}

fn plot(page: &mut String, met: &Met) {
    let times =
        || met.points.iter().flat_map(|point| [point.measured, point.predicted]).map(|ns| ns.max(1.0));
    let (least, most) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
    let (low, high) = (least.ln() - 0.1, most.ln() + 0.1);
    let place = |ns: f64| MARGIN + (ns.max(1.0).ln() - low) / (high - low) * (SIDE - 2.0 * MARGIN);
    _ = writeln!(
        page,
        "<figure><svg width=\"{SIDE}\" height=\"{SIDE}\"><line x1=\"{MARGIN}\" y1=\"{end}\" x2=\"{end}\" y2=\"{MARGIN}\"/>",
        end = SIDE - MARGIN
    );
    for point in &met.points {
        _ = writeln!(
            page,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\"><title>{}: measured {:.0} ns, by the model {:.0} ns</title></circle>",
            place(point.measured),
            SIDE - place(point.predicted),
            escaped(&point.trial),
            point.measured,
            point.predicted
        );
    }
    _ = writeln!(
        page,
        "</svg><figcaption>{} {}: {least:.0} to {most:.0} ns</figcaption></figure>",
        met.row,
        met.precision.name()
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use pmatrix::operation::Precision;
    use pmatrix::time::TimeModel;

    #[test]
    fn a_page_has_a_row_and_a_plot_for_each_kind_and_names_what_is_worst() {
        let point = |trial: &str, predicted, measured| Point { trial: trial.into(), predicted, measured };
        let points = vec![point("1x1", 100.0, 100.0), point("a<b", 300.0, 200.0)];
        let met = vec![Met { row: "sin", precision: Precision::Single, points }];
        let model = TimeModel::of_host().unwrap();
        let mut measured = Measured { model, met, outliers: Vec::new() };
        let text = page("a title", &measured);
        assert!(text.contains("<td>sin</td><td>single</td><td>2</td>"), "{text}");
        assert!(text.contains("a&lt;b +50.0 %; 1x1 +0.0 %"), "{text}");
        assert_eq!(text.matches("<circle").count(), 2);
        assert!(text.contains("No sample was far"));
        measured.outliers.push("sin 1x1".into());
        assert!(page("a title", &measured).contains("<li>sin 1x1</li>"));
    }
}
