//! Messages on stdin and stdout. A message that cannot be read is answered with an error, and the next one is read.

use std::io::{self, BufRead, Read, Write};
use std::thread::{self, JoinHandle};

use lsp_server::{Connection, ErrorCode, Message};
use serde_json::json;

/// A longer message is refused: no document is as long.
const LONGEST: usize = 256 << 20;
/// A longer header is not of this protocol.
const LONGEST_HEADER: u64 = 8192;

/// Why the input cannot be read any further.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error("the input is not of the language server protocol: {0}")]
    Header(String),
    #[error("a message of {0} bytes is longer than the {LONGEST} that are read")]
    Long(u64),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// A connection to the client on stdin and stdout, and the thread that writes to it.
pub fn connect() -> (Connection, JoinHandle<()>) {
    let (server, client) = Connection::memory();
    let Connection { sender, receiver } = client;
    // It waits for input until the program ends.
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            match next(&mut input) {
                Ok(Some(text)) => match serde_json::from_slice::<Message>(&text) {
                    Ok(message) => {
                        let last = matches!(&message, Message::Notification(n) if n.method == "exit");
                        if sender.send(message).is_err() || last {
                            return;
                        }
                    }
                    Err(error) => refuse(&format!("this is no message: {error}")),
                },
                Ok(None) => return,
                Err(error) => return refuse(&error.to_string()),
            }
        }
    });
    let writer = thread::spawn(move || {
        for message in receiver {
            // The client may have gone.
            if message.write(&mut io::stdout().lock()).is_err() {
                return;
            }
        }
    });
    (server, writer)
}

/// The content of the next message; `None` at the end of the input.
fn next(input: &mut impl BufRead) -> Result<Option<Vec<u8>>, WireError> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        match text.split_once(':') {
            None if text.is_empty() && length.is_some() => break,
            Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => {
                length = value.trim().parse::<u64>().ok();
                if length.is_none() {
                    return Err(WireError::Header(text.to_string()));
                }
            }
            Some(_) => {}
            None => return Err(WireError::Header(text.to_string())),
        }
    }
    let length = length.unwrap_or(0);
    if length > LONGEST as u64 {
        return Err(WireError::Long(length));
    }
    let mut content = Vec::new();
    // memory grows with what arrives and not with what was announced
    let read = input.by_ref().take(length).read_to_end(&mut content)? as u64;
    Ok((read == length).then_some(content))
}

/// Answers a message that cannot be read.
fn refuse(why: &str) {
    let error = json!({ "code": ErrorCode::ParseError as i32, "message": why });
    let text = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
    let mut out = io::stdout().lock();
    // The client may have gone.
    let _ = write!(out, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_one_by_one() {
        let mut input = &b"Content-Length: 2\r\n\r\n{}Content-Type: x\r\ncontent-length: 3\r\n\r\n[1]"[..];
        assert_eq!(next(&mut input).unwrap(), Some(b"{}".to_vec()));
        assert_eq!(next(&mut input).unwrap(), Some(b"[1]".to_vec()));
        assert_eq!(next(&mut input).unwrap(), None);
    }

    #[test]
    fn what_is_no_message_is_refused_without_memory_for_it() {
        let read = |text: &str| next(&mut text.as_bytes());
        assert!(matches!(read("Content-Length: 99999999999999\r\n\r\n"), Err(WireError::Long(99999999999999))));
        assert!(matches!(read("Content-Length: many\r\n\r\n"), Err(WireError::Header(_))));
        assert!(matches!(read("GET / HTTP/1.1\r\n\r\n"), Err(WireError::Header(_))));
        // the input ends within a message
        assert!(matches!(read("Content-Length: 100\r\n\r\n{}"), Ok(None)));
    }
}
