//! `mercer help`, `mercer datasets`, the manual pages and the completions of shells.

use std::io::{self, Write};
use std::path::Path;

use clap_complete::Shell;
use clap_mangen::Man;
use mercer::data::sets::{self, Set};
use mercer::lang::help as manual;
use mercer::lang::registry;
use mercer::lang::wording::nearest;
use mercer::syntax::diagnostic::{Diagnostic, Sources};

use super::settings::FAILED;
use crate::terminal::{Format, Screen, fit};

/// The option that all commands have.
const HELP: &str = "help";

/// Help on a name of the language or a command of the program; without a name the table of contents.
pub fn help(topic: Option<&str>, commands: &mut clap::Command) -> u8 {
    let mut screen = Screen::new(Format::Text);
    let Some(name) = topic else {
        screen.line(&format!("Commands\n{}", command_list(commands)));
        screen.line(&format!("\n{}", manual::contents(registry::library())));
        screen.line("\n`mercer help NAME` shows the options of each");
        return 0;
    };
    commands.build();
    match manual::topic(registry::library(), Some(name)) {
        Ok(text) => screen.prose(&text),
        Err(error) => match commands.find_subcommand_mut(name) {
            Some(command) => screen.line(command.render_long_help().to_string().trim_end()),
            None => {
                screen.diagnostic(&Diagnostic::from(error), &Sources::new());
                return FAILED;
            }
        },
    }
    0
}

fn command_list(commands: &clap::Command) -> String {
    let all: Vec<_> = commands.get_subcommands().filter(|command| !command.is_hide_set()).collect();
    let width = all.iter().map(|command| command.get_name().len()).max().unwrap_or(0);
    let lines = all.iter().map(|command| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        format!("  {:width$}  {about}", command.get_name())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The script that completes the commands and options of the program in a shell.
pub fn completions(shell: Shell, commands: &mut clap::Command) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(shell, commands, "mercer", &mut script);
    Screen::new(Format::Text).line(String::from_utf8_lossy(&script).trim_end());
    0
}

/// The manual page of the program with all commands, or with a folder a page for each.
pub fn man(folder: Option<&Path>, commands: clap::Command) -> u8 {
    let mut screen = Screen::new(Format::Text);
    let written = match folder {
        Some(folder) => std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(commands, folder))
            .map(|()| format!("wrote the pages to {}", folder.display())),
        None => single_page(commands),
    };
    match written {
        Ok(text) => {
            screen.line(&text);
            0
        }
        Err(error) => {
            screen.error(format!("the pages cannot be written: {error}"));
            FAILED
        }
    }
}

/// One page in the format of `man`, with a subsection for each command.
fn single_page(mut commands: clap::Command) -> io::Result<String> {
    commands.build();
    let program = Man::new(commands.clone());
    let mut page = Vec::new();
    program.render_title(&mut page)?;
    program.render_name_section(&mut page)?;
    program.render_synopsis_section(&mut page)?;
    program.render_description_section(&mut page)?;
    program.render_options_section(&mut page)?;
    writeln!(page, ".SH COMMANDS")?;
    command_sections(&commands, &mut page)?;
    program.render_extra_section(&mut page)?;
    program.render_version_section(&mut page)?;
    Ok(String::from_utf8_lossy(&page).trim_end().to_owned())
}

/// The subsections of the commands of a command: what each does, how it is called, and its options.
fn command_sections(of: &clap::Command, page: &mut Vec<u8>) -> io::Result<()> {
    for command in of.get_subcommands().filter(|command| !command.is_hide_set()) {
        if command.has_subcommands() {
            command_sections(command, page)?;
            continue;
        }
        writeln!(page, ".SS {}", command.get_bin_name().unwrap_or(command.get_name()))?;
        let mut command = command.clone();
        if command.get_arguments().any(|argument| argument.get_id() == HELP) {
            // The option is that of the program, which stands above.
            command = command.mut_arg(HELP, |argument| argument.hide(true));
        }
        let has_options = command.get_arguments().any(|argument| !argument.is_hide_set());
        let man = Man::new(command);
        without_heading(page, |part| man.render_description_section(part))?;
        writeln!(page, ".PP")?;
        without_heading(page, |part| man.render_synopsis_section(part))?;
        if has_options {
            without_heading(page, |part| man.render_options_section(part))?;
        }
    }
    Ok(())
}

/// A section without the lines of its headings; lines of text that begin with a dot are escaped.
fn without_heading(page: &mut Vec<u8>, render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut part = Vec::new();
    render(&mut part)?;
    for line in String::from_utf8_lossy(&part).lines().filter(|line| !line.starts_with(".SH ")) {
        writeln!(page, "{line}")?;
    }
    Ok(())
}

/// The list of shipped data sets, or the description of one.
pub fn datasets(name: Option<&str>) -> u8 {
    let mut screen = Screen::new(Format::Text);
    let Some(name) = name else {
        let columns = screen.columns();
        for line in list() {
            screen.line(&columns.map_or(line.clone(), |columns| fit(&line, columns)));
        }
        return 0;
    };
    match sets::find(name) {
        Some(set) => {
            screen.line(&page(set));
            0
        }
        None => {
            let fault = Diagnostic::error(format!("there is no data set `{name}`"));
            let near = nearest(name, sets::names()).map(|near| format!("did you mean `{near}`?"));
            screen.diagnostic(&fault.maybe_help(near), &Sources::new());
            FAILED
        }
    }
}

fn list() -> Vec<String> {
    let longest = |text: fn(&Set) -> &str| sets::SETS.iter().map(|set| text(set).len()).max().unwrap_or(0);
    let (names, targets) = (longest(|set| set.name), longest(|set| set.target));
    let lines = sets::SETS.iter().map(|set| {
        let Set { name, target, rows, title, .. } = set;
        format!("{name:names$}  {rows:>5} rows  {target:targets$}  {title}")
    });
    lines.collect()
}

fn page(set: &Set) -> String {
    let units: Vec<String> = set.units.iter().map(|(column, unit)| format!("{column} ({unit})")).collect();
    let rest = set.rest.map(|unit| format!("; the others in {unit}")).unwrap_or_default();
    let Set { name, title, about, rows, target, origin, read_from, licence, .. } = set;
    format!(
        "{name}: {title}\n  {about}\n\n  rows     {rows}\n  target   {target}\n  columns  {}{rest}\n  origin   \
         {origin}\n  read     {read_from}\n  licence  {licence}\n\n  > load(\"{name}\") |> summary",
        units.join(", ")
    )
}
