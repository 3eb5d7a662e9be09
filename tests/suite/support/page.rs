//! The program `mercer play` and requests to its page.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value as Json;
use snapbox::cmd::cargo_bin;

/// A longer wait for an answer is a failure.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct Program {
    pub child: Child,
    /// Such as `127.0.0.1:4000`.
    pub host: String,
    pub token: String,
    pub folder: tempfile::TempDir,
}

impl Drop for Program {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Json {
        assert_eq!(self.status, 200, "{}", self.body);
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub fn has(&self, header: &str, value: &str) -> bool {
        self.head.lines().any(|line| {
            line.split_once(": ").is_some_and(|(name, found)| name.eq_ignore_ascii_case(header) && found == value)
        })
    }
}

/// Starts the program in a new folder with these files; their names are its arguments, before the others.
pub fn play(files: &[(&str, &str)], arguments: &[&str]) -> Program {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    // a file that is not named
    fs::write(folder.path().join("secret.csv"), "x,y\n1,2\n3,4\n5,7\n").expect("a file");
    let mut child = Command::new(cargo_bin!("mercer"))
        .arg("play")
        .args(files.iter().map(|(name, _)| name))
        .args(arguments)
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("an address");
    let rest = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("an address, found {line}"));
    let mut parts = rest.split('/');
    let (host, token) = (parts.next().unwrap_or_default().to_owned(), parts.next().unwrap_or_default().to_owned());
    Program { child, host, token, folder }
}

impl Program {
    /// Sends bytes and reads until the program closes the connection.
    pub fn send(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.host).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        // the program may answer and close before it has read all
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text}"));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// A request with these headers, to which only `Connection` is added.
    pub fn plain(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        self.send(format!("{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n{body}").as_bytes())
    }

    pub fn path(&self, name: &str) -> String {
        format!("/{}/{name}", self.token)
    }

    pub fn get(&self, name: &str) -> Answer {
        self.plain("GET", &self.path(name), &[("Host", &self.host)], "")
    }

    /// Posts a state as the page does.
    pub fn post(&self, name: &str, state: &Json) -> Answer {
        let (body, origin) = (state.to_string(), format!("http://{}", self.host));
        let headers = [
            ("Host", self.host.as_str()),
            ("Origin", &origin),
            ("Sec-Fetch-Site", "same-origin"),
            ("Content-Type", "application/json"),
            ("Content-Length", &body.len().to_string()),
        ];
        self.plain("POST", &self.path(name), &headers, &body)
    }

    pub fn fault(&self, state: &Json) -> String {
        let json = self.post("frame", state).json();
        json["fault"]["message"].as_str().unwrap_or_else(|| panic!("no fault: {json}")).to_owned()
    }

    /// Runs a script in the folder of the program. Returns what it shows.
    pub fn run(&self, script: &str) -> String {
        fs::write(self.folder.path().join("state.mer"), script).expect("a file");
        let done = Command::new(cargo_bin!("mercer"))
            .args(["run", "state.mer", "--out", "drawn"])
            .current_dir(self.folder.path())
            .output()
            .expect("the program runs");
        assert!(done.status.success(), "{script}\n{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    pub fn drawn(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(format!("drawn/{name}.svg"))).expect("a figure")
    }
}
