//! Tests of loading unusual files with unusual options.

use super::*;
use crate::calendar::Order;

fn read(text: &str) -> Dataset {
    parse("f.csv", text, &Options::default()).unwrap_or_else(|e| panic!("{text:?}: {e}"))
}

fn read_with(text: &str, options: Options) -> Dataset {
    parse("f.csv", text, &options).unwrap_or_else(|e| panic!("{text:?}: {e}"))
}

fn error(text: &str) -> String {
    parse("f.csv", text, &Options::default()).unwrap_err().to_string()
}

fn error_with(text: &str, options: Options) -> String {
    parse("f.csv", text, &options).unwrap_err().to_string()
}

fn notes(data: &Dataset) -> Vec<String> {
    data.notes().iter().map(ToString::to_string).collect()
}

fn target(name: &str) -> Options {
    Options { target: Target::Named(name.into()), ..Options::default() }
}

fn inputs(names: &[&str]) -> Options {
    Options { inputs: Some(names.iter().map(ToString::to_string).collect()), ..Options::default() }
}

#[test]
fn a_plain_table_in_any_dress() {
    for text in [
        "a,b\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4",
        "a,b\r1,2\r3,4\r",
        "\u{feff}a;b\n1;2\n3;4\n",
        "a\tb\n1\t2\n\n3\t4\n\n",
        "# made by hand, by me\n\na,b\n# one\n 1 , 2\n   \n3,4\n#end",
        "\"a\",\"b\"\n\"1\",\"2\"\n3,\"4\"\n",
    ] {
        let data = read(text);
        assert_eq!(
            (data.names(), data.x(), data.y()),
            (vec!["a", "b"], vec![&[1.0, 3.0][..]], Some(&[2.0, 4.0][..])),
            "{text:?}"
        );
        let expected: &[&str] = if text.contains(';') { &["read with sep=\";\""] } else { &[] };
        assert_eq!(notes(&data), expected, "{text:?}");
    }
}

#[test]
fn rows_remember_their_lines() {
    let line = |text: &str, i| read(text).row(i);
    assert_eq!(line("a,b\n1,2\n3,4\n", 1), RowRef::Line(3));
    assert_eq!(line("# c\r\n\r\na,b\r\n1,2\r\n# d\r\n\r\n3,4", 1), RowRef::Line(7));
    assert_eq!(line("a,b\n\"x\ny\",2\nz,4\n", 0), RowRef::Line(2));
    assert_eq!(line("a,b\n\"x\ny\",2\nz,4\n", 1), RowRef::Line(4));
    let data = read("a,b\n1,2\n3,4\n5,6\n");
    assert_eq!(data.filter(&[false, false, true]).unwrap().row(0), RowRef::Line(4));
    assert_eq!(data.take(&[2, 0]).row(1), RowRef::Line(2));
    assert_eq!(RowRef::Index(3).to_string(), "row 3");
}

#[test]
fn without_a_header_columns_are_named_and_it_is_said() {
    let data = read("1,2,3\n4,5,6\n");
    assert_eq!((data.names(), data.n(), data.target().unwrap().name()), (vec!["x0", "x1", "y"], 2, "y"));
    assert_eq!(notes(&data), ["no header, the columns are called `x0`, `x1`, `y`"]);
    let blind = read_with("1,2\n3,4\n", Options { target: Target::None, ..Options::default() });
    assert_eq!((blind.names(), blind.target()), (vec!["x0", "x1"], None));
    let forced = read_with("2019,2020\n1,2\n", Options { header: Header::Yes, ..Options::default() });
    assert_eq!((forced.names(), forced.n()), (vec!["2019", "2020"], 1));
    let codes = read_with("a,1\nb,2\n", Options { header: Header::No, ..Options::default() });
    assert_eq!((codes.names(), codes.n()), (vec!["x0", "y"], 2));
    // All text: there is no sign of a header, unless the user names one of its columns.
    assert_eq!(read_with("id,kind\nu,v\n", target("kind")).n(), 1);
}

