//! The page of `mercer play` by its requests: who may ask, what is refused, and that the script of a state gives the
//! same numbers and figures. The page in a browser is tested by `tests/clients/play_test.py`.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::process::Command;

use serde_json::{Value as Json, json};
use snapbox::cmd::cargo_bin;

use crate::support::page::{PATIENCE, Program, play};

#[test]
fn the_page_loads_nothing_from_elsewhere() {
    let program = play(&[], &[]);
    for (name, media) in
        [("", "text/html"), ("page.css", "text/css"), ("page.js", "text/javascript"), ("sets", "application/json")]
    {
        let answer = program.get(name);
        assert_eq!(answer.status, 200, "{name}");
        assert!(answer.head.contains(media), "{name}: {}", answer.head);
        assert!(answer.head.contains("default-src 'none'; script-src 'self'"), "{}", answer.head);
        for (header, value) in [
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ] {
            assert!(answer.has(header, value), "{name}: {header}");
        }
        assert!(!answer.head.to_lowercase().contains("access-control"), "{}", answer.head);
        // the namespace of SVG is a name and not a place
        let text = answer.body.replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains("http://") && !text.contains("https://") && !text.contains("url(//"), "{name}");
    }
}

#[test]
fn only_the_page_itself_may_ask() {
    let program = play(&[], &[]);
    let (host, page) = (("Host", program.host.as_str()), program.path(""));
    let get = |path: &str, headers: &[(&str, &str)]| program.plain("GET", path, headers, "").status;
    assert_eq!(get(&page, &[host]), 200);
    let port = program.host.split(':').nth(1).expect("a port");
    let local = format!("localhost:{port}");
    assert_eq!(get(&page, &[("Host", &local)]), 200);
    for foreign in
        ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", &format!("127.0.0.1.evil.example:{port}")]
    {
        assert_eq!(get(&page, &[("Host", foreign)]), 403, "{foreign}");
    }
    // the form of a request to a proxy, whose first line has a host of its own
    let absolute = |named: &str| get(&format!("http://{named}{page}"), &[host]);
    assert_eq!((absolute(&program.host), absolute("evil.example")), (200, 403));
    // HTTP asks for a host
    assert!([400, 403].contains(&get(&page, &[])));
    for origin in ["http://evil.example", "null", &format!("https://{}", program.host), &format!("http://{local}")] {
        assert_eq!(get(&page, &[host, ("Origin", origin)]), 403, "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        assert_eq!(get(&page, &[host, ("Sec-Fetch-Site", site)]), 403, "{site}");
    }
    let mut wrong = program.token.clone();
    wrong.replace_range(..1, if wrong.starts_with('A') { "B" } else { "A" });
    for path in
        ["/", "/page.js", &format!("/{wrong}/"), &format!("/{}", program.token), &format!("/?{}", program.token)]
    {
        assert_eq!(get(path, &[host]), 403, "{path}");
    }
    assert_eq!(get(&program.path("../Cargo.toml"), &[host]), 404);
    assert_eq!(get(&program.path("secret.csv"), &[host]), 404);
    let answer = program.get("frame");
    assert_eq!(answer.status, 405);
    assert!(answer.has("allow", "POST"), "{}", answer.head);
    for method in ["POST", "OPTIONS", "DELETE", "PUT"] {
        assert_eq!(program.plain(method, &page, &[host, ("Content-Length", "0")], "").status, 405, "{method}");
    }
    // what another page can send without asking
    let body = json!({ "text": "SE" }).to_string();
    let form = [host, ("Content-Type", "text/plain"), ("Content-Length", &body.len().to_string())];
    assert_eq!(program.plain("POST", &program.path("frame"), &form, &body).status, 415);
}

#[test]
fn each_run_has_a_token_of_its_own_and_this_computer_only() {
    let (one, other) = (play(&[], &[]), play(&[], &[]));
    assert_ne!(one.token, other.token);
    // 32 bytes
    assert_eq!(one.token.len(), 43);
    assert!(one.host.starts_with("127.0.0.1:"));
    // on Linux all of 127.0.0.0/8 is this computer, so a server of all addresses would answer here
    if cfg!(target_os = "linux") {
        let port = one.host.replace("127.0.0.1", "127.0.0.2");
        let place = port.to_socket_addrs().expect("an address").next().expect("an address");
        assert!(TcpStream::connect_timeout(&place, PATIENCE).is_err());
    }
}

#[test]
fn large_bodies_are_refused() {
    let program = play(&[], &[]);
    let state = json!({ "text": format!("SE(x)#{}", "a".repeat(1_000_000)) });
    assert_eq!(program.post("frame", &state).status, 413);
    // in pieces, without a length
    let mut request = format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        program.path("frame"),
        program.host
    )
    .into_bytes();
    for _ in 0..11 {
        request.extend(format!("{:x}\r\n{}\r\n", 100_000, " ".repeat(100_000)).into_bytes());
    }
    request.extend(b"0\r\n\r\n");
    assert_eq!(program.send(&request).status, 413);
    // a whole megabyte is too long for an expression but not for a request
    let state = json!({ "text": "a".repeat(900_000) });
    assert!(program.fault(&state).contains("an expression has at most"));
}

