//! The bearer token: made from the system's random numbers, compared in constant time.

use crate::ServeError;

/// Bytes of randomness in a token.
const BYTES: usize = 32;
/// Shorter tokens can be guessed.
const LEAST: usize = 16;

/// A new token, as 64 hexadecimal digits.
pub fn generate_token() -> Result<String, ServeError> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|err| ServeError::Random(err.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

pub(super) fn check(token: &str) -> Result<(), ServeError> {
    let length = token.len();
    if length < LEAST {
        return Err(ServeError::WeakToken { length, least: LEAST });
    }
    Ok(())
}

/// A token to compare with. Hashes are compared, so that the time taken tells nothing of the token.
#[derive(Clone, Debug)]
pub(super) struct Token(blake3::Hash);

impl Token {
    pub(super) fn new(text: &str) -> Self {
        Self(blake3::hash(text.as_bytes()))
    }

    /// Whether the value of an `Authorization` header carries this token.
    pub(super) fn admits(&self, authorization: &[u8]) -> bool {
        let Some((scheme, given)) = authorization.split_at_checked(b"bearer ".len()) else {
            return false;
        };
        scheme.eq_ignore_ascii_case(b"bearer ") && blake3::hash(given.trim_ascii()) == self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_new_each_time() {
        let (one, two) = (generate_token().unwrap(), generate_token().unwrap());
        assert_eq!(one.len(), 64);
        assert_ne!(one, two);
        assert!(check(&one).is_ok());
        assert!(check("short").is_err());
    }

    #[test]
    fn only_the_whole_token_is_admitted() {
        let token = Token::new("0123456789abcdef");
        assert!(token.admits(b"Bearer 0123456789abcdef"));
        assert!(token.admits(b"bearer  0123456789abcdef "));
        for other in
            ["", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Basic 0123456789abcdef", "0123456789abcdef"]
        {
            assert!(!token.admits(other.as_bytes()), "{other}");
        }
    }
}