#[test]
fn a_single_column_is_the_target_of_its_row() {
    for text in ["y\n5\n6\n7\n", "5\n6\n7\n"] {
        let data = read(text);
        assert_eq!(
            (data.input_names(), data.y(), data.x()[0]),
            (vec!["row"], Some(&[5.0, 6.0, 7.0][..]), &[0.0, 1.0, 2.0][..])
        );
        assert!(notes(&data).contains(&"no other input, so `row` is the index of the row, from 0".to_string()));
    }
    assert_eq!(read("row\n5\n6\n").input_names(), ["row_"]);
}

#[test]
fn missing_values_are_counted_and_named() {
    let text = "a,b,c\n1,NA,3\n?,2,4\n,nan,5\n4,5,null\n";
    let data = read(text);
    assert_eq!(data.columns().iter().map(Column::missing).collect::<Vec<_>>(), [2, 2, 1]);
    assert_eq!(notes(&data)[0], "`a` has 2 missing values");
    assert_eq!(data.check_finite().unwrap_err().to_string(), "column `b` has no value in line 2");
    let (kept, gone) = data.dropna();
    assert_eq!((kept.n(), gone.len(), gone[0]), (0, 4, RowRef::Line(2)));
    let refuse = Options { when_missing: WhenMissing::Refuse, ..Options::default() };
    assert_eq!(error_with(text, refuse), "column `b` has no value in line 2");
    let low = Options { missing: vec!["-999".into()], when_missing: WhenMissing::Drop, ..Options::default() };
    let data = read_with("a,b\n-999.0,1\n2,3\n", low);
    assert_eq!((data.n(), notes(&data)), (1, vec!["1 row with missing values was left out".to_string()]));
    // A row of a single column can be blank only in quotes.
    assert_eq!(read("y\n1\n\"\"\n3\n").y().unwrap().len(), 3);
    let empty = read("a,b,y\n1,,3\n2,,5\n");
    assert_eq!(
        (empty.input_names(), notes(&empty)),
        (vec!["a"], vec!["`b` is not an input: it has no values".to_string()])
    );
}

#[test]
fn infinite_values_are_read_and_found() {
    let cell = read("a,b\n1,2\n3,-inf\ninf,4\n").first_not_finite().unwrap();
    assert_eq!((cell.row, cell.column.as_str(), cell.index, cell.value), (RowRef::Line(3), "b", 1, f64::NEG_INFINITY));
    assert_eq!(
        read("a,b\n1,inf\n").check_finite().unwrap_err().to_string(),
        "the value in column `b`, line 2, is inf, expected a finite number"
    );
    assert_eq!(
        error("a,b\n1,1e999\n"),
        "`1e999` in line 2 of `f.csv`, column `b`, is too large: numbers go up to 1.8e308; correct it, or name it with \
         `missing=[\"1e999\"]`"
    );
}

#[test]
fn text_is_categories_and_strays_are_errors() {
    let data = read("kind,y\nred,1\nblue,2\nred,3\n7,4\n");
    assert_eq!(data.x()[0], [0.0, 1.0, 0.0, 2.0]);
    assert_eq!(notes(&data), ["`kind` is a category with 3 levels"]);
    assert_eq!(
        error("a,y\n1,1\n2,2\noops,3\n4,4\n"),
        "expected a number in line 4 of `f.csv`, column `a`, found `oops` (1 of 4 values there are not numbers): \
         correct it, or name it with `missing=[\"oops\"]`"
    );
    assert!(error("a,2019\n1,1\n2,2\n").ends_with("if that line holds the names of the columns, say `header=true`"));
    let text = (0..20).map(|i| format!("car{i},{i}\n")).collect::<String>();
    let data = read(&format!("car,weight,mpg\n{}", text.replace('\n', ",1\n")));
    assert_eq!(
        (data.input_names(), notes(&data)[1].as_str()),
        (vec!["weight"], "`car` is not an input: its text differs in every row")
    );
    let classes = read_with("a,b\n1,yes\n2,no\n", target("b"));
    assert_eq!((classes.y().unwrap(), classes.target().unwrap().level(1)), (&[0.0, 1.0][..], Some("no")));
}

fn with(change: impl Fn(&mut Format)) -> Options {
    let mut options = Options::default();
    change(&mut options.format);
    options
}