#[test]
fn nothing_is_read_but_what_was_named_and_nothing_is_written() {
    let program = play(&[("own.csv", "t,v\n0,1\n1,3\n2,2\n3,5\n")], &[]);
    let named = json!({ "text": "SE", "data": "own.csv" });
    assert_eq!(program.post("frame", &named).json()["data"]["n"], 4);
    assert_eq!(program.post("frame", &json!({ "text": "SE", "data": "nile" })).json()["data"]["n"], 100);
    for data in ["secret.csv", "./own.csv", "secret", "/etc/passwd", "../own.csv"] {
        let fault = program.fault(&json!({ "text": "SE", "data": data }));
        assert!(fault.contains("cannot be read here"), "{data}: {fault}");
    }
    let expressions = [
        ("let d = load(\"secret.csv\")", "`secret.csv` cannot be read here"),
        ("let d = read(\"secret.csv\")", "`secret.csv` cannot be read here"),
        ("let d = load_fit(\"secret.csv\")", "`secret.csv` cannot be read here"),
        ("let d = load_search(\"secret.csv\")", "`secret.csv` cannot be read here"),
        ("let d = load_integral(\"secret.csv\")", "`secret.csv` cannot be read here"),
        ("let d = load(\"nile\") |> condition(SE) |> predict(\"secret.csv\")", "`secret.csv` cannot be read here"),
        ("import \"state.mer\"", "scripts cannot be imported here"),
        ("plot(SE(0), \"out.svg\")", "files cannot be written here"),
        ("write(data(x=[1.0], y=[2.0]), \"out.csv\")", "files cannot be written here"),
        ("save(condition(load(\"nile\"), SE), \"out.json\")", "files cannot be written here"),
        ("report(condition(load(\"nile\"), SE), \"out.html\")", "files cannot be written here"),
        ("let d = keep(\"out.json\", () -> 1)", "files cannot be written here"),
        ("help(\"write\")", "help is not shown here"),
    ];
    fs::write(program.folder.path().join("state.mer"), "let a = 1\n").expect("a file");
    // a file with the name of a shipped set is not that set
    fs::write(program.folder.path().join("nile"), "[1, 2]").expect("a file");
    for (text, why) in expressions {
        let fault = program.fault(&json!({ "text": format!("{text}\nSE(x)") }));
        assert!(fault.contains(why), "{text}: {fault}");
    }
    let fault = program.fault(&json!({ "text": "let d = read(\"nile\")\nSE(x)" }));
    assert!(fault.contains("there is no file"), "{fault}");
    let mut files: Vec<String> = fs::read_dir(program.folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert_eq!(files, ["nile", "own.csv", "secret.csv", "state.mer"]);
}

#[test]
fn work_beyond_the_time_limit_is_stopped() {
    let program = play(&[], &["--limit", "1"]);
    let endless = "let n = sum([sum([i * j for i in 0..100000]) for j in 0..100000])\nSE(x)";
    let answer = program.post("frame", &json!({ "text": endless, "page": "a" }));
    assert_eq!((answer.status, answer.body.contains("longer than the time limit")), (503, true), "{}", answer.body);
    // a fit has its best result so far, and the program still answers
    let fit = json!({ "text": "ARD(SE) + ARD(SE) * ARD(Lin)", "data": "concrete", "page": "a" });
    let found = program.post("fit", &fit).json();
    assert!(found["ended"].as_str().is_some_and(|ended| ended.starts_with("stopped")), "{found}");
    assert!(found["lml"].as_f64().is_some_and(f64::is_finite), "{found}");
    assert_eq!(program.post("frame", &json!({ "text": "SE(x)" })).status, 200);
}

#[test]
fn a_newer_state_replaces_the_older_of_its_page() {
    let program = play(&[], &["--limit", "60"]);
    let endless = "let n = sum([sum([i * j for i in 0..100000]) for j in 0..100000])\nSE(x)";
    std::thread::scope(|scope| {
        let older = scope.spawn(|| program.post("frame", &json!({ "text": endless, "page": "a" })));
        let elsewhere = || program.post("frame", &json!({ "text": "SE(x)", "page": "b" }));
        let newer = || program.post("frame", &json!({ "text": "SE(x)", "page": "a" }));
        assert_eq!(elsewhere().status, 200);
        // until the older one has begun there is nothing to replace
        while !older.is_finished() {
            assert_eq!(newer().status, 200);
        }
        assert_eq!(older.join().expect("an answer").status, 409);
    });
}

#[test]
fn mistakes_have_an_excerpt_and_a_reason() {
    let program = play(&[], &[]);
    let found = program.post("frame", &json!({ "text": "SE(x) + Pre(x)" })).json();
    let excerpt = found["fault"]["excerpt"].as_str().unwrap_or_default();
    assert!(excerpt.contains("expression:1:9") && excerpt.contains("Per"), "{excerpt}");
    let found = program.post("frame", &json!({ "text": "SE(yaer)", "data": "nile" })).json();
    let excerpt = found["fault"]["excerpt"].as_str().unwrap_or_default();
    assert!(excerpt.contains("there is no input `yaer`") && excerpt.contains("SE(yaer)"), "{excerpt}");
    for (state, why) in [
        (json!({ "text": "1" }), "found a number"),
        (json!({ "text": "" }), "found nothing"),
        (json!({ "text": "standardize" }), "the last line is a kernel or a model"),
        (json!({ "text": "SE(x) * Lin(z)", "points": [[0, 1]] }), "points have one input"),
        (json!({ "text": "SE", "data": "concrete", "points": [[0, 1]] }), "points can be added to data of one input"),
    ] {
        let fault = program.fault(&state);
        assert!(fault.contains(why), "{state}: {fault}");
    }
}

#[test]
fn what_is_no_state_is_a_bad_request() {
    let program = play(&[], &[]);
    for (body, why) in [
        (json!([]), "a state is an object"),
        (json!("SE(x)"), "a state is an object"),
        (json!({ "text": "SE(x)", "nonsense": 1 }), "unknown field"),
        (json!({ "text": 1 }), "invalid type"),
    ] {
        let answer = program.post("frame", &body);
        assert!(answer.status == 400 && answer.body.contains(why), "{body}: {} {}", answer.status, answer.body);
    }
    let headers = [("Host", program.host.as_str()), ("Content-Type", "application/json"), ("Content-Length", "9")];
    let answer = program.plain("POST", &program.path("frame"), &headers, "{\"text\": ");
    assert_eq!((answer.status, answer.body.contains("not a state of the page")), (400, true), "{}", answer.body);
}

#[test]
fn mistakes_in_the_view_are_told_at_their_field() {
    let days: String = (0..60).map(|i| format!("2024-{:02}-{:02},{}\n", 1 + i / 28, 1 + i % 28, i * i % 7)).collect();
    let days = format!("date,sales\n{days}");
    let program = play(&[("days.csv", &days)], &[]);
    let dates = |more: Json| {
        let mut state = json!({ "text": "SE(date) + Lin(date)", "data": "days.csv" });
        state.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        state
    };
    for (state, place, why) in [
        (json!({ "text": "SE(x)", "at": "abc" }), "at", "expected a number, found `abc`"),
        (json!({ "text": "SE(x)", "at": "NaN" }), "at", "expected a number, found `NaN`"),
        (json!({ "text": "SE(x)", "range": ["low", 2] }), "lo", "expected a number, found `low`"),
        (json!({ "text": "SE(x)", "range": [2, 1] }), "hi", "the range ends before it begins: 2 to 1"),
        (json!({ "text": "SE(x)", "range": [-1e308, 1e308] }), "hi", "the range is too long"),
        (dates(json!({ "at": "soon" })), "at", "expected a date such as 2021-01-31, found `soon`"),
        (dates(json!({ "range": [null, "2023-01-01"] })), "hi", "the range ends before it begins"),
    ] {
        let found = program.post("frame", &state).json();
        let message = found["fault"]["message"].as_str().unwrap_or_default();
        assert!(found["fault"]["place"] == place && message.contains(why), "{state}: {found}");
    }
    let state = dates(json!({ "at": "2024-02-01", "range": ["2024-01-10", "2024-02-20"] }));
    let found = program.post("frame", &state).json();
    same_figures(&program, &found);
    let script = found["script"].as_str().expect("a script");
    for part in ["predict(\"2024-01-10\"..=\"2024-02-20\"", "at=[\"2024-02-01\"]", "x=grid(\"2024-01-10\"..="] {
        assert!(script.contains(part), "{part}: {script}");
    }
    for figure in ["prior", "posterior", "covariance", "gram"] {
        let svg = found["figures"][figure]["svg"].as_str().expect("a figure");
        assert!(svg.contains(">2024-01-15<") || svg.contains(">2024-01-"), "{figure} has dates: {svg}");
        assert!(!svg.contains("(days)") && !svg.contains(">19740<"), "{figure} has no numbers of days: {svg}");
    }
    let covariance = found["figures"]["covariance"]["svg"].as_str().expect("a figure");
    assert!(covariance.contains("k(date, 2024-02-01)"), "{covariance}");
    let place = found["parameters"].as_array().and_then(|all| all.iter().find(|one| one["name"] == "Lin.c"));
    let place = place.unwrap_or_else(|| panic!("{}", found["parameters"]));
    assert!(place["shown"].as_str().is_some_and(|shown| shown.starts_with("2024-")), "{place}");
    assert_eq!((&place["unit"], &place["date"]), (&Json::Null, &json!(86_400.0)));
}

#[test]
fn rows_with_missing_values_are_counted() {
    let program = play(&[("gaps.csv", "t,v\n0,1\n1,\n2,2\n3,5\n")], &[]);
    let found = program.post("frame", &json!({ "text": "SE", "data": "gaps.csv" })).json();
    assert_eq!((&found["data"]["n"], &found["data"]["missing"]), (&json!(3), &json!(1)));
}

#[test]
fn a_request_that_never_ends_is_closed_and_does_not_hold_others() {
    let program = play(&[], &[]);
    let mut idle: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(&program.host).expect("a connection")).collect();
    for stream in idle.iter_mut().step_by(2) {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("a part of a request");
    }
    assert_eq!(program.get("sets").status, 200);
    // no more than the server was told to wait for one: each is closed by it, without which this reads for ever
    for stream in &mut idle {
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        let mut rest = Vec::new();
        let ended = stream.read_to_end(&mut rest);
        let closed = ended.is_ok() || ended.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset);
        assert!(closed, "{}", String::from_utf8_lossy(&rest));
    }
}

