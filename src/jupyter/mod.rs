//! `mercer jupyter`: the language as a kernel of Jupyter notebooks.
//!
//! The sockets are served by one thread ([`server`]); cells run on another ([`worker`]), so that a stop is heard while
//! a fit runs. Values are shown as text and as SVG, HTML or LaTeX ([`media`]).

mod history;
mod install;
mod media;
mod notice;
mod server;
mod wire;
mod worker;

use std::path::Path;

use jupyter_protocol::ConnectionInfo;
use mercer::lang::eval::host::Folders;
use mercer::session::Session;

use crate::cli::FAILED;
use crate::terminal::{Format, Screen};

/// Registers the kernel. Returns an exit code.
pub fn install(prefix: Option<&Path>) -> u8 {
    let mut screen = Screen::new(Format::Text);
    match install::install(prefix) {
        Ok([kernel, magic]) => {
            screen.line(&format!("wrote {}", kernel.display()));
            screen.line(&format!("wrote {}", magic.display()));
            screen.line("`%run` with this file in a notebook of Python defines the magic `%%mercer`");
            0
        }
        Err(error) => {
            screen.error(error.to_string());
            FAILED
        }
    }
}

/// Ends the kernel when the program that started it has gone without a word; asked for by the variable that clients set.
#[cfg(unix)]
fn follow_parent() {
    let Some(parent) = rustix::process::getppid().filter(|_| std::env::var_os("JPY_PARENT_PID").is_some()) else {
        return;
    };
    std::thread::spawn(move || {
        while rustix::process::getppid() == Some(parent) {
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
        std::process::exit(0);
    });
}

/// Serves a notebook that Jupyter started, by the file of its connection. Returns an exit code.
pub fn run(connection: &Path) -> u8 {
    #[cfg(unix)]
    follow_parent();
    let screen = Screen::new(Format::Text);
    let shown = connection.display();
    let read = std::fs::read(connection).map_err(|error| format!("`{shown}` cannot be read: {error}"));
    let info = read.and_then(|bytes| {
        serde_json::from_slice::<ConnectionInfo>(&bytes)
            .map_err(|error| format!("`{shown}` is not the file of a connection: {error}"))
    });
    let served = info
        .and_then(|info| server::serve(&info, Session::new(Folders::default(), 0)).map_err(|error| error.to_string()));
    match served {
        Ok(()) => 0,
        Err(message) => {
            screen.error(message);
            FAILED
        }
    }
}
