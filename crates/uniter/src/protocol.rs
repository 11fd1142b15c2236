//! What a hook tool and its agent say to each other: length-prefixed binary frames over the unit's socket.
//!
//! ```text
//! frame    = length (u32, big endian, of what follows) kind (u8) fields
//! field    = length (u32, big endian) bytes
//!
//! tool     RUN         context, working directory, tool's name, arguments…
//!   agent  NEED_STDIN  (only if the tool reads it; the tool's own standard input stays untouched otherwise)
//! tool     STDIN       everything on standard input
//!   agent  DONE        exit code (one byte), stdout, stderr
//! ```
//!
//! Both sides share this module, and it must stay within `std`: `jujuc` is started a hundred times in a hook, so it
//! links nothing that it does not need. Reading and writing are the callers', as one side blocks and one does not.

/// The longest frame either side accepts. The system allows two megabytes of arguments; the rest is room for what
/// charms pipe into `relation-set --file -` and the like.
pub const MAX_FRAME: usize = 16 << 20;
/// Bytes of a frame's length.
pub const HEADER: usize = 4;

/// A frame; [`Frame::encode`] and [`Frame::decode`] are each other's reverse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    Run(Run),
    NeedStdin,
    Stdin(Vec<u8>),
    Done(Done),
}

/// A tool as it was called. Arguments are bytes, since nobody keeps a charm from passing others than text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Run {
    pub context: Vec<u8>,
    pub dir: Vec<u8>,
    pub tool: Vec<u8>,
    pub args: Vec<Vec<u8>>,
}

/// What the tool's process prints, and how it ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Done {
    pub code: u8,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// A frame that does not keep to the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    TooLong(usize),
    CutShort,
    UnknownKind(u8),
    Surplus,
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Malformed::TooLong(length) => write!(f, "frame of {length} bytes is longer than {MAX_FRAME}"),
            Malformed::CutShort => f.write_str("frame ends too early"),
            Malformed::UnknownKind(kind) => write!(f, "frame of unknown kind {kind}"),
            Malformed::Surplus => f.write_str("frame goes on after its end"),
        }
    }
}

impl std::error::Error for Malformed {}

const RUN: u8 = 1;
const STDIN: u8 = 2;
const NEED_STDIN: u8 = 3;
const DONE: u8 = 4;

/// The length of the frame whose header this is.
pub fn frame_length(header: [u8; HEADER]) -> Result<usize, Malformed> {
    match u32::from_be_bytes(header) as usize {
        0 => Err(Malformed::CutShort),
        length if length > MAX_FRAME => Err(Malformed::TooLong(length)),
        length => Ok(length),
    }
}

impl Frame {
    /// The frame with its header, or the length that is too much.
    pub fn encode(&self) -> Result<Vec<u8>, Malformed> {
        let mut out = vec![0; HEADER];
        match self {
            Frame::Run(run) => {
                out.push(RUN);
                for field in [&run.context, &run.dir, &run.tool].into_iter().chain(&run.args) {
                    put(&mut out, field)?;
                }
            }
            Frame::NeedStdin => out.push(NEED_STDIN),
            Frame::Stdin(bytes) => {
                out.push(STDIN);
                put(&mut out, bytes)?;
            }
            Frame::Done(done) => {
                out.push(DONE);
                out.push(done.code);
                put(&mut out, &done.stdout)?;
                put(&mut out, &done.stderr)?;
            }
        }
        let length = out.len() - HEADER;
        if length > MAX_FRAME {
            return Err(Malformed::TooLong(length));
        }
        out[..HEADER].copy_from_slice(&(length as u32).to_be_bytes());
        Ok(out)
    }

