//! Durations as Go writes them: `60.0s`, `1h30m`, `250ms`.

use std::time::Duration;

/// Reads a duration; a bare `0` is one, any other number needs a unit.
pub fn parse(text: &str) -> Result<Duration, String> {
    let invalid = || format!("time: invalid duration {text:?}");
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let mut rest = text;
    let mut total = Duration::ZERO;
    if rest.is_empty() {
        return Err(invalid());
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(invalid)?;
        let (number, after) = rest.split_at(digits);
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let seconds = match unit {
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return Err(invalid()),
        };
        let number: f64 = number.parse().map_err(|_| invalid())?;
        let part = Duration::try_from_secs_f64(number * seconds).map_err(|_| invalid())?;
        total = total.checked_add(part).ok_or_else(invalid)?;
        rest = after;
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn durations_of_go() {
        for (text, millis) in [
            ("60.0s", Some(60_000)),
            ("1h30m", Some(5_400_000)),
            ("250ms", Some(250)),
            ("1m0.5s", Some(60_500)),
            ("0", Some(0)),
            ("0s", Some(0)),
            ("5", None),
            ("", None),
            ("s", None),
            ("-1s", None),
            ("1x", None),
            ("1.2.3s", None),
            ("99999999999999999999h", None),
        ] {
            assert_eq!(parse(text).ok().map(|it| it.as_millis()), millis, "{text:?}");
        }
    }
}
