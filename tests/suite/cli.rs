//! The program as a process: its output and its exit codes.

use std::fs;
use std::path::Path;

use serde_json::Value;
use snapbox::cmd::{Command, OutputAssert, cargo_bin};
use snapbox::str;

fn mercer(arguments: &[&str]) -> Command {
    Command::new(cargo_bin!("mercer")).args(arguments).env_remove("NO_COLOR")
}

fn given(input: &str, arguments: &[&str]) -> OutputAssert {
    mercer(arguments).stdin(input).assert()
}

fn eval(text: &str) -> OutputAssert {
    mercer(&["eval", text]).assert()
}

/// A folder with one file.
fn folder(name: &str, content: impl AsRef<[u8]>) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    fs::write(&file, content).expect("a file");
    let path = file.display().to_string();
    (folder, path)
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8(bytes.to_vec()).expect("text");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

/// The text on stderr.
fn complaint(assert: &OutputAssert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

#[test]
fn values_go_to_stdout() {
    eval("1 + 2; \"a\"").success().stdout_eq("3\n\"a\"\n").stderr_eq("");
    eval("-2^2").success().stdout_eq("-4\n");
    eval("let x = 1").success().stdout_eq("");
    eval("print(\"a\", 1)").success().stdout_eq("a 1\n");
    eval("").success().stdout_eq("");
}

/// The least of several starts, because the machine may do other work.
#[test]
fn the_program_starts_within_50_ms() {
    let start = || {
        let from = std::time::Instant::now();
        eval("1 + 1").success().stdout_eq("2\n");
        from.elapsed()
    };
    let least = (0..20).map(|_| start()).min().expect("a start");
    assert!(least.as_millis() < 50, "{least:?}");
}

#[test]
fn values_of_several_lines_stand_apart() {
    eval("1; [[1, 2], [3, 4]]; 2; 3").stdout_eq("1\n\n[[1, 2],\n [3, 4]]\n\n2\n3\n");
}

#[test]
fn faults_go_to_stderr_and_end_with_one() {
    eval("1; foo").code(1).stdout_eq("").stderr_eq(str![[r#"
Error: unknown name `foo`
   ╭─[ eval:1:4 ]
   │
 1 │ 1; foo
   │    ─┬─
   │     ╰─── not defined
───╯

"#]]);
    eval("1; [1][3]").code(1).stdout_eq("1\n");
}

#[test]
fn wrong_usage_ends_with_two() {
    for arguments in [
        &["frobnicate"][..],
        &["run"],
        &["run", "a.mer", "--format", "xml"],
        &["eval", "--seed", "x", "1"],
        &["eval", "--threads", "0", "1"],
        &["--nonsense"],
        &["fmt"],
    ] {
        mercer(arguments).assert().code(2).stdout_eq("");
    }
    let tip = complaint(&mercer(&["script.mer"]).assert().code(2));
    assert!(tip.contains("mercer run script.mer"), "{tip}");
    let tip = complaint(&mercer(&["--out", "figures", "run", "script.mer"]).assert().code(2));
    assert!(tip.contains("options stand after the command: `mercer run FILE --out DIR`"), "{tip}");
}

#[test]
fn plain_output_has_no_frames() {
    let found = mercer(&["eval", "--plain", "let x = 1\nx + foo"]).assert().code(1).stdout_eq("");
    assert_eq!(complaint(&found), "Error: unknown name `foo`\n  In eval, line 2, column 5, at `foo`: not defined\n");
    let table = mercer(&["eval", "--plain", "data(x=[1, 2], y=[3, 4]) |> summary"]).assert().success();
    assert!(!String::from_utf8_lossy(&table.get_output().stdout).contains('─'));
}

#[test]
fn shells_and_manuals_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let found = mercer(&["completions", shell]).assert().success();
        let script = String::from_utf8_lossy(&found.get_output().stdout).into_owned();
        assert!(script.contains("datasets") && script.contains("jupyter"), "{shell}");
    }
    let page = mercer(&["man"]).assert().success();
    let page = String::from_utf8_lossy(&page.get_output().stdout).into_owned();
    assert!(page.contains(".TH mercer 1"));
    // each command is described in the page, with its own options
    for (command, option) in
        [("run", r"\-\-set"), ("play", r"\-\-port"), ("jupyter install", r"\-\-prefix"), ("fmt", r"\-\-check")]
    {
        let (_, section) = page.split_once(&format!(".SS mercer {command}\n")).unwrap_or_else(|| panic!("{command}"));
        let section = section.split(".SS ").next().unwrap_or_default();
        assert!(section.contains(".TP") && section.contains(option), "{section}");
    }
    assert!(page.matches(".SH OPTIONS").count() == 1 && !page.contains("mercer\\-run(1)"), "{page}");
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("man");
    mercer(&["man", &place.display().to_string()]).assert().success();
    assert!(place.join("mercer.1").is_file() && place.join("mercer-run.1").is_file());
}

#[test]
fn version_and_usage() {
    mercer(&["--version"]).assert().success().stdout_eq(concat!("mercer ", env!("CARGO_PKG_VERSION"), "\n"));
    for arguments in [&["--help"][..], &["run", "--help"], &["help", "run"]] {
        mercer(arguments).assert().success().stderr_eq("");
    }
}

#[test]
fn programs_come_from_files_and_from_stdin() {
    let (_folder, file) = folder("a.mer", "let x = 2\nx * 3");
    mercer(&["run", &file]).assert().success().stdout_eq("6\n");
    given("2 * 3\n|> sqrt", &["run", "-"]).success().stdout_eq("2.449489742783178\n");
    given("2 * 3", &[]).success().stdout_eq("6\n");
    given("foo", &["run", "-"]).code(1).stderr_eq("Error: unknown name `foo`\n   ╭─[ -:1:1 ]\n...");
}

#[test]
fn scripts_that_cannot_be_read() {
    let (folder, binary) = folder("a.mer", b"let x = 1\0");
    let latin = folder.path().join("b.mer");
    fs::write(&latin, b"let x = 1\nlet y = \"\xE9\"").unwrap();
    let missing = folder.path().join("c.mer").display().to_string();
    for command in ["run", "check", "fmt"] {
        let says = |file: &str, part: &str| {
            let said = complaint(&mercer(&[command, file]).assert().code(1).stdout_eq(""));
            assert!(said.contains(part), "{command} {file}: {said}");
        };
        says(&missing, "there is no file");
        says(&folder.path().display().to_string(), "is a folder");
        says(&binary, "is a binary file");
        says(&latin.display().to_string(), "is not UTF-8 text: see line 2");
    }
    let said = complaint(&mercer(&["run", "-"]).stdin(b"\xFF".as_slice()).assert().code(1));
    assert!(said.contains("`-` is not UTF-8"), "{said}");
}

#[test]
fn everything_is_checked_before_anything_runs() {
    given("print(\"started\")\nSE(1) - Lin", &["run", "-"]).code(1).stdout_eq("");
}

#[test]
fn check_runs_nothing() {
    given("print(\"ran\"); log(-1)", &["check", "-"]).success().stdout_eq("").stderr_eq("");
    let assert = given("foo\nbar(", &["check", "-", "--format", "json"]).code(1).stdout_eq("");
    assert!(!lines(&assert.get_output().stderr).is_empty());
    let (_folder, file) = folder("a.mer", "let x = y");
    mercer(&["check", &file]).assert().code(1).stderr_eq("Error: unknown name `y`\n...");
}

#[test]
fn json_is_a_line_for_each_value_and_each_diagnostic() {
    let assert = eval_json("1; [0.5, inf]; print(\"a\\nb\"); SE(0); \"x\"").success();
    let shown = lines(&assert.get_output().stdout);
    let kinds: Vec<&str> = shown.iter().filter_map(|line| line["kind"].as_str()).collect();
    assert_eq!(kinds, ["Number", "List", "Text", "Kernel", "String"]);
    assert_eq!(shown[0]["value"], 1);

    let assert = eval_json("1\nfoo").code(1).stdout_eq("");
    let said = lines(&assert.get_output().stderr);
    assert_eq!(said.len(), 1);
    let place = ["severity", "message", "file", "line", "column"].map(|key| said[0][key].to_string());
    assert_eq!(place, ["\"error\"", "\"unknown name `foo`\"", "\"eval\"", "2", "1"]);

    let assert = mercer(&["run", "nowhere.mer", "--format", "json"]).assert().code(1);
    assert!(lines(&assert.get_output().stderr)[0]["file"].is_null());
}

fn eval_json(text: &str) -> OutputAssert {
    mercer(&["eval", "--format", "json", text]).assert()
}

#[test]
fn fmt_rewrites_files_wholly_or_not_at_all() {
    let (folder, file) = folder("a.mer", "let x=1 # one\n(x+2)*3");
    mercer(&["fmt", "--check", &file]).assert().code(1).stdout_eq("");
    assert_eq!(fs::read_to_string(&file).unwrap(), "let x=1 # one\n(x+2)*3");
    mercer(&["fmt", &file]).assert().success().stdout_eq("").stderr_eq("");
    let formatted = fs::read_to_string(&file).unwrap();
    assert_eq!(formatted, "let x = 1  # one\n(x + 2) * 3\n");
    mercer(&["fmt", "--check", &file]).assert().success().stderr_eq("");

    fs::write(&file, "let x=(1").unwrap();
    let said = complaint(&mercer(&["fmt", &file]).assert().code(1));
    assert!(said.contains("unclosed bracket") && said.contains("a.mer:1:7"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "let x=(1");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "something was left beside the file");

    given("let x=1", &["fmt", "-"]).success().stdout_eq("let x = 1\n");
    given("let x=1", &["fmt", "-", "--check"]).code(1).stdout_eq("");
    assert_eq!(given("", &["fmt", "-"]).success().get_output().stdout, b"");
}

#[cfg(unix)]
#[test]
fn fmt_keeps_links_and_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, file) = folder("a.mer", "1+2");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
    let link = folder.path().join("b.mer");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    mercer(&["fmt", &link.display().to_string()]).assert().success();
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&file).unwrap(), "1 + 2\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);
}

