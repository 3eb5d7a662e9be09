//! Who may ask: a browser that was given the address of the page, on this computer, from the page itself.
//!
//! Other pages that are open in the same browser can send requests to this computer. They do not know the token in the
//! address; they cannot hide that they are foreign (`Origin`, `Sec-Fetch-Site`); and a name of a foreign server that
//! leads to this computer is not the name of the page (`Host`). Each of these is checked, in every request.

use ctutils::CtEq;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, StatusCode};

/// The largest body of a request in bytes.
pub const LARGEST_BODY: usize = 1_000_000;

/// What may be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    Page,
    Style,
    Script,
    /// The sets and files that the page offers.
    Sets,
    Frame,
    Curves,
    Fit,
    /// Ends a running fit, which then answers.
    Stop,
}

impl Route {
    /// The name after the token in the address.
    fn find(name: &str) -> Option<Self> {
        Some(match name {
            "" => Self::Page,
            "page.css" => Self::Style,
            "page.js" => Self::Script,
            "sets" => Self::Sets,
            "frame" => Self::Frame,
            "curves" => Self::Curves,
            "fit" => Self::Fit,
            "stop" => Self::Stop,
            _ => return None,
        })
    }

    /// Its only method.
    fn method(self) -> Method {
        match self {
            Self::Page | Self::Style | Self::Script | Self::Sets => Method::GET,
            Self::Frame | Self::Curves | Self::Fit | Self::Stop => Method::POST,
        }
    }
}

/// Why a request is not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the host of this request is not that of the page")]
    Host,
    #[error("this request comes from another page")]
    Origin,
    #[error("the address lacks the token of the page: the terminal shows the whole address")]
    Token,
    #[error("there is nothing under this address")]
    Unknown,
    #[error("this address has another method")]
    Method(Route),
    #[error("the body is not JSON")]
    Media,
    #[error("the body is larger than {LARGEST_BODY} bytes")]
    Large,
    #[error("the body did not arrive")]
    Body,
    /// JSON that is not a state, with the reason.
    #[error("{0}")]
    Malformed(String),
    #[error("other work is still running: try again in a moment")]
    Busy,
    #[error(
        "the page cannot compute: {0} computations did not end after their time limit and cannot be stopped; it computes \
         again when one of them has ended, or when `mercer play` is started again"
    )]
    Stuck(usize),
    #[error("this took longer than the time limit and was stopped: `mercer play --limit SECONDS` raises it")]
    Late,
    #[error("a newer request has replaced this one")]
    Replaced,
    #[error("this failed by a bug in Mercer; the page still works")]
    Bug,
}

impl Refusal {
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Host | Self::Origin | Self::Token => StatusCode::FORBIDDEN,
            Self::Unknown => StatusCode::NOT_FOUND,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Media => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Large => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Body | Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::Busy | Self::Stuck(_) | Self::Late => StatusCode::SERVICE_UNAVAILABLE,
            Self::Replaced => StatusCode::CONFLICT,
            Self::Bug => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The method that would be allowed.
    pub fn allowed(&self) -> Option<Method> {
        match self {
            Self::Method(route) => Some(route.method()),
            _ => None,
        }
    }
}

/// Checks requests.
#[derive(Debug)]
pub struct Guard {
    token: String,
    /// The names of this computer with the port, as a browser sends them.
    hosts: [String; 2],
}

impl Guard {
    pub fn new(token: String, port: u16) -> Self {
        Self { token, hosts: ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}")) }
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.hosts[0], self.token)
    }

    /// What a request asks for. `authority` is the host in its first line, which only requests to proxies have.
    ///
    /// # Errors
    /// The first reason why it is not answered.
    pub fn check(
        &self,
        method: &Method,
        authority: Option<&str>,
        path: &str,
        headers: &HeaderMap,
    ) -> Result<Route, Refusal> {
        let host = single(headers, header::HOST.as_str()).ok_or(Refusal::Host)?;
        if !self.hosts.iter().any(|known| *known == host) || authority.is_some_and(|named| named != host) {
            return Err(Refusal::Host);
        }
        // the origin that the page has under this host
        if let Some(origin) = headers.get(header::ORIGIN)
            && (origin.as_bytes() != format!("http://{host}").as_bytes() || single(headers, "origin").is_none())
        {
            return Err(Refusal::Origin);
        }
        // a browser says `none` for an address that the user typed
        if let Some(site) = headers.get("sec-fetch-site")
            && !["same-origin", "none"].iter().any(|own| site == own)
        {
            return Err(Refusal::Origin);
        }
        let (token, name) = path.strip_prefix('/').and_then(|path| path.split_once('/')).ok_or(Refusal::Token)?;
        if !token.as_bytes().ct_eq(self.token.as_bytes()).to_bool() {
            return Err(Refusal::Token);
        }
        let route = Route::find(name).ok_or(Refusal::Unknown)?;
        if *method != route.method() {
            return Err(Refusal::Method(route));
        }
        if *method == Method::POST {
            // a form of another page can send other types without asking
            if single(headers, header::CONTENT_TYPE.as_str()) != Some("application/json") {
                return Err(Refusal::Media);
            }
            let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
            if length.is_some_and(|length: usize| length > LARGEST_BODY) {
                return Err(Refusal::Large);
            }
        }
        Ok(route)
    }
}

