//! The only place that prints.
//!
//! Standard output carries data and nothing else, so that it can be piped; everything for people goes
//! to standard error. Progress stands on the last line of a terminal and is taken back before anything
//! else is written. Colour is for terminals.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::Serialize;

use crate::{
    error::{Error, Result},
    output::{Format, Table, json, yaml},
};

/// Where output goes.
pub struct Printer {
    out: Box<dyn Write + Send>,
    err: Box<dyn Write + Send>,
    settings: Settings,
    /// Whether anything was written to standard output.
    written: bool,
    /// Whether a progress line stands on the terminal.
    progress: bool,
}

/// How to print.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub out_is_terminal: bool,
    pub err_is_terminal: bool,
    /// No progress and no informative messages.
    pub quiet: bool,
    /// More of them.
    pub verbose: bool,
    /// Colour even where there is no terminal (`--color`).
    pub force_color: bool,
    /// `--no-color`, `NO_COLOR`, `TERM=dumb`.
    pub no_color: bool,
}

/// What `--format` and `-o` ask for.
#[derive(Clone, Debug)]
pub struct Output {
    pub format: Format,
    pub file: Option<PathBuf>,
}

impl Printer {
    pub fn new(out: Box<dyn Write + Send>, err: Box<dyn Write + Send>, settings: Settings) -> Self {
        Self { out, err, settings, written: false, progress: false }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    pub fn has_written(&self) -> bool {
        self.written
    }

    /// Whether standard output gets colour.
    pub fn color(&self) -> bool {
        !self.settings.no_color && (self.settings.out_is_terminal || self.settings.force_color)
    }

    fn err_color(&self) -> bool {
        !self.settings.no_color && self.settings.err_is_terminal
    }

    // Data.

    /// Writes to standard output as it is.
    pub fn data(&mut self, text: &str) -> Result {
        self.end_progress();
        self.written = true;
        match self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()) {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(Error::BrokenPipe),
            Err(e) => Err(Error::Failed(format!("cannot write the output: {e}"))),
            Ok(()) => Ok(()),
        }
    }

    /// Writes to the file that `-o` names, or to standard output.
    pub fn text(&mut self, output: &Output, text: &str) -> Result {
        match &output.file {
            None => self.data(text),
            Some(path) => self.write_file(path, text),
        }
    }

    fn write_file(&mut self, path: &Path, text: &str) -> Result {
        self.written = true;
        std::fs::write(path, text).map_err(|e| Error::Failed(format!("cannot write {}: {e}", path.display())))
    }

    /// Writes a value in the format asked for; `other` makes the text of a format that is not data.
    pub fn value<T: Serialize>(
        &mut self,
        output: &Output,
        value: &T,
        other: impl FnOnce(&T, bool) -> String,
    ) -> Result {
        let text = match output.format {
            Format::Json => json::to_string(value) + "\n",
            Format::Yaml => yaml::to_string(value),
            _ => other(value, self.color() && output.file.is_none()),
        };
        self.text(output, &text)
    }

    /// A value that has no format of its own for people: YAML is that.
    pub fn yaml_or_json<T: Serialize>(&mut self, output: &Output, value: &T) -> Result {
        self.value(output, value, |value, _| yaml::to_string(value))
    }

    pub fn table(&mut self, table: &Table) -> Result {
        let text = table.render(self.color());
        self.data(&text)
    }

    /// Empties the screen, for output that repeats itself.
    pub fn clear_screen(&mut self) -> Result {
        self.data("\u{1b}c")
    }

    // For people. A message that cannot be written is lost: there is nowhere left to say so.

    /// An informative line, which `--quiet` leaves out.
    pub fn info(&mut self, text: impl AsRef<str>) {
        if !self.settings.quiet {
            self.line(text.as_ref());
        }
    }

    /// A line that only `--verbose` shows.
    pub fn detail(&mut self, text: impl AsRef<str>) {
        if self.settings.verbose && !self.settings.quiet {
            self.line(text.as_ref());
        }
    }

    pub fn warning(&mut self, text: impl AsRef<str>) {
        self.marked("WARNING", "\u{1b}[33m", text.as_ref());
    }

    pub fn error(&mut self, text: impl AsRef<str>) {
        self.marked("ERROR", "\u{1b}[31m", text.as_ref());
    }

