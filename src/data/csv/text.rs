//! A file as clean text: checked UTF-8, without byte order mark, with a line feed at the end of every line.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

use crate::data::error::DataError;

const BLOCK: usize = 64 * 1024;

/// A comment after the last line, following the byte that starts comments. It becomes part of a record only if a quote
/// is not closed.
pub(super) const END: &[u8; 2] = b"\x03\n";

/// The largest record, in bytes: otherwise a quote that is not closed would read the whole file into memory.
const LONGEST_RECORD: usize = 256 << 20;

/// Reads bytes and returns UTF-8 text in which `\r\n` and `\r` are replaced by `\n`, the last line ends with `\n`, and
/// [`END`] follows.
///
/// Bytes that are not text end the reading with an error that [`error`] converts to a [`DataError`].
pub(super) struct Text<R> {
    inner: R,
    /// The bytes read; first an incomplete character of the block before.
    raw: Vec<u8>,
    out: Vec<u8>,
    at: usize,
    /// The number of complete lines, and of bytes in the current line.
    lines: usize,
    in_line: usize,
    started: bool,
    after_return: bool,
    done: bool,
    comment: u8,
    /// The number of bytes returned since the last complete record.
    pending: Rc<Cell<usize>>,
}

/// Why bytes are not text. Lines and bytes count from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    Binary { line: usize, byte: usize },
    NotUtf8 { line: usize, byte: usize },
    TooLong { line: usize },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not text")
    }
}

impl std::error::Error for Fault {}

impl<R: Read> Text<R> {
    pub(super) fn new(inner: R, comment: u8) -> Self {
        Self {
            inner,
            comment,
            pending: Rc::default(),
            raw: Vec::with_capacity(BLOCK + 4),
            out: Vec::with_capacity(BLOCK + 4),
            at: 0,
            lines: 0,
            in_line: 0,
            started: false,
            after_return: false,
            done: false,
        }
    }

    /// The number of bytes returned; the reader of records resets it to 0 after each record.
    pub(super) fn pending(&self) -> Rc<Cell<usize>> {
        self.pending.clone()
    }

    fn refill(&mut self) -> io::Result<()> {
        let carried = self.raw.len();
        self.raw.resize(carried + BLOCK, 0);
        let read = loop {
            match self.inner.read(&mut self.raw[carried..]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.raw.truncate(carried + read);
        self.done = read == 0;
        let mut from = 0;
        if !self.started {
            self.started = true;
            if self.raw.starts_with(&[0xef, 0xbb, 0xbf]) {
                from = 3;
            }
        }
        // A zero byte is more informative than an invalid character before it.
        if let Some(zero) = self.raw.iter().position(|&b| b == 0) {
            let (line, byte) = self.place(&self.raw[from..zero]);
            return Err(io::Error::other(Fault::Binary { line, byte }));
        }
        let whole = match std::str::from_utf8(&self.raw) {
            Ok(text) => text.len(),
            Err(e) if e.error_len().is_none() && !self.done => e.valid_up_to(),
            Err(e) => {
                let (line, byte) = self.place(&self.raw[from..e.valid_up_to()]);
                return Err(io::Error::other(Fault::NotUtf8 { line, byte }));
            }
        };
        self.out.clear();
        self.at = 0;
        clean(&self.raw[from..whole], &mut self.after_return, &mut self.out);
        self.raw.drain(..whole);
        let newlines = self.out.iter().filter(|&&b| b == b'\n').count();
        self.lines += newlines;
        self.in_line = match self.out.iter().rposition(|&b| b == b'\n') {
            Some(last) => self.out.len() - last - 1,
            None => self.in_line + self.out.len(),
        };
        if self.done {
            if self.in_line > 0 {
                self.out.push(b'\n');
            }
            self.out.push(self.comment);
            self.out.extend_from_slice(END);
        }
        Ok(())
    }

    /// Line and byte of the position after `before`, which is the preceding part of this block.
    fn place(&self, before: &[u8]) -> (usize, usize) {
        let mut text = Vec::with_capacity(before.len());
        clean(before, &mut self.after_return.clone(), &mut text);
        match text.iter().rposition(|&b| b == b'\n') {
            Some(last) => (self.lines + text.iter().filter(|&&b| b == b'\n').count() + 1, text.len() - last),
            None => (self.lines + 1, self.in_line + text.len() + 1),
        }
    }
}

/// Appends `raw` with line feeds as line ends; `after_return` remembers a `\r` at the end of a block.
fn clean(raw: &[u8], after_return: &mut bool, out: &mut Vec<u8>) {
    for piece in raw.split_inclusive(|&b| b == b'\r') {
        let piece = if *after_return { piece.strip_prefix(b"\n").unwrap_or(piece) } else { piece };
        if piece.is_empty() {
            *after_return = false;
            continue;
        }
        *after_return = piece.ends_with(b"\r");
        match piece.strip_suffix(b"\r") {
            Some(line) => {
                out.extend_from_slice(line);
                out.push(b'\n');
            }
            None => out.extend_from_slice(piece),
        }
    }
}

impl<R: Read> Read for Text<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.out.len() {
            if self.done {
                return Ok(0);
            }
            self.refill()?;
        }
        let n = buffer.len().min(self.out.len() - self.at);
        buffer[..n].copy_from_slice(&self.out[self.at..self.at + n]);
        self.at += n;
        self.pending.set(self.pending.get() + n);
        if self.pending.get() > LONGEST_RECORD {
            return Err(io::Error::other(Fault::TooLong { line: self.lines + 1 }));
        }
        Ok(n)
    }
}

