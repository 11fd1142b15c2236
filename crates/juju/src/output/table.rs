//! Tables with elastic columns, byte for byte as Juju's tab writer lays them out.
//!
//! Columns are padded by two spaces, the last cell of a row by nothing. A column may be aligned to the
//! right. Colour changes no width.

use std::io::Write;

use tabwriter::TabWriter;

use super::Tone;

/// One table: a header and rows, which may have different numbers of cells.
#[derive(Clone, Debug, Default)]
pub struct Table {
    right: Vec<usize>,
    rows: Vec<Vec<Cell>>,
}

/// A text and why it stands out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    text: String,
    tone: Option<Tone>,
}

impl Table {
    pub fn new(header: &[&str]) -> Self {
        let header = header.iter().map(|it| Cell::toned(*it, Tone::Header)).collect();
        Self { right: vec![], rows: vec![header] }
    }

    /// A table without a header.
    pub fn bare() -> Self {
        Self::default()
    }

    /// Aligns these columns to the right.
    pub fn align_right(mut self, columns: &[usize]) -> Self {
        self.right = columns.to_vec();
        self
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The number of rows below the header.
    pub fn len(&self) -> usize {
        self.rows.len().saturating_sub(1)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn render(&self, color: bool) -> String {
        let widths: Vec<_> = self
            .right
            .iter()
            .map(|&column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                (column, cells.map(|it| width(&it.text)).max().unwrap_or(0))
            })
            .collect();
        let mut out = TabWriter::new(Vec::new()).minwidth(0).padding(2).ansi(true);
        for row in &self.rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                if column > 0 {
                    line.push('\t');
                }
                if let Some((_, want)) = widths.iter().find(|it| it.0 == column) {
                    line.extend(std::iter::repeat_n(' ', want - width(&cell.text)));
                }
                match cell.tone.filter(|_| color) {
                    Some(tone) => line.push_str(&tone.paint(&cell.text)),
                    None => line.push_str(&cell.text),
                }
            }
            line.push('\n');
            out.write_all(line.as_bytes()).expect("a vector takes all");
        }
        let text = out.into_inner().expect("a vector takes all");
        String::from_utf8(text).expect("made of strings")
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

impl Cell {
    /// A cell; what would break the layout, or a terminal, becomes a space.
    pub fn new(text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.contains(|c: char| c.is_control()) {
            text = text.replace(|c: char| c.is_control(), " ");
        }
        Self { text, tone: None }
    }

    pub fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { tone: Some(tone), ..Self::new(text) }
    }

    /// A status word in its colour.
    pub fn status(status: &str) -> Self {
        Self { tone: Tone::of_status(status), ..Self::new(status) }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

/// Cells of anything that becomes one.
#[macro_export]
macro_rules! cells {
    ($($cell:expr),* $(,)?) => { [$($crate::output::Cell::from($cell)),*] };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_two_apart_and_the_last_is_bare() {
        let mut table = Table::new(&["Name", "Rev", "Message"]).align_right(&[1]);
        table.row(cells!["a", "7", "fine"]);
        table.row(cells!["longer", "1234", ""]);
        assert_eq!(table.render(false), "Name     Rev  Message\na          7  fine\nlonger  1234  \n");
    }

    #[test]
    fn a_short_row_ends_its_columns() {
        let mut table = Table::new(&["Provider", "Type", "Message"]);
        table.row(cells!["pg:db", "regular", ""]);
        table.row(cells!["pg:db", "regular", "broken", "gone away"]);
        assert_eq!(
            table.render(false),
            "Provider  Type     Message\npg:db     regular  \npg:db     regular  broken  gone away\n"
        );
    }

    #[test]
    fn colour_takes_no_room() {
        let mut table = Table::new(&["Status", "X"]);
        table.row([Cell::status("active"), Cell::from("y")]);
        let plain = table.render(false);
        let colored = table.render(true);
        assert_ne!(plain, colored);
        let stripped = anstream::adapter::strip_str(&colored).to_string();
        assert_eq!(stripped, plain);
    }

    #[test]
    fn control_characters_cannot_break_the_layout() {
        let mut table = Table::new(&["A", "B"]);
        table.row(cells!["x\ty\nz", "\u{1b}[31mred"]);
        assert_eq!(table.render(false), "A      B\nx y z   [31mred\n");
    }
}