#[test]
fn output_folders_are_made_and_tried_first() {
    let (folder, file) = folder("a.mer", "");
    let new = folder.path().join("x/y");
    mercer(&["eval", "--out", &new.display().to_string(), "1"]).assert().success();
    assert!(new.is_dir());
    let under_file = Path::new(&file).join("z").display().to_string();
    for out in [file.as_str(), under_file.as_str()] {
        let assert = mercer(&["eval", "--out", out, "print(1)"]).assert().code(1).stdout_eq("");
        let said = complaint(&assert);
        assert!(said.contains("the output folder"), "{said}");
    }
}

#[test]
fn files_of_a_script_go_to_the_output_folder() {
    let (folder, file) = folder("a.mer", "data(x=[1, 2], y=[3, 4]) |> write(\"t.csv\")");
    let out = folder.path().join("out");
    let assert = mercer(&["run", &file, "--out", &out.display().to_string()]).assert().success();
    assert!(complaint(&assert).contains("wrote "), "{}", complaint(&assert));
    assert!(out.join("t.csv").is_file());
}

#[test]
fn data_folders_are_known_to_load() {
    let (folder, _) = folder("mine.csv", "x,y\n1,2\n2,3\n3,5\n");
    let path = folder.path().display().to_string();
    let assert = mercer(&["eval", "--data", &path, "load(\"mine.csv\").n"]).assert();
    assert.success().stdout_eq("3\n");
    let assert = mercer(&["eval", "--data", "/no/such/place", "1"]).assert().code(1);
    assert_eq!(complaint(&assert), "Error: the data folder `/no/such/place` does not exist\n");
}

