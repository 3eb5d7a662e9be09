//! Messages for text that is not a program: what was found, what was expected, and how to write what was probably
//! meant.

mod foreign;

use super::diagnostic::Diagnostic;
use super::grammar::Rule;
use super::layout::{Layout, Piece};
use super::scan::{RESERVED, Token, TokenKind};
use super::span::{SourceId, Span};

/// The error of a statement whose parsing failed at byte `at`, where one of `positives` was expected.
pub(super) fn unexpected(
    layout: &Layout,
    piece: &Piece,
    source: SourceId,
    at: usize,
    positives: &[Rule],
) -> Diagnostic {
    let tokens: Vec<Token> = layout.tokens[piece.tokens.clone()].iter().filter(|t| t.is_code()).copied().collect();
    let scene = Scene { text: &layout.text, tokens: &tokens, source, positives };
    if let Some(index) = tokens.iter().position(|token| token.kind == TokenKind::Alien && token.start <= at) {
        return scene.alien(index);
    }
    match tokens.iter().position(|token| token.end > at) {
        Some(index) => scene.wrong_token(index),
        None => scene.broken_off(),
    }
}

pub(super) fn comparisons_chain(first: Span, second: Span) -> Diagnostic {
    Diagnostic::error("comparisons and ranges do not chain")
        .label(second, "a second one")
        .label(first, "after this one")
        .help("write `a < b and b < c`, or put brackets around the part that comes first")
}

pub(super) fn misplaced_not(span: Span) -> Diagnostic {
    Diagnostic::error("`not` needs brackets here")
        .label(span, "binds less tightly than the operator before it")
        .help("write `(not x)`")
}

pub(super) fn unknown_escape(escape: &str, span: Span) -> Diagnostic {
    Diagnostic::error(format!("`{escape}` is not an escape sequence"))
        .label(span, "not known in a string")
        .help(r#"the escapes are `\n` `\t` `\r` `\"` `\\` `\u{3C3}`; write `\\` for a backslash, or `/` in a path"#)
}

/// A statement whose parsing failed.
struct Scene<'a> {
    text: &'a str,
    /// The tokens of the statement without comments and line breaks.
    tokens: &'a [Token],
    source: SourceId,
    positives: &'a [Rule],
}

