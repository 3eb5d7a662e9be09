//! `mercer play`: kernels and data on a page in the browser.
//!
//! The program serves one page to this computer ([`server`]); only a browser that knows the address of the page may ask
//! it ([`guard`]). The browser holds the state ([`state`]) and sends it whole; the answer is computed from it alone: its
//! data and model ([`scene`]), what the figures show ([`view`]), the figures and texts ([`frame`]), the evidence along
//! each parameter ([`curves`]) and a fit ([`optimum`]). All of it comes from statements of the language in a session that
//! reads only what was named on the command line, and the page shows these statements as a script. Work has a time limit
//! ([`jobs`]).

mod curves;
mod fault;
mod frame;
mod guard;
mod house;
mod jobs;
mod optimum;
mod scene;
mod script;
mod server;
mod slider;
mod state;
mod view;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mercer::data;
use mercer::lang::values::value::limit_lists;
use mercer::render::without_controls;

use crate::cli::FAILED;
use crate::terminal::{Format, Screen};
use house::{House, MOST_ROWS, MOST_VALUES, too_many_rows};

/// The default time limit of a fit in seconds.
pub const LIMIT: u32 = 10;

/// Serves the page until the program is ended. Returns an exit code.
pub fn run(files: &[PathBuf], port: u16, limit: u32, link: Option<&str>) -> u8 {
    let mut screen = Screen::new(Format::Text);
    limit_lists(MOST_VALUES);
    let served = checked(files).and_then(|files| {
        let house = House { files, limit: Duration::from_secs(limit.into()) };
        let fragment = link.map_or(Ok(String::new()), fragment)?;
        let ready = |address: &str| {
            screen.line(&format!("{address}{fragment}"));
            screen.remark("open this address in a browser on this computer; Ctrl-C ends the page");
        };
        server::serve(house, port, ready).map_err(|error| error.to_string())
    });
    match served {
        Ok(()) => 0,
        Err(message) => {
            Screen::new(Format::Text).error(message);
            FAILED
        }
    }
}

/// The part of a copied link that is its state, with the mark before it.
fn fragment(link: &str) -> Result<String, String> {
    match link.split_once('#') {
        Some((_, state)) => Ok(format!("#{}", without_controls(state))),
        None => Err(format!(
            "the link has no state: `{}` has no `#`; quotes keep a shell from reading it",
            without_controls(link)
        )),
    }
}

/// The names of files, after each was read: a mistake in a file is told before the page is served.
fn checked(files: &[PathBuf]) -> Result<Arc<[Arc<str>]>, String> {
    let one = |file: &PathBuf| {
        let name = file.to_str().ok_or_else(|| format!("the name of `{}` is not UTF-8 text", file.display()))?;
        if data::sets::find(name).is_some() {
            return Err(format!("`{name}` is a shipped set, which the page offers anyway; `./{name}` is a file"));
        }
        let read = data::load(name, &[], &data::Options::default()).map_err(|error| error.to_string())?;
        if read.n() > MOST_ROWS {
            return Err(too_many_rows(name, read.n()));
        }
        Ok(Arc::from(name))
    };
    files.iter().map(one).collect()
}
