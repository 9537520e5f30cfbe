//! The score of a reviewed game as a picture.

use super::marks::{Mark, Review};
use crate::plot::{PlotLabels, SvgArea, SvgError, axes};
use anyhow::{Result, anyhow};
use plotters::prelude::*;
use std::path::Path;

/// Leads of go beyond this are drawn at the edge.
const MOST_LEAD: f64 = 30.0;
/// Colours of the marks, the least first.
const COLOURS: [RGBColor; 3] = [RGBColor(200, 150, 0), RGBColor(220, 100, 20), RGBColor(190, 20, 40)];

/// Draws the expected score of the side that moves first, in go with its lead below, with the marked moves.
///
/// # Errors
/// Where the file cannot be written.
pub fn draw(path: &Path, title: &str, sides: [&str; 2], review: &Review) -> Result<()> {
    let told = |e: &dyn std::fmt::Display| anyhow!("cannot draw {}: {e}", path.display());
    let curve = review.curve();
    let lead: Vec<(f64, f64)> = curve
        .iter()
        .filter_map(|(ply, _, lead)| Some((*ply as f64, lead.as_ref()?.clamp(-MOST_LEAD, MOST_LEAD))))
        .collect();
    let score: Vec<(f64, f64)> = curve
        .iter()
        .map(|(ply, score, _)| (*ply as f64, 100.0 * score))
        .collect();
    let area = SVGBackend::new(path, (1000, if lead.is_empty() { 420 } else { 760 })).into_drawing_area();
    area.fill(&WHITE).map_err(|e| told(&e))?;
    let (upper, lower) = area.split_vertically(420);
    let what = format!("expected score of {}, %", sides[0]);
    chart(&upper, title, &what, 0.0..100.0, &score, review).map_err(|e| told(&e))?;
    if !lead.is_empty() {
        let what = format!("lead of {}, points", sides[0]);
        chart(&lower, "", &what, -MOST_LEAD..MOST_LEAD, &lead, review).map_err(|e| told(&e))?;
    }
    area.present().map_err(|e| told(&e))
}

fn chart<'a>(
    area: &SvgArea<'a>,
    title: &str,
    what: &str,
    range: std::ops::Range<f64>,
    points: &[(f64, f64)],
    review: &Review,
) -> Result<(), SvgError<'a>> {
    let last = points.last().map_or(1.0, |p| p.0).max(1.0);
    let middle = (range.start + range.end) / 2.0;
    let labels = PlotLabels {
        title,
        axes: ["half-moves", what],
        decimals: 0,
    };
    let mut chart = axes(area, &labels, 0.0..last, range)?;
    let mut below: Vec<(f64, f64)> = points.to_vec();
    below.extend([(last, middle), (points.first().map_or(0.0, |p| p.0), middle)]);
    chart.draw_series([Polygon::new(below, RGBColor(60, 110, 180).mix(0.2))])?;
    chart.draw_series(LineSeries::new(
        points.iter().copied(),
        RGBColor(60, 110, 180).stroke_width(2),
    ))?;
    chart.draw_series(LineSeries::new([(0.0, middle), (last, middle)], &BLACK))?;
    let rows = review.rows();
    for (mark, colour) in Mark::ALL.into_iter().zip(COLOURS) {
        let marked = rows.iter().filter(|r| r.mark == Some(mark));
        let dots = marked.filter_map(|r| points.iter().find(|p| p.0 as usize == r.ply + 1));
        let dots: Vec<Circle<(f64, f64), i32>> = dots.map(|p| Circle::new(*p, 5, colour.filled())).collect();
        chart
            .draw_series(dots)?
            .label(format!("{} {}", mark.sign(), mark.name()))
            .legend(move |(x, y)| Circle::new((x + 8, y), 5, colour.filled()));
    }
    if !title.is_empty() {
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK)
            .position(SeriesLabelPosition::LowerLeft)
            .draw()?;
    }
    Ok(())
}