#[test]
fn seeds_and_threads_are_taken() {
    let draw = |seed: &str, threads: &str| {
        let text = "sample(SE, [0, 1, 2])";
        let assert = mercer(&["eval", "--seed", seed, "--threads", threads, text]).assert().success();
        assert.get_output().stdout.clone()
    };
    assert_eq!(draw("7", "1"), draw("7", "2"));
    assert_ne!(draw("7", "1"), draw("8", "1"));
}

#[test]
fn nothing_is_coloured_away_from_a_terminal() {
    for text in ["foo", "let air = load(\"airline\"); air"] {
        let output = eval(text).get_output().clone();
        assert!(![output.stdout, output.stderr].concat().contains(&0x1B), "{text}");
    }
}

#[test]
fn help_names_what_is_near() {
    let said = complaint(&mercer(&["help", "gird"]).assert().code(1).stdout_eq(""));
    assert_eq!(said, "Error: there is no help on `gird`\n  Help: did you mean `grid`?\n");
    for topic in ["SE", "grid", "precedence", "families", "wraps", "changepoint", "check"] {
        let assert = mercer(&["help", topic]).assert().success().stderr_eq("");
        assert!(!assert.get_output().stdout.is_empty(), "{topic}");
    }
    let all = mercer(&["help"]).assert().success();
    let all = String::from_utf8_lossy(&all.get_output().stdout).into_owned();
    for part in ["Commands\n", "  run ", "Kernel families\n", "  SE ", "The language\n", "  precedence "] {
        assert!(all.contains(part), "{part} in {all}");
    }
}

