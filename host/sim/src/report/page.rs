//! HTML, escaped where it comes from names.

use super::plot::{Chart, Line, PlotError};
use crate::check::Row;

/// A piece of a page in the making.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    pub(super) fn heading(&mut self, level: u8, text: &str) {
        self.0 += &format!("<h{level}>{}</h{level}>\n", escape(text));
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        self.0 += &format!("<p>{}</p>\n", escape(text));
    }

    /// HTML that was made here.
    pub(super) fn raw(&mut self, html: &str) {
        self.0 += html;
    }

    /// A table; a row with fewer cells than columns has its last one over the rest.
    pub(super) fn table<const N: usize>(&mut self, head: &[&str; N], rows: &[Vec<String>]) {
        let head: String = head.iter().map(|cell| format!("<th>{}</th>", escape(cell))).collect();
        self.0 += &format!("<table>\n<tr>{head}</tr>\n");
        for row in rows {
            let last = row.len().saturating_sub(1);
            let cell = |(place, cell): (usize, &String)| {
                let span = if place == last && row.len() < N {
                    format!(" colspan=\"{}\"", N - last)
                } else {
                    String::new()
                };
                format!("<td{span}>{}</td>", escape(cell))
            };
            self.0 +=
                &format!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<String>());
        }
        self.0 += "</table>\n";
    }

    /// A plot with its caption and legend.
    ///
    /// # Errors
    ///
    /// The plot cannot be drawn.
    pub(super) fn figure(&mut self, caption: &str, chart: &Chart) -> Result<(), PlotError> {
        let drawn = chart.lines.iter().filter(|line| !line.points.is_empty());
        let legend: String = drawn.map(key).collect();
        let svg = chart.svg()?;
        let caption = escape(caption);
        self.0 +=
            &format!("<figure>\n<figcaption>{caption}{legend}</figcaption>\n{svg}</figure>\n");
        Ok(())
    }

    /// The table of levels.
    pub(super) fn levels(&mut self, rows: &[Row]) {
        let cells = |row: &Row| {
            let met = row.found.iter().filter(|found| found.met).count();
            let mark = if row.is_met() { "met" } else { "missed" };
            vec![
                row.case.clone(),
                row.level.clone(),
                row.bound.to_string(),
                crate::check::value(row.worst()),
                format!("{mark} ({met} of {} seeds)", row.found.len()),
            ]
        };
        let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
        self.table(&["case", "figure", "level", "worst", ""], &rows);
    }
}

impl From<Html> for String {
    fn from(html: Html) -> Self {
        html.0
    }
}

/// A line's colour and name.
fn key(line: &Line) -> String {
    let (red, green, blue) = line.colour;
    let name = escape(&line.name);
    format!(
        "<span class=\"key\"><i style=\"background:rgb({red},{green},{blue})\"></i>{name}</span>"
    )
}

/// A whole page.
pub(super) fn whole(title: &str, body: Html) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>\n{}</style>\n<body>\n{}</body>\n</html>\n",
        include_str!("page.css"),
        body.0
    )
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}