/// The error of a read, with the name of the file.
pub(super) fn error(file: &str, error: &io::Error) -> DataError {
    let file = file.to_string();
    match error.get_ref().and_then(|e| e.downcast_ref::<Fault>()) {
        Some(&Fault::Binary { line, byte }) => DataError::Binary { file, line, byte },
        Some(&Fault::NotUtf8 { line, byte }) => DataError::NotUtf8 { file, line, byte },
        Some(&Fault::TooLong { line }) => DataError::LongRecord { file, line },
        None => DataError::Io { file, reason: reason(error) },
    }
}

/// The reason from the system in lower case, without its number.
pub(in crate::data) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_lowercase()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a few bytes at a time, so that every boundary is tested.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn read(bytes: &[u8], step: usize) -> Result<String, DataError> {
        let mut text = String::new();
        Text::new(Drip(bytes, step), b'#').read_to_string(&mut text).map_err(|e| error("f", &e))?;
        Ok(text.strip_suffix("#\x03\n").unwrap().into())
    }

    #[test]
    fn line_ends_become_plain_at_every_seam() {
        for step in 1..9 {
            assert_eq!(read("a\r\nσ\rb\n\r\n\r\rc".as_bytes(), step).unwrap(), "a\nσ\nb\n\n\n\nc\n");
            assert_eq!(read(b"a\r", step).unwrap(), "a\n");
            assert_eq!(read(b"", step).unwrap(), "");
        }
        assert_eq!(read(b"\xef\xbb\xbfa,b\n", 100).unwrap(), "a,b\n");
    }

    #[test]
    fn what_is_not_text_is_placed() {
        let file = || "f".to_string();
        for step in [1, 2, 3, 100] {
            assert_eq!(read(b"a\r\nb\xe9c", step), Err(DataError::NotUtf8 { file: file(), line: 2, byte: 2 }));
            assert_eq!(read(b"a\n\nbc\0", step), Err(DataError::Binary { file: file(), line: 3, byte: 3 }));
        }
        assert_eq!(read(b"ab\xc3", 2), Err(DataError::NotUtf8 { file: file(), line: 1, byte: 3 }));
    }
}
