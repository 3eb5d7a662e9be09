//! English phrases of families and wraps: declared with them, used by the rooms that describe kernels.

/// The words for a family or wrap.
///
/// All texts are templates. `{x}` is the input; `{l}`, `{p}`, … are the parameters by their short names, in the units
/// of the data. In a wrap, `{k}` or `{1}`, `{2}`, … are its kernels and `{all}` is the list of them, `{f}` is its
/// function, `{n}` its exponent, and `{input 0}` an input by its index. `{degree}` is "linear", "quadratic", …, and
/// `{grows}` describes how an amplitude grows with the inputs. Text in brackets is left out if one of its values is
/// unknown; `[one|other]` then gives the second text.
#[derive(Debug, Clone, Copy)]
pub struct Wording {
    pub head: Head,
    /// The noun: without an article for a family, with one for a wrap.
    pub noun: &'static str,
    /// Clauses after the noun. A clause with an unknown value is left out.
    pub details: &'static [&'static str],
    /// Its effect as a factor of a function of the same inputs. If empty, that function is modulated by the noun.
    pub own: &'static str,
    /// Its effect as a factor of a function of other inputs.
    pub other: &'static str,
}

/// Which factor of a product becomes its noun: the first in this order. The others become clauses.
///
/// Source: Duvenaud, structure-search chapter, on descriptions of products. Noise is first here, because it absorbs
/// every stationary factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    Noise,
    /// A periodic function; the text is the noun if the period has a name ("yearly").
    Periodic(&'static str),
    /// A function that varies within a length-scale. Of several, the one with the fewest
    /// [derivatives](super::Spec::derivatives) is the noun.
    Smooth,
    /// A process that starts at a place; the text is its behaviour far from the data.
    Process(&'static str),
    Constant,
    Polynomial,
    /// A value for each category.
    Levels,
    /// A wrap, whose phrase is the noun.
    Whole(InnerInputs),
}

/// The inputs that the kernels in a wrap receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InnerInputs {
    /// The inputs of the data.
    Same,
    /// Transformed inputs, so that length-scales on them have no unit.
    Moved,
    /// One input at a time; a kernel of all inputs is described as one of "it".
    Each,
}

impl Head {
    /// The rank in the order of nouns.
    pub fn rank(self) -> u8 {
        match self {
            Head::Noise => 0,
            Head::Periodic(_) => 1,
            Head::Smooth => 2,
            Head::Process(_) => 3,
            Head::Constant => 4,
            Head::Polynomial => 5,
            Head::Levels => 6,
            Head::Whole(_) => 7,
        }
    }
}

impl Wording {
    /// The wording of a family.
    pub const fn family(head: Head, noun: &'static str, details: &'static [&'static str]) -> Self {
        Self { head, noun, details, own: "", other: "" }
    }

    /// The same wording, with its effects as a factor of functions of the same inputs and of others.
    pub const fn doing(mut self, own: &'static str, other: &'static str) -> Self {
        self.own = own;
        self.other = other;
        self
    }

    /// A wrap with this phrase: `"{k}, with its amplitude multiplied by {f}"`.
    pub const fn wrap(phrase: &'static str) -> Self {
        Self::family(Head::Whole(InnerInputs::Same), phrase, &[])
    }

    /// A wrap whose kernels receive transformed inputs, with this phrase.
    pub const fn moving(phrase: &'static str) -> Self {
        Self::family(Head::Whole(InnerInputs::Moved), phrase, &[])
    }

    /// A wrap whose kernels receive one input at a time, with this phrase: `"a sum over all inputs, each with {k}"`.
    pub const fn each(phrase: &'static str) -> Self {
        Self::family(Head::Whole(InnerInputs::Each), phrase, &[])
    }
}
