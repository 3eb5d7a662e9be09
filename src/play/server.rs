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
use tokio::sync::Semaphore;
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
/// The number of answers that are computed at the same time, those included that were given up and have not ended.
const WORKERS: usize = 4;
/// The number of connections at the same time.
const CONNECTIONS: usize = 64;
/// The time for the head of a request, and for its body.
const PATIENCE: Duration = Duration::from_secs(10);

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
        let workers = Arc::new(Semaphore::new(WORKERS));
        let server = Arc::new(Server { house: Arc::new(house), guard, jobs: Arc::default(), workers });
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
            connection.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
            // An error is that of a browser that has gone, or of something that is not a browser.
            let _ = connection.serve_connection(TokioIo::new(stream), answer).await;
            drop(place);
        });
    }
}

impl Server {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let route = match self.guard.check(request.method(), request.uri().path(), request.headers()) {
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
        let body = timeout(PATIENCE, Limited::new(body, LARGEST_BODY).collect()).await.map_err(|_| Refusal::Body)?;
        let body = body.map_err(|error| match error.is::<http_body_util::LengthLimitError>() {
            true => Refusal::Large,
            false => Refusal::Body,
        })?;
        let state = match State::read(&body.to_bytes()) {
            Ok(state) => state,
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
        let Ok(Ok(place)) = place else { return Err(Refusal::Busy) };
        let (house, own) = (self.house.clone(), watch.clone());
        let computed = tokio::task::spawn_blocking(move || {
            let result = compute(&house, &state, &own);
            drop(place);
            result
        });
        match timeout(limit + 2 * GRACE, computed).await {
            Ok(Ok(Ok(json))) => Ok(json),
            Ok(Ok(Err(Fault::Stopped))) => Err(if watch.is_asked() { Refusal::Replaced } else { Refusal::Late }),
            Ok(Ok(Err(fault))) => Ok(fault.json()),
            Ok(Err(_)) => Err(Refusal::Bug),
            Err(_) => Err(Refusal::Late),
        }
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