#[test]
fn numbers_are_read_as_they_are_written() {
    let target = |text: &str| {
        let data = read(text);
        (data.y().unwrap().to_vec(), notes(&data))
    };
    let one = |note: &str| vec![note.to_string()];
    assert_eq!(target("a;y\n1,5;1\n2;2,5\n"), (vec![1.0, 2.5], one("read with sep=\";\", decimal=\",\"")));
    assert_eq!(target("Datum;Wert\n01.02.2020;1.234,5\n13.02.2020;12,25\n").0, [1234.5, 12.25]);
    assert_eq!(
        notes(&read("Datum;Wert\n01.02.2020;1.234,5\n13.02.2020;12,25\n"))[0],
        "read with sep=\";\", decimal=\",\", thousands=\".\""
    );
    assert_eq!(target("x,y\n1,\"1,234.5\"\n2,\"12\"\n"), (vec![1234.5, 12.0], one("read with thousands=\",\"")));
    assert_eq!(target("x,y\n1,1 234\n2,−3\n"), (vec![1234.0, -3.0], one("read with thousands=\" \"")));
    assert_eq!(target("x,y\n1,4\n2,−3\n"), (vec![4.0, -3.0], vec![]));
    assert_eq!(target("x,y\n1,\"0,5\"\n2,\"1,25\"\n"), (vec![0.5, 1.25], one("read with decimal=\",\"")));
    // an ambiguous format is an error that names the arguments
    let open = "a,y\n\"1,234\",1\n5,2\n";
    assert_eq!(
        error(open),
        "`1,234` in line 2 of `f.csv`, column `a`, may be 1234 or 1.234, and no other number in the file shows which"
    );
    assert_eq!(read_with(open, with(|f| f.decimal = Some(','))).x()[0], [1.234, 5.0]);
    assert_eq!(read_with(open, with(|f| f.thousands = Some(Some(',')))).x()[0], [1234.0, 5.0]);
    // another column decides
    assert_eq!(read("a,y\n\"1,234\",\"1,5\"\n5,2\n").x()[0], [1.234, 5.0]);
    assert_eq!(read("a,y\n\"1,234\",1.5\n5,2\n").x()[0], [1234.0, 5.0]);
    let low = Options { missing: vec!["-200".into()], ..Options::default() };
    assert!(read_with("a;y\n1,5;-200,0\n2,5;1\n", low).y().unwrap()[0].is_nan());
    assert!(error("a,y\n12%,1\n13%,2\n").contains("a symbol next to the number, expected `12`"));
}

#[test]
fn tables_between_blanks() {
    let data = read("1 2\n3 4\n");
    assert_eq!((data.names(), data.y()), (vec!["x0", "y"], Some(&[2.0, 4.0][..])));
    let data = read("  time   level\n  1  2.5\n 10  3\n");
    assert_eq!((data.names(), data.x()[0], data.row(1)), (vec!["time", "level"], &[1.0, 10.0][..], RowRef::Line(3)));
    assert_eq!(notes(&data), ["read with sep=\" \""]);
    assert!(error("1 2\n3 4 5\n6\n").contains("separated by spaces"));
    assert!(error("n\n1 234\n5 678\n").contains("may separate fields or thousands"));
}

#[test]
fn text_above_a_table_is_passed_over() {
    let text = (0..54).map(|i| format!("A sentence about the station, part {i}.\n")).collect::<String>();
    let data = read(&format!("{text}time,level\n1,2\n2,4\n3,5\n"));
    assert_eq!((data.names(), data.n(), data.row(0)), (vec!["time", "level"], 3, RowRef::Line(56)));
    assert_eq!(notes(&data), ["read with skip=54"]);
    let four = "Messstelle\nUlm\n\nTageswerte\nTag;Stand\n1;2,5\n2;3,5\n";
    assert_eq!(notes(&read(four)), ["read with sep=\";\", decimal=\",\", skip=4"]);
    assert_eq!(read_with("1,2\n3,4\n5,6\n", with(|f| f.skip = Some(1))).n(), 2);
    assert_eq!(read_with("% one\na,b\n%\n1,2\n", with(|f| f.comment = Some(Some(b'%')))).n(), 1);
    assert_eq!(read_with("a,b\n#1,2\nu,3\n", with(|f| f.comment = Some(None))).n(), 2);
}

