//! Help pages on the language. Their examples are run when they are shown.

/// A help page on a topic.
pub struct Topic {
    pub name: &'static str,
    /// Other names of the page.
    pub aliases: &'static [&'static str],
    pub summary: &'static str,
    pub text: &'static str,
    pub examples: &'static [&'static str],
}

impl Topic {
    /// All names of the page.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

pub static TOPICS: &[Topic] = &[
    Topic {
        name: "statements",
        aliases: &["statement", "let", "fn", "import", "=", ";", "#"],
        summary: "what a program is made of, and where a statement ends",
        text: "  let name = value          a name for a value; nothing is shown
  let a, b = value, value   several at once, or the items of a list
  fn name(x, y=1) = value   a function, with defaults
  import \"file.mer\"         the names of another file
  value                     its value is shown, and is then `_`

  A statement ends at the line or at `;`. It goes on in the next line inside brackets, after an operator, `,` `=` `->`
  `then` `else`, and if the next line begins with one of `|> >> + * / % ^ and or then else`. `#` begins a comment.",
        examples: &["let a, b = 3, 4\nfn length(x, y) = sqrt(x^2 + y^2)\nlength(a, b)"],
    },
    Topic {
        name: "precedence",
        aliases: &["operators", "operator", "+", "-", "*", "/", "%", "^"],
        summary: "which operators bind more tightly",
        text: "  From the loosest to the tightest:

  x -> e, if c then a else b   extend as far to the right as possible
  a |> f, a |> f(b)            `a` becomes the first argument of `f`
  f >> g                       first `f`, then `g`
  or
  and
  not
  == != < <= > >=, a..b        these do not chain
  + -
  * / %                        a % b is the remainder, with the sign of b: -1 % 12 is 11
  -a
  a ^ b                        to the right: 2^3^2 is 2^9
  f(x), xs[0], value.member",
        examples: &["-2^2", "1 + 2 |> sqrt"],
    },
    Topic {
        name: "pipes",
        aliases: &["pipe", "|>", ">>"],
        summary: "a value through functions, and functions after one another",
        text: "  a |> f         f(a)
  a |> f(b)      f(a, b): the value before `|>` becomes the first argument
  f >> g         a function: first `f`, then `g`

  A line that begins with `|>` goes on with the value of the line before; at the prompt with the last value.",
        examples: &["[3, 1, 2] |> sort", "let root_mean = mean >> sqrt\n[1, 7, 4] |> root_mean"],
    },
    Topic {
        name: "conditions",
        aliases: &["if", "then", "else", "and", "or", "not", "true", "false", "==", "!=", "<", "<=", ">", ">="],
        summary: "true and false, and a choice between two values",
        text: "  if c then a else b       the value of `a` or of `b`; both must be written
  a == b, a != b           equal, not equal
  a < b, a <= b            numbers and texts in order; also `>` and `>=`
  a and b, a or b, not a   `b` is evaluated only where it decides",
        examples: &["let n = 3\nif n > 2 and not (n == 5) then \"many\" else \"few\""],
    },
    Topic {
        name: "comprehensions",
        aliases: &["comprehension", "for", "in"],
        summary: "lists made from lists",
        text: "  [value for x in list]              one value for each item
  [value for x in list if c]         only where the condition holds
  [value for a, b in pairs]          takes apart items that are lists",
        examples: &["[x^2 for x in 0..5 if x > 1]"],
    },
    Topic {
        name: "members",
        aliases: &["member", "."],
        summary: "the parts of a value",
        text: "  value.name          a part of a value: the columns of data, the parameters of a fit
  value.name(…)       calls it

  `help(\"Fit\")` lists the members of a kind, `:members` at the prompt those of a value.",
        examples: &["let d = data(x=[0, 1], y=[2, 5], target=y)\nd.y"],
    },
    Topic {
        name: "lambdas",
        aliases: &["lambda", "->"],
        summary: "functions without a name",
        text: "  x -> value          a function of one argument
  (x, y) -> value     of several

  The body goes on as far to the right as possible. `fn name(x, y=1) = value` also has defaults.",
        examples: &["map([1, 4, 9], x -> sqrt(x) + 1)"],
    },
    Topic {
        name: "constants",
        aliases: &["constant", "pi", "inf"],
        summary: "numbers with a name",
        text: "  pi     3.14159…
  inf    larger than every number; `-inf` is smaller",
        examples: &["2 * pi", "1 / inf"],
    },
    Topic {
        name: "inputs",
        aliases: &["input"],
        summary: "the columns that a kernel depends on",
        text: "  The first argument of a family is its input: an index from 0, a column's name, or a list.
  Without one the kernel depends on all inputs. A bare word is a column, unless it is a bound name.
  `SE(\"fly ash\")` is for names that are not single words.",
        examples: &["SE(0) * Per(year) + Lin([0, 1])"],
    },
    Topic {
        name: "parameters",
        aliases: &["parameter", "~"],
        summary: "starts, fixed values, bounds, priors and ties",
        text: "  l=2                      a starting value, which the fit optimises
  l=fixed(2)               stays
  l=between(0.1, 10)       bounded; a third number is the starting value
  l ~ LogNormal(0, 1)      a prior; `l=2 ~ …` also has a starting value
  let s = param(1)         in two places: both share one value

  Without data an unset parameter is 1, a location 0, a degree 2. All are in the units of the data.",
        examples: &["SE(l=fixed(2), v=between(0.1, 10))"],
    },
    Topic {
        name: "classification",
        aliases: &["classifier", "classifiers", "bernoulli", "probit"],
        summary: "targets that are classes, and their probabilities",
        text: "  The target can be texts, true and false, or two different numbers. `likelihood=\"bernoulli\"` makes the
  probability of the positive class a function of the process; it is the last class in order unless `positive=\"a\"`
  names it. With more than two classes, `fit` fits each class against the rest;
  `[str(v) for v in numbers]` converts numbers to texts.

  link=\"probit\"            the usual one, with inference=\"ep\" or \"laplace\"
  link=\"logistic\"          the function is the log odds; uses inference=\"laplace\"
  logistic()               logistic regression: the log odds are linear

  Without `target=` the last column of numbers is the target: name a column of texts. `predict` gives the probability, the
   more probable class, and the mean and variance of the latent function; `score`, `confusion` and `calibration` assess it.",
        examples: &[
            "let d = data(x=0..8, y=[\"no\", \"no\", \"yes\", \"no\", \"yes\", \"yes\", \"no\", \"yes\"], target=y)\n\
             d |> condition(gp(SE(x, l=3, v=2), likelihood=\"bernoulli\", mean=0)) |> predict([0, 3.5, 7])",
        ],
    },
    Topic {
        name: "ranges",
        aliases: &["range", "..", "..="],
        summary: "whole numbers from a to b, and grids",
        text: "  `a..b` is the whole numbers from a up to b, excluding b; `a..=b` includes it. Where a grid is expected, n
  evenly spaced numbers lie between the ends.",
        examples: &["[x for x in 0..4]", "grid(0..1, n=4)"],
    },
    Topic {
        name: "labels",
        aliases: &["label"],
        summary: "names of kernels in tables and figures",
        text: "  A name that `let` gives to a kernel stays with it: `let season = Per(year)` is \"season\" in the tables,
  components and reports of every model that it is part of. It does not affect equality or printing.",
        examples: &["let season = Per(0)\nseason + Lin(0)"],
    },
    Topic {
        name: "budgets",
        aliases: &["budget"],
        summary: "limits on the time or the evaluations of a search",
        text: "  `budget=\"90s\"` is a time: seconds, `min` or `h`. What a search finds in it depends on the machine, and the result says
  so if the time ended it. `budget=5000` is a number of evaluations of the likelihood: every machine ends at the
  same place. A round that has begun is finished. The default is a minute.",
        examples: &[],
    },
    Topic {
        name: "dates",
        aliases: &["date", "calendar"],
        summary: "columns of dates, and dates in programs",
        text: "  load(\"file.csv\")            finds a column of dates; `dates=\"dmy\"` says which order an ambiguous one has
  \"2024-03-01\"               a text is a date where one is expected: a row, a range, a limit
  \"2024-01\"..\"2024-07\"      a range of months; with days it is a range of days, and a list has any others
  Per(month, p=\"1 year\")     a length of time is a text; `fixed(\"1 year\")` is not optimised

  A column of dates is an input like others: its numbers are days, months or years since a beginning. Kernels, figures and
  sentences name the unit and show dates.",
        examples: &["let d = data(month=[\"2024-01\", \"2024-02\", \"2024-03\"], y=[1, 3, 2])\nd |> summary"],
    },
    Topic {
        name: "missing",
        aliases: &["nan", "null", "na"],
        summary: "cells without a value",
        text: "  load(\"file.csv\")   empty cells, `NA`, `?` and the like are missing; `missing=[-999]` names others
  d |> summary       counts them by column
  d |> dropna        leaves out the rows with any

  A model cannot be fitted to rows with missing values of its columns: the error names the row and the column.",
        examples: &["data(x=[1, 2, 3], y=[2, 0/0, 4]) |> dropna"],
    },
    Topic {
        name: "prompt",
        aliases: &["quit", "exit", "?", "_"],
        summary: "what the prompt answers besides statements",
        text: "  ?name      help on a name; `?` alone lists what there is
  :help      the commands of the prompt: `:time`, `:load`, `:save`, `:set`, `:explain`, …
  _          the last value
  quit       leaves, as `exit` and Ctrl-D do; Ctrl-C stops what runs, or clears the line",
        examples: &["2 + 3\n_ * 10"],
    },
    Topic {
        name: "randomness",
        aliases: &[],
        summary: "seeds, and reproducible results",
        text: "  Everything random begins from a seed, 0 unless you give another (`--seed 7`, `:seed 7`, `seed=7`). The same
  program with the same seed gives the same numbers, on any number of threads.",
        examples: &[],
    },
];

/// The page with this name.
pub fn find(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name || topic.aliases.contains(&name))
}
