//! The prompt, run in a pseudo-terminal.

use std::path::Path;

use snapbox::cmd::cargo_bin;

use crate::support::terminal::Terminal;

/// The editor enables bracketed paste when it starts to read and disables it when a text is entered.
const READY: &str = "\x1B[?2004h";
const ENTERED: &str = "\x1B[?2004l";

struct Prompt(Terminal);

impl Prompt {
    fn open(folder: &Path) -> Self {
        Self::with(folder, &[])
    }

    fn with(folder: &Path, variables: &[(&str, &str)]) -> Self {
        Self::of(pty_process::blocking::Command::new(cargo_bin!("mercer")), folder, variables)
    }

    /// A session that cannot write to any file, as on a full disk: files may have no byte.
    fn without_space(folder: &Path) -> Self {
        let limited = "trap '' XFSZ; ulimit -f 0; exec \"$0\"";
        let command = pty_process::blocking::Command::new("sh").arg("-c").arg(limited).arg(cargo_bin!("mercer"));
        Self::of(command, folder, &[])
    }

    fn of(mut command: pty_process::blocking::Command, folder: &Path, variables: &[(&str, &str)]) -> Self {
        command = command.current_dir(folder).env("MERCER_HISTORY", folder.join("history")).env("TERM", "xterm");
        // Without colours the output is the plain text.
        command = command.env("NO_COLOR", "1").env("MERCER_PAGER", "").envs(variables.iter().copied());
        let mut prompt = Self(Terminal::open(command));
        prompt.wait("`:quit` leaves");
        prompt.ready();
        prompt
    }

    #[track_caller]
    fn wait(&mut self, text: &str) -> String {
        self.0.wait(text)
    }

    /// Waits until the next line can be typed. Returns the output until then.
    #[track_caller]
    fn ready(&mut self) -> String {
        self.wait(READY)
    }

    #[track_caller]
    fn press(&mut self, keys: &str) {
        self.0.press(keys);
    }

    #[track_caller]
    fn press_bytes(&mut self, keys: &[u8]) {
        self.0.press_bytes(keys);
    }

    /// Types a text of one or several lines, and checks the output after the echoed text.
    #[track_caller]
    fn says(&mut self, text: &str, expected: &str) {
        self.press(&format!("{}\r", text.replace('\n', "\r")));
        self.wait(ENTERED);
        let said = self.ready();
        assert!(said.contains(expected), "{text:?} says {said:?} and not {expected:?}");
    }

    #[track_caller]
    fn leave(mut self) {
        self.press(":quit\r");
        self.ends();
    }

    #[track_caller]
    fn ends(self) {
        let status = self.0.ended();
        assert!(status.success(), "{status}");
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_full_disk_leaves_files_and_names_as_they_were() {
    let folder = folder();
    let mut prompt = Prompt::without_space(folder.path());
    prompt.says("let x = 1", "");
    prompt.says(":save new.mer", "`new.mer` was not written");
    prompt.says("write(data(a=[1, 2]), \"table.csv\")", "`table.csv` was not written");
    prompt.says("x + 1", "2");
    prompt.leave();
    for name in ["new.mer", "table.csv"] {
        assert!(!folder.path().join(name).exists(), "{name}");
    }
}

#[test]
fn a_session() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    // A bracket and an operator keep the input open.
    prompt.says("let x = [1,\n  2]", "");
    prompt.says("x +\n40", "[41, 42]");
    // An error, and then a valid statement.
    prompt.says("x + nope", "unknown name `nope`");
    prompt.says("x * 2", "[2, 4]");
    // Continues from the last value.
    prompt.says("|> sum", "6");
    prompt.says("_ + 1", "7");
    prompt.says(":vars", "x  List  [1, 2]");
    prompt.says(":type x", "List");
    prompt.says(":members x", "the number of items");
    prompt.says(":hlep", "did you mean `:help`?");
    prompt.says("?grid", "grid(range, n)");
    prompt.says(":help", ":set [KEY VALUE]");
    // Two empty lines leave an open bracket.
    prompt.says("x(1\n\n\n", "unclosed bracket");
    prompt.leave();
}

#[test]
fn the_last_error_is_explained() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    prompt.says(":explain", "there was no error in this session");
    prompt.says("grid(0..1, n=-1)", "Error");
    prompt.says("1 + 1", "2");
    prompt.says(":explain", "grid(range, n)");
    prompt.says("?|>", "pipes: a value through functions");
    prompt.says("?if", "conditions: true and false");
    prompt.says("?prior", "Parameters and priors");
    // a wide matrix in short
    prompt.says("gram(SE(0, l=1), [x for x in 0..40])", "40 × 40 numbers in short");
    // other names for leaving, unless the user has bound them
    prompt.says("let exit = 3", "");
    prompt.says("exit", "3");
    prompt.press("quit\r");
    prompt.ends();
}

