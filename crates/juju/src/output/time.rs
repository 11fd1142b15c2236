//! Points in time as Juju writes them. The zone is an argument: nothing here looks at the clock.

use jiff::{Timestamp, Unit, tz::TimeZone};

/// How status output writes times.
#[derive(Clone, Debug)]
pub struct Zone {
    /// `--utc`, or `JUJU_STATUS_ISO_TIME`.
    pub iso: bool,
    pub local: TimeZone,
}

impl Zone {
    /// `02 Mar 2026 10:00:00Z`, with `--utc` `2026-03-02 10:00:00Z`.
    pub fn date_and_time(&self, at: Timestamp) -> String {
        if self.iso {
            return at.strftime("%Y-%m-%d %H:%M:%SZ").to_string();
        }
        self.local(at, "%d %b %Y %H:%M:%S")
    }

    /// `10:00:00Z`.
    pub fn time(&self, at: Timestamp) -> String {
        if self.iso {
            return at.strftime("%H:%M:%SZ").to_string();
        }
        self.local(at, "%H:%M:%S")
    }

    fn local(&self, at: Timestamp, format: &str) -> String {
        let zoned = at.to_zoned_datetime(self.local.clone());
        let offset = zoned.offset().seconds();
        let mut text = zoned.strftime(format).to_string();
        if offset == 0 {
            text.push('Z');
        } else {
            let minutes = offset.abs() / 60;
            text.push(if offset < 0 { '-' } else { '+' });
            text.push_str(&format!("{:02}:{:02}", minutes / 60, minutes % 60));
        }
        text
    }
}

/// `just now`, `5 seconds ago`, `3 minutes ago`, `2 hours ago`, then a date.
pub fn relative(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.since((Unit::Second, at)).map_or(0, |span| span.get_seconds());
    let plural = |n: i64, unit: &str| format!("{n} {unit}{} ago", if n == 1 { "" } else { "s" });
    match seconds {
        ..2 => "just now".to_owned(),
        2..60 => plural(seconds, "second"),
        60..3600 => plural(seconds / 60, "minute"),
        3600..86400 => plural(seconds / 3600, "hour"),
        _ => at.strftime("%Y-%m-%d").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn times_are_local_or_iso() {
        let when = at("2026-03-02T10:00:00.5Z");
        let zone = |hours: i8, iso| Zone { iso, local: TimeZone::fixed(jiff::tz::Offset::constant(hours)) };
        assert_eq!(zone(0, false).date_and_time(when), "02 Mar 2026 10:00:00Z");
        assert_eq!(zone(2, false).date_and_time(when), "02 Mar 2026 12:00:00+02:00");
        assert_eq!(zone(-5, false).time(when), "05:00:00-05:00");
        assert_eq!(zone(2, true).date_and_time(when), "2026-03-02 10:00:00Z");
        assert_eq!(zone(2, true).time(when), "10:00:00Z");
    }

    #[test]
    fn the_past_is_near_or_a_date() {
        let now = at("2026-03-02T10:00:00Z");
        for (then, want) in [
            ("2026-03-02T09:59:59Z", "just now"),
            ("2026-03-02T10:00:09Z", "just now"),
            ("2026-03-02T09:59:55Z", "5 seconds ago"),
            ("2026-03-02T09:59:00Z", "1 minute ago"),
            ("2026-03-02T09:57:00Z", "3 minutes ago"),
            ("2026-03-02T09:00:00Z", "1 hour ago"),
            ("2026-03-02T08:00:00Z", "2 hours ago"),
            ("2026-03-01T10:00:00Z", "2026-03-01"),
        ] {
            assert_eq!(relative(at(then), now), want, "{then}");
        }
    }
}