    /// The frame that stands in `body`, which has no header any more.
    pub fn decode(body: &[u8]) -> Result<Frame, Malformed> {
        let (&kind, mut rest) = body.split_first().ok_or(Malformed::CutShort)?;
        let frame = match kind {
            RUN => {
                let (context, dir, tool) = (take(&mut rest)?, take(&mut rest)?, take(&mut rest)?);
                let mut args = Vec::new();
                while !rest.is_empty() {
                    args.push(take(&mut rest)?);
                }
                Frame::Run(Run { context, dir, tool, args })
            }
            NEED_STDIN => Frame::NeedStdin,
            STDIN => Frame::Stdin(take(&mut rest)?),
            DONE => {
                let (&code, after) = rest.split_first().ok_or(Malformed::CutShort)?;
                rest = after;
                Frame::Done(Done { code, stdout: take(&mut rest)?, stderr: take(&mut rest)? })
            }
            kind => return Err(Malformed::UnknownKind(kind)),
        };
        if rest.is_empty() { Ok(frame) } else { Err(Malformed::Surplus) }
    }
}

fn put(out: &mut Vec<u8>, field: &[u8]) -> Result<(), Malformed> {
    if field.len() > MAX_FRAME {
        return Err(Malformed::TooLong(field.len()));
    }
    out.extend((field.len() as u32).to_be_bytes());
    out.extend(field);
    Ok(())
}

fn take(rest: &mut &[u8]) -> Result<Vec<u8>, Malformed> {
    let (length, after) = rest.split_first_chunk::<4>().ok_or(Malformed::CutShort)?;
    let length = u32::from_be_bytes(*length) as usize;
    let (field, after) = after.split_at_checked(length).ok_or(Malformed::CutShort)?;
    *rest = after;
    Ok(field.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(frame: &Frame) -> Vec<u8> {
        let bytes = frame.encode().unwrap();
        let header = *bytes.first_chunk::<HEADER>().unwrap();
        assert_eq!(frame_length(header).unwrap(), bytes.len() - HEADER);
        bytes[HEADER..].to_vec()
    }

    #[test]
    fn frames_come_back_as_they_went() {
        for frame in [
            Frame::Run(Run::default()),
            Frame::Run(Run {
                context: b"shop/0-install-1".to_vec(),
                dir: b"/var/lib".to_vec(),
                tool: b"relation-set".to_vec(),
                args: vec![b"".to_vec(), b"k=\xff\0".to_vec(), b"-".to_vec()],
            }),
            Frame::NeedStdin,
            Frame::Stdin(vec![]),
            Frame::Stdin(vec![0; 70_000]),
            Frame::Done(Done { code: 2, stdout: b"out".to_vec(), stderr: b"".to_vec() }),
        ] {
            assert_eq!(Frame::decode(&body(&frame)).unwrap(), frame);
        }
    }

    #[test]
    fn every_cut_and_every_surplus_is_refused() {
        let run = Run { args: vec![b"a".to_vec()], ..Run::default() };
        for frame in [Frame::Run(run), Frame::Done(Done::default()), Frame::Stdin(vec![1])] {
            let whole = body(&frame);
            for end in 0..whole.len() {
                // A run may well end before its arguments.
                let cut = Frame::decode(&whole[..end]);
                assert!(
                    cut.is_err() || matches!(cut, Ok(Frame::Run(ref it)) if it.args.is_empty()),
                    "{frame:?} to {end}"
                );
            }
        }
        assert_eq!(Frame::decode(&[NEED_STDIN, 0]), Err(Malformed::Surplus));
        assert_eq!(Frame::decode(&[9]), Err(Malformed::UnknownKind(9)));
        assert_eq!(Frame::decode(&[STDIN, 0xff, 0xff, 0xff, 0xff, 1]), Err(Malformed::CutShort));
        assert_eq!(frame_length([0; 4]), Err(Malformed::CutShort));
        assert_eq!(frame_length([0xff; 4]), Err(Malformed::TooLong(u32::MAX as usize)));
        assert!(matches!(Frame::Stdin(vec![0; MAX_FRAME]).encode(), Err(Malformed::TooLong(_))));
    }
}
