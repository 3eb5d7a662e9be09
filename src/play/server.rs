//! The server: connections to this computer only, one answer for each request.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::http::uri::Authority;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use mercer::data;
use mercer::progress::GRACE;
use mercer::report::FIGURE_STYLE;
use rand::TryRng;
use rand::rngs::SysRng;
use serde_json::{Value as Json, json};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::curves::curves;
use super::fault::Fault;
use super::frame::frame;
use super::guard::{Guard, HEADERS, LARGEST_BODY, Refusal, Route};
use super::house::House;
use super::jobs::{Jobs, Task, Watch};
use super::optimum::optimum;
use super::state::State;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = concat!(
    include_str!("page/state.js"),
    include_str!("page/requests.js"),
    include_str!("page/shown.js"),
    include_str!("page/controls.js"),
);

/// The number of random bytes of the token.
const TOKEN: usize = 32;
/// The number of answers that are computed at the same time.
const WORKERS: usize = 4;
/// The number of computations that were given up and have not ended, without being counted among the answers. Further
/// ones keep their places, so that the page never has more than this many besides its workers.
const GIVEN_UP: usize = 4;
/// The number of connections at the same time.
const CONNECTIONS: usize = 512;
/// The time for the head of a request. A connection without one is closed, so that it does not take a place for long.
const HEAD_PATIENCE: Duration = Duration::from_secs(2);
/// The time for the body of a request.
const BODY_PATIENCE: Duration = Duration::from_secs(10);

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("the port {port} cannot be used: {error}; without `--port` a free one is chosen")]
    Port { port: u16, error: std::io::Error },
    #[error("the page cannot be served: {0}")]
    Runtime(#[from] std::io::Error),
    #[error("the system has no random numbers for the address of the page: {0}")]
    Random(#[from] rand::rngs::SysError),
}

struct Server {
    house: Arc<House>,
    guard: Guard,
    jobs: Arc<Jobs>,
    workers: Arc<Semaphore>,
    given_up: Arc<Semaphore>,
}

/// Serves the page. `ready` receives its address.
///
/// # Errors
/// [`ServeError`]; it does not end without one.
pub fn serve(house: House, port: u16, ready: impl FnOnce(&str)) -> Result<(), ServeError> {
    let mut token = [0; TOKEN];
    SysRng.try_fill_bytes(&mut token)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
        let listener = bound.map_err(|error| ServeError::Port { port, error })?;
        let guard = Guard::new(URL_SAFE_NO_PAD.encode(token), listener.local_addr()?.port());
        ready(&guard.address());
        let (workers, given_up) = (Arc::new(Semaphore::new(WORKERS)), Arc::new(Semaphore::new(GIVEN_UP)));
        let server = Arc::new(Server { house: Arc::new(house), guard, jobs: Arc::default(), workers, given_up });
        accept(listener, server).await
    })
}

async fn accept(listener: TcpListener, server: Arc<Server>) -> Result<(), ServeError> {
    let open = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // The semaphore is never closed.
        let Ok(place) = open.clone().acquire_owned().await else { return Ok(()) };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // the other side has gone, or there are too many files open
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let server = server.clone();
        tokio::spawn(async move {
            let answer = service_fn(|request| {
                let server = server.clone();
                async move { Ok::<_, Infallible>(server.answer(request).await) }
            });
            let mut connection = http1::Builder::new();
            connection.timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE);
            // An error is that of a browser that has gone, or of something that is not a browser.
            let _ = connection.serve_connection(TokioIo::new(stream), answer).await;
            drop(place);
        });
    }
}