#[test]
fn a_text_builds_no_list_that_fills_the_memory() {
    let program = play(&[], &[]);
    for text in ["[i for i in 0..2000000]", "[[i for i in 0..600000], [i for i in 0..600000]]", "random(0..1, 1000001)"]
    {
        let fault = program.fault(&json!({ "text": format!("let l = {text}\nSE(x)") }));
        assert!(fault.contains("the limit is 1,000,000"), "{text}: {fault}");
    }
}

#[test]
fn work_that_does_not_end_leaves_its_place_to_others() {
    let program = play(&[], &["--limit", "1"]);
    // each column takes long, and nothing is asked between the layers
    let layers: String = (0..90).map(|i| format!("let k{} = deep(k{i}, 10000)\n", i + 1)).collect();
    let endless = &format!("let k0 = SE(0)\n{layers}let g = gram(k90, [i for i in 0..900])\nSE(x)");
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..4)
            .map(|i| {
                let program = &program;
                scope.spawn(move || program.post("frame", &json!({ "text": endless, "page": format!("page {i}") })))
            })
            .collect();
        for answer in asked {
            assert_eq!(answer.join().expect("an answer").status, 503);
        }
    });
    assert_eq!(program.post("frame", &json!({ "text": "SE(x)" })).status, 200);
}

