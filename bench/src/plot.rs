//! What the plots of this program share.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::ops::Range;

/// A drawing of an SVG file, or a part of one.
pub type SvgArea<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// Axes on it.
pub type SvgChart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
/// Why it was not drawn.
pub type SvgError<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

/// The words of a plot.
pub struct PlotLabels<'t> {
    /// Above it.
    pub title: &'t str,
    /// Along both axes.
    pub axes: [&'t str; 2],
    /// Decimals of the numbers along the upright axis.
    pub decimals: usize,
}

/// Draws axes with their grid and their words.
///
/// # Errors
/// Where the file cannot be written.
pub fn axes<'a>(
    area: &SvgArea<'a>,
    labels: &PlotLabels,
    x: Range<f64>,
    y: Range<f64>,
) -> Result<SvgChart<'a>, SvgError<'a>> {
    let mut chart = ChartBuilder::on(area)
        .caption(labels.title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(x, y)?;
    let decimals = labels.decimals;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc(labels.axes[0])
        .y_desc(labels.axes[1])
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.decimals$}"))
        .draw()?;
    Ok(chart)
}
