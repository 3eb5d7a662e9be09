//! Runs the cells of a notebook in a session, and answers questions about it, one after another.

use std::sync::mpsc::Receiver;

use jupyter_protocol::messaging::{ExecutionState, Payload, Transient};
use jupyter_protocol::{
    CodeMirrorMode, CommInfoReply, CompleteReply, CompleteRequest, DisplayData, ErrorOutput, ExecuteInput,
    ExecuteReply, ExecuteRequest, ExecuteResult, ExecutionCount, InspectReply, InspectRequest, IsCompleteReply,
    JupyterMessage, JupyterMessageContent, KernelInfoReply, LanguageInfo, Media, MediaType, ReplyError, ReplyStatus,
    Status, StreamContent, UpdateDisplayData,
};
use mercer::lang::eval::host::Item;
use mercer::lang::help;
use mercer::lang::registry;
use mercer::render::{render, without_controls};
use mercer::session::{Session, type_of};
use mercer::syntax::diagnostic::{Diagnostic, Sources};
use mercer::syntax::layout::is_incomplete;
use mercer::syntax::parse::parse_all;
use mercer::syntax::scan::is_word_char;
use mercer::syntax::span::SourceId;
use serde_json::json;

use super::history::History;
use super::media;
use super::notice::{Stop, watched};

/// The name of an error in the protocol.
const ERROR: &str = "Error";

/// The answer to `exit` and the like. A console leaves by the reply; a notebook is left by its user.
const FAREWELL: &str = "to leave, close the notebook, and shut down its kernel to forget its names\n";

/// A message to the client.
pub enum Outgoing {
    /// The reply to a request on the shell channel.
    Shell(JupyterMessage),
    /// To all clients.
    Broadcast(JupyterMessage),
}

/// Sends messages from the thread of the worker.
pub type Send = tokio::sync::mpsc::UnboundedSender<Outgoing>;

/// The session of a notebook.
pub struct Worker {
    session: Session,
    send: Send,
    stop: Stop,
    count: usize,
    /// The number of outputs so far, which distinguishes their figures.
    outputs: usize,
    history: History,
}

/// The parts of a request that its outputs need.
struct Cell<'a> {
    send: &'a Send,
    request: &'a JupyterMessage,
    silent: bool,
}

impl Cell<'_> {
    fn show(&self, content: impl Into<JupyterMessageContent>) {
        if !self.silent {
            broadcast(self.send, content, self.request);
        }
    }
}

fn broadcast(send: &Send, content: impl Into<JupyterMessageContent>, parent: &JupyterMessage) {
    // The receiver ends only with the program.
    let _ = send.send(Outgoing::Broadcast(JupyterMessage::new(content, Some(parent))));
}

/// Marks the start and the end of the work on a request.
pub fn status(state: ExecutionState) -> Status {
    Status { execution_state: state }
}

impl Worker {
    pub fn new(session: Session, send: Send, stop: Stop) -> Self {
        Self { session, send, stop, count: 0, outputs: 0, history: History::default() }
    }

    /// Answers requests until their sender is gone.
    pub fn run(mut self, requests: &Receiver<JupyterMessage>) {
        while let Ok(request) = requests.recv() {
            for waiting in self.answer(&request, requests) {
                self.answer_aborted(&waiting, requests);
            }
        }
    }

    fn reply(&self, content: impl Into<JupyterMessageContent>, request: &JupyterMessage) {
        // As above.
        let _ = self.send.send(Outgoing::Shell(JupyterMessage::new(content, Some(request))));
    }

    fn answer_aborted(&mut self, request: &JupyterMessage, requests: &Receiver<JupyterMessage>) {
        if !matches!(request.content, JupyterMessageContent::ExecuteRequest(_)) {
            self.answer(request, requests);
            return;
        }
        broadcast(&self.send, status(ExecutionState::Busy), request);
        let reply = ExecuteReply { status: ReplyStatus::Aborted, execution_count: self.number(), ..Default::default() };
        self.reply(reply, request);
        broadcast(&self.send, status(ExecutionState::Idle), request);
    }

    /// Answers one request. Returns the requests that were waiting when a cell failed: their cells must not run.
    fn answer(&mut self, request: &JupyterMessage, requests: &Receiver<JupyterMessage>) -> Vec<JupyterMessage> {
        broadcast(&self.send, status(ExecutionState::Busy), request);
        let mut waiting = Vec::new();
        match &request.content {
            JupyterMessageContent::KernelInfoRequest(_) => self.reply(kernel_info(), request),
            JupyterMessageContent::ExecuteRequest(asked) => {
                let reply = self.execute(asked, request);
                if reply.status != ReplyStatus::Ok && asked.stop_on_error {
                    // Before the reply: what a client sends after it has read of the error is meant to run.
                    waiting.extend(requests.try_iter());
                }
                self.reply(reply, request);
            }
            JupyterMessageContent::CompleteRequest(asked) => self.reply(self.complete(asked), request),
            JupyterMessageContent::InspectRequest(asked) => self.reply(self.inspect(asked), request),
            JupyterMessageContent::IsCompleteRequest(asked) => self.reply(is_complete(&asked.code), request),
            JupyterMessageContent::HistoryRequest(asked) => self.reply(self.history.answer(asked), request),
            JupyterMessageContent::CommInfoRequest(_) => {
                let none = CommInfoReply { status: ReplyStatus::Ok, comms: Default::default(), error: None };
                self.reply(none, request);
            }
            // Widgets and debuggers are not supported; the protocol expects no answer.
            _ => {}
        }
        broadcast(&self.send, status(ExecutionState::Idle), request);
        waiting
    }