impl Scene<'_> {
    fn word(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| token.text(self.text))
    }

    /// The text of the token before one; empty at the start of the statement.
    fn before(&self, index: usize) -> &str {
        index.checked_sub(1).map_or("", |index| self.word(index))
    }

    fn span(&self, token: &Token) -> Span {
        Span::new(self.source, token.start, token.end)
    }

    fn expects(&self, rule: Rule) -> bool {
        self.positives.contains(&rule)
    }

    /// Whether only a name is expected here.
    fn expects_name(&self) -> bool {
        self.expects(Rule::name) && !self.expects_value()
    }

    fn expects_value(&self) -> bool {
        self.positives.iter().any(|rule| role(*rule) == Role::Value)
    }

    /// Whether an operand has just ended here.
    fn after_operand(&self) -> bool {
        self.expects(Rule::infix)
    }

    /// What was expected here, in words.
    fn expected(&self) -> String {
        let mut words: Vec<&str> = Vec::new();
        let covered = |rule: Rule| match rule {
            Rule::open => self.expects_value() || self.after_operand(),
            Rule::name | Rule::string => self.expects_value(),
            _ => false,
        };
        for wanted in [Role::Value, Role::Name, Role::String, Role::Operator, Role::Plain, Role::End] {
            for rule in self.positives.iter().filter(|rule| role(**rule) == wanted && !covered(**rule)) {
                let word = name_of(*rule);
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        if words.is_empty() {
            words.extend(self.positives.iter().map(|rule| name_of(*rule)).take(1));
        }
        match words.as_slice() {
            [] => "something else".into(),
            [one] => (*one).into(),
            [most @ .., last] => format!("{} or {last}", most.join(", ")),
        }
    }

    /// The message for an incomplete statement.
    fn broken_off(&self) -> Diagnostic {
        let Some(last) = self.tokens.last() else { return Diagnostic::error("expected a statement") };
        let word = last.text(self.text);
        let end = Span::new(self.source, last.end, last.end);
        if self.expects(Rule::kw_then) || self.expects(Rule::kw_else) {
            return self.missing_branch(end, "the end of the statement");
        }
        let diagnostic = Diagnostic::error(format!("expected {} after `{word}`", self.expected()))
            .label(end, "the statement ends here");
        match word {
            "let" => diagnostic.help("write `let name = value`"),
            "fn" => diagnostic.help("write `fn name(x, y) = value`"),
            "import" => diagnostic.help("write `import \"file.mer\"`"),
            _ if self.expects(Rule::assign) && self.word(0) == "let" => diagnostic.help("write `let name = value`"),
            _ if self.expects(Rule::arrow) && !self.after_operand() => {
                diagnostic.help("a list is written `[a, b]`, a function `(a, b) -> value`")
            }
            _ => diagnostic,
        }
    }

    fn missing_branch(&self, at: Span, found: &str) -> Diagnostic {
        let (word, why) = if self.expects(Rule::kw_then) {
            ("then", "expected after the condition")
        } else {
            ("else", "an `if` is a value, so it needs both branches")
        };
        Diagnostic::error(format!("expected `{word}`, found {found}"))
            .label(at, why)
            .help("write `if condition then a else b`")
    }

    /// The message for a token that is valid elsewhere but not here.
    fn wrong_token(&self, index: usize) -> Diagnostic {
        let token = &self.tokens[index];
        let (found, span) = (token.text(self.text), self.span(token));
        let before = self.before(index);
        if let Some(diagnostic) = self.habit(index) {
            return diagnostic;
        }
        let reserved = token.kind == TokenKind::Word && RESERVED.contains(&found);
        if reserved && self.expects_name() {
            return Diagnostic::error(format!("`{found}` is a reserved word and cannot be a name"))
                .label(span, "expected a name")
                .help(format!("choose another name, such as `{found}_`"));
        }
        if matches!(before, "let" | "fn" | "for") && self.expects_name() {
            let diagnostic =
                Diagnostic::error(format!("expected a name after `{before}`, found {}", shown(token, found)))
                    .label(span, "not a name");
            return match before {
                "let" => diagnostic.help("write `let name = value`"),
                "fn" => diagnostic.help("write `fn name(x, y) = value`"),
                _ => diagnostic.help("write `[value for name in list]`"),
            };
        }
        if matches!(found, "let" | "fn" | "import") {
            return Diagnostic::error(format!("`{found}` begins a statement and cannot stand inside one"))
                .label(span, format!("expected {}", self.expected()))
                .help("put it on a line of its own, or end the statement before it with `;`");
        }
        if found == "=" && (self.after_operand() || self.expects(Rule::kw_then)) {
            return self.stray_equals(span);
        }
        if matches!(found, "if" | "->")
            && let Some(diagnostic) = self.needs_brackets(index)
        {
            return diagnostic;
        }
        if self.expects(Rule::kw_then) || self.expects(Rule::kw_else) {
            return self.missing_branch(span, &shown(token, found));
        }
        if index == 0 {
            return self.bad_beginning(token);
        }
        if found == "~" {
            return Diagnostic::error("a prior cannot stand here")
                .label(span, format!("expected {}", self.expected()))
                .help("`value ~ prior` is written for an argument or an item of a list: `SE(l=2 ~ LogNormal(0, 1))`");
        }
        let diagnostic = Diagnostic::error(format!("expected {}, found {}", self.expected(), shown(token, found)))
            .label(span, "not expected here");
        self.hint(index, diagnostic)
    }

    /// Adds a remark on what is probably missing at a token without a special message.
    fn hint(&self, index: usize, diagnostic: Diagnostic) -> Diagnostic {
        let token = &self.tokens[index];
        let found = token.text(self.text);
        let starts_value = matches!(token.kind, TokenKind::Word | TokenKind::Number | TokenKind::Str);
        if self.after_operand() && self.expects(Rule::comma) && starts_value && !RESERVED.contains(&found) {
            return diagnostic.help("is a comma missing before it?");
        }
        match (self.word(0), found) {
            ("let", "(") if index == 2 => {
                return diagnostic.help(format!("a function is defined by `fn {}(…) = …`", self.word(1)));
            }
            ("fn", "=") if index == 2 => {
                return diagnostic.help(format!("write `fn {0}() = …`, or `let {0} = …` for a value", self.word(1)));
            }
            ("import", name) if index == 1 && token.kind == TokenKind::Word => {
                return diagnostic.help(format!("write `import \"{name}.mer\"`"));
            }
            _ => {}
        }
        if self.expects(Rule::kw_in) {
            return diagnostic.help("write `[value for name in list]`");
        }
        if found == "," && self.after_operand() {
            return diagnostic.help("a list is written `[a, b]`");
        }
        if found == ";" {
            return diagnostic.help("a matrix is a list of rows: `[[1, 2], [3, 4]]`");
        }
        if found == "+" && self.expects_value() {
            return diagnostic.help("there is no `+` before a single value; leave it out");
        }
        if self.after_operand() && starts_value && !RESERVED.contains(&found) {
            return diagnostic
                .help("a product is written with `*`, and two statements are kept apart by a line break or `;`");
        }
        diagnostic
    }

    fn stray_equals(&self, span: Span) -> Diagnostic {
        let name = self.word(0);
        let begins_with_name = self.tokens[0].kind == TokenKind::Word && !RESERVED.contains(&name);
        let before = self.tokens.iter().take_while(|token| token.start < span.start).last();
        if let Some(token) = before.filter(|token| RESERVED.contains(&token.text(self.text))) {
            let word = token.text(self.text);
            return Diagnostic::error(format!("`{word}` is a reserved word and cannot be a name"))
                .label(self.span(token), "reserved")
                .help(format!("choose another name, such as `{word}_`"));
        }
        let diagnostic =
            Diagnostic::error("`=` cannot stand here").label(span, format!("expected {}", self.expected()));
        if begins_with_name && self.word(1) == "=" {
            return Diagnostic::error(format!("`{name}` is assigned with `let`"))
                .label(span, "binds only after `let`, and does not compare")
                .help(format!("write `let {name} = …`, or `==` to compare"));
        }
        let piped = self.tokens.iter().take_while(|token| token.start < span.start).any(|t| t.text(self.text) == "|>");
        if begins_with_name && self.word(1) == "(" && !piped {
            return diagnostic.help(format!("write `fn {name}(…) = …` to define a function, `==` to compare"));
        }
        diagnostic.help("write `==` to compare")
    }

    /// The message for an `if` or a function as an operand: it has the lowest precedence and needs brackets.
    fn needs_brackets(&self, index: usize) -> Option<Diagnostic> {
        let span = self.span(&self.tokens[index]);
        if self.word(index) == "->" {
            if !self.after_operand() {
                return None;
            }
            let named = matches!(self.tokens[index - 1].kind, TokenKind::Word | TokenKind::Close);
            return Some(if named {
                Diagnostic::error("a function needs brackets here")
                    .label(span, "binds less tightly than the operator before it")
                    .help("write `(x -> value)`, or `((x, y) -> value)`")
            } else {
                Diagnostic::error("expected a name before `->`")
                    .label(span, "the parameters of a function are names")
                    .help("write `x -> value`, or `(x, y) -> value`")
            });
        }
        let operator = self.tokens[index.checked_sub(1)?];
        if self.after_operand() {
            return Some(
                Diagnostic::error(format!("expected {}, found `if`", self.expected()))
                    .label(span, "not expected here")
                    .help("a choice is written `if condition then a else b`"),
            );
        }
        let operand = operator.kind == TokenKind::Op || matches!(self.before(index), "and" | "or" | "not");
        operand.then(|| {
            Diagnostic::error("an `if` needs brackets here")
                .label(span, "binds less tightly than the operator before it")
                .help("write `(if condition then a else b)`")
        })
    }

    fn bad_beginning(&self, token: &Token) -> Diagnostic {
        let found = token.text(self.text);
        let diagnostic = Diagnostic::error(format!("a statement cannot begin with {}", shown(token, found)))
            .label(self.span(token), "expected a statement");
        match found {
            "%" => diagnostic.help("a comment begins with `#`"),
            "|>" | ">>" | "+" | "*" | "/" | "^" | "and" | "or" | "then" | "else" => {
                diagnostic.help("there is no earlier value from which this line could continue")
            }
            _ if token.kind == TokenKind::Op => {
                diagnostic.help("to continue the line before, end that line with the operator")
            }
            "for" => diagnostic.help("a loop is written as a list: `[value for name in list]`"),
            _ => diagnostic,
        }
    }

    /// The message for keywords of other languages, which the grammar reads as names.
    fn habit(&self, index: usize) -> Option<Diagnostic> {
        let token = &self.tokens[index];
        let found = token.text(self.text);
        let (habit, at, help) = match (self.before(index), found) {
            (_, "elif" | "elseif" | "elsif") => (found, index, "write `else if condition then …`".into()),
            ("lambda", _) if token.kind == TokenKind::Word => {
                ("lambda", index - 1, "a function is written `x -> value`, or `(x, y) -> value`".into())
            }
            (word @ ("def" | "function" | "func" | "fun"), _) if index == 1 && token.kind == TokenKind::Word => {
                (word, 0, format!("write `fn {found}(…) = …`"))
            }
            (word @ ("var" | "const" | "val" | "set" | "mut"), _) if index == 1 && token.kind == TokenKind::Word => {
                (word, 0, format!("write `let {found} = …`"))
            }
            (word @ ("from" | "use" | "require" | "include" | "using"), _)
                if index == 1 && matches!(token.kind, TokenKind::Word | TokenKind::Str) =>
            {
                (word, 0, "write `import \"file.mer\"`".into())
            }
            ("return", _) if index == 1 => ("return", 0, "the value of a function is its body: leave it out".into()),
            _ => return None,
        };
        if !self.after_operand() && !self.expects(Rule::kw_else) {
            return None;
        }
        Some(
            Diagnostic::error(format!("`{habit}` is not a keyword of Mercer"))
                .label(self.span(&self.tokens[at]), "read as a name")
                .help(help),
        )
    }
}

/// A token in a message; a long one is truncated.
fn shown(token: &Token, found: &str) -> String {
    const LONGEST: usize = 40;
    let text = if found.chars().count() > LONGEST {
        format!("{}…", found.chars().take(LONGEST).collect::<String>())
    } else {
        found.to_owned()
    };
    match token.kind {
        TokenKind::Str => format!("the string {text}"),
        _ => format!("`{text}`"),
    }
}

/// How a rule appears in a list of what was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Value,
    Name,
    /// Where no other value is possible: the file of an import.
    String,
    Operator,
    /// A sign or word that is shown as written.
    Plain,
    End,
    /// Possible, but not mentioned next to the others.
    Silent,
}