#[test]
fn figures_are_images_where_the_terminal_shows_them() {
    let folder = folder();
    let mut prompt = Prompt::with(folder.path(), &[("KITTY_WINDOW_ID", "1"), ("TMUX", ""), ("STY", "")]);
    prompt.says("plot(SE(0, l=1), x=0..3)", "\x1B_Ga=T,f=100,");
    prompt.says(":set images off", "");
    prompt.press("plot(SE(0, l=1), x=0..3)\r");
    prompt.wait(ENTERED);
    let said = prompt.ready();
    let is_braille = |c: char| ('\u{2801}'..='\u{28FF}').contains(&c);
    assert!(!said.contains("\x1B_G") && said.contains(is_braille), "{said}");
    prompt.leave();
}

/// Names of other terminals, of which the test may be run in one.
const UNNAMED: [(&str, &str); 5] =
    [("KITTY_WINDOW_ID", ""), ("TERM_PROGRAM", ""), ("TMUX", ""), ("STY", ""), ("TERM", "xterm")];

#[test]
fn a_terminal_that_says_so_gets_sixels() {
    let folder = folder();
    let mut prompt = Prompt::with(folder.path(), &UNNAMED);
    prompt.press("plot(SE(0, l=1), x=0..3)\r");
    prompt.wait("\x1B[c");
    // keys that are pressed before the answer belong to the next line
    prompt.press("1 +\x1B[?62;4;22c");
    prompt.wait("\x1BP");
    prompt.wait("\x1B\\");
    prompt.ready();
    prompt.press(" 1\r");
    prompt.wait("\r\n2\r\n");
    prompt.ready();
    // it is asked once
    prompt.press("plot(SE(0, l=1), x=0..3)\r");
    prompt.wait(ENTERED);
    let said = prompt.ready();
    assert!(said.contains("\x1BP") && !said.contains("\x1B[c"), "{}", &said[..said.len().min(200)]);
    prompt.leave();
}

#[test]
fn a_terminal_without_sixels_gets_text() {
    let is_braille = |c: char| ('\u{2801}'..='\u{28FF}').contains(&c);
    for answer in ["\x1B[?64;1;2c", ""] {
        let folder = folder();
        let mut prompt = Prompt::with(folder.path(), &UNNAMED);
        prompt.press("plot(SE(0, l=1), x=0..3)\r");
        prompt.wait("\x1B[c");
        prompt.press(answer);
        let said = prompt.ready();
        assert!(!said.contains("\x1BP") && said.contains(is_braille), "{said}");
        prompt.leave();
    }
}

#[test]
fn wide_tables_fit_the_terminal() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    prompt.press(":set width 80\r");
    prompt.ready();
    prompt.press("load(\"airline\") |> summary\r");
    prompt.wait(ENTERED);
    let said = prompt.ready();
    let table = said.lines().skip_while(|line| !line.contains("role")).take(6);
    assert!(table.clone().any(|line| line.starts_with('─')) && said.contains("119.97"), "{said}");
    assert!(table.clone().all(|line| line.trim_end().chars().count() <= 80), "{said}");
    prompt.leave();
}

