//! English phrases of families and wraps: declared with them, used by the rooms that describe kernels.

/// The words for a family or a wrap.
///
/// All texts are templates. `{x}` is the input, and `{l}`, `{p}`, … are its parameters by their short names, in the
/// units of the data. A wrap has `{k}` or `{1}`, `{2}`, … for the kernels in it and `{all}` for the list of them, `{f}` for
/// its function and `{n}` for its exponent; `{input 0}` is an input by its place. `{degree}` is "linear", "quadratic", …
/// and `{grows}` how an amplitude grows with the inputs. What stands in brackets is left out where one of its values is not
/// known; `[one|other]` has what then stands in its place.
#[derive(Debug, Clone, Copy)]
pub struct Wording {
    pub head: Head,
    /// What it is: for a family without an article, for a wrap with one.
    pub noun: &'static str,
    /// Clauses after the noun. One in which a value is not known is left out.
    pub details: &'static [&'static str],
    /// What it does, as a factor, to a function of the same inputs. Empty: that is modulated by what it is.
    pub own: &'static str,
    /// What it does, as a factor, to a function of other inputs.
    pub other: &'static str,
}

/// Which factor of a product is its noun: the first of these. The rest become clauses.
///
/// Source: Duvenaud, structure-search chapter, on descriptions of products. Noise stands first here, as it absorbs every
/// stationary factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    Noise,
    /// Where the period has a name ("yearly"), what the noun is then.
    Periodic(&'static str),
    /// It varies within a length-scale. Of several the one of fewest [derivatives](super::Spec::derivatives) is the noun.
    Smooth,
    Constant,
    Polynomial,
    /// A value for each category.
    Levels,
    /// A wrap, whose noun is a phrase of its own.
    Whole(InnerInputs),
}

/// The inputs of the kernels in a wrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InnerInputs {
    /// The inputs of the data.
    Same,
    /// Others, so that their lengths have no unit.
    Moved,
    /// One input at a time: a kernel of all inputs is one of "it".
    Each,
}

impl Head {
    /// Where it stands in the order.
    pub fn rank(self) -> u8 {
        match self {
            Head::Noise => 0,
            Head::Periodic(_) => 1,
            Head::Smooth => 2,
            Head::Constant => 3,
            Head::Polynomial => 4,
            Head::Levels => 5,
            Head::Whole(_) => 6,
        }
    }
}

impl Wording {
    /// A family.
    pub const fn family(head: Head, noun: &'static str, details: &'static [&'static str]) -> Self {
        Self { head, noun, details, own: "", other: "" }
    }

    /// The same with what it does as a factor beside functions of its own inputs and of others.
    pub const fn doing(mut self, own: &'static str, other: &'static str) -> Self {
        self.own = own;
        self.other = other;
        self
    }

    /// A wrap by its phrase: `"{k}, with its amplitude multiplied by {f}"`.
    pub const fn wrap(phrase: &'static str) -> Self {
        Self::family(Head::Whole(InnerInputs::Same), phrase, &[])
    }

    /// A wrap whose kernels see other inputs than those of the data, by its phrase.
    pub const fn moving(phrase: &'static str) -> Self {
        Self::family(Head::Whole(InnerInputs::Moved), phrase, &[])
    }

    /// A wrap whose kernels see one input at a time, by its phrase: `"a sum over all inputs, each with {k}"`.
    pub const fn each(phrase: &'static str) -> Self {
        Self::family(Head::Whole(InnerInputs::Each), phrase, &[])
    }
}
