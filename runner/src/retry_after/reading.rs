//! [`Reading`]: the ways in which a reader of header values can differ from
//! its specification.

/// Deviations of a reader; the default is "as specified".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Digit strings.
    pub digits: DigitRules,
    /// Dates.
    pub dates: DateRules,
    /// Several lines, and comma lists.
    pub lists: ListRule,
}

macro_rules! switches {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: Switch,)*
        }
    };
}

/// Whether a deviation is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// As specified.
    #[default]
    Off,
    /// Deviates.
    On,
}

impl Switch {
    /// Whether it is on.
    pub fn is_on(self) -> bool {
        self == Self::On
    }
}

switches! {
    /// Deviations in reading digit strings.
    DigitRules {
        /// A leading `+` is skipped.
        plus_accepted,
        /// `-N` is read as a negative wait.
        negative_read,
        /// A leading zero means octal.
        octal,
        /// `0x`, `0b` and `0o` are read.
        radix_prefix,
        /// Underscores between digits are skipped.
        underscores,
        /// The longest leading run of digits is read.
        leading_run,
        /// Decimal digits of any script are read.
        any_script,
        /// White space of any script is trimmed.
        any_space,
        /// A decimal fraction is read exactly.
        fraction,
        /// A decimal fraction is rounded down.
        fraction_down,
        /// A decimal fraction is rounded up.
        fraction_up,
        /// Fraction and exponent are read.
        float,
        /// `0` is a wait of no time.
        zero_is_now,
        /// The empty value is a wait of no time.
        empty_is_zero,
        /// A leading zero before more digits is malformed.
        leading_zero_refused,
        /// Four digits from 1970 to 9999 are a year.
        year,
    }
}

switches! {
    /// Deviations in reading dates.
    DateRules {
        /// No date is read.
        none,
        /// RFC 850 is refused.
        no_rfc850,
        /// asctime is refused.
        no_asctime,
        /// A space-padded day is refused.
        no_padded_day,
        /// Two-digit years lie in the 1900s.
        century_1900,
        /// The distance is rounded down.
        truncated,
        /// The distance is not rounded.
        exact,
        /// Civil time is taken in the process's zone.
        local_zone,
        /// The distance is that of two civil times of the process's zone.
        civil_distance,
        /// Names are those of the process's language.
        local_names,
        /// Much else is accepted.
        lenient,
        /// Impossible days of a month roll over.
        day_rolls_over,
        /// A date that is not ahead is a wait of no time.
        past_is_now,
        /// A wrong day name ends the call.
        odd_raises,
    }
}

/// What several lines, or a comma list of digit strings, mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListRule {
    /// By the parser's row; a comma list is malformed.
    #[default]
    Specified,
    /// The first member is the value.
    First,
    /// The last member is the value.
    Last,
    /// All digits are joined.
    Concatenated,
    /// It ends the call.
    Raises,
}
