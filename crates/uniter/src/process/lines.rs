//! Output as lines, whatever comes.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Longer lines are cut into pieces of this, as Juju does.
const MAX_LINE: usize = 4096;

/// Reads a pipe line by line, in bounded memory.
pub(super) struct Lines<R> {
    pipe: R,
    held: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(pipe: R) -> Self {
        Lines { pipe, held: Vec::new() }
    }

    /// Hands on each line, until the pipe ends or breaks. Bytes that are no text are replaced.
    pub(super) async fn each(mut self, mut line: impl FnMut(&str)) {
        let mut buffer = vec![0; 16 << 10];
        loop {
            let count = match self.pipe.read(&mut buffer).await {
                Ok(0) | Err(_) => break,
                Ok(count) => count,
            };
            self.take(&buffer[..count], &mut line);
        }
        if !self.held.is_empty() {
            emit(&self.held, &mut line);
        }
    }

    fn take(&mut self, mut bytes: &[u8], line: &mut impl FnMut(&str)) {
        while !bytes.is_empty() {
            let room = MAX_LINE - self.held.len();
            match bytes.iter().take(room + 1).position(|it| *it == b'\n') {
                Some(end) => {
                    self.held.extend(&bytes[..end]);
                    bytes = &bytes[end + 1..];
                    emit(&self.held, line);
                    self.held.clear();
                }
                None if bytes.len() <= room => {
                    self.held.extend(bytes);
                    return;
                }
                None => {
                    self.held.extend(&bytes[..room]);
                    bytes = &bytes[room..];
                    // A letter that the cut would split goes to the next piece.
                    let whole = self.held.len() - split_letter(&self.held);
                    emit(&self.held[..whole], line);
                    self.held.drain(..whole);
                }
            }
        }
    }
}

fn emit(bytes: &[u8], line: &mut impl FnMut(&str)) {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    line(&String::from_utf8_lossy(bytes));
}

/// How many bytes at the end are the beginning of a letter.
fn split_letter(bytes: &[u8]) -> usize {
    for back in 1..=3.min(bytes.len()) {
        let byte = bytes[bytes.len() - back];
        let needs = match byte {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            0x80..=0xbf => continue,
            _ => return 0,
        };
        return if needs > back { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(input: &[u8]) -> Vec<String> {
        let mut got = vec![];
        Lines::new(input).each(|it| got.push(it.to_owned())).await;
        got
    }

    #[tokio::test]
    async fn lines_are_cut_and_replaced_but_never_lost() {
        assert_eq!(lines(b"a\nb\r\n\nc").await, ["a", "b", "", "c"]);
        assert_eq!(lines(b"").await, [""; 0]);
        assert_eq!(lines(b"x\xffy\n").await, ["x\u{fffd}y"]);
        let long = "z".repeat(MAX_LINE);
        assert_eq!(lines(format!("{long}\n").as_bytes()).await, [long.as_str()]);
        assert_eq!(lines(format!("{long}1\n2").as_bytes()).await, [long.as_str(), "1", "2"]);
        // The cut comes in the middle of a letter of three bytes.
        let text = format!("{}€end", "z".repeat(MAX_LINE - 1));
        assert_eq!(lines(text.as_bytes()).await, [&"z".repeat(MAX_LINE - 1), "€end"]);
        let text = "€".repeat(100_000);
        assert_eq!(lines(text.as_bytes()).await.concat(), text);
        let noise: Vec<u8> = (0..100_000u32).map(|it| 128 + (it % 64) as u8).collect();
        assert!(lines(&noise).await.iter().all(|it| it.len() <= 3 * MAX_LINE));
    }
}
