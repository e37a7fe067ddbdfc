//! Lines of bounded length: a line that is too long is passed over, never held.

use std::io::{self, BufRead};

/// Longest line in bytes, its end not counted.
pub(crate) const MAXIMUM_LINE_BYTES: usize = 4 * 1024 * 1024;

/// What stands between two line ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// A line longer than [`MAXIMUM_LINE_BYTES`], which is gone.
    TooLong,
}

/// Reads the next line; `None` at the end of input. A last line without an end is a line.
pub(crate) fn next_line(input: &mut dyn BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut too_long = false;
    let mut seen = false;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            break;
        }
        seen = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        too_long |= line.len() + part.len() > MAXIMUM_LINE_BYTES;
        if too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let consumed = end.map_or(chunk.len(), |position| position + 1);
        input.consume(consumed);
        if end.is_some() {
            break;
        }
    }
    Ok(match (seen, too_long) {
        (false, _) => None,
        (true, true) => Some(Line::TooLong),
        (true, false) => Some(Line::Whole(line)),
    })
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    fn lines_of(input: impl Read) -> Vec<Line> {
        let mut input = BufReader::with_capacity(1000, input);
        std::iter::from_fn(|| next_line(&mut input).unwrap()).collect()
    }

    #[test]
    fn a_last_line_without_an_end_is_a_line() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(lines_of(&b"a\nb"[..]), [whole("a"), whole("b")]);
        assert_eq!(lines_of(&b"a\n\nb\n"[..]), [whole("a"), whole(""), whole("b")]);
        assert_eq!(lines_of(&b""[..]), []);
    }

    #[test]
    fn the_longest_line_is_read_and_one_byte_more_is_not() {
        let longest = std::io::repeat(b'x').take(MAXIMUM_LINE_BYTES as u64);
        assert_eq!(lines_of(longest), [Line::Whole(vec![b'x'; MAXIMUM_LINE_BYTES])]);
        let longer = std::io::repeat(b'x').take(MAXIMUM_LINE_BYTES as u64 + 1);
        let next = &b"\nnext\n"[..];
        assert_eq!(lines_of(longer.chain(next)), [Line::TooLong, Line::Whole(b"next".to_vec())]);
    }
}
