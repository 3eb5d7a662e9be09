//! The kernel for Jupyter, by the exchange of a client with the program over its sockets.

use std::collections::VecDeque;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value as Json, json};
use sha2::Sha256;
use zeromq::{DealerSocket, ReqSocket, Socket, SocketRecv, SocketSend, SubSocket, ZmqMessage};

const KEY: &str = "a key of the test";
/// A longer wait for a message is a failure.
const PATIENCE: Duration = Duration::from_secs(60);

struct Client {
    program: Child,
    shell: DealerSocket,
    control: DealerSocket,
    broadcast: SubSocket,
    heartbeat: ReqSocket,
    count: usize,
    _folder: tempfile::TempDir,
}

/// A reply and the messages that were broadcast for its request, as types and contents.
struct Answer {
    reply: Json,
    outputs: Vec<(String, Json)>,
}

impl Answer {
    fn output(&self, kind: &str) -> Option<&Json> {
        self.outputs.iter().find(|(found, _)| found == kind).map(|(_, content)| content)
    }
}

fn signature(parts: &[Bytes]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(KEY.as_bytes()).unwrap();
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The parts of JSON of a message: header, parent, metadata, content. The signature is checked.
fn parts(frames: ZmqMessage) -> [Json; 4] {
    let frames = frames.into_vec();
    let at = frames.iter().position(|frame| &frame[..] == b"<IDS|MSG>").expect("a delimiter");
    assert_eq!(frames[at + 1], signature(&frames[at + 2..at + 6]));
    std::array::from_fn(|i| serde_json::from_slice(&frames[at + 2 + i]).unwrap())
}

async fn received<S: SocketRecv>(socket: &mut S) -> ZmqMessage {
    tokio::time::timeout(PATIENCE, socket.recv()).await.expect("a message in time").expect("a message")
}

impl Client {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Ports that were free a moment ago.
        let listeners: Vec<_> = (0..5).map(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<u16> = listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect();
        drop(listeners);
        let connection = json!({
            "ip": "127.0.0.1", "transport": "tcp", "key": KEY, "signature_scheme": "hmac-sha256",
            "shell_port": ports[0], "iopub_port": ports[1], "stdin_port": ports[2], "control_port": ports[3],
            "hb_port": ports[4],
        });
        let file = folder.path().join("connection.json");
        std::fs::write(&file, connection.to_string()).unwrap();
        let program = Command::new(env!("CARGO_BIN_EXE_mercer"))
            .args(["jupyter", "run"])
            .arg(&file)
            .current_dir(folder.path())
            .spawn()
            .expect("the program starts");
        let address = |port: u16| format!("tcp://127.0.0.1:{port}");
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", ports[4])).is_err() {
            assert!(began.elapsed() < PATIENCE, "the kernel does not listen");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut client = Self {
            program,
            shell: DealerSocket::new(),
            control: DealerSocket::new(),
            broadcast: SubSocket::new(),
            heartbeat: ReqSocket::new(),
            count: 0,
            _folder: folder,
        };
        client.shell.connect(&address(ports[0])).await.unwrap();
        client.control.connect(&address(ports[3])).await.unwrap();
        client.broadcast.connect(&address(ports[1])).await.unwrap();
        client.broadcast.subscribe("").await.unwrap();
        client.heartbeat.connect(&address(ports[4])).await.unwrap();
        // The subscription is known to the kernel when a broadcast arrives.
        loop {
            let header = client.header("kernel_info_request");
            client.shell.send(client.message(&header, json!({}))).await.unwrap();
            received(&mut client.shell).await;
            if tokio::time::timeout(Duration::from_millis(500), client.broadcast.recv()).await.is_ok() {
                break;
            }
        }
        client
    }

    fn header(&mut self, kind: &str) -> Json {
        self.count += 1;
        json!({
            "msg_id": format!("m{}", self.count), "username": "test", "session": "s", "version": "5.3",
            "date": "2024-01-01T00:00:00Z", "msg_type": kind,
        })
    }

    fn message(&self, header: &Json, content: Json) -> ZmqMessage {
        let parts = [header, &json!({}), &json!({}), &content].map(|part| Bytes::from(part.to_string()));
        let mut frames = vec![Bytes::from_static(b"<IDS|MSG>"), Bytes::from(signature(&parts))];
        frames.extend(parts);
        ZmqMessage::try_from(frames).unwrap()
    }

    /// Sends a request on the shell channel and waits for its reply and for the end of its broadcasts.
    async fn ask(&mut self, kind: &str, content: Json) -> Answer {
        let header = self.header(kind);
        let message = self.message(&header, content);
        self.shell.send(message).await.unwrap();
        self.finish(&header).await
    }

    async fn finish(&mut self, header: &Json) -> Answer {
        let [_, parent, _, reply] = parts(received(&mut self.shell).await);
        assert_eq!(parent["msg_id"], header["msg_id"]);
        let mut outputs = VecDeque::new();
        loop {
            let [found, parent, _, content] = parts(received(&mut self.broadcast).await);
            if parent["msg_id"] != header["msg_id"] {
                continue;
            }
            if content["execution_state"] == json!("idle") {
                return Answer { reply, outputs: outputs.into() };
            }
            outputs.push_back((found["msg_type"].as_str().unwrap().to_owned(), content));
        }
    }

    fn cell(code: &str) -> Json {
        json!({ "code": code, "silent": false, "store_history": true, "user_expressions": {}, "allow_stdin": true, "stop_on_error": true })
    }

    async fn run(&mut self, code: &str) -> Answer {
        self.ask("execute_request", Self::cell(code)).await
    }

    async fn leave(mut self) {
        let header = self.header("shutdown_request");
        let message = self.message(&header, json!({ "restart": false }));
        self.control.send(message).await.unwrap();
        let [_, _, _, reply] = parts(received(&mut self.control).await);
        assert_eq!(reply["status"], json!("ok"));
        let began = Instant::now();
        loop {
            match self.program.try_wait().unwrap() {
                Some(code) => return assert!(code.success()),
                None => assert!(began.elapsed() < PATIENCE, "the kernel does not end"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn with_client<F: AsyncFnOnce(Client)>(work: F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { work(Client::start().await).await });
}

#[test]
fn cells_show_rich_results() {
    with_client(async |mut client| {
        client.heartbeat.send("beat".into()).await.unwrap();
        assert_eq!(received(&mut client.heartbeat).await.get(0).map(|frame| &frame[..]), Some(&b"beat"[..]));
        let info = client.ask("kernel_info_request", json!({})).await.reply;
        assert_eq!((&info["protocol_version"], &info["language_info"]["name"]), (&json!("5.3"), &json!("mercer")));
        let found = client.run("print(\"hello\")\nlet k = SE(year)\n1 + 1\nk").await;
        assert_eq!(found.reply["status"], json!("ok"));
        assert_eq!(found.output("stream").unwrap(), &json!({ "name": "stdout", "text": "hello\n" }));
        assert_eq!(found.output("display_data").unwrap()["data"]["text/plain"], json!("2"));
        let result = found.output("execute_result").unwrap();
        assert_eq!((&result["execution_count"], &result["data"]["text/plain"]), (&json!(1), &json!("SE(year)")));
        assert!(result["data"]["text/latex"].as_str().unwrap().starts_with("$\\mathrm{SE}"));
        let table = client.run("load(\"airline\") |> head(2)").await;
        assert_eq!(table.output("execute_result").unwrap()["execution_count"], json!(2));
        let figure = client.run("plot(SE(0, l=1), x=0..3)\nplot(SE(0, l=1), x=0..3) |> plot(\"a.svg\")").await;
        assert!(figure.outputs.iter().filter(|(_, content)| content["data"]["image/svg+xml"].is_string()).count() == 2);
        // an error with its excerpt; the session goes on
        let wrong = client.run("let z = 1\nload(\"airline\") |> fit(SE(yaer))").await;
        assert_eq!((&wrong.reply["status"], &wrong.reply["ename"]), (&json!("error"), &json!("Error")));
        let error = wrong.output("error").unwrap();
        assert!(error["evalue"].as_str().unwrap().contains("no input `yaer`"), "{error}");
        let traceback = error["traceback"].as_array().unwrap();
        assert!(traceback.iter().any(|line| line.as_str().unwrap().contains("did you mean `year`?")), "{error}");
        assert_eq!(client.run("k").await.reply["status"], json!("ok"));
        let silent = json!({ "code": "3", "silent": true, "store_history": false, "user_expressions": {}, "allow_stdin": false, "stop_on_error": true });
        assert!(client.ask("execute_request", silent).await.outputs.iter().all(|(kind, _)| kind == "status"));
        client.leave().await;
    });
}

#[test]
fn questions_about_the_session_are_answered() {
    with_client(async |mut client| {
        client.run("let σair = load(\"airline\")").await;
        let found =
            client.ask("complete_request", json!({ "code": "1\nfit(σair, SE(ye", "cursor_pos": 17 })).await.reply;
        assert_eq!(
            (&found["matches"], &found["cursor_start"], &found["cursor_end"]),
            (&json!(["year", "year_of"]), &json!(15), &json!(17))
        );
        let help =
            client.ask("inspect_request", json!({ "code": "grid(", "cursor_pos": 5, "detail_level": 0 })).await.reply;
        assert!(help["data"]["text/plain"].as_str().unwrap().starts_with("grid(range, n)"), "{help}");
        let page = client.run("?|>").await.reply;
        assert!(page["payload"][0]["data"]["text/plain"].as_str().unwrap().starts_with("pipes:"), "{page}");
        // a client that cannot be asked, such as nbconvert, keeps outputs only
        let mut cell = Client::cell("?|>");
        cell["allow_stdin"] = json!(false);
        cell["store_history"] = json!(false);
        let page = client.ask("execute_request", cell).await;
        assert_eq!(page.reply["payload"].as_array().map_or(0, Vec::len), 0, "{}", page.reply);
        assert!(page.output("display_data").unwrap()["data"]["text/plain"].as_str().unwrap().starts_with("pipes:"));
        // a cursor outside of the text
        for cursor in [-5, 99] {
            for kind in ["complete_request", "inspect_request"] {
                let asked = json!({ "code": "fit", "cursor_pos": cursor, "detail_level": 0 });
                assert_eq!(client.ask(kind, asked).await.reply["status"], json!("ok"), "{kind} at {cursor}");
            }
        }
        for (code, status) in [("f(", "incomplete"), ("1", "complete"), ("let = 1", "invalid")] {
            let found = client.ask("is_complete_request", json!({ "code": code })).await.reply;
            assert_eq!(found["status"], json!(status), "{code}");
        }
        let tail = json!({ "hist_access_type": "tail", "n": 5, "output": false, "raw": true });
        let history = client.ask("history_request", tail).await.reply;
        assert_eq!(history["history"], json!([[0, 1, "let σair = load(\"airline\")"], [0, 2, "?|>"]]));
        // clients leave out what has a default
        let search = json!({ "hist_access_type": "search", "pattern": "?|*", "output": false, "raw": true });
        let history = client.ask("history_request", search).await.reply;
        assert_eq!(history["history"], json!([[0, 2, "?|>"]]));
        client.leave().await;
    });
}

#[test]
fn words_for_leaving_say_how_a_notebook_is_left() {
    with_client(async |mut client| {
        let exit = client.run("exit").await;
        assert_eq!((&exit.reply["status"], &exit.reply["payload"][0]["source"]), (&json!("ok"), &json!("ask_exit")));
        assert!(exit.output("stream").unwrap()["text"].as_str().unwrap().contains("close the notebook"));
        // a name of the session is that name
        let own = client.run("let quit = 3\nquit").await;
        assert_eq!(own.output("execute_result").unwrap()["data"]["text/plain"], json!("3"));
        let own = client.run("quit").await;
        assert_eq!(own.output("execute_result").unwrap()["data"]["text/plain"], json!("3"));
        client.leave().await;
    });
}

#[test]
fn an_interrupt_stops_a_cell_and_an_error_those_that_wait() {
    with_client(async |mut client| {
        let header = client.header("execute_request");
        let slow = "let s = load(\"concrete\") |> search(budget=\"10 min\")\ns.kernel";
        let message = client.message(&header, Client::cell(slow));
        client.shell.send(message).await.unwrap();
        // progress appears after a second
        loop {
            let [found, _, _, content] = parts(received(&mut client.broadcast).await);
            if found["msg_type"] == json!("display_data") {
                let line = content["data"]["text/plain"].as_str().unwrap();
                assert!(line.starts_with("running for "), "{line}");
                break;
            }
        }
        let began = Instant::now();
        let control = client.header("interrupt_request");
        let message = client.message(&control, json!({}));
        client.control.send(message).await.unwrap();
        let stopped = client.finish(&header).await;
        let waited = began.elapsed();
        println!("stopped after {waited:?}: {}", stopped.reply["status"]);
        assert!(waited < PATIENCE, "{waited:?}");
        let [_, _, _, reply] = parts(received(&mut client.control).await);
        assert_eq!(reply["status"], json!("ok"));
        // two cells at once: the second is not run after the error of the first
        let (first, second) = (client.header("execute_request"), client.header("execute_request"));
        let messages =
            [client.message(&first, Client::cell("let u = unknown")), client.message(&second, Client::cell("1"))];
        for message in messages {
            client.shell.send(message).await.unwrap();
        }
        assert_eq!(client.finish(&first).await.reply["status"], json!("error"));
        let status = client.finish(&second).await.reply["status"].clone();
        assert!(
            status == json!("aborted") || status == json!("ok"),
            "it may arrive after the first has ended: {status}"
        );
        client.leave().await;
    });
}

#[test]
fn the_kernel_is_registered_below_a_prefix() {
    let folder = tempfile::tempdir().unwrap();
    let program = Command::new(env!("CARGO_BIN_EXE_mercer"))
        .args(["jupyter", "install", "--prefix"])
        .arg(folder.path())
        .output()
        .expect("the program runs");
    assert!(program.status.success());
    let kernel = folder.path().join("share/jupyter/kernels/mercer");
    assert!(std::fs::read_to_string(kernel.join("mercer_magic.py")).unwrap().contains("register_cell_magic"));
    let found: Json = serde_json::from_str(&std::fs::read_to_string(kernel.join("kernel.json")).unwrap()).unwrap();
    assert_eq!((&found["language"], &found["interrupt_mode"]), (&json!("mercer"), &json!("message")));
    assert_eq!(found["argv"][3], json!("{connection_file}"));
}
