//! Names in the order a person expects: `web/2` before `web/10`, `0/lxd/9` before `0/lxd/10`.

use std::cmp::Ordering;

/// Compares chunk by chunk, runs of digits as numbers (Juju 3.6 `internal/naturalsort`).
pub fn compare(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        match (a.is_empty(), b.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        let (text_a, number_a, rest_a) = split(a);
        let (text_b, number_b, rest_b) = split(b);
        match text_a.cmp(text_b).then_with(|| by_value(number_a, number_b)) {
            Ordering::Equal => (a, b) = (rest_a, rest_b),
            other => return other,
        }
    }
}

/// The names of a map, or any others, in that order.
pub fn sorted<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
    let mut names: Vec<_> = names.into_iter().map(String::as_str).collect();
    names.sort_by(|a, b| compare(a, b).then_with(|| a.cmp(b)));
    names
}

/// Text before the first digit, the digits, the rest.
fn split(text: &str) -> (&str, &str, &str) {
    let start = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let end = text[start..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |it| start + it);
    (&text[..start], &text[start..end], &text[end..])
}

/// Digits of any number compared as numbers; none is less than zero.
fn by_value(a: &str, b: &str) -> Ordering {
    let significant = |digits: &str| digits.trim_start_matches('0').len();
    a.is_empty()
        .cmp(&b.is_empty())
        .reverse()
        .then_with(|| significant(a).cmp(&significant(b)))
        .then_with(|| a.trim_start_matches('0').cmp(b.trim_start_matches('0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_as_numbers() {
        let names =
            ["web/10", "web/2", "web", "0/lxd/10", "0/lxd/9", "0", "10", "9", "a1b2", "a1b10", "x007", "x7"];
        let names: Vec<_> = names.map(String::from).into();
        assert_eq!(
            sorted(&names),
            ["0", "0/lxd/9", "0/lxd/10", "9", "10", "a1b2", "a1b10", "web", "web/2", "web/10", "x007", "x7"]
        );
    }

    #[test]
    fn numbers_of_any_length_are_fine() {
        let (a, b) = ("m".to_owned() + &"9".repeat(40), "m".to_owned() + &"1".repeat(41));
        assert_eq!(compare(&a, &b), Ordering::Less);
    }
}