#[test]
fn long_output_goes_through_the_pager() {
    let folder = folder();
    let mut prompt = Prompt::with(folder.path(), &[("MERCER_PAGER", "sed s/Kernel/PAGED/")]);
    prompt.says("?", "PAGED families");
    prompt.says(":set pager off", "");
    prompt.says("?", "Kernel families");
    prompt.leave();
}

#[test]
fn names_are_completed() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    let cancel = |prompt: &mut Prompt| {
        prompt.press("\x03");
        prompt.ready();
    };
    prompt.says("let air = load(\"airline\")", "");
    prompt.press("air |> transform(pas\t");
    prompt.wait("transform(passengers=");
    cancel(&mut prompt);
    prompt.press("air |> fit(SE(ye\t");
    prompt.wait("SE(year");
    cancel(&mut prompt);
    prompt.press("air |> fit(SE, res\t");
    prompt.wait("restarts=");
    cancel(&mut prompt);
    prompt.says(":va\t", "air  Data");
    std::fs::write(folder.path().join("script.mer"), "let from_file = 11").unwrap();
    prompt.says(":load scr\t", "");
    prompt.says("from_file * 2", "22");
    prompt.leave();
}

#[test]
fn a_call_shows_its_signature() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    prompt.press("grid(");
    prompt.wait("grid(range, n)");
    prompt.press("0..1, 2)\r");
    prompt.wait("[0, 0.5]");
    prompt.ready();
    prompt.leave();
}

#[test]
fn a_paste_of_many_lines_is_one_program() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    let text = "let a = 20\nlet b = [\n  1,\n  2,\n]\n\nb\n|> sum\n|> (s -> s * a)";
    prompt.press(&format!("\x1B[200~{text}\x1B[201~"));
    prompt.says("", "60");
    // A terminal without bracketed paste.
    prompt.press("let c = [\r1,\r2]\rc |> prod\r\"d\" + \"e\"\r");
    prompt.wait("\r\n2\r\n");
    prompt.wait("\"de\"");
    prompt.ready();
    prompt.leave();
}

#[test]
fn what_is_typed_ahead_is_not_lost() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    prompt.press("[i for i in 0..3000000 if i < 0]\r1 + 1\rlet a = 3\ra + 4\r");
    prompt.wait("[]");
    prompt.wait("\r\n2\r\n");
    prompt.wait("\r\n7\r\n");
    prompt.ready();
    prompt.leave();
}

#[test]
fn ctrl_c_stops_what_runs_and_keeps_what_is_bound() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    prompt.says("let kept = 7; kept", "7");
    prompt.press("[i for i in 0..1000000000000 if i < 0]\r");
    // The progress bar shows that it runs; before that Ctrl-C is an ordinary key.
    prompt.wait("1s");
    prompt.press("\x03");
    prompt.wait("stopped");
    prompt.ready();
    prompt.says("kept + 1", "8");
    // Ctrl-C on an empty line shows how to leave.
    prompt.press("\x03");
    prompt.wait("`:quit` or Ctrl-D leaves");
    prompt.ready();
    prompt.press("\x04");
    prompt.ends();
}

#[test]
fn ctrl_c_gives_the_best_fit_so_far() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    prompt.says("let co2 = load(\"mauna_loa\"); co2.n", "741");
    prompt.press("let m = fit(co2, SE + Per(year) * Lin(year) + RQ, restarts=5000)\r");
    prompt.wait("log likelihood");
    prompt.press("\x03");
    prompt.wait("the best result so far");
    prompt.ready();
    prompt.says("m", "not converged");
    prompt.says("co2.n + 1", "742");
    prompt.leave();
}

