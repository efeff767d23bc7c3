//! One plot as SVG: lines over time or over a share.

use plotters::prelude::*;

/// Width and height of a plot, in pixels.
const SIZE: (u32, u32) = (1040, 300);

/// Colours of lines, after Okabe and Ito: they can be told apart without red and green.
pub(super) const COLOURS: [(u8, u8, u8); 8] = [
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (213, 94, 0),
    (120, 100, 20),
    (110, 110, 110),
];

/// A plot that could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("a plot cannot be drawn: {0}")]
pub struct PlotError(String);

/// A plot.
#[derive(Debug)]
pub(super) struct Chart {
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) lines: Vec<Line>,
}

/// What an axis measures, from where to where.
#[derive(Debug)]
pub(super) struct Axis {
    pub(super) name: &'static str,
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) scale: Scale,
}

/// How values become places, and what is written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Plain numbers.
    Linear,
    /// Hundredths.
    Percent,
    /// Seconds, given as their decimal logarithm: see [`decades`].
    Decades,
}

/// A named curve.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) colour: (u8, u8, u8),
    pub(super) points: Vec<(f64, f64)>,
    /// What is below it is tinted.
    pub(super) filled: bool,
    pub(super) width: u32,
}

impl Axis {
    /// From nothing to a little above the greatest value.
    pub(super) fn up_to(name: &'static str, greatest: f64, scale: Scale) -> Self {
        Self { name, from: 0.0, to: (greatest * 1.08).max(1.0), scale }
    }

    /// Of spans up to `longest` seconds, from a millisecond.
    pub(super) fn decades(name: &'static str, longest: f64) -> Self {
        let to = (decades(longest) + 0.1).max(0.0);
        Self { name, from: SHORTEST, to, scale: Scale::Decades }
    }

    fn label(&self, value: f64) -> String {
        match self.scale {
            Scale::Percent => format!("{:.0} %", value * 100.0),
            Scale::Decades if value < -0.01 => format!("{:.0} ms", 1e3 * 10_f64.powf(value)),
            Scale::Decades => format!("{:.0} s", 10_f64.powf(value)),
            Scale::Linear if self.to < 10.0 => format!("{value:.1}"),
            Scale::Linear => format!("{value:.0}"),
        }
    }
}

/// A millisecond, as [`decades`].
const SHORTEST: f64 = -3.0;

/// A span for an axis of decades; none is shorter than a millisecond there.
pub(super) fn decades(seconds: f64) -> f64 {
    libm::log10(seconds).max(SHORTEST)
}

impl Chart {
    /// As an `svg` element.
    ///
    /// # Errors
    ///
    /// The plot cannot be drawn.
    pub(super) fn svg(&self) -> Result<String, PlotError> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        self.draw(&area).map_err(|error| PlotError(error.to_string()))?;
        drop(area);
        Ok(svg)
    }

    fn draw<'a>(&self, area: &Area<'a>) -> Result<(), Failure<'a>> {
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(self.x.from..self.x.to, self.y.from..self.y.to)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(226, 226, 226))
            .axis_style(RGBColor(110, 110, 110))
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .x_desc(self.x.name)
            .y_desc(self.y.name)
            .x_labels(12)
            .y_labels(6)
            .x_label_formatter(&|value| self.x.label(*value))
            .y_label_formatter(&|value| self.y.label(*value))
            .draw()?;
        for line in &self.lines {
            let colour = RGBColor(line.colour.0, line.colour.1, line.colour.2);
            if line.filled {
                let points = line.points.iter().copied();
                chart.draw_series(AreaSeries::new(points, self.y.from, colour.mix(0.25)))?;
            }
            let style = colour.stroke_width(line.width);
            chart.draw_series(LineSeries::new(line.points.iter().copied(), style))?;
        }
        area.present()
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;
