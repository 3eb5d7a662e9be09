//! The terminal: colours, sizes, a progress bar, Ctrl-C, and the display of items.

mod capability;
mod image;
mod interrupt;
mod matrix;
mod pager;
mod progress_bar;
mod screen;
mod style;

pub use interrupt::{Audience, Interrupts};
pub use matrix::in_short;
pub use progress_bar::watched;
pub use screen::{Format, Screen};
pub use style::{Colour, fit, paint, size};

use mercer::lang::eval::host::Item;
use mercer::progress::Progress;
use mercer::syntax::diagnostic::Sources;

/// The receiver of the items of a run, with the sources of their spans.
pub type Out<'a> = &'a mut (dyn FnMut(Item, &Sources) + Send);

/// Runs work that may take long and shows its output as it is produced. Returns whether it succeeded, and whether
/// Ctrl-C was pressed.
pub fn play(
    screen: &mut Screen,
    interrupts: &Interrupts,
    run: impl FnOnce(&dyn Progress, Out) -> bool,
) -> (bool, bool) {
    let visible = screen.has_meter();
    let (well, stopped) = watched(interrupts, visible, |meter| {
        run(meter, &mut |item, sources| meter.pause(|| screen.item(&item, sources)))
    });
    if stopped && well {
        screen.remark("stopped: this is the best result so far");
    }
    (well, stopped)
}