    fn marked(&mut self, mark: &str, color: &str, text: &str) {
        let text = if self.err_color() {
            format!("{color}{mark}\u{1b}[0m {text}")
        } else {
            format!("{mark} {text}")
        };
        self.line(&text);
    }

    /// Text for people without a line end: a question, a growing line of dots.
    pub fn raw(&mut self, text: &str) {
        self.end_progress();
        let _ = self.err.write_all(text.as_bytes());
        let _ = self.err.flush();
    }

    fn line(&mut self, text: &str) {
        self.raw(&format!("{}\n", text.trim_end_matches('\n')));
    }

    /// Shows what is going on, on a terminal's last line, in place of what was shown before.
    pub fn progress(&mut self, text: &str) {
        if self.settings.err_is_terminal && !self.settings.quiet {
            let _ = write!(self.err, "\r\u{1b}[2K{text}");
            let _ = self.err.flush();
            self.progress = true;
        }
    }

    pub fn end_progress(&mut self) {
        if std::mem::take(&mut self.progress) {
            let _ = self.err.write_all(b"\r\x1b[2K");
            let _ = self.err.flush();
        }
    }
}

#[cfg(test)]
pub mod testing {
    //! A printer whose output can be looked at.

    use std::sync::{Arc, Mutex};

    use super::*;

    /// What was printed.
    #[derive(Clone, Default)]
    pub struct Captured(Arc<Mutex<(Vec<u8>, Vec<u8>)>>);

    impl Captured {
        pub fn printer(&self, settings: Settings) -> Printer {
            Printer::new(Box::new(End(self.clone(), false)), Box::new(End(self.clone(), true)), settings)
        }

        pub fn out(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().0.clone()).unwrap()
        }

        pub fn err(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().1.clone()).unwrap()
        }
    }

    struct End(Captured, bool);

    impl Write for End {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut both = self.0.0.lock().unwrap();
            let to = if self.1 { &mut both.1 } else { &mut both.0 };
            to.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{testing::Captured, *};

    #[test]
    fn data_and_messages_stay_apart() {
        let seen = Captured::default();
        let mut printer = seen.printer(Settings::default());
        printer.info("hello");
        assert!(!printer.has_written());
        printer.data("1\n").unwrap();
        printer.warning("careful");
        printer.error("no\n");
        assert!(printer.has_written());
        assert_eq!((seen.out().as_str(), seen.err().as_str()), ("1\n", "hello\nWARNING careful\nERROR no\n"));
    }

    #[test]
    fn quiet_leaves_errors() {
        let seen = Captured::default();
        let mut printer = seen.printer(Settings { quiet: true, verbose: true, ..Settings::default() });
        printer.info("a");
        printer.detail("b");
        printer.progress("c");
        printer.error("d");
        assert_eq!(seen.err(), "ERROR d\n");
    }

    #[test]
    fn progress_is_for_terminals_and_is_taken_back() {
        let seen = Captured::default();
        let mut printer = seen.printer(Settings::default());
        printer.progress("working");
        assert_eq!(seen.err(), "");

        let mut printer =
            seen.printer(Settings { err_is_terminal: true, no_color: true, ..Settings::default() });
        printer.progress("one");
        printer.progress("two");
        printer.info("done");
        assert_eq!(seen.err(), "\r\u{1b}[2Kone\r\u{1b}[2Ktwo\r\u{1b}[2Kdone\n");
    }

    #[test]
    fn a_reader_that_has_gone_is_no_complaint() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut printer = Printer::new(Box::new(Gone), Box::new(io::sink()), Settings::default());
        assert!(matches!(printer.data("x"), Err(Error::BrokenPipe)));
    }

    #[test]
    fn values_are_written_as_asked() {
        let seen = Captured::default();
        let mut printer = seen.printer(Settings::default());
        let value = serde_json::json!({"a": 1});
        for format in [Format::Json, Format::Yaml, Format::Tabular] {
            printer
                .value(&Output { format, file: None }, &value, |_, color| format!("table {color}\n"))
                .unwrap();
        }
        assert_eq!(seen.out(), "{\"a\":1}\na: 1\ntable false\n");

        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x");
        printer
            .value(&Output { format: Format::Json, file: Some(file.clone()) }, &value, |_, _| String::new())
            .unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), "{\"a\":1}\n");
    }
}
