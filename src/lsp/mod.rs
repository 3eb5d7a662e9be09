//! `mercer lsp`: a server of the language server protocol on stdin and stdout, for editors.
//!
//! A change of a document is checked at once, as `mercer check` does, and its diagnostics are sent; nothing is run
//! except statements that load data ([`tables`]).

mod analysis;
mod completion;
mod hover;
mod names;
mod tables;
mod text;
mod wire;

use std::collections::HashMap;

use lsp_server::{Connection, ErrorCode, ExtractError, Message, Notification, ProtocolError, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Notification as _,
    PublishDiagnostics,
};
use lsp_types::request::{
    Completion, DocumentHighlightRequest, DocumentSymbolRequest, Formatting, GotoDefinition, HoverRequest,
    PrepareRenameRequest, References, Rename, Request as _, SignatureHelpRequest,
};
use lsp_types::{
    CompletionOptions, CompletionResponse, DocumentSymbolResponse, GotoDefinitionResponse, HoverProviderCapability,
    InitializeParams, InitializeResult, OneOf, PublishDiagnosticsParams, RenameOptions, SaveOptions,
    ServerCapabilities, ServerInfo, SignatureHelpOptions, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, TextEdit, Uri,
};
use mercer::syntax::fmt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cli::FAILED;
use crate::terminal::{Format, Screen};
use analysis::{Analysis, folder};
use tables::Tables;
use text::{Encoding, Text};

/// Serves one client until it leaves. Returns an exit code.
pub fn start() -> u8 {
    let (connection, writer) = wire::connect();
    let served = serve(&connection);
    drop(connection);
    // what was sent is written before the program ends
    let written = writer.join();
    match served {
        Ok(()) => written.map_or(FAILED, |()| 0),
        Err(error) => {
            Screen::new(Format::Text).error(format!("the language server stopped: {error}"));
            FAILED
        }
    }
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let characters = |text: &str| Some(text.chars().map(String::from).collect::<Vec<_>>());
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: characters(".(\"/"),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: characters("(,"),
            ..SignatureHelpOptions::default()
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        ..ServerCapabilities::default()
    }
}

fn serve(connection: &Connection) -> Result<(), Box<dyn std::error::Error + Sync + Send>> {
    let (id, parameters) = connection.initialize_start()?;
    let parameters: InitializeParams = serde_json::from_value(parameters)?;
    let offered = parameters.capabilities.general.and_then(|general| general.position_encodings);
    let encoding = Encoding::negotiate(&offered.unwrap_or_default());
    let info = ServerInfo { name: "mercer".into(), version: Some(env!("CARGO_PKG_VERSION").into()) };
    let result = InitializeResult { capabilities: capabilities(encoding), server_info: Some(info) };
    connection.initialize_finish(id, serde_json::to_value(result)?)?;
    let server = Server { documents: HashMap::new(), dirty: Vec::new(), tables: Tables::start(), encoding };
    Ok(server.run(connection)?)
}

/// The state of the server.
struct Server {
    documents: HashMap<String, Document>,
    /// Documents whose diagnostics are to be sent.
    dirty: Vec<Uri>,
    tables: Tables,
    encoding: Encoding,
}

struct Document {
    version: i32,
    analysis: Analysis,
    /// The text after changes that are not yet analysed.
    changed: Option<Text>,
}

impl Document {
    /// Analyses the changes.
    fn refresh(&mut self, uri: &Uri) {
        if let Some(text) = self.changed.take() {
            self.analysis = Analysis::of(text, uri);
        }
    }
}

impl Server {
    fn run(mut self, connection: &Connection) -> Result<(), ProtocolError> {
        while let Ok(message) = connection.receiver.recv() {
            match message {
                Message::Request(request) => {
                    if connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    let response = self.respond(request);
                    // The client may have gone; the next message then ends the loop.
                    let _ = connection.sender.send(response.into());
                }
                Message::Notification(notification) => self.notified(notification, connection),
                Message::Response(_) => {}
            }
            // Of several changes that arrived together only the last text is checked.
            if connection.receiver.is_empty() {
                self.publish(connection);
            }
        }
        Ok(())
    }

