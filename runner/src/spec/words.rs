//! One macro: a closed set of words, as the cells of the tables use them.

/// Declares an enum whose variants are words of a cell, with `ALL`, `as_str`,
/// `from_word` and `Display`.
macro_rules! words {
    ($(
        $(#[$doc:meta])*
        pub enum $name:ident {$(
            $(#[$variant_doc:meta])*
            $variant:ident = $word:literal,
        )+}
    )+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {$(
            $(#[$variant_doc])*
            $variant,
        )+}

        impl $name {
            /// Every value, in the order of SPEC.md.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word that stands in the cell.
            pub const fn as_str(self) -> &'static str {
                match self {$( Self::$variant => $word, )+}
            }

            /// The value that a word stands for, or none if it is not one of
            /// them. Case matters.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    )+};
}

pub(crate) use words;
