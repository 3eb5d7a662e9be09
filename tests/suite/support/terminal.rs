//! A program in a pseudo-terminal: the test presses keys and waits for output.

use std::io::{Read, Write};
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pty, open};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// Slow machines need this time; tests that pass do not wait for it.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Terminal {
    child: Child,
    pty: Arc<Pty>,
    /// The output of the program as it is written; closed when the program ends.
    written: Receiver<Vec<u8>>,
    /// Output that was received but not yet waited for.
    unread: Vec<u8>,
}

impl Terminal {
    pub fn open(command: Command) -> Self {
        let (pty, inner) = open().expect("a terminal");
        // Keys that are pressed ahead would be echoed among the output.
        let mut modes = tcgetattr(&inner).expect("the terminal's modes");
        modes.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&inner, OptionalActions::Now, &modes).expect("no echo");
        let child = command.spawn(inner).expect("the program starts");
        let pty = Arc::new(pty);
        let (sender, written) = channel();
        let reader = Arc::clone(&pty);
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            // the read fails once the program has closed its side
            while let Ok(count @ 1..) = (&*reader).read(&mut chunk) {
                if sender.send(chunk[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, pty, written, unread: Vec::new() }
    }

    #[track_caller]
    pub fn press(&mut self, keys: &str) {
        self.press_bytes(keys.as_bytes());
    }

    /// Sends bytes, which need not be text.
    #[track_caller]
    pub fn press_bytes(&mut self, keys: &[u8]) {
        (&*self.pty).write_all(keys).expect("the terminal takes keys");
    }

    /// Waits for a text. Returns the output before it.
    #[track_caller]
    pub fn wait(&mut self, text: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.unread.windows(text.len()).position(|window| window == text.as_bytes()) {
                let before: Vec<u8> = self.unread.drain(..at + text.len()).take(at).collect();
                return String::from_utf8_lossy(&before).into_owned();
            }
            match self.written.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(chunk) => self.unread.extend(chunk),
                Err(why) => panic!("no {text:?} ({why}) in {:?}", String::from_utf8_lossy(&self.unread)),
            }
        }
    }

    /// Waits until the program has ended.
    #[track_caller]
    pub fn ended(mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.written.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return self.child.wait().expect("an end"),
                Err(RecvTimeoutError::Timeout) => panic!("the program does not end"),
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // after its end there is nothing to stop
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