    fn notified(&mut self, notification: Notification, connection: &Connection) {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Some(opened) = read::<DidOpenTextDocument>(notification) {
                    let document = opened.text_document;
                    let text = Text::new(document.text, self.encoding);
                    let analysis = Analysis::of(text, &document.uri);
                    let version = document.version;
                    let key = document.uri.as_str().to_owned();
                    self.documents.insert(key, Document { version, analysis, changed: None });
                    self.load(&document.uri, true);
                    self.dirty.push(document.uri);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(change) = read::<DidChangeTextDocument>(notification) {
                    let uri = change.text_document.uri;
                    if let Some(document) = self.documents.get_mut(uri.as_str()) {
                        let text = document.changed.take().unwrap_or_else(|| document.analysis.text.clone());
                        let text = change.content_changes.into_iter().fold(text, Text::changed);
                        document.changed = Some(text);
                        document.version = change.text_document.version;
                        self.dirty.push(uri);
                    }
                }
            }
            DidSaveTextDocument::METHOD => {
                // Other documents may import this one.
                if let Some(saved) = read::<DidSaveTextDocument>(notification) {
                    self.load(&saved.text_document.uri, true);
                    for (uri, document) in &mut self.documents {
                        document.changed.get_or_insert_with(|| document.analysis.text.clone());
                        self.dirty.extend(uri.parse());
                    }
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(closed) = read::<DidCloseTextDocument>(notification) {
                    let uri = closed.text_document.uri;
                    self.documents.remove(uri.as_str());
                    self.tables.forget(&uri);
                    send(connection, PublishDiagnosticsParams::new(uri, Vec::new(), None));
                }
            }
            _ => {}
        }
    }

    /// Checks the changed documents and sends their diagnostics.
    fn publish(&mut self, connection: &Connection) {
        for uri in std::mem::take(&mut self.dirty) {
            let Some(document) = self.documents.get_mut(uri.as_str()) else { continue };
            document.refresh(&uri);
            let found = document.analysis.diagnostics.clone();
            send(connection, PublishDiagnosticsParams::new(uri.clone(), found, Some(document.version)));
            self.load(&uri, false);
        }
    }

    /// Loads the data of a document in the background.
    fn load(&self, uri: &Uri, anew: bool) {
        if let Some(Document { analysis, .. }) = self.documents.get(uri.as_str()) {
            self.tables.ask(uri, folder(uri), analysis.text.as_str(), &analysis.program, anew);
        }
    }

