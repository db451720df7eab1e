//! The arena of texts that a graph's columns point into.

/// Whether an arena is UTF-8 and every boundary falls between two characters.
pub(crate) fn is_sound(text: &[u8], starts: &[u32]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    starts.first() == Some(&0)
        && starts.last().is_some_and(|&end| end as usize == text.len())
        && starts.windows(2).all(|pair| pair[0] <= pair[1])
        && starts.iter().all(|&at| text.is_char_boundary(at as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boundary_inside_a_character_is_refused() {
        assert!(is_sound("ö".as_bytes(), &[0, 2]));
        assert!(!is_sound("ö".as_bytes(), &[0, 1, 2]));
        assert!(!is_sound(&[0xff], &[0, 1]));
        assert!(!is_sound(b"ab", &[0, 1]));
    }
}