/// The figures of the answer and those that the script writes.
fn same_figures(program: &Program, found: &Json) {
    let shown = program.run(&format!("{}m.lml\n", found["script"].as_str().expect("a script")));
    let lml: Option<f64> = shown.trim().lines().last().and_then(|line| line.parse().ok());
    if let Some(expected) = found["evidence"]["lml"].as_f64() {
        let lml = lml.unwrap_or_else(|| panic!("{shown}"));
        assert!((lml - expected).abs() < 1e-9, "{lml} and {expected}");
        let sum: f64 =
            ["fit", "complexity", "constant"].iter().filter_map(|term| found["evidence"][term].as_f64()).sum();
        assert!((sum - expected).abs() < 1e-9, "{}", found["evidence"]);
    }
    let figures = found["figures"].as_object().expect("figures");
    assert!(figures.contains_key("covariance"), "{:?}", figures.keys());
    for (name, figure) in figures.iter().filter(|(_, figure)| figure["reason"].is_null()) {
        let svg = figure["svg"].as_str().unwrap_or_else(|| panic!("{name} is neither drawn nor refused"));
        // figures of one page have names of their own for their clip paths
        let svg = svg.replace(&format!("\"{name}-"), "\"axes-").replace(&format!("#{name}-"), "#axes-");
        assert!(svg == program.drawn(name), "{name} differs from what the script draws");
    }
}