#[test]
fn several_lines_name_columns_and_units() {
    assert_eq!(error("time,level\noops,2\n1,2\n2,3\n").matches("oops").count(), 2);
    let data = read("time,level,kind\n[s],[m a.s.l.],\n1,2,u\n2,3,v\n");
    let units: Vec<_> = data.columns().iter().map(Column::unit).collect();
    assert_eq!((units, data.n()), (vec![Some("s"), Some("m a.s.l."), None], 2));
    assert_eq!(notes(&data)[0], "line 2 holds units");
    let data = read("temp,,press,\nmean,sd,mean,sd\n°C,°C,hPa,hPa\n1,2,3,4\n2,3,4,5\n");
    assert_eq!(data.names(), ["temp mean", "temp sd", "press mean", "press sd"]);
    assert_eq!((data.columns()[3].unit(), notes(&data)[0].as_str()), (Some("hPa"), "read with header=2"));
    let data = read_with("a,b\nu,v\n1,2\n", Options { header: Header::Lines(2), ..Options::default() });
    assert_eq!(data.names(), ["a u", "b v"]);
    let data = read("depth (m),PM2.5 [µg/m³],CO(GT)\n1,2,3\n4,5,6\n");
    let units: Vec<_> = data.columns().iter().map(Column::unit).collect();
    assert_eq!((data.names()[0], units), ("depth (m)", vec![Some("m"), Some("µg/m³"), None]));
}

#[test]
fn empty_ends_are_left_out() {
    let data = read("Date;CO;;\n10/03/2004;2,6;;\n31/03/2004;2;;\n;;;\n;;;\n");
    assert_eq!((data.names(), data.n(), data.y()), (vec!["Date", "CO"], 2, Some(&[2.6, 2.0][..])));
    let all = notes(&data);
    assert!(all.contains(&"2 rows without any value were left out".to_string()), "{all:?}");
    assert!(all.contains(&"2 columns without a name and without a value were left out".to_string()), "{all:?}");
}

#[test]
fn encodings_are_found_or_said() {
    let load = |bytes: &[u8], options: &Options| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f.csv"), bytes).unwrap();
        load("f.csv", &[folder.path().to_path_buf()], options)
    };
    let latin = load(b"k,y\ncaf\xe9,1\ntea,2\n", &Options::default()).unwrap();
    assert_eq!(latin.columns()[0].level(0), Some("café"));
    assert_eq!(notes(&latin)[0], "read with encoding=\"windows-1252\"");
    let wide: Vec<u8> = "\u{feff}k,y\ncafé,1\ntea,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(load(&wide, &Options::default()).unwrap().columns()[0].level(0), Some("café"));
    let named = with(|f| f.encoding = Some(encoding_rs::WINDOWS_1251));
    assert_eq!(load(b"k,y\n\xe9,1\nb,2\n", &named).unwrap().columns()[0].level(0), Some("й"));
    let strict = with(|f| f.encoding = Some(encoding_rs::UTF_8));
    assert_eq!(load(b"k,y\ncaf\xe9,1\n", &strict).unwrap_err().to_string(), "`f.csv` is not UTF-8 in line 2, byte 4");
}

#[test]
fn a_number_among_dates_is_an_error() {
    assert!(error("x,y\n5,1\n2020-01-01,2\n").starts_with("expected a number in line 3"));
    assert_eq!(
        error("x,y\n5,1\n2020-01-01,2\n2020-01-02,2\n"),
        "expected a date such as `2020-01-01` in line 2 of `f.csv`, column `x`, found `5`"
    );
}

#[test]
fn huge_cells_and_many_columns_end_soon() {
    let cell = "x".repeat(2 << 20);
    let message = error(&format!("a,y\n{cell},1\nb,2\n"));
    assert!(message.starts_with("field 1 in line 2 of `f.csv` has 2097152 bytes") && message.len() < 200, "{message}");
    let many = |word: &str| (0..100_000).map(|i| format!("{word}{i}")).collect::<Vec<_>>().join(",");
    let data = read(&format!("{}\n{}\n{}\n", many("c"), many("1"), many("2")));
    assert_eq!((data.columns().len(), data.summary().columns.len()), (100_000, 100_000));
    let long = "n".repeat(100_000);
    assert!(error(&format!("{long},{long}\n1,2\n")).len() < 300);
}