    fn number(&self) -> ExecutionCount {
        ExecutionCount::new(self.count)
    }

    fn execute(&mut self, asked: &ExecuteRequest, request: &JupyterMessage) -> ExecuteReply {
        if !asked.silent && asked.store_history {
            self.count += 1;
            self.history.push(self.count, &asked.code);
        }
        let number = self.number();
        let cell = Cell { send: &self.send, request, silent: asked.silent };
        cell.show(ExecuteInput { code: asked.code.clone(), execution_count: number });
        let done = ExecuteReply {
            execution_count: number,
            user_expressions: Some(Default::default()),
            ..ExecuteReply::default()
        };
        if let Some(name) = asked.code.trim().strip_prefix('?') {
            return match topic(name.trim()) {
                // Who cannot be asked has no pager: such as `jupyter nbconvert`, which keeps outputs only.
                Ok(data) if !asked.allow_stdin => {
                    cell.show(DisplayData::new(data));
                    done
                }
                Ok(data) => ExecuteReply { payload: vec![Payload::Page { data, start: 0 }], ..done },
                Err(error) => failed(done, failure(&error, &Sources::new()), &cell),
            };
        }
        if self.session.is_farewell(&asked.code) {
            cell.show(StreamContent::stdout(FAREWELL));
            return ExecuteReply { payload: vec![Payload::AskExit { keepkernel: false }], ..done };
        }
        let mut outputs = Outputs { cell: &cell, number, total: &mut self.outputs, last: None, fault: None };
        self.stop.forget();
        let id = format!("progress-{}", request.header.msg_id);
        let mut told = false;
        let mut progress = |line: &str| {
            let data = Media::new(vec![MediaType::Plain(without_controls(line).into_owned())]);
            let transient = Some(Transient { display_id: Some(id.clone()) });
            match std::mem::replace(&mut told, true) {
                false => cell.show(DisplayData { data, metadata: Default::default(), transient }),
                true => cell.show(UpdateDisplayData {
                    data,
                    metadata: Default::default(),
                    transient: Transient { display_id: Some(id.clone()) },
                }),
            }
        };
        let (session, name) = (&mut self.session, format!("cell {}", self.count));
        let well = watched(&self.stop, &mut progress, |notice| {
            session.run_with(&asked.code, &name, notice, &mut |item, sources| outputs.item(item, sources))
        });
        let result = outputs.end();
        let fault = outputs.fault.take();
        if let Some(text) = result.filter(|_| !asked.silent && asked.store_history) {
            self.history.keep_output(self.count, text);
        }
        if well && self.stop.is_asked() {
            cell.show(StreamContent::stderr("stopped: this is the best result so far\n"));
        }
        match fault.filter(|_| !well) {
            Some(fault) => failed(done, fault, &cell),
            None => done,
        }
    }

    /// Completions; the protocol counts characters.
    fn complete(&self, asked: &CompleteRequest) -> CompleteReply {
        let cursor = byte(&asked.code, asked.cursor_pos);
        let found = self.session.complete(&asked.code, cursor);
        let types = found.candidates.iter().map(|candidate| {
            json!({ "text": candidate.text, "type": format!("{:?}", candidate.offer).to_lowercase(), "signature": candidate.about })
        });
        let metadata = [("_jupyter_types_experimental".to_owned(), types.collect())].into_iter().collect();
        CompleteReply {
            matches: found.candidates.iter().map(|candidate| candidate.text.clone()).collect(),
            cursor_start: asked.code[..found.start].chars().count(),
            cursor_end: asked.code[..cursor].chars().count(),
            metadata,
            ..CompleteReply::default()
        }
    }

    /// Help on the name at the cursor.
    fn inspect(&self, asked: &InspectRequest) -> InspectReply {
        let word = word(&asked.code, byte(&asked.code, asked.cursor_pos));
        let own = self.session.get(word).filter(|_| !word.is_empty());
        let media = match own {
            Some(value) => {
                let text = format!("{word}: {}\n{}", type_of(value), media::text(value));
                Some(Media::new(vec![MediaType::Plain(text)]))
            }
            None => topic(word).ok().filter(|_| !word.is_empty()),
        };
        InspectReply { found: media.is_some(), data: media.unwrap_or_default(), ..Default::default() }
    }
}

/// The help on a name or topic.
fn topic(name: &str) -> Result<Media, Diagnostic> {
    let text = help::topic(registry::library(), Some(name))?;
    // Where Pygments does not know a language, its name would be shown as a line of the code.
    let markdown = help::markdown(registry::library(), name).map(|text| text.replace("```mercer\n", "```text\n"));
    let markdown = markdown.map(MediaType::Markdown);
    Ok(Media::new([MediaType::Plain(text)].into_iter().chain(markdown).collect()))
}

