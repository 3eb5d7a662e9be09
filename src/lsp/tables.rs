//! The data of a document: its statements that load and change data are run in the background, so that completion and
//! hover know the columns. Nothing else of a document runs: no fit, no search, and nothing that writes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use lsp_types::Uri;
use mercer::lang::eval::evaluator::Touches;
use mercer::lang::eval::host::Folders;
use mercer::lang::registry;
use mercer::lang::signature::Group;
use mercer::progress::Progress;
use mercer::session::Session;
use mercer::syntax::ast::{Expr, ExprKind, Lambda, Program, Statement, StatementKind};

/// The time after which the statements of a document are given up.
const PATIENCE: Duration = Duration::from_secs(2);

/// A request to load the data of a document.
struct Request {
    uri: Uri,
    folder: PathBuf,
    /// The statements to run.
    statements: Vec<String>,
    /// Whether files may have changed.
    anew: bool,
}

/// A session that has the data of one document.
struct Loaded {
    folder: PathBuf,
    statements: Vec<String>,
    session: Session,
}

type Shared = Arc<Mutex<HashMap<String, Loaded>>>;

/// The data of all open documents.
pub struct Tables {
    loaded: Shared,
    requests: Sender<Request>,
}

impl Tables {
    pub fn start() -> Self {
        let (requests, receiver) = channel();
        let loaded = Shared::default();
        let shared = loaded.clone();
        thread::spawn(move || serve(&receiver, &shared));
        Self { loaded, requests }
    }

    /// Asks for the data of a document. With `anew` they are read again although the statements are unchanged.
    pub fn ask(&self, uri: &Uri, folder: PathBuf, text: &str, program: &Program, anew: bool) {
        let statements = statements(text, program);
        // The thread ends only with the program.
        let _ = self.requests.send(Request { uri: uri.clone(), folder, statements, anew });
    }

    /// Uses the session with the data of a document; an empty one if they are not loaded.
    pub fn with<T>(&self, uri: &Uri, work: impl FnOnce(&Session) -> T) -> T {
        match locked(&self.loaded).get(uri.as_str()) {
            Some(loaded) => work(&loaded.session),
            None => work(&Session::default()),
        }
    }

    pub fn forget(&self, uri: &Uri) {
        locked(&self.loaded).remove(uri.as_str());
    }
}

fn locked(shared: &Shared) -> MutexGuard<'_, HashMap<String, Loaded>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(requests: &Receiver<Request>, shared: &Shared) {
    while let Ok(first) = requests.recv() {
        // Of several requests for a document only the last counts.
        let mut waiting: Vec<Request> = vec![first];
        for later in requests.try_iter() {
            let anew = waiting.iter().any(|request| request.uri == later.uri && request.anew);
            waiting.retain(|request| request.uri != later.uri);
            waiting.push(Request { anew: anew || later.anew, ..later });
        }
        for Request { uri, folder, statements, anew } in waiting {
            let same = |loaded: &Loaded| loaded.folder == folder && loaded.statements == statements;
            if !anew && locked(shared).get(uri.as_str()).is_some_and(same) {
                continue;
            }
            let session = load(folder.clone(), &statements);
            locked(shared).insert(uri.as_str().to_owned(), Loaded { folder, statements, session });
        }
    }
}

/// Runs the statements; those that fail are left out.
fn load(folder: PathBuf, statements: &[String]) -> Session {
    let mut session = Session::new(Folders { script: folder, ..Folders::default() }, 0);
    let limit = Limit(Instant::now() + PATIENCE);
    for statement in statements {
        if limit.stop() {
            break;
        }
        session.run(statement, "data", &limit);
    }
    session
}

struct Limit(Instant);

impl Progress for Limit {
    fn report(&self, _done: f64, _note: &str) {}

    fn stop(&self) -> bool {
        Instant::now() > self.0
    }
}

/// The bindings of a program that only load or change data, as text.
fn statements(text: &str, program: &Program) -> Vec<String> {
    let wanted = program.statements.iter().filter(|statement| is_wanted(statement));
    wanted.filter_map(|statement| text.get(statement.span.start..statement.span.end)).map(str::to_owned).collect()
}

fn is_wanted(statement: &Statement) -> bool {
    match &statement.node {
        StatementKind::Let { values, .. } => values.iter().all(is_data),
        StatementKind::Fn { function, .. } => is_function(function),
        StatementKind::Import(_) | StatementKind::Expr(_) => false,
    }
}

fn is_function(function: &Lambda) -> bool {
    function.params.iter().all(|param| param.default.as_ref().is_none_or(is_data)) && is_data(&function.body)
}

/// Whether an expression calls only names of the user and builtins on data, lists and numbers.
fn is_data(expr: &Expr) -> bool {
    let allowed = match &expr.node {
        ExprKind::Name(name) => registry::find(name).is_none_or(|entry| {
            let harmless = entry.touches == Touches::Nothing || entry.signature.name == "load";
            harmless && matches!(entry.signature.group, Group::Data | Group::Lists | Group::Numbers)
        }),
        ExprKind::Prior { .. } => false,
        _ => true,
    };
    allowed && expr.parts().into_iter().all(is_data)
}
