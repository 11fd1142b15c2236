//! Texts in messages, quoted as Juju does.

use std::fmt::Display;

/// `["a" "b"]`, as Go writes a list.
pub fn list<T: AsRef<str>>(texts: &[T]) -> String {
    let quoted: Vec<_> = texts.iter().map(|it| format!("{:?}", it.as_ref())).collect();
    format!("[{}]", quoted.join(" "))
}

/// `1 unit`, `2 units`.
pub fn count(n: impl Into<u64>, what: &str) -> String {
    let n = n.into();
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Several things in one sentence: `a, b and c`.
pub fn and<T: Display>(things: &[T]) -> String {
    let texts: Vec<_> = things.iter().map(T::to_string).collect();
    match texts.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_numbers() {
        assert_eq!(list(&["a", "b \"c\""]), r#"["a" "b \"c\""]"#);
        assert_eq!([count(1u32, "unit"), count(2u32, "unit")], ["1 unit", "2 units"]);
        assert_eq!([and(&["a"]), and(&["a", "b"]), and(&["a", "b", "c"])], ["a", "a and b", "a, b and c"]);
    }
}