    fn respond(&mut self, request: Request) -> Response {
        match request.method.as_str() {
            Completion::METHOD => self.answer::<Completion, _>(request, |server, parameters| {
                let at = parameters.text_document_position;
                let uri = at.text_document.uri;
                let analysis = server.analysis(&uri)?;
                let items = server.tables.with(&uri, |session| completion::complete(analysis, at.position, session));
                Ok(Some(CompletionResponse::Array(items)))
            }),
            SignatureHelpRequest::METHOD => self.answer::<SignatureHelpRequest, _>(request, |server, parameters| {
                let at = parameters.text_document_position_params;
                Ok(completion::signature(server.analysis(&at.text_document.uri)?, at.position))
            }),
            HoverRequest::METHOD => self.answer::<HoverRequest, _>(request, |server, parameters| {
                let at = parameters.text_document_position_params;
                let uri = at.text_document.uri;
                let analysis = server.analysis(&uri)?;
                Ok(server.tables.with(&uri, |session| hover::hover(analysis, at.position, session)))
            }),
            GotoDefinition::METHOD => self.answer::<GotoDefinition, _>(request, |server, parameters| {
                let at = parameters.text_document_position_params;
                let uri = at.text_document.uri;
                let found = names::definition(server.analysis(&uri)?, &uri, at.position, server.encoding);
                Ok(found.map(GotoDefinitionResponse::Scalar))
            }),
            References::METHOD => self.answer::<References, _>(request, |server, parameters| {
                let at = parameters.text_document_position;
                let uri = at.text_document.uri;
                let binding = parameters.context.include_declaration;
                Ok(Some(names::references(server.analysis(&uri)?, &uri, at.position, binding)))
            }),
            DocumentHighlightRequest::METHOD => {
                self.answer::<DocumentHighlightRequest, _>(request, |server, parameters| {
                    let at = parameters.text_document_position_params;
                    Ok(Some(names::highlights(server.analysis(&at.text_document.uri)?, at.position)))
                })
            }
            DocumentSymbolRequest::METHOD => self.answer::<DocumentSymbolRequest, _>(request, |server, parameters| {
                let found = names::outline(server.analysis(&parameters.text_document.uri)?);
                Ok(Some(DocumentSymbolResponse::Nested(found)))
            }),
            Formatting::METHOD => self.answer::<Formatting, _>(request, |server, parameters| {
                Ok(formatted(&server.analysis(&parameters.text_document.uri)?.text))
            }),
            PrepareRenameRequest::METHOD => self.answer::<PrepareRenameRequest, _>(request, |server, at| {
                names::prepare_rename(server.analysis(&at.text_document.uri)?, at.position)
                    .map(Some)
                    .map_err(|error| error.to_string())
            }),
            Rename::METHOD => self.answer::<Rename, _>(request, |server, parameters| {
                let at = parameters.text_document_position;
                let uri = at.text_document.uri;
                names::rename(server.analysis(&uri)?, &uri, at.position, &parameters.new_name)
                    .map(Some)
                    .map_err(|error| error.to_string())
            }),
            method => {
                let message = format!("`{method}` is not supported");
                Response::new_err(request.id, ErrorCode::MethodNotFound as i32, message)
            }
        }
    }

    /// Answers a request of a known method with up-to-date documents.
    fn answer<R, F>(&mut self, request: Request, work: F) -> Response
    where
        R: lsp_types::request::Request,
        R::Params: DeserializeOwned,
        R::Result: Serialize,
        F: FnOnce(&Self, R::Params) -> Result<R::Result, String>,
    {
        for (uri, document) in &mut self.documents {
            if let Ok(uri) = uri.parse() {
                document.refresh(&uri);
            }
        }
        let id = request.id.clone();
        match request.extract::<R::Params>(R::METHOD) {
            Ok((id, parameters)) => match work(self, parameters) {
                Ok(result) => Response::new_ok(id, result),
                Err(message) => Response::new_err(id, ErrorCode::RequestFailed as i32, message),
            },
            Err(ExtractError::JsonError { error, .. }) => {
                Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string())
            }
            Err(ExtractError::MethodMismatch(request)) => {
                Response::new_err(request.id, ErrorCode::MethodNotFound as i32, request.method)
            }
        }
    }

    fn analysis(&self, uri: &Uri) -> Result<&Analysis, String> {
        let document = self.documents.get(uri.as_str());
        document.map(|document| &document.analysis).ok_or_else(|| format!("`{}` is not open", uri.as_str()))
    }
}

/// The edits that format a text; `None` if it has an error of syntax.
fn formatted(text: &Text) -> Option<Vec<TextEdit>> {
    let formatted = fmt::format(text.as_str()).ok()?;
    let edit = TextEdit::new(text.whole_range(), formatted.clone());
    Some(if formatted == text.as_str() { Vec::new() } else { vec![edit] })
}

fn read<N: lsp_types::notification::Notification>(notification: Notification) -> Option<N::Params>
where
    N::Params: DeserializeOwned,
{
    notification.extract(N::METHOD).ok()
}

fn send(connection: &Connection, diagnostics: PublishDiagnosticsParams) {
    let notification = Notification::new(PublishDiagnostics::METHOD.to_owned(), diagnostics);
    // The client may have gone; the next message then ends the loop.
    let _ = connection.sender.send(notification.into());
}
