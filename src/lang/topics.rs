//! Pages on the language itself, for what no single name explains. Their examples are run when they are shown.

/// A page of the manual that belongs to no name.
pub struct Topic {
    pub name: &'static str,
    /// What else leads to it.
    pub aliases: &'static [&'static str],
    pub summary: &'static str,
    pub text: &'static str,
    pub examples: &'static [&'static str],
}

impl Topic {
    /// All that lead to it.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

pub static TOPICS: &[Topic] = &[
    Topic {
        name: "statements",
        aliases: &[],
        summary: "what a program is made of, and where a statement ends",
        text: "  let name = value          a name for a value; nothing is shown
  let a, b = value, value   several at once, or a list taken apart
  fn name(x, y=1) = value   a function, with defaults
  import \"file.mer\"         the names of another file
  value                     its value is shown, and is then `_`

  A statement ends at the line or at `;`. It goes on in the next line inside brackets, after an operator, `,` `=` `->`
  `then` `else`, and where the next line begins with one of `|> >> + * / ^ and or then else`. `#` begins a comment.",
        examples: &["let a, b = 3, 4\nfn length(x, y) = sqrt(x^2 + y^2)\nlength(a, b)"],
    },
    Topic {
        name: "precedence",
        aliases: &[],
        summary: "which operators bind more tightly",
        text: "  From the loosest to the tightest:

  x -> e, if c then a else b   reach as far as they can
  a |> f, a |> f(b)            `a` becomes the first argument of `f`
  f >> g                       first `f`, then `g`
  or
  and
  not
  == != < <= > >=, a..b        these do not chain
  + -
  * /
  -a
  a ^ b                        to the right: 2^3^2 is 2^9
  f(x), xs[0], value.member",
        examples: &["-2^2", "1 + 2 |> sqrt"],
    },
    Topic {
        name: "inputs",
        aliases: &[],
        summary: "which columns a kernel looks at",
        text: "  The first argument of a family is the input that it looks at: an index from 0, a column's name, or a list.
  Without one it looks at all inputs. A bare word is a column, unless you have bound that name yourself.
  `SE(\"fly ash\")` is for names that are no words.",
        examples: &["SE(0) * Per(year) + Lin([0, 1])"],
    },
    Topic {
        name: "parameters",
        aliases: &[],
        summary: "starts, fixed values, bounds, priors and ties",
        text: "  l=2                      a start: the fit may move it
  l=fixed(2)               stays
  l=between(0.1, 10)       bounded; a third number is the start
  l ~ LogNormal(0, 1)      a prior; `l=2 ~ …` has a start too
  let s = param(1)         in two places: both share one value

  Without data an unset parameter is 1, a location 0, a degree 2. All are in the units of the data.",
        examples: &["SE(l=fixed(2), v=between(0.1, 10))"],
    },
    Topic {
        name: "classification",
        aliases: &["classifier", "classifiers", "bernoulli", "probit"],
        summary: "targets that are classes, and their probabilities",
        text: "  A target of texts, of true and false, or of two numbers is one of classes. `likelihood=\"bernoulli\"` makes the
  probability of the positive class a function of the process; where it is not the last class in order, `positive=\"a\"`
  names it. A target of more than two texts is fitted by `fit` to one class against the rest for each;
  `[str(v) for v in numbers]` makes texts of numbers.

  link=\"probit\"            the usual one, with inference=\"ep\" or \"laplace\"
  link=\"logistic\"          log odds are the function; with inference=\"laplace\", which is then taken
  logistic()               logistic regression: the log odds are linear

  Without `target=` the last column of numbers is the target: name one of texts. `predict` gives the probability, the more
  probable class, and mean and variance of the latent function; `score`, `confusion` and `calibration` judge it.",
        examples: &[
            "let d = data(x=0..8, y=[\"no\", \"no\", \"yes\", \"no\", \"yes\", \"yes\", \"no\", \"yes\"], target=y)\n\
             d |> condition(gp(SE(x, l=3, v=2), likelihood=\"bernoulli\", mean=0)) |> predict([0, 3.5, 7])",
        ],
    },
    Topic {
        name: "ranges",
        aliases: &[],
        summary: "whole numbers from a to b, and grids",
        text: "  `a..b` is the whole numbers from a up to, but without, b; `a..=b` includes it. Where a grid is asked for, n
  evenly spaced numbers lie between the ends.",
        examples: &["[x for x in 0..4]", "grid(0..1, n=4)"],
    },
    Topic {
        name: "labels",
        aliases: &[],
        summary: "how names of kernels come back in tables and figures",
        text: "  A name that `let` gives to a kernel stays with it: `let season = Per(year)` is \"season\" in the tables,
  components and reports of every model that it is part of. It takes no part in equality or printing.",
        examples: &["let season = Per(0)\nseason + Lin(0)"],
    },
    Topic {
        name: "budgets",
        aliases: &[],
        summary: "what a search may cost",
        text: "  `budget=\"90s\"` is a time: seconds, `min` or `h`. How far a search comes in it depends on the machine, and it says
  so when the time has ended it. `budget=5000` is a number of evaluations of the likelihood: every machine ends at the
  same place. A round that has begun is finished. Left out it is a minute.",
        examples: &[],
    },
    Topic {
        name: "randomness",
        aliases: &[],
        summary: "seeds, and what repeats",
        text: "  Everything random begins from a seed, 0 unless you give another (`--seed 7`, `:seed 7`, `seed=7`). The same
  program with the same seed gives the same numbers, on any number of threads.",
        examples: &[],
    },
];

/// The page of this name.
pub fn find(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name || topic.aliases.contains(&name))
}