impl Server {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (uri, authority) = (request.uri(), request.uri().authority().map(Authority::as_str));
        let route = match self.guard.check(request.method(), authority, uri.path(), request.headers()) {
            Ok(route) => route,
            Err(refusal) => return refused(refusal),
        };
        match route {
            Route::Page => text("text/html; charset=utf-8", PAGE.into()),
            Route::Style => text("text/css; charset=utf-8", format!("{STYLE}{FIGURE_STYLE}").into()),
            Route::Script => text("text/javascript; charset=utf-8", SCRIPT.into()),
            Route::Sets => found(&self.sets()),
            Route::Frame | Route::Curves | Route::Fit | Route::Stop => {
                match self.asked(route, request.into_body()).await {
                    Ok(json) => found(&json),
                    Err(refusal) => refused(refusal),
                }
            }
        }
    }

    /// The data that the page offers.
    fn sets(&self) -> Json {
        let shipped = data::sets::SETS.iter().map(|set| json!({ "name": set.name, "title": set.title }));
        json!({ "files": &*self.house.files, "sets": shipped.collect::<Vec<_>>() })
    }

    async fn asked(&self, route: Route, body: Incoming) -> Result<Json, Refusal> {
        let body =
            timeout(BODY_PATIENCE, Limited::new(body, LARGEST_BODY).collect()).await.map_err(|_| Refusal::Body)?;
        let body = body.map_err(|error| match error.is::<http_body_util::LengthLimitError>() {
            true => Refusal::Large,
            false => Refusal::Body,
        })?;
        let state = match State::read(&body.to_bytes()) {
            Ok(state) => state,
            Err(fault @ Fault::Malformed(_)) => return Err(Refusal::Malformed(fault.to_string())),
            Err(fault) => return Ok(fault.json()),
        };
        let limit = self.house.limit;
        match route {
            Route::Frame => self.work(Task::Frame, limit / 2, state, frame).await,
            Route::Curves => self.work(Task::Curves, limit / 2, state, curves).await,
            Route::Fit => self.work(Task::Fit, limit, state, optimum).await,
            Route::Stop | Route::Page | Route::Style | Route::Script | Route::Sets => {
                self.jobs.stop_fit(&state.page);
                Ok(json!({}))
            }
        }
    }

    /// Computes an answer on another thread. The job asks it to stop when a newer one begins and when the browser no
    /// longer waits.
    async fn work(
        &self,
        task: Task,
        limit: Duration,
        state: State,
        compute: fn(&House, &State, &dyn mercer::progress::Progress) -> Result<Json, Fault>,
    ) -> Result<Json, Refusal> {
        let job = self.jobs.begin(&state.page, task, limit);
        let watch: Watch = job.watch();
        let place = timeout(limit, self.workers.clone().acquire_owned()).await;
        let Ok(Ok(place)) = place else { return Err(self.no_place()) };
        let (house, own) = (self.house.clone(), watch.clone());
        let computed = tokio::task::spawn_blocking(move || compute(&house, &state, &own));
        let (sender, receiver) = oneshot::channel();
        // it goes on when the browser no longer waits for this answer
        tokio::spawn(attend(computed, limit + 2 * GRACE, place, self.given_up.clone(), sender));
        match receiver.await {
            Ok(Computed::Ended(Ok(json))) => Ok(json),
            Ok(Computed::Ended(Err(Fault::Stopped))) => {
                Err(if watch.is_asked() { Refusal::Replaced } else { Refusal::Late })
            }
            Ok(Computed::Ended(Err(fault))) => Ok(fault.json()),
            Ok(Computed::Failed) | Err(_) => Err(Refusal::Bug),
            Ok(Computed::GivenUp) => Err(Refusal::Late),
        }
    }

    /// Why there is no place to compute.
    fn no_place(&self) -> Refusal {
        match self.given_up.available_permits() {
            0 => Refusal::Stuck(GIVEN_UP),
            _ => Refusal::Busy,
        }
    }
}

/// What became of the computation of an answer.
enum Computed {
    Ended(Result<Json, Fault>),
    /// It panicked.
    Failed,
    /// It did not end after a stop.
    GivenUp,
}

/// Waits for a computation and tells what became of it. One that does not end in time leaves its place to others, unless
/// too many have done so before and are still running.
async fn attend(
    mut computed: JoinHandle<Result<Json, Fault>>,
    patience: Duration,
    place: OwnedSemaphorePermit,
    given_up: Arc<Semaphore>,
    sender: oneshot::Sender<Computed>,
) {
    let ended = timeout(patience, &mut computed).await;
    let late = ended.is_err();
    let became = match ended {
        Ok(Ok(result)) => Computed::Ended(result),
        Ok(Err(_)) => Computed::Failed,
        Err(_) => Computed::GivenUp,
    };
    // the receiver is gone with its browser
    let _ = sender.send(became);
    if late {
        let place = given_up.try_acquire_owned().unwrap_or(place);
        // how it ends is of no use any more
        let _ = computed.await;
        drop(place);
    }
}

fn text(media: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    for (name, value) in HEADERS {
        headers.insert(name, value);
    }
    response
}

fn found(json: &Json) -> Response<Full<Bytes>> {
    text("application/json", json.to_string().into())
}

fn refused(refusal: Refusal) -> Response<Full<Bytes>> {
    let mut response = text("text/plain; charset=utf-8", format!("{refusal}\n").into());
    *response.status_mut() = refusal.status();
    if let Some(method) = refusal.allowed().and_then(|method| HeaderValue::from_str(method.as_str()).ok()) {
        response.headers_mut().insert(header::ALLOW, method);
    }
    if refusal.status() == StatusCode::FORBIDDEN || refusal == Refusal::Large {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
