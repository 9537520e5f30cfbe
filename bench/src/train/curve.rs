//! The losses of a run as a picture.

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use std::path::Path;

/// Draws both losses over the epochs into an SVG file.
pub fn draw(path: &Path, title: &str, what: &str, losses: &[[f64; 2]]) -> Result<()> {
    let told = |e: &dyn std::fmt::Display| anyhow!("cannot draw {}: {e}", path.display());
    let all = losses.iter().flatten().copied().filter(|x| x.is_finite());
    let (low, high) = all.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
    if low > high {
        return Ok(());
    }
    let room = (high - low).max(1e-6) * 0.05;
    let area = SVGBackend::new(path, (900, 500)).into_drawing_area();
    area.fill(&WHITE).map_err(|e| told(&e))?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 20))
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d(1.0..losses.len().max(2) as f64, low - room..high + room)
        .map_err(|e| told(&e))?;
    chart
        .configure_mesh()
        .x_desc("epoch")
        .y_desc(what)
        .draw()
        .map_err(|e| told(&e))?;
    for (k, (name, colour)) in [("training", BLUE), ("held out", RED)].into_iter().enumerate() {
        let points = losses.iter().enumerate().map(|(i, l)| (i as f64 + 1.0, l[k]));
        chart
            .draw_series(LineSeries::new(points, &colour))
            .map_err(|e| told(&e))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour));
    }
    chart
        .configure_series_labels()
        .border_style(BLACK)
        .draw()
        .map_err(|e| told(&e))?;
    area.present().map_err(|e| told(&e))
}