/// The outputs of a running cell. The last value is the result of the cell; the others are displayed.
struct Outputs<'a> {
    cell: &'a Cell<'a>,
    number: ExecutionCount,
    total: &'a mut usize,
    last: Option<Media>,
    fault: Option<ReplyError>,
}

impl Outputs<'_> {
    fn item(&mut self, item: Item, sources: &Sources) {
        *self.total += 1;
        if let Some(media) = self.last.take() {
            self.cell.show(DisplayData::new(media));
        }
        match item {
            Item::Shown(value) => self.last = Some(media::of_value(&value, *self.total)),
            Item::Text(text) => self.cell.show(StreamContent::stdout(&format!("{}\n", without_controls(&text)))),
            Item::Wrote(path) => match media::of_file(&path, *self.total) {
                Some(media) => self.cell.show(DisplayData::new(media)),
                None => self.cell.show(StreamContent::stdout(&format!("{}\n", media::wrote(&path)))),
            },
            Item::Diagnostic(fault) if fault.is_error() => {
                let found = failure(&fault, sources);
                match &mut self.fault {
                    None => self.fault = Some(found),
                    Some(first) => first.traceback.extend(found.traceback),
                }
            }
            Item::Diagnostic(remark) => self.cell.show(StreamContent::stderr(&render(&remark, sources, true))),
        }
    }

    /// Shows the result of the cell. Returns its text.
    fn end(&mut self) -> Option<String> {
        let media = self.last.take()?;
        let text = media.content.iter().find_map(|media| match media {
            MediaType::Plain(text) => Some(text.clone()),
            _ => None,
        });
        // The schema of the protocol refuses a missing `transient` that is written as null.
        let transient = Some(Transient::default());
        self.cell.show(ExecuteResult { transient, ..ExecuteResult::new(self.number, media) });
        text
    }
}

/// An error with its excerpt of the text, in colours.
fn failure(fault: &Diagnostic, sources: &Sources) -> ReplyError {
    let excerpt = render(fault, sources, true);
    ReplyError {
        ename: ERROR.into(),
        evalue: without_controls(&fault.message).into_owned(),
        traceback: excerpt.trim_end().lines().map(str::to_owned).collect(),
    }
}

fn failed(done: ExecuteReply, fault: ReplyError, cell: &Cell<'_>) -> ExecuteReply {
    let ReplyError { ename, evalue, traceback } = fault.clone();
    cell.show(ErrorOutput { ename, evalue, traceback });
    ExecuteReply { status: ReplyStatus::Error, error: Some(Box::new(fault)), ..done }
}

pub fn kernel_info() -> KernelInfoReply {
    let version = env!("CARGO_PKG_VERSION");
    KernelInfoReply {
        status: ReplyStatus::Ok,
        protocol_version: "5.3".into(),
        implementation: "mercer".into(),
        implementation_version: version.into(),
        language_info: LanguageInfo {
            name: "mercer".into(),
            version: version.into(),
            mimetype: Some("text/x-mercer".into()),
            file_extension: Some(".mer".into()),
            // Julia also has `#`, `let`, `for … in`, `|>` and `->`.
            pygments_lexer: Some("julia".into()),
            codemirror_mode: Some(CodeMirrorMode::Simple("julia".into())),
            nbconvert_exporter: None,
        },
        banner: format!("Mercer {version}. `?name` in a cell shows help."),
        help_links: Vec::new(),
        debugger: false,
        error: None,
    }
}

fn is_complete(code: &str) -> IsCompleteReply {
    if is_incomplete(code) {
        return IsCompleteReply::incomplete("  ".into());
    }
    match parse_all(code, SourceId::default()).diagnostics.is_empty() {
        true => IsCompleteReply::complete(),
        false => IsCompleteReply::invalid(),
    }
}

/// The byte of a character.
fn byte(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

/// The word at or before a byte; within the brackets of a call without a word there, the name of the call.
fn word(text: &str, at: usize) -> &str {
    let (before, after) = text.split_at(at);
    let before = if after.starts_with(is_word_char) { before } else { before.trim_end_matches(['(', ' ']) };
    let start = before.char_indices().rev().find(|(_, c)| !is_word_char(*c)).map_or(0, |(at, c)| at + c.len_utf8());
    let end = text[start..].find(|c| !is_word_char(c)).map_or(text.len(), |length| start + length);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use jupyter_protocol::IsCompleteReplyStatus;

    #[test]
    fn the_word_at_the_cursor_is_found() {
        assert_eq!((word("fit(air", 2), word("fit(", 4), word("x + σy", 6)), ("fit", "fit", "σy"));
        assert_eq!(word("", 0), "");
    }

    #[test]
    fn cells_are_complete_or_not() {
        for (code, status) in [
            ("1 + 1", IsCompleteReplyStatus::Complete),
            ("f(1,", IsCompleteReplyStatus::Incomplete),
            ("let = 3", IsCompleteReplyStatus::Invalid),
        ] {
            assert_eq!(is_complete(code).status, status, "{code}");
        }
    }
}
