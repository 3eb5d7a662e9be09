//! The language server, by the exchange of a client with the program over stdin and stdout.

use std::io::{BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use lsp_server::{Message, Notification, Request, RequestId};
use serde_json::{Value as Json, json};

/// A client with the program.
struct Client {
    program: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: i32,
    /// The last diagnostics of each document, and the version to which they belong.
    diagnostics: Vec<(String, i64, Json)>,
}

impl Client {
    fn start(capabilities: Json) -> (Self, Json) {
        let mut program = Command::new(env!("CARGO_BIN_EXE_mercer"))
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let input = program.stdin.take().expect("a pipe");
        let output = BufReader::new(program.stdout.take().expect("a pipe"));
        let mut client = Self { program, input, output, next: 0, diagnostics: Vec::new() };
        let result = client.ask("initialize", json!({ "processId": null, "capabilities": capabilities }));
        client.tell("initialized", json!({}));
        (client, result)
    }

    fn send(&mut self, message: Message) {
        message.write(&mut self.input).and_then(|()| self.input.flush()).expect("the server reads");
    }

    fn tell(&mut self, method: &str, parameters: Json) {
        self.send(Notification::new(method.into(), parameters).into());
    }

    /// The next message; diagnostics are recorded.
    fn receive(&mut self) -> Message {
        let message = Message::read(&mut self.output).expect("a message").expect("the server is there");
        if let Message::Notification(Notification { method, params }) = &message {
            assert_eq!(method, "textDocument/publishDiagnostics");
            let (uri, version) = (params["uri"].as_str().unwrap(), params["version"].as_i64().unwrap_or(-1));
            self.diagnostics.push((uri.into(), version, params["diagnostics"].clone()));
        }
        message
    }

    /// The answer to a request: its result, or the error.
    fn ask(&mut self, method: &str, parameters: Json) -> Json {
        self.next += 1;
        let id = RequestId::from(self.next);
        self.send(Request::new(id.clone(), method.into(), parameters).into());
        loop {
            if let Message::Response(response) = self.receive() {
                assert_eq!(response.id, id);
                return serde_json::to_value(response).map(|mut response| response["result"].take()).unwrap();
            }
        }
    }

    /// The message of the error of a request.
    fn refused(&mut self, method: &str, parameters: Json) -> String {
        self.next += 1;
        self.send(Request::new(RequestId::from(self.next), method.into(), parameters).into());
        loop {
            if let Message::Response(response) = self.receive() {
                let response = serde_json::to_value(response).unwrap();
                return response["error"]["message"].as_str().expect("an error").to_owned();
            }
        }
    }

    fn open(&mut self, uri: &str, text: &str) -> Json {
        let document = json!({ "uri": uri, "languageId": "mercer", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        self.wait_for(uri, 1)
    }

    fn change(&mut self, uri: &str, version: i64, change: Json) {
        let document = json!({ "uri": uri, "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    }

    /// The diagnostics of a version of a document.
    fn wait_for(&mut self, uri: &str, version: i64) -> Json {
        loop {
            let found = self.diagnostics.iter().rev().find(|(of, at, _)| of == uri && *at == version);
            if let Some((_, _, found)) = found {
                return found.clone();
            }
            self.receive();
        }
    }

    /// Ends the session in the way of the protocol; the program must leave with 0.
    fn leave(mut self) {
        assert_eq!(self.ask("shutdown", Json::Null), Json::Null);
        self.tell("exit", Json::Null);
        drop(self.input);
        assert!(self.program.wait().expect("the program ends").success());
    }
}

fn at(uri: &str, line: u32, character: u32) -> Json {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

fn with(mut base: Json, more: &[(&str, Json)]) -> Json {
    for (key, value) in more {
        base[*key] = value.clone();
    }
    base
}

/// The line and the column of the start of a range.
fn start(range: &Json) -> (u64, u64) {
    (range["start"]["line"].as_u64().unwrap(), range["start"]["character"].as_u64().unwrap())
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

#[test]
fn diagnostics_follow_the_text() {
    let (mut client, _) = Client::start(json!({}));
    let uri = "file:///tmp/none/a.mer";
    let found = client.open(uri, "let air = load(\"airline\")\nlet σ = 🙂\nair |> fit(SE(yaer))\n");
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!((start(&found[0]["range"]), &found[0]["severity"]), ((1, 8), &json!(1)));
    // only the sign that is no name is replaced: two units of UTF-16
    let range = json!({ "start": { "line": 1, "character": 8 }, "end": { "line": 1, "character": 10 } });
    client.change(uri, 2, json!({ "range": range, "text": "2" }));
    let found = client.wait_for(uri, 2);
    assert_eq!(start(&found[0]["range"]), (2, 14), "{found}");
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.contains("there is no input `yaer`") && message.contains("did you mean `year`?"), "{message}");
    client.change(uri, 3, json!({ "text": "1 + 1\n" }));
    assert_eq!(client.wait_for(uri, 3), json!([]));
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.wait_for(uri, -1), json!([]));
    client.leave();
}

#[test]
fn columns_of_loaded_data_are_completed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wells.csv"), "depth,arsenic level,safe\n1,2,3\n2,3,4\n3,4,6\n").unwrap();
    let (mut client, _) = Client::start(json!({}));
    let uri = uri(&folder.path().join("a b.mer")).replace(' ', "%20");
    let text =
        "let wells = load(\"wells.csv\")\nlet deep = wells |> mutate(twice=depth * 2)\nlet m = deep |> fit(SE(tw";
    client.open(&uri, text);
    let labels = |found: &Json| -> Vec<String> {
        let items = found.as_array().unwrap().iter();
        items.map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    };
    // the data are read in the background
    let patience = Instant::now();
    let found = loop {
        let found = client.ask("textDocument/completion", at(&uri, 2, 25));
        if labels(&found).contains(&"twice".into()) || patience.elapsed() > Duration::from_secs(20) {
            break found;
        }
    };
    assert_eq!(labels(&found), ["twice"], "{found}");
    assert_eq!((&found[0]["detail"], &found[0]["kind"]), (&json!("a column of deep"), &json!(5)));
    assert_eq!(start(&found[0]["textEdit"]["range"]), (2, 23));
    let hover = client.ask("textDocument/hover", at(&uri, 0, 5));
    let shown = hover["contents"]["value"].as_str().unwrap();
    assert!(shown.contains("3 rows") && shown.contains("- `safe`, the target"), "{shown}");
    let hover = client.ask("textDocument/hover", at(&uri, 1, 36));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("column of `wells`"), "{hover}");
    // files, keywords, names, members
    client.change(
        &uri,
        2,
        json!({ "text": "let air = load(\"airline\")\nlet f = air |> fit(SE)\nf.lm\nload(\"we\nfit(air, see" }),
    );
    assert_eq!(labels(&client.ask("textDocument/completion", at(&uri, 2, 4))), ["lml_complexity", "lml_fit", "lml"]);
    assert_eq!(labels(&client.ask("textDocument/completion", at(&uri, 3, 8))), ["wells.csv"]);
    client.change(&uri, 3, json!({ "text": "let air = load(\"airline\")\nfit(air, see" }));
    let found = labels(&client.ask("textDocument/completion", at(&uri, 1, 12)));
    assert!(found.contains(&"seed=".into()), "{found:?}");
    client.leave();
}

#[test]
fn help_names_and_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    std::fs::write(path.join("shared.mer"), "let base = SE(0)\nfn twice(k) = k + k\n").unwrap();
    let (mut client, _) = Client::start(json!({}));
    let uri = uri(&path.join("main.mer"));
    let text = "import \"shared.mer\"\nfn line(x, slope=2) = slope * x\nlet a = 1\nline(a, slope=3)\ntwice( base )\n";
    assert_eq!(client.open(&uri, text), json!([]));
    let hover = |client: &mut Client, line, column| {
        let found = client.ask("textDocument/hover", at(&uri, line, column));
        found["contents"]["value"].as_str().unwrap_or("").to_owned()
    };
    assert!(hover(&mut client, 3, 1).contains("fn line(x, slope=2) = slope * x"));
    assert!(hover(&mut client, 1, 0).starts_with("**statements**"));
    // definitions: of a name, of a keyword, of a name of another file
    let definition = |client: &mut Client, line, column| {
        let found = client.ask("textDocument/definition", at(&uri, line, column));
        (found["uri"].as_str().unwrap_or("").to_owned(), start(&found["range"]))
    };
    assert_eq!(definition(&mut client, 3, 5), (uri.clone(), (2, 4)));
    assert_eq!(definition(&mut client, 3, 9), (uri.clone(), (1, 11)));
    let (file, place) = definition(&mut client, 4, 1);
    assert!(file.ends_with("/shared.mer") && place == (1, 3), "{file} {place:?}");
    // renaming: a parameter with its keyword
    let edits = client.ask("textDocument/rename", with(at(&uri, 1, 24), &[("newName", json!("steepness"))]));
    let places: Vec<_> = edits["changes"][&uri].as_array().unwrap().iter().map(|edit| start(&edit["range"])).collect();
    assert_eq!(places, [(1, 11), (1, 22), (3, 8)]);
    for (line, column, new, why) in [
        (2, 4, "line", "another meaning"),
        (2, 4, "SE", "kernel family"),
        (2, 4, "if", "word of the language"),
        (2, 4, "b c", "not a name"),
        (4, 8, "c", "not bound in this document"),
    ] {
        let found = client.refused("textDocument/rename", with(at(&uri, line, column), &[("newName", json!(new))]));
        assert!(found.contains(why), "{new}: {found}");
    }
    let found = client
        .ask("textDocument/references", with(at(&uri, 2, 4), &[("context", json!({ "includeDeclaration": true }))]));
    assert_eq!(found.as_array().unwrap().len(), 2);
    let outline = client.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
    let names: Vec<_> = outline.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["line", "a"]);
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let edits = client.ask("textDocument/formatting", json!({ "textDocument": { "uri": uri }, "options": options }));
    assert_eq!(edits[0]["newText"], json!(mercer::syntax::fmt::format(text).unwrap()));
    assert!(edits[0]["newText"].as_str().unwrap().contains("twice(base)"));
    let help = client.ask("textDocument/signatureHelp", at(&uri, 3, 5));
    assert_eq!(help, Json::Null, "a function of the user has no signature of the language");
    client.change(&uri, 2, json!({ "text": "load(\"airline\") |> fit(SE, seed=" }));
    let help = client.ask("textDocument/signatureHelp", at(&uri, 0, 32));
    let active = help["activeParameter"].as_u64().unwrap() as usize;
    let label = help["signatures"][0]["parameters"][active]["label"].as_str().unwrap();
    assert!(label.starts_with("seed="), "{help}");
    assert!(client.refused("mercer/unknown", json!({})).contains("not supported"));
    client.leave();
}

#[test]
fn positions_are_bytes_where_the_client_prefers_them() {
    let (mut client, result) = Client::start(json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } }));
    assert_eq!(result["capabilities"]["positionEncoding"], json!("utf-8"));
    let found = client.open("file:///tmp/none/b.mer", "let σ = unknown\n");
    assert_eq!(start(&found[0]["range"]), (0, 9));
    client.leave();
}

/// A script of 500 lines: the time from a change to its diagnostics.
#[test]
fn a_change_of_a_long_script_is_checked_at_once() {
    let (mut client, _) = Client::start(json!({}));
    let uri = "file:///tmp/none/long.mer";
    let lines = (0..250).map(|i| format!("let k{i} = SE(year, l={}) * Per(year, period=1) + Lin(year)\nlet m{i} = load(\"airline\") |> fit(k{i} + Matern52(year), seed={i})\n", i + 1));
    client.open(uri, &lines.collect::<String>());
    let mut times = Vec::new();
    for version in 2..9 {
        let range = json!({ "start": { "line": 250, "character": 0 }, "end": { "line": 250, "character": 0 } });
        let began = Instant::now();
        client.change(uri, version, json!({ "range": range, "text": "let q = SE(yaer) + unknown\n" }));
        let found = client.wait_for(uri, version);
        times.push(began.elapsed());
        assert_eq!(found.as_array().unwrap().len(), version as usize - 1);
    }
    times.sort();
    println!("from a change to its diagnostics: {times:?}");
    // The other times depend on what else the machine does.
    assert!(times[0] < Duration::from_millis(100), "{times:?}");
    client.leave();
}