#[test]
fn notes_are_those_of_the_rows_at_hand() {
    let text = "k,a,b\nu,NA,3\nv,2,4\nw,5,NA\n";
    let data = read(text);
    assert_eq!(notes(&data).len(), 3);
    assert_eq!(notes(&data.head(2)), ["`k` is a category with 2 levels", "`a` has 1 missing value"]);
    assert_eq!(notes(&data.select(&["k"]).unwrap()).len(), 2);
    let kept = data.dropna().0;
    assert_eq!(notes(&kept), ["`k` is a category with 1 level", "2 rows with missing values were left out"]);
}

#[test]
fn dates_become_linear_time() {
    let times = |texts: &[&str]| {
        let rows: String = texts.iter().map(|t| format!("\"{t}\",1\n")).collect();
        let data = read(&format!("when,y\n{rows}"));
        assert_eq!(data.input_names(), ["when"], "{texts:?}");
        let column = data.column("when").unwrap().clone();
        let written = column.time().unwrap().texts(column.values()).into_iter().flatten().collect::<Vec<_>>();
        (written, notes(&data)[0].clone())
    };
    let note = |what: &str| format!("`when` holds {what}");
    let check = |texts: &[&str], written: &[&str], what: &str| {
        let (found, said) = times(texts);
        assert_eq!(found, written);
        assert_eq!(said, note(what));
    };
    check(&["2020-01-01", "2020-07-02"], &["2020-01-01", "2020-07-02"], "days, as linear time in days");
    check(&["Jan 1949", "1959-07"], &["1949-01", "1959-07"], "months, as linear time in years");
    check(&["2020-Q1", "2020Q3"], &["2020-Q1", "2020-Q3"], "quarters, as linear time in days");
    check(
        &["2021-07-02T12:00Z", "2021-07-01 13:00 UTC"],
        &["2021-07-02T12:00:00", "2021-07-01T13:00:00"],
        "times, as linear time in hours",
    );
    check(
        &["2020-01-31 05:00 PM", "2020-01-31 05:30 PM"],
        &["2020-01-31T17:00:00", "2020-01-31T17:30:00"],
        "times, as linear time in seconds",
    );
    check(&["31/12/98", "01/02/99"], &["1998-12-31", "1999-02-01"], "days, as linear time in days");
    check(&["2020-W05-1", "2020-W09-1"], &["2020-01-27", "2020-02-24"], "days, as linear time in days");
    check(
        &["20200131", "20200201", "20200301"],
        &["2020-01-31", "2020-02-01", "2020-03-01"],
        "days, as linear time in days",
    );
    // Unambiguous for the whole column, though not in each row.
    check(&["01/02/2020", "31/01/2020"], &["2020-02-01", "2020-01-31"], "days, as linear time in hours");
    check(&["01/02/2020", "01/31/2020"], &["2020-01-02", "2020-01-31"], "days, as linear time in days");
    // A week has the same length in leap years and other years.
    let data = read("when,y\n2019-03-01,1\n2019-03-08,2\n2020-03-01,3\n2020-03-08,4\n");
    let x = data.x()[0].to_vec();
    assert_eq!((x[1] - x[0], x[3] - x[2]), (7.0, 7.0));
    let dateless = read("1949-01,112\n1949-02,118\n");
    assert_eq!((dateless.names(), dateless.n()), (vec!["x0", "y"], 2));
}

#[test]
fn the_order_of_day_and_month_can_be_said() {
    let read = |order| {
        let options = Options { dates: Some(order), ..Options::default() };
        let data = parse("f.csv", "when,y\n01/02/2020,1\n03/04/2020,2\n", &options).unwrap();
        let column = data.column("when").unwrap().clone();
        column.time().unwrap().texts(column.values()).into_iter().flatten().collect::<Vec<_>>()
    };
    assert_eq!(read(Order::DayMonthYear), ["2020-02-01", "2020-04-03"]);
    assert_eq!(read(Order::MonthDayYear), ["2020-01-02", "2020-03-04"]);
}

#[test]
fn dates_that_are_not_read_or_far_away_are_named() {
    let days = |i: i32| format!("2020-{:02}-{:02}", 1 + i / 28, 1 + i % 28);
    let rows: String =
        (0..30).map(|i| format!("{},{i}\n", if i == 3 { "2608-01-04".into() } else { days(i) })).collect();
    let far = notes(&read(&format!("when,y\n{rows}")));
    assert!(far.contains(&"`when` holds 2608-01-04, far from all other dates: an error?".to_string()), "{far:?}");
    let rows: String = (0..30).map(|i| format!("Mo {}. {}. 2020,{i}\n", 1 + i % 28, 1 + i / 28)).collect();
    let unread = notes(&read(&format!("when,y\n{rows}")));
    assert!(
        unread.iter().any(|n| n.starts_with("`when` looks like dates but was not read as such (`Mo 1. 1. 2020`)")),
        "{unread:?}"
    );
}

