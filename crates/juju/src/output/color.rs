//! What a colour stands for; the colours are those of Juju 3.6 `core/output`.

use anstyle::{AnsiColor, Style};

/// Why a text stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Good,
    /// Something to be aware of that may need nothing done.
    Warning,
    Bad,
    Info,
    /// Accompanying values: ports, endpoints.
    Accent,
    /// Texts that should not distract: messages.
    Quiet,
    Header,
}

impl Tone {
    /// The tone of a status word, none for words Juju does not colour.
    pub fn of_status(status: &str) -> Option<Self> {
        Some(match status {
            "active" | "running" | "idle" | "started" | "executing" | "attaching" | "attached" => Self::Good,
            "allocating" | "lost" | "maintenance" | "pending" | "rebooting" | "stopped" | "unknown"
            | "detaching" | "detached" | "waiting" => Self::Warning,
            "blocked" | "down" | "error" | "failed" | "terminated" => Self::Bad,
            _ => return None,
        })
    }

    pub fn paint(self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        let style = self.style();
        format!("{style}{text}{style:#}")
    }

    fn style(self) -> Style {
        let color = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        match self {
            Self::Good => color(AnsiColor::Green),
            Self::Warning => color(AnsiColor::Yellow),
            Self::Bad => color(AnsiColor::Red),
            Self::Info => color(AnsiColor::Cyan),
            Self::Accent => color(AnsiColor::BrightMagenta),
            Self::Quiet => color(AnsiColor::BrightBlack),
            Self::Header => Style::new().bold(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tone;

    #[test]
    fn statuses_have_the_tones_of_juju() {
        assert_eq!(Tone::of_status("active"), Some(Tone::Good));
        assert_eq!(Tone::of_status("lost"), Some(Tone::Warning));
        assert_eq!(Tone::of_status("error"), Some(Tone::Bad));
        assert_eq!(Tone::of_status("applied"), None);
    }

    #[test]
    fn nothing_is_painted_where_there_is_nothing() {
        assert_eq!(Tone::Bad.paint(""), "");
        assert_eq!(Tone::Bad.paint("x"), "\u{1b}[31mx\u{1b}[0m");
    }
}
