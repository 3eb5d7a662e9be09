//! Runs and checks programs.

use std::path::Path;

use mercer::progress::Progress;
use mercer::session::{Session, Setting};

use super::settings::{FAILED, STDIN, Settings, read};
use crate::terminal::{self, Audience, Format, Interrupts, Out, Screen};

/// Runs a script from a file or from stdin. Returns an exit code.
pub fn run(file: &Path, set: Vec<Setting>, settings: &Settings, format: Format) -> u8 {
    if file == Path::new(STDIN) {
        return match read(file) {
            Ok(text) => text_of(&text, STDIN, set, settings, format),
            Err(message) => refuse(format, message),
        };
    }
    play(settings, format, |session, progress, out| {
        session.set(set);
        session.run_file(file, progress, out)
    })
}

/// Runs a program from the command line.
pub fn eval(text: &str, settings: &Settings, format: Format) -> u8 {
    text_of(text, "eval", Vec::new(), settings, format)
}

fn text_of(text: &str, name: &str, set: Vec<Setting>, settings: &Settings, format: Format) -> u8 {
    play(settings, format, |session, progress, out| {
        session.set(set);
        session.run_with(text, name, progress, out)
    })
}

fn play(settings: &Settings, format: Format, run: impl FnOnce(&mut Session, &dyn Progress, Out) -> bool) -> u8 {
    let interrupts = Interrupts::listen(Audience::Script);
    let mut session = match settings.session() {
        Ok(session) => session,
        Err(message) => return refuse(format, message),
    };
    let mut screen = Screen::new(format).plain(settings.plain);
    let (well, stopped) = terminal::play(&mut screen, &interrupts, |progress, out| run(&mut session, progress, out));
    if well && !stopped { 0 } else { FAILED }
}

/// Reports errors in a script without running it.
pub fn check(file: &Path, settings: &Settings, format: Format) -> u8 {
    let mut session = match settings.reading() {
        Ok(session) => session,
        Err(message) => return refuse(format, message),
    };
    let faults = if file == Path::new(STDIN) {
        match read(file) {
            Ok(text) => session.check(&text, STDIN),
            Err(message) => return refuse(format, message),
        }
    } else {
        session.check_file(file)
    };
    let screen = Screen::new(format).plain(settings.plain);
    for fault in &faults {
        screen.diagnostic(fault, session.sources());
    }
    u8::from(faults.iter().any(|fault| fault.is_error()))
}

fn refuse(format: Format, message: String) -> u8 {
    Screen::new(format).error(message);
    FAILED
}