#[test]
fn unclear_dates_are_errors() {
    assert_eq!(
        error("when,y\n01/02/2020,1\n03/04/2020,2\n"),
        "the dates in column `when` of `f.csv` may be day first or month first (`01/02/2020` in line 2): say which with `dates=\"dmy\"` or `dates=\"mdy\"`"
    );
    assert_eq!(
        error("when,y\n2020-01-01,1\n2020-02-30,2\n2020-03-01,3\n"),
        "expected a date such as `2020-01-01` in line 3 of `f.csv`, column `when`, found `2020-02-30`"
    );
    assert!(
        error("when,y\n13/01/2020,1\n01/13/2020,2\n").starts_with("expected a date such as `13/01/2020` in line 3")
    );
    assert!(error("when\n2020-01-01\n").starts_with("no column of numbers can be the target"));
}

#[test]
fn broken_tables_say_where() {
    for (text, expected) in [
        ("", "`f.csv` is empty, expected a table of comma- or tab-separated values"),
        ("\n# nothing\n\n", "`f.csv` is empty, expected a table of comma- or tab-separated values"),
        ("a,b\n", "`f.csv` holds names in line 1 but no rows below them"),
        ("a,b\n1,2\n\n3\n", "line 4 of `f.csv` has 1 field, expected 2 as in line 1"),
        ("# c\na,b\n1,2,3\n", "line 3 of `f.csv` has 3 fields, expected 2 as in line 2"),
        ("a,b\n1,2\n\"3,4\n5,6\n", "the quote that opens in line 3 of `f.csv` is never closed"),
        ("a,b\n1,\"u\n2,v\n", "the quote that opens in line 2 of `f.csv` is never closed"),
        (
            "a,b\n1,\"2\n3,\"4\n5,6\n",
            "expected a number in line 2 of `f.csv`, column `b`, found `2\\n3,4` (1 of 2 values there are not numbers): correct it, or name it with `missing=[\"2\\n3,4\"]`",
        ),
        ("a,b,a\n1,2,3\n", "columns 1 and 3 of `f.csv` are both called `a`: give each its own name"),
        ("a,b\n1,2\n3,\0\n", "`f.csv` is not text (a zero byte in line 3, byte 3), expected a CSV or TSV file"),
        ("u,v\nw,x\n", "no column of numbers can be the target, the columns are `x0`, `x1`: name one with `target`"),
    ] {
        assert_eq!(error(text), expected, "{text:?}");
    }
}

#[test]
fn nameless_columns_get_a_name() {
    let data = read(",a,y\n1,5,6\n2,7,8\n3,9,1\n");
    assert_eq!((data.names(), data.input_names()), (vec!["col0", "a", "y"], vec!["a"]));
    assert_eq!(
        notes(&data),
        ["a column without a name is called `col0`", "`col0` is not an input: it is the index of the row"]
    );
    assert_eq!(read("a,,y\n1,5,6\n").input_names(), ["a", "col1"]);
}

#[test]
fn columns_are_chosen_by_name() {
    let text = "a,b,c\n1,2,3\n4,5,6\n";
    let data = read_with(text, target("a"));
    assert_eq!((data.y().unwrap(), data.input_names()), (&[1.0, 4.0][..], vec!["b", "c"]));
    let data = read_with(text, inputs(&["b"]));
    assert_eq!((data.target().unwrap().name(), data.x()), ("c", vec![&[2.0, 5.0][..]]));
    assert_eq!(error_with(text, target("d")), "no column is called `d`, the columns are `a`, `b`, `c`");
    assert_eq!(error_with(text, inputs(&["d"])), "no column is called `d`, the columns are `a`, `b`, `c`");
    assert_eq!(error_with(text, inputs(&["a", "a"])), "column `a` is named twice");
    assert_eq!(error_with(text, inputs(&["c"])), "`c` is the target and cannot be an input too");
    assert_eq!(error_with(text, inputs(&[])), "no inputs: name at least one column other than the target");
}

