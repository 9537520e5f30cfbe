//! The ladder as a picture.

use super::report::Ladder;
use crate::plot::{PlotLabels, axes};
use anyhow::{Result, anyhow};
use plotters::prelude::*;
use std::path::Path;

/// The colour of what was measured.
const MEASURED: RGBColor = RGBColor(60, 110, 180);

/// Draws the measured Elo of each level, with its error, over the Elo that it is set to. Without ratings nothing is drawn;
/// whether there is a picture.
///
/// # Errors
/// Where the file cannot be written.
pub fn draw(path: &Path, ladder: &Ladder) -> Result<bool> {
    let told = |e: &dyn std::fmt::Display| anyhow!("cannot draw {}: {e}", path.display());
    let points: Vec<(f64, f64, f64)> = ladder
        .rows
        .iter()
        .filter_map(|row| {
            row.measured
                .map(|m| (f64::from(row.elo), m.elo, m.error.unwrap_or(0.0)))
        })
        .collect();
    let ends = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
        low - 50.0..high + 50.0
    };
    if points.is_empty() {
        return Ok(false);
    }
    let x = ends(&mut points.iter().map(|p| p.0));
    let y = ends(&mut points.iter().flat_map(|p| [p.0, p.1 - p.2, p.1 + p.2]));
    let area = SVGBackend::new(path, (900, 600)).into_drawing_area();
    area.fill(&WHITE).map_err(|e| told(&e))?;
    let title = format!("Levels of {}, {} games", ladder.game, ladder.games);
    let labels = PlotLabels {
        title: &title,
        axes: ["Elo that the level is set to", "measured Elo"],
        decimals: 0,
    };
    let mut chart = axes(&area, &labels, x, y).map_err(|e| told(&e))?;
    let even = points.iter().map(|p| (p.0, p.0));
    chart
        .draw_series(LineSeries::new(even, &BLACK.mix(0.4)))
        .map_err(|e| told(&e))?;
    chart
        .draw_series(LineSeries::new(points.iter().map(|p| (p.0, p.1)), &MEASURED))
        .map_err(|e| told(&e))?;
    let bars = points
        .iter()
        .map(|&(x, y, error)| PathElement::new([(x, y - error), (x, y + error)], MEASURED));
    chart.draw_series(bars).map_err(|e| told(&e))?;
    let dots = points
        .iter()
        .map(|&(x, y, _)| Circle::new((x, y), 4, MEASURED.filled()));
    chart.draw_series(dots).map_err(|e| told(&e))?;
    area.present().map_err(|e| told(&e))?;
    Ok(true)
}