#[test]
fn the_script_of_a_state_gives_the_same_evidence_and_the_same_draws() {
    let rows: String = (0..40).map(|i| format!("{},{:.3}\n", i as f64 / 4.0, (f64::from(i) / 5.0).sin())).collect();
    let file = format!("t,level\n{rows}");
    let days: String = (0..60).map(|i| format!("2024-{:02}-{:02},{}\n", 1 + i / 28, 1 + i % 28, i * i % 7)).collect();
    let days = format!("date,sales\n{days}");
    let plane: String = (0..30).map(|i| format!("{},{},{}\n", i % 7, i % 4, i * i % 5)).collect();
    let plane = format!("a,b,level\n{plane}");
    let program = play(&[("a file.csv", &file), ("days.csv", &days), ("plane.csv", &plane)], &[]);
    let first = json!({
        "text": "let season = Per(t, p=6)\nseason * Lin(t) + SE(t, l=2)", "data": "a file.csv", "seed": 7,
        "values": { "SE.l": 1.25, "noise": 0.02 }, "removed": [3, 5], "range": [-1, 12.5], "at": 2.5, "draws": 4,
    });
    let found = program.post("frame", &first).json();
    let value = |name: &str| {
        found["parameters"]
            .as_array()
            .and_then(|all| all.iter().find(|one| one["name"] == name).and_then(|one| one["value"].as_f64()))
    };
    assert_eq!((value("SE.l"), value("noise")), (Some(1.25), Some(0.02)), "{}", found["parameters"]);
    assert_eq!(found["data"]["n"], 38);
    same_figures(&program, &found);
    let script = found["script"].as_str().expect("a script");
    assert!(script.contains("let season = Per(t, p=6, l=1, v="), "a part keeps its name: {script}");
    // another seed has other draws of the same posterior
    let mut other = first.clone();
    other["seed"] = 8.into();
    let again = program.post("frame", &other).json();
    assert_eq!(again["evidence"], found["evidence"]);
    assert_ne!(again["figures"]["posterior"]["svg"], found["figures"]["posterior"]["svg"]);
    // further points, points alone, no points, a model, several inputs
    for state in [
        json!({ "text": "SE", "data": "a file.csv", "points": [[11, 0.5]] }),
        json!({ "text": "SE(x) + Per(x, p=2)", "points": [[-1, 0.5], [0.5, 1], [2, -1]] }),
        json!({ "text": "SE(when) + Lin(when)", "values": { "SE.l": 0.3 } }),
        json!({ "text": "standardize >> gp(SE(year), mean=\"zero\")", "data": "nile" }),
        json!({ "text": "let s = param(2.0)\nlet a = SE(year, l=s)\nlet b = Matern32(year, l=s)\na + b", "data": "airline" }),
        json!({ "text": "Lin(year) + Per(year, p=1) * Lin(year)", "data": "airline" }),
        json!({ "text": "SE(cement) * Lin(water)", "data": "concrete", "inputs": ["cement", "water"] }),
        json!({ "text": "SE(x) * Per(z, p=1)", "range": [-2, 2] }),
        json!({ "text": "SE(date, l=\"3 weeks\") + Per(date, p=\"1 week\")", "data": "days.csv" }),
    ] {
        let found = program.post("frame", &state).json();
        assert!(found["fault"].is_null(), "{state}: {}", found["fault"]);
        same_figures(&program, &found);
    }
    // the Gram matrix of data of several inputs has their rows, in their order
    for (text, data, stride) in [("SE(cement) * Lin(water)", "concrete", 17), ("SE(a) * Lin(b)", "plane.csv", 1)] {
        let found = program.post("frame", &json!({ "text": text, "data": data })).json();
        assert!(found["figures"]["gram"]["svg"].is_string(), "{data}: {}", found["figures"]["gram"]);
        assert_eq!(found["data"]["stride"], stride, "{data}");
        same_figures(&program, &found);
    }
}

