//! The terminal: colours, sizes, a progress bar, Ctrl-C, and how items are shown.

mod interrupt;
mod progress_bar;
mod screen;
mod style;

pub use interrupt::{Audience, Interrupts};
pub use progress_bar::watched;
pub use screen::{Format, Screen};
pub use style::{Colour, fit, paint, size};

use mercer::lang::eval::host::Item;
use mercer::progress::Progress;
use mercer::syntax::diagnostic::Sources;

/// Where a run hands its items, with the texts that their places refer to.
pub type Out<'a> = &'a mut (dyn FnMut(Item, &Sources) + Send);

/// Runs something that may take long and shows its output as it is produced. The two values are whether it went well, and
/// whether Ctrl-C was pressed meanwhile.
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