#[test]
fn verbs_keep_what_they_should() {
    let data = read("a,b,c\n1,2,3\n4,5,6\n7,8,9\n");
    assert_eq!((data.head(2).n(), data.head(9).n()), (2, 3));
    let less = data.select(&["b"]).unwrap();
    assert_eq!(
        (less.names(), less.input_names(), less.y().unwrap()),
        (vec!["b", "c"], vec!["b"], &[3.0, 6.0, 9.0][..])
    );
    assert_eq!(data.select(&["c", "a"]).unwrap().input_names(), ["a"]);
    assert_eq!(data.select(&["c"]).unwrap_err(), DataError::NoInputs);
    let other = data.clone().with_target("a").unwrap();
    assert_eq!((other.input_names(), other.y().unwrap()[0]), (vec!["b", "c"], 1.0));
    assert_eq!(data.filter(&[true]).unwrap_err(), DataError::Mask { found: 1, expected: 3 });
    let saved: Dataset = serde_json::from_str(&serde_json::to_string(&data).unwrap()).unwrap();
    assert_eq!(saved, data);
    let edited = serde_json::to_string(&data).unwrap().replace("\"target\":2", "\"target\":7");
    let error = serde_json::from_str::<Dataset>(&edited).unwrap_err().to_string();
    assert!(error.contains("the target is not among the columns"), "{error}");
}

#[test]
fn data_by_hand_are_checked() {
    let column = |name: &str, n: usize| Column::numeric(name, vec![1.0; n]);
    let new = |columns, target| Dataset::new(columns, target, None).map_err(|e| e.to_string());
    assert_eq!(new(vec![], None), Err("data need at least one column".into()));
    assert_eq!(
        new(vec![column("x", 2), column("y", 3)], Some("y")),
        Err("column `y` has 3 values, expected 2 as in `x`".into())
    );
    assert_eq!(new(vec![column("x", 2), column("x", 2)], None), Err("column `x` is named twice".into()));
    let data = new(vec![column("x", 2), column("y", 2)], Some("y")).unwrap();
    assert_eq!((data.input_names(), data.row(1)), (vec!["x"], RowRef::Index(1)));
}

#[test]
fn files_are_looked_for_in_each_folder() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folders = [one.path().to_path_buf(), two.path().to_path_buf()];
    std::fs::write(two.path().join("mine.csv"), "a,b\n1,2\n").unwrap();
    std::fs::write(two.path().join("latin.csv"), b"a,b\n1,2\n3,caf\xe9\n").unwrap();
    std::fs::create_dir(two.path().join("folder")).unwrap();
    let text = |name: &str| load(name, &folders, &Options::default()).unwrap_err().to_string();
    for name in ["mine.csv", "mine"] {
        let data = load(name, &folders, &Options::default()).unwrap();
        assert_eq!((data.n(), data.about().name.as_deref()), (1, Some(name)));
    }
    assert!(text("latin.csv").contains("found `café`"));
    assert_eq!(text("folder"), "`folder` is a folder, expected a CSV or TSV file");
    assert!(text("none.csv").starts_with("no data set or file is called `none.csv` (looked for `"));
    assert!(text("").starts_with("no data set or file is called ``"));
    assert!(load("airline", &folders, &Options::default()).unwrap().about().source.is_some());
    assert_eq!(load("airline", &folders, &target("year")).unwrap().input_names(), ["passengers"]);
}

#[test]
fn ten_thousand_mangled_tables_do_no_harm() {
    use rand::{RngExt, SeedableRng};
    let mut random = rand_pcg::Pcg64::seed_from_u64(0);
    let pieces = [
        "a", "1", "-2.5", ",", ";", "\t", "\n", "\r", "\"", "#", " ", "NA", "é", "2020-01", "1/2/2020", "1,234", "inf",
        "\0",
    ];
    for _ in 0..10_000 {
        let length = random.random_range(0..30);
        let text: String = (0..length).map(|_| pieces[random.random_range(0..pieces.len())]).collect();
        if let Ok(data) = parse("f", &text, &Options::default()) {
            let _ = (data.summary(), data.dropna(), data.check_finite());
        }
    }
}