#[test]
fn history_is_kept_for_the_next_start() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    prompt.says("let many = [1,\n2,\n3]", "");
    prompt.says("many |> sum", "6");
    prompt.leave();
    let mut prompt = Prompt::open(folder.path());
    // Up: `:quit`; up: the pipe; up: all lines of the list.
    prompt.press("\x1B[A\x1B[A\x1B[A");
    prompt.wait("let many");
    prompt.wait("3]");
    prompt.says("", "");
    prompt.says("many |> prod", "6");
    prompt.leave();
}

#[test]
fn a_history_that_cannot_be_kept_is_no_obstacle() {
    let folder = folder();
    let place = folder.path().join("file");
    std::fs::write(&place, "").unwrap();
    let history = place.join("history").display().to_string();
    let mut prompt = Prompt::with(folder.path(), &[("MERCER_HISTORY", &history)]);
    prompt.says("1 + 1", "2");
    prompt.leave();
}

#[test]
fn a_session_is_saved_as_a_script_that_runs() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    prompt.says("let x = [3, 4]", "");
    prompt.says("y", "unknown name");
    prompt.says("x", "[3, 4]");
    prompt.says("|> sum", "7");
    // a seed in the middle and a file from another folder are part of what is saved
    let other = folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("d.csv"), "x,y\n1,2\n2,4\n").unwrap();
    std::fs::write(other.join("l.mer"), "let d = load(\"d.csv\")\n").unwrap();
    prompt.says(":seed 5", "seed 5");
    prompt.says("let r = random(0..1, 1)[0]", "");
    prompt.says(":load other/l.mer", "");
    prompt.says(":save s.mer", "wrote s.mer");
    std::fs::write(folder.path().join("own.mer"), "let kept = 1\n").unwrap();
    prompt.says(":save own.mer", "was not written by `:save`");
    prompt.says(":reset", "unbound");
    prompt.says("x", "unknown name");
    prompt.says(":load s.mer", "7");
    prompt.says("d.n", "2");
    prompt.says("r == random(0..1, 1, seed=5)[0]", "true");
    prompt.says(":load t.mer", "there is no file `t.mer`");
    prompt.leave();
    let saved = std::fs::read_to_string(folder.path().join("s.mer")).unwrap();
    assert!(saved.starts_with("# A session of Mercer, written by `:save`.\nlet x = [3, 4]\nx\n_ |> sum\n"), "{saved}");
    assert_eq!(std::fs::read_to_string(folder.path().join("own.mer")).unwrap(), "let kept = 1\n");
}

#[test]
fn settings_are_shown_and_changed() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    prompt.says(":seed 12", "seed 12");
    prompt.says(":seed x", "a seed is a whole number");
    prompt.says(":set width 40", "");
    prompt.says(":set", "(now 40)");
    prompt.says(":set widht 40", "did you mean `width`?");
    prompt.says(":set width 4", "expected `auto` or a whole number");
    prompt.says(":set out figures", "");
    prompt.says("data(x=[1, 2], y=[3, 4]) |> write(\"t.csv\")", "wrote ");
    prompt.says(":time 1 + 1", "took 0.");
    prompt.leave();
    assert!(folder.path().join("figures/t.csv").is_file());
}

#[test]
fn colours_come_and_go() {
    let folder = folder();
    let mut prompt = Prompt::with(folder.path(), &[("NO_COLOR", "")]);
    prompt.press("let");
    prompt.wait("\x1B[1;34mlet");
    prompt.says(" x = 1", "");
    prompt.says(":set colour off", "");
    prompt.press("fn");
    let shown = prompt.wait("fn");
    assert!(!shown.contains("\x1B[1"), "{shown:?}");
    prompt.press("\x03");
    prompt.ready();
    prompt.leave();
}

#[test]
fn a_byte_that_is_no_letter_leaves_the_session_alive() {
    let folder = folder();
    let mut prompt = Prompt::open(folder.path());
    prompt.says("let kept = 41", "");
    // `café` in Latin-1: its last byte is not the start of a UTF-8 character
    prompt.press_bytes(b"let caf\xe9 = 1\r");
    prompt.ready();
    prompt.says("kept + 1", "42");
    prompt.leave();
}