/// The value of a header that occurs once.
fn single<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// What every answer tells the browser: the page loads nothing from elsewhere and no other page shows it.
pub const HEADERS: [(&str, HeaderValue); 7] = [
    (
        "content-security-policy",
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ),
    ("x-content-type-options", HeaderValue::from_static("nosniff")),
    ("x-frame-options", HeaderValue::from_static("DENY")),
    ("cache-control", HeaderValue::from_static("no-store")),
    ("referrer-policy", HeaderValue::from_static("no-referrer")),
    ("cross-origin-resource-policy", HeaderValue::from_static("same-origin")),
    ("cross-origin-opener-policy", HeaderValue::from_static("same-origin")),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(method: Method, path: &str, headers: &[(&'static str, &str)]) -> Result<Route, Refusal> {
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            all.append(*name, HeaderValue::from_str(value).unwrap());
        }
        Guard::new("secret".into(), 80).check(&method, None, path, &all)
    }

    #[test]
    fn the_page_may_ask() {
        let host = ("host", "127.0.0.1:80");
        assert_eq!(asked(Method::GET, "/secret/", &[host]), Ok(Route::Page));
        assert_eq!(
            asked(Method::GET, "/secret/", &[("host", "localhost:80"), ("sec-fetch-site", "none")]),
            Ok(Route::Page)
        );
        let own = [host, ("origin", "http://127.0.0.1:80"), ("content-type", "application/json")];
        assert_eq!(asked(Method::POST, "/secret/frame", &own), Ok(Route::Frame));
    }

    #[test]
    fn the_host_of_the_first_line_is_that_of_the_page() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("127.0.0.1:80"));
        let guard = Guard::new("secret".into(), 80);
        let asked = |authority| guard.check(&Method::GET, Some(authority), "/secret/", &headers);
        assert_eq!(asked("127.0.0.1:80"), Ok(Route::Page));
        for foreign in ["evil.example", "evil.example:80", "localhost:80", "user@127.0.0.1:80", "127.0.0.1"] {
            assert_eq!(asked(foreign), Err(Refusal::Host), "{foreign}");
        }
    }

    #[test]
    fn others_may_not() {
        let host = ("host", "127.0.0.1:80");
        let get = |path: &str, headers: &[(&'static str, &str)]| asked(Method::GET, path, headers);
        for foreign in ["127.0.0.1", "127.0.0.1:81", "evil.example:80", "127.0.0.1:80.evil.example", ""] {
            assert_eq!(get("/secret/", &[("host", foreign)]), Err(Refusal::Host), "{foreign}");
        }
        assert_eq!(get("/secret/", &[]), Err(Refusal::Host));
        assert_eq!(get("/secret/", &[host, host]), Err(Refusal::Host));
        for origin in ["http://evil.example", "null", "http://localhost:80", "https://127.0.0.1:80"] {
            assert_eq!(get("/secret/", &[host, ("origin", origin)]), Err(Refusal::Origin), "{origin}");
        }
        for site in ["cross-site", "same-site", "other"] {
            assert_eq!(get("/secret/", &[host, ("sec-fetch-site", site)]), Err(Refusal::Origin), "{site}");
        }
        for path in ["", "/", "/secret", "/Secret/", "/secre/", "/secrets/", "//secret/", "/other/frame"] {
            assert_eq!(get(path, &[host]), Err(Refusal::Token), "{path}");
        }
        for path in ["/secret/x", "/secret//", "/secret/../secret/", "/secret/page.css/"] {
            assert_eq!(get(path, &[host]), Err(Refusal::Unknown), "{path}");
        }
        assert_eq!(get("/secret/frame", &[host]), Err(Refusal::Method(Route::Frame)));
        let post = |headers: &[(&'static str, &str)]| asked(Method::POST, "/secret/frame", headers);
        assert_eq!(post(&[host]), Err(Refusal::Media));
        assert_eq!(post(&[host, ("content-type", "text/plain")]), Err(Refusal::Media));
        let long = [host, ("content-type", "application/json"), ("content-length", "1000001")];
        assert_eq!(post(&long), Err(Refusal::Large));
    }
}
