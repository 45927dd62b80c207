//! The nearest right spelling.

/// The allowed word that `found` was probably meant to be, if one is near
/// enough: at most a third of its letters differ. Case, `_` and `-` do not count.
pub fn nearest<'a>(found: &str, allowed: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A hostile word is not worth a quadratic comparison.
    if found.len() > 200 {
        return None;
    }
    let plain = plain(found);
    allowed
        .into_iter()
        .map(|word| {
            (
                strsim::damerau_levenshtein(&plain, &self::plain(word)),
                word,
            )
        })
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, word)| {
            let letters = word.chars().count().max(found.chars().count());
            *distance <= letters.div_ceil(3).min(letters / 2).min(4)
        })
        .map(|(_, word)| word)
        .filter(|word| *word != found)
}

fn plain(word: &str) -> String {
    word.chars()
        .filter(|character| !matches!(character, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 4] = ["total_attempts", "attempts", "waits", "ends"];

    #[test]
    fn a_slip_of_the_finger_is_understood() {
        assert_eq!(nearest("wiats", WORDS), Some("waits"));
        assert_eq!(nearest("attempt", WORDS), Some("attempts"));
        assert_eq!(nearest("totalAttempts", WORDS), Some("total_attempts"));
    }

    #[test]
    fn another_word_is_not_bent_into_one() {
        assert_eq!(nearest("colour", WORDS), None);
        assert_eq!(nearest("waits", WORDS), None);
        assert_eq!(nearest("a", ["b"]), None);
        assert_eq!(nearest(&"w".repeat(100_000), WORDS), None);
    }
}
