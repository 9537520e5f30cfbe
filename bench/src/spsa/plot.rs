//! The course of a run's values as a picture.

use super::state::SpsaState;
use crate::plot::{PlotLabels, axes};
use anyhow::{Result, anyhow};
use nguky::game::Tunable;
use plotters::prelude::*;
use std::path::Path;

/// Numbers that get a colour and a name in the picture: those that moved farthest. The others are grey.
const NAMED: usize = 12;

/// Draws how far each number has moved from where the run began, in steps of its own, into an SVG file. `all` is the pairs
/// of the run.
///
/// # Errors
/// When the file cannot be written.
pub fn draw(path: &Path, game: &str, state: &SpsaState, numbers: &[Tunable], all: u64) -> Result<()> {
    let failed = |e: &dyn std::fmt::Display| anyhow!("cannot draw {}: {e}", path.display());
    let Some((_, first)) = state.course.first() else {
        return Ok(());
    };
    let line = |i: usize| -> Vec<(f64, f64)> {
        let step = f64::from(numbers[i].step.max(1));
        let moved = |(played, values): &(u64, Vec<f64>)| (*played as f64, (values[i] - first[i]) / step);
        state.course.iter().map(moved).collect()
    };
    let mut lines: Vec<(usize, Vec<(f64, f64)>)> = (0..numbers.len()).map(|i| (i, line(i))).collect();
    let end = |points: &[(f64, f64)]| points.last().map_or(0.0, |p| p.1.abs());
    lines.sort_by(|a, b| end(&a.1).total_cmp(&end(&b.1)));
    let most = lines.iter().flat_map(|(_, points)| points);
    let most = most.fold(1.0, |most: f64, p| most.max(p.1.abs())) * 1.05;
    let area = SVGBackend::new(path, (1000, 600)).into_drawing_area();
    area.fill(&WHITE).map_err(|e| failed(&e))?;
    let labels = PlotLabels {
        title: &format!("{game}: values over {all} pairs"),
        axes: ["pairs of games", "moved, in steps of each number"],
        decimals: 1,
    };
    let mut chart = axes(&area, &labels, 0.0..all as f64, -most..most).map_err(|e| failed(&e))?;
    let grey = lines.len().saturating_sub(NAMED);
    for (_, points) in &lines[..grey] {
        let series = LineSeries::new(points.iter().copied(), RGBColor(200, 200, 200));
        chart.draw_series(series).map_err(|e| failed(&e))?;
    }
    for (rank, (i, points)) in lines[grey..].iter().rev().enumerate() {
        let colour = Palette99::pick(rank).to_rgba();
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))
            .map_err(|e| failed(&e))?
            .label(format!(
                "{} {:+.1}",
                numbers[*i].name,
                points.last().map_or(0.0, |p| p.1)
            ))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .draw()
        .map_err(|e| failed(&e))?;
    area.present().map_err(|e| failed(&e))
}
