//! The program `mercer`: a prompt, scripts, single expressions.

mod cli;
mod jupyter;
mod lsp;
mod play;
mod repl;
mod terminal;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

use cli::Settings;
use mercer::session::Setting;
use terminal::Format;

/// Gaussian-process models in a small language
#[derive(Debug, Parser)]
#[command(name = "mercer", version, disable_help_subcommand = true, args_conflicts_with_subcommands = true)]
#[command(after_help = "Without a command `mercer` opens a prompt, or runs the program on stdin.")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    settings: Settings,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check a script and run it
    Run {
        /// The script; `-` reads stdin
        file: PathBuf,
        /// A value for a top-level name of the script, such as folds=1..3; can be given several times
        #[arg(long, value_name = "NAME=VALUE", value_parser = Setting::read)]
        set: Vec<Setting>,
        #[command(flatten)]
        settings: Settings,
        /// The format of results and diagnostics
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Report errors in a script without running it
    Check {
        /// The script; `-` reads stdin
        file: PathBuf,
        #[command(flatten)]
        settings: Settings,
        /// The format of diagnostics
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Format scripts
    Fmt {
        /// The scripts; `-` reads stdin and writes stdout
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Change nothing; exit with 1 if a script is not formatted
        #[arg(long)]
        check: bool,
    },
    /// Run a program given on the command line
    Eval {
        /// The program, such as '2 * pi'
        #[arg(allow_hyphen_values = true, value_name = "EXPR")]
        text: String,
        #[command(flatten)]
        settings: Settings,
        /// The format of results and diagnostics
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Show help on a name or topic, or the list of all
    Help { topic: Option<String> },
    /// List the shipped data sets
    Datasets { name: Option<String> },
    /// Write a script that completes commands and options in a shell
    Completions { shell: clap_complete::Shell },
    /// Write the manual page
    Man {
        /// A folder, for a page of each command
        folder: Option<PathBuf>,
    },
    /// Explore kernels and data on a page in the browser, served to this computer only
    Play {
        /// Files of data that the page may read, besides the shipped sets; the first is shown
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        /// The port of the page [default: a free one]
        #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
        port: u16,
        /// Seconds after which a fit is stopped; a figure may take half of it
        #[arg(long, value_name = "SECONDS", default_value_t = play::LIMIT, value_parser = clap::value_parser!(u32).range(1..=3600))]
        limit: u32,
        /// A link that was copied from the page, to see its state again
        #[arg(long, value_name = "LINK")]
        state: Option<String>,
    },
    /// Use the language in Jupyter notebooks
    #[command(subcommand)]
    Jupyter(Notebook),
    /// Serve an editor by the language server protocol on stdin and stdout
    Lsp {
        /// Accepted because editors pass it: stdin and stdout are the only transport
        #[arg(long, hide = true)]
        stdio: bool,
    },
}

#[derive(Debug, Subcommand)]
enum Notebook {
    /// Register the kernel, so that `jupyter lab` offers it
    Install {
        /// A folder such as that of a virtual environment [default: the user's folder of Jupyter]
        #[arg(long, value_name = "DIR")]
        prefix: Option<PathBuf>,
    },
    /// Serve a notebook; Jupyter runs this
    Run {
        /// The file in which Jupyter describes the connection
        connection: PathBuf,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| with_tip(error).exit());
    let code = match arguments.command {
        Some(Command::Run { file, set, settings, format }) => cli::run(&file, set, &settings, format),
        Some(Command::Check { file, settings, format }) => cli::check(&file, &settings, format),
        Some(Command::Fmt { files, check }) => cli::format(&files, check),
        Some(Command::Eval { text, settings, format }) => cli::eval(&text, &settings, format),
        Some(Command::Help { topic }) => cli::help(topic.as_deref(), &mut Arguments::command()),
        Some(Command::Datasets { name }) => cli::datasets(name.as_deref()),
        Some(Command::Completions { shell }) => cli::completions(shell, &mut Arguments::command()),
        Some(Command::Man { folder }) => cli::man(folder.as_deref(), Arguments::command()),
        Some(Command::Play { files, port, limit, state }) => play::run(&files, port, limit, state.as_deref()),
        Some(Command::Jupyter(Notebook::Install { prefix })) => jupyter::install(prefix.as_deref()),
        Some(Command::Jupyter(Notebook::Run { connection })) => jupyter::run(&connection),
        Some(Command::Lsp { .. }) => lsp::start(),
        None if std::io::stdin().is_terminal() => repl::start(&arguments.settings),
        None => cli::run(Path::new(cli::STDIN), Vec::new(), &arguments.settings, Format::Text),
    };
    ExitCode::from(code)
}

/// A tip for options before a command. `mercer file.mer` is not a command; the tip names the right one.
fn with_tip(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::ArgumentConflict {
        let tip = "options stand after the command: `mercer run FILE --out DIR`".to_string();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        return error;
    }
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::InvalidSubcommand => word.clone(),
        _ => return error,
    };
    if word.ends_with(".mer") || Path::new(&word).is_file() {
        let tip = format!("to run a script, write `mercer run {word}`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}