fn role(rule: Rule) -> Role {
    match rule {
        Rule::expr | Rule::number | Rule::constant | Rule::group | Rule::list | Rule::argument => Role::Value,
        Rule::item | Rule::if_head | Rule::lambda_head | Rule::neg | Rule::kw_not | Rule::kw_if => Role::Value,
        Rule::name | Rule::param => Role::Name,
        Rule::string => Role::String,
        Rule::infix => Role::Operator,
        Rule::comma | Rule::assign | Rule::close | Rule::close_list | Rule::open => Role::Plain,
        Rule::kw_then | Rule::kw_else | Rule::kw_in => Role::Plain,
        Rule::EOI => Role::End,
        _ => Role::Silent,
    }
}

/// The name of a rule in messages. Users see nothing else of the grammar.
fn name_of(rule: Rule) -> &'static str {
    match rule {
        Rule::line | Rule::statement => "a statement",
        Rule::let_statement | Rule::kw_let => "`let`",
        Rule::fn_statement | Rule::kw_fn => "`fn`",
        Rule::import_statement | Rule::kw_import => "`import`",
        Rule::string => "a string",
        Rule::expr | Rule::number | Rule::constant | Rule::group | Rule::list | Rule::item => "an expression",
        Rule::argument | Rule::value | Rule::primary | Rule::operand | Rule::if_head | Rule::kw_if => "an expression",
        Rule::lambda_head | Rule::head | Rule::prefix | Rule::neg | Rule::kw_not => "an expression",
        Rule::name | Rule::param | Rule::keyword => "a name",
        Rule::infix | Rule::postfix => "an operator",
        Rule::call => "`(`",
        Rule::index => "`[`",
        Rule::member | Rule::dot => "`.`",
        Rule::clause | Rule::kw_for => "`for`",
        Rule::pipe => "`|>`",
        Rule::compose => "`>>`",
        Rule::range_to => "`..=`",
        Rule::range => "`..`",
        Rule::eq => "`==`",
        Rule::ne => "`!=`",
        Rule::le => "`<=`",
        Rule::ge => "`>=`",
        Rule::lt => "`<`",
        Rule::gt => "`>`",
        Rule::add => "`+`",
        Rule::sub => "`-`",
        Rule::mul => "`*`",
        Rule::div => "`/`",
        Rule::rem => "`%`",
        Rule::pow => "`^`",
        Rule::comma => "`,`",
        Rule::assign => "`=`",
        Rule::arrow => "`->`",
        Rule::tilde => "`~`",
        Rule::open => "`(`",
        Rule::close => "`)`",
        Rule::open_list => "`[`",
        Rule::close_list => "`]`",
        Rule::kw_then => "`then`",
        Rule::kw_else => "`else`",
        Rule::kw_in => "`in`",
        Rule::kw_and => "`and`",
        Rule::kw_or => "`or`",
        Rule::EOI => "the end of the statement",
        Rule::WHITESPACE | Rule::digits | Rule::word_char | Rule::reserved => "a word",
    }
}