#[test]
fn a_fit_gives_the_values_of_the_sliders() {
    let program = play(&[], &[]);
    let state = json!({ "text": "SE", "data": "nile" });
    let fitted = program.post("fit", &state).json();
    let mut at = state.clone();
    at["values"] = fitted["values"].clone();
    let found = program.post("frame", &at).json();
    let (reached, shown) =
        (fitted["lml"].as_f64().expect("a number"), found["evidence"]["lml"].as_f64().expect("a number"));
    assert!((reached - shown).abs() < 1e-9, "{reached} and {shown}");
    // no point of a curve is above the maximum, and the curves come near it
    let curves = program.post("curves", &at).json();
    assert_eq!(curves["complete"], true);
    for curve in curves["curves"].as_array().expect("curves") {
        let values = curve["lml"].as_array().expect("values").iter().filter_map(Json::as_f64);
        let most = values.fold(f64::NEG_INFINITY, f64::max);
        assert!(most <= reached + 1e-6 && most > reached - 20.0, "{most} and {reached}: {}", curve["name"]);
    }
}

#[test]
fn files_that_the_page_cannot_show_are_told_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows: String = (0..2001).map(|i| format!("{i},{}\n", i % 7)).collect();
    fs::write(folder.path().join("long.csv"), format!("x,y\n{rows}")).expect("a file");
    let refused = |file: &str, why: &str| {
        let done = Command::new(cargo_bin!("mercer")).args(["play", file]).current_dir(folder.path()).output();
        let done = done.expect("the program runs");
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(!done.status.success() && told.contains(why), "{file}: {told}");
        assert!(done.stdout.is_empty());
    };
    refused("long.csv", "the page takes at most 2000");
    refused("none.csv", "none.csv");
    refused("airline", "is a shipped set");
    assert!(Path::new(folder.path()).join("long.csv").exists());
}
