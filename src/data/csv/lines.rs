//! Removes lines above a table and replaces runs of blanks by one separator; line numbers do not change.

use std::io::{self, Read};

/// The separator that replaces runs of blanks.
pub(super) const BLANKS_BECOME: u8 = b'\t';

/// Reads clean text and returns text with the same number of lines.
pub(super) struct Lines<R> {
    inner: R,
    /// The number of lines still to be emptied.
    skip: usize,
    /// Whether runs of blanks are replaced by [`BLANKS_BECOME`].
    blanks: bool,
    at: Place,
}

/// The position of the last byte.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Start,
    /// In blanks after a field.
    Gap,
    Field,
    Quotes,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(inner: R, skip: usize, blanks: bool) -> Self {
        Self { inner, skip, blanks, at: Place::Start }
    }

    /// Keeps the bytes to return, at most as many as there were.
    fn keep(&mut self, bytes: &mut [u8]) -> usize {
        let mut to = 0;
        for from in 0..bytes.len() {
            let byte = bytes[from];
            if self.skip > 0 {
                if byte != b'\n' {
                    continue;
                }
                self.skip -= 1;
            } else if self.blanks {
                let blank = matches!(byte, b' ' | b'\t');
                match (self.at, byte) {
                    (Place::Quotes, b'"') => self.at = Place::Field,
                    (Place::Quotes, _) => {}
                    (_, b'\n') => self.at = Place::Start,
                    (Place::Start, _) if blank => continue,
                    (Place::Field, _) if blank => {
                        self.at = Place::Gap;
                        continue;
                    }
                    (Place::Gap, _) if blank => continue,
                    (before, _) => {
                        if before == Place::Gap {
                            // a blank was dropped before, so there is room
                            bytes[to] = BLANKS_BECOME;
                            to += 1;
                        }
                        let opens = byte == b'"' && before != Place::Field;
                        self.at = if opens { Place::Quotes } else { Place::Field };
                    }
                }
            }
            bytes[to] = byte;
            to += 1;
        }
        to
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.skip == 0 && !self.blanks {
            return self.inner.read(buffer);
        }
        // The separator of a gap at the end of one block is in the next block: one byte is reserved for it.
        let Some((_, rest)) = buffer.split_first_mut() else { return Ok(0) };
        if rest.is_empty() {
            return Err(io::Error::other("a buffer of one byte"));
        }
        loop {
            let n = self.inner.read(&mut buffer[1..])?;
            if n == 0 {
                return Ok(0);
            }
            let gap = self.at == Place::Gap && self.skip == 0;
            let kept = if gap {
                // a blank before the block, which was dropped there
                buffer[0] = b' ';
                self.keep(&mut buffer[..=n])
            } else {
                let kept = self.keep(&mut buffer[1..=n]);
                buffer.copy_within(1..=kept, 0);
                kept
            };
            if kept > 0 {
                return Ok(kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, skip: usize, blanks: bool, step: usize) -> String {
        let mut lines = Lines::new(text.as_bytes(), skip, blanks);
        let (mut out, mut buffer) = (Vec::new(), vec![0; step]);
        loop {
            let n = lines.read(&mut buffer).unwrap();
            if n == 0 {
                return String::from_utf8(out).unwrap();
            }
            out.extend_from_slice(&buffer[..n]);
        }
    }

    #[test]
    fn lines_are_emptied_and_blanks_joined_at_every_seam() {
        for step in 2..12 {
            assert_eq!(read("one, two\nthree\na,b\n", 2, false, step), "\n\na,b\n");
            assert_eq!(read("  a   b \n1\t 2\n\" x  y\"  3\n", 0, true, step), "a\tb\n1\t2\n\" x  y\"\t3\n");
        }
    }
}
