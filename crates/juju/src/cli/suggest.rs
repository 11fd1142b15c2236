//! What may have been meant by a word that is not a command.

/// The nearest of the names, if one is near enough to have been meant.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody meant a command by a word this long.
    if word.len() > 64 {
        return None;
    }
    let (distance, name) = names.into_iter().map(|it| (distance(word, it), it)).min()?;
    (distance <= (word.chars().count() / 2).max(1)).then_some(name)
}

/// The number of letters to change, add or remove (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<_> = b.chars().collect();
    let mut row: Vec<_> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for j in 0..b.len() {
            let change = diagonal + usize::from(a != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let names = ["status", "show-unit", "switch", "deploy", "models"];
        for (word, want) in [
            ("statsu", Some("status")),
            ("swich", Some("switch")),
            ("deploi", Some("deploy")),
            ("modles", Some("models")),
            ("frobnicate", None),
            ("x", None),
            (&"y".repeat(10_000), None),
        ] {
            assert_eq!(nearest(word, names), want, "{}", &word[..word.len().min(20)]);
        }
    }
}