#[test]
fn datasets_are_listed() {
    let assert = mercer(&["datasets"]).assert().success();
    let list = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(list.lines().any(|line| line.starts_with("airline ") && line.contains("144 rows")), "{list}");
    let page = mercer(&["datasets", "airline"]).assert().success();
    assert!(String::from_utf8_lossy(&page.get_output().stdout).contains("target   passengers"));
    mercer(&["datasets", "airlin"]).assert().code(1).stderr_eq(str![[r#"
Error: there is no data set `airlin`
  Help: did you mean `airline`?

"#]]);
}

/// Pipes and signals.
#[cfg(unix)]
mod signals {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Child, Command, Stdio};

    use snapbox::cmd::cargo_bin;

    /// A running program that has written its first line.
    fn started(text: &str) -> (Child, BufReader<std::process::ChildStdout>) {
        let mut command = Command::new(cargo_bin!("mercer"));
        command.args(["eval", text]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        out.read_line(&mut first).unwrap();
        assert_eq!(first, "0\n");
        (child, out)
    }

    fn interrupt(child: &Child) {
        let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    #[test]
    fn a_reader_that_goes_away_ends_the_program_quietly() {
        let (child, out) = started("[print(i) for i in 0..100000]");
        drop(out);
        let output = child.wait_with_output().unwrap();
        // as with SIGPIPE: the rest of the script was not run
        assert_eq!(output.status.code(), Some(141));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }

    #[test]
    fn ctrl_c_ends_a_script_after_what_it_has() {
        let (child, mut out) = started("print(0)\n[i for i in 0..1000000000000 if i < 0]\nprint(1)");
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("stopped"));
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "the script went on");
    }

    #[test]
    fn ctrl_c_gives_a_script_its_best_fit_so_far() {
        let text = "let d = load(\"mauna_loa\")\nprint(0)\n\
                    (d |> fit(SE + Per(year) * Lin(year) + RQ, restarts=5000)).converged\nprint(1)";
        let (child, mut out) = started(text);
        std::thread::sleep(std::time::Duration::from_secs(1));
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), rest.as_str()), (Some(1), "false\n"), "{said}");
        assert!(said.contains("this and what follows was not run"), "{said}");
    }
}

#[test]
fn a_script_takes_values_from_outside() {
    let (_folder, file) = folder("s.mer", "let folds, deep = 1..=10, 2\nlet a, b = [1, 2]\nprint(len(folds), deep, a)");
    let run = |set: &[&str]| {
        let settings = set.iter().flat_map(|set| ["--set", set]);
        mercer(&["run", &file].into_iter().chain(settings).collect::<Vec<_>>()).assert()
    };
    run(&[]).success().stdout_eq("10 2 1\n");
    run(&["folds=1..=3", "deep = 2^3"]).success().stdout_eq("3 8 1\n");
    assert!(complaint(&run(&["fold=3"]).code(1)).contains("did you mean `folds`?"));
    assert!(complaint(&run(&["seeds=3"]).code(1)).contains("the script binds folds, deep, a, b"));
    assert!(complaint(&run(&["a=3"]).code(1)).contains("`a` cannot be set alone"));
    assert!(complaint(&run(&["folds=1..."]).code(1)).contains("--set folds"));
    assert!(complaint(&run(&["folds=let x = 1"]).code(1)).contains("one expression"));
    assert!(complaint(&run(&["folds"]).code(2)).contains("NAME=VALUE"));
}

#[test]
fn a_check_makes_no_folders() {
    let (folder, path) = folder("a.mer", "plot(SE(0), \"a.svg\")\n");
    let out = folder.path().join("new/deep");
    mercer(&["check", &path, "--out", out.to_str().unwrap()]).assert().success();
    assert!(!folder.path().join("new").exists());
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_is_no_success() {
    let (_folder, path) = folder("a.mer", "print(\"line\")\n".repeat(20_000));
    let text = format!("{} run '{path}' | head -1; echo ${{PIPESTATUS[0]}}", cargo_bin!("mercer").display());
    let output = std::process::Command::new("bash").args(["-c", &text]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "line\n141\n");
}

#[test]
fn names_out_of_a_file_do_not_steer_the_terminal() {
    let (_folder, path) = folder("a.csv", "a\u{1B}[31mb,y\n1,2\n2,3\n3,5\n");
    for text in
        ["load(P)", "load(P) |> summary", "load(P).names", "load(P) |> fit(SE(nothing))", "print(load(P).names)"]
    {
        let assert = eval(&text.replace('P', &format!("{path:?}")));
        let output = assert.get_output();
        for bytes in [&output.stdout, &output.stderr] {
            assert!(!bytes.contains(&0x1B), "{text}: {}", String::from_utf8_lossy(bytes));
        }
    }
}

#[test]
fn seeds_are_numbers_of_the_language() {
    mercer(&["eval", "1", "--seed", "8999999999999999"]).assert().success();
    mercer(&["eval", "1", "--seed", "18446744073709551615"]).assert().code(2);
}
