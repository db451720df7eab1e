//! Text that looks like a key or token.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::error::MemoryError;

/// What the writer said about secrets in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sensitive {
    Refused,
    Allowed,
}

/// Refuses text that looks like a key or token.
pub fn refuse(field: &str, text: &str) -> Result<(), MemoryError> {
    Sensitive::Refused.check(field, text)
}

impl From<Option<bool>> for Sensitive {
    fn from(allow_sensitive: Option<bool>) -> Self {
        if allow_sensitive == Some(true) { Self::Allowed } else { Self::Refused }
    }
}

impl Sensitive {
    /// Refuses the text if it looks like a secret. The error never repeats the secret.
    pub(crate) fn check(self, field: &str, text: &str) -> Result<(), MemoryError> {
        if self == Self::Allowed {
            return Ok(());
        }
        match find(text) {
            Some((kind, at)) => Err(MemoryError::Sensitive { field: field.to_owned(), kind, at }),
            None => Ok(()),
        }
    }

    /// The same for every text inside a JSON value.
    pub(crate) fn check_json(self, field: &str, value: &Value) -> Result<(), MemoryError> {
        if self == Self::Allowed {
            return Ok(());
        }
        // An explicit stack: a document may nest deeper than the thread's stack.
        let mut open = vec![(field.to_owned(), value)];
        while let Some((path, value)) = open.pop() {
            match value {
                Value::String(text) => self.check(&path, text)?,
                Value::Array(items) => open.extend(items.iter().map(|item| (path.clone(), item))),
                Value::Object(fields) => {
                    for (key, value) in fields {
                        self.check(&path, key)?;
                        if let Value::String(text) = value {
                            self.check(&format!("{path}.{key}"), &format!("{key}={text}"))?;
                        }
                        open.push((format!("{path}.{key}"), value));
                    }
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        Ok(())
    }
}

/// The kind and byte position of the first thing that looks like a secret. Signs that nobody sees hide nothing.
fn find(text: &str) -> Option<(&'static str, usize)> {
    let is_hidden = |c: char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    if text.contains(is_hidden) {
        return find_in(&text.replace(is_hidden, ""));
    }
    find_in(text)
}

fn find_in(text: &str) -> Option<(&'static str, usize)> {
    PATTERNS
        .iter()
        .filter_map(|(kind, pattern)| {
            pattern.captures_iter(text).find_map(|found| {
                let value = found.name("value").or_else(|| found.get(0))?;
                looks_real(kind, value.as_str()).then(|| (*kind, value.start()))
            })
        })
        .min_by_key(|(_, at)| *at)
}

const ASSIGNED: &str = "assigned secret";
const API_KEY: &str = "API key";
const IN_URL: &str = "password in a URL";
const PASSWORD: &str = "password";
const SIGNING_KEY: &str = "signing key";
const BARE_PASSWORD: &str = "password without quotes";

/// Patterns that ordinary text can fit too ask for more.
fn looks_real(kind: &str, value: &str) -> bool {
    match kind {
        ASSIGNED | API_KEY => is_random(value),
        SIGNING_KEY => is_random(value) || mixes_signs(value),
        PASSWORD => {
            let has = |of: fn(&u8) -> bool| value.as_bytes().iter().any(of);
            has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
        }
        // A name of code has its digits at the end or none; a way to keep passwords is no password.
        BARE_PASSWORD => {
            let kept = value.trim_end_matches(|c: char| c.is_ascii_digit());
            let has = |of: fn(char) -> bool| kept.contains(of);
            let is_phrase = value.len() >= PHRASE && value.bytes().all(|byte| byte.is_ascii_lowercase());
            (is_phrase || has(|c| c.is_ascii_digit() || !c.is_alphanumeric()))
                && has(|c| c.is_ascii_alphabetic())
                && !METHODS.contains(&value.to_lowercase().as_str())
        }
        IN_URL => {
            !PLACEHOLDERS.contains(&value.to_lowercase().as_str()) && !value.contains(['<', '$', '{', '*'])
        }
        _ => true,
    }
}

/// So many small letters without a blank are several words, as passwords are made of; no name of code is written so.
const PHRASE: usize = 20;

/// What documentation writes where a password would be.
const PLACEHOLDERS: [&str; 7] =
    ["password", "passwd", "secret", "changeme", "example", "placeholder", "xxxxxx"];

/// How passwords are kept.
const METHODS: [&str; 4] = ["argon2id", "pbkdf2-hmac", "pbkdf2hmac", "sha256crypt"];

/// Words and paths have no digits among their letters, and change their case where a word begins; keys do not.
fn is_random(value: &str) -> bool {
    is_hex_key(value) || mixes_digits(value) || mixes_cases(value)
}

/// As many hexadecimal digits as keys have, some of them letters.
fn is_hex_key(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.len() >= 32 && digits >= 4 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Letters whose case changes as if thrown with dice: in names a large letter is followed by small ones.
fn mixes_cases(value: &str) -> bool {
    let letters: Vec<u8> = value.bytes().filter(u8::is_ascii_alphabetic).collect();
    let turns =
        letters.windows(2).filter(|pair| pair[0].is_ascii_uppercase() != pair[1].is_ascii_uppercase());
    letters.len() == value.len() && letters.len() >= 14 && turns.count() * 5 >= letters.len() * 2
}

/// Letters, digits and signs that names and paths do not have.
fn mixes_signs(value: &str) -> bool {
    let count = |of: fn(char) -> bool| value.chars().filter(|c| of(*c)).count();
    count(|c| c.is_ascii_digit()) >= 3
        && count(|c| c.is_ascii_alphabetic()) >= 8
        && count(|c| c.is_ascii_punctuation() && !"_-./:".contains(c)) >= 2
}

fn mixes_digits(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let changes = value
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit())
        .count();
    digits >= 2 && letters >= 4 && changes >= 3
}

static PATTERNS: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    [
        ("private key", r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----"),
        ("private key", r"\bPuTTY-User-Key-File-[0-9]+:"),
        ("age key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{20,}"),
        ("AWS key id", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
        ("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
        ("GitLab token", r"\bglpat-[A-Za-z0-9_-]{18,}"),
        ("Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
        ("Slack webhook", r"\bhooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,}"),
        ("Google token", r"\bya29\.[A-Za-z0-9_-]{20,}"),
        (API_KEY, r"\bsk-(?:[a-z]+-)*[A-Za-z0-9_-]{20,}"),
        ("Stripe key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
        ("Google key", r"\bAIza[0-9A-Za-z_-]{35}"),
        ("npm token", r"\bnpm_[A-Za-z0-9]{30,}"),
        ("PyPI token", r"\bpypi-[A-Za-z0-9_-]{40,}"),
        ("Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}"),
        ("SendGrid key", r"\bSG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{30,}"),
        ("Azure storage key", r"\bAccountKey\s*=\s*(?P<value>[A-Za-z0-9+/]{40,}={0,2})"),
        ("Docker token", r"\bdckr_pat_[A-Za-z0-9_-]{20,}"),
        ("Telegram bot token", r"\b[0-9]{8,10}:[A-Za-z0-9_-]{35}(?:[^A-Za-z0-9_-]|$)"),
        ("JSON web token", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
        (IN_URL, r"\b[a-z][a-z0-9+.-]*://[^\s/:@]{0,64}:(?P<value>[^\s/@:]{6,})@"),
        ("bearer token", r"(?i)\bbearer\s+(?P<value>[A-Za-z0-9_.~+/-]{24,}=*)"),
        (
            SIGNING_KEY,
            r#"(?i)\b(?:\w+_)?(?:secret|signing)[_-]?key["']?\s*[:=]+\s*["']?(?P<value>[^\s"'<>{}()\[\]]{24,})"#,
        ),
        (
            PASSWORD,
            r#"(?i)(?:\b|_)(?:passw(?:or)?d|passphrase|pwd|secret)["']?\s*[:=]+\s*["'](?P<value>[^"'\s/<>${}()*]{6,})["']"#,
        ),
        (
            BARE_PASSWORD,
            r"(?i)(?:\b|_)(?:passw(?:or)?d|passphrase|pwd)\s*[:=]+\s*(?P<value>[A-Za-z0-9!@#%^&+~?]{8,})\.?(?:[\s,;]|$)",
        ),
        (
            ASSIGNED,
            r#"(?i)(?:passw(?:or)?d|secret(?:[_-]?key)?|token|api[_-]?key|access[_-]?key|private[_-]?key|sign(?:ing)?[_-]?key|credential)s?["']?\s*[:=]\s*["']?(?P<value>[A-Za-z0-9_\-./+=~]{16,})"#,
        ),
    ]
    .into_iter()
    .map(|(kind, pattern)| (kind, Regex::new(pattern).expect("the pattern is a constant and a test compiles it")))
    .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_tokens_are_recognised() {
        // Put together here, so that no scanner takes this file for a leak.
        let cases = [
            format!("AKIA{}", "IOSFODNN7EXAMPLE"),
            format!("use ghp_{} now", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"),
            format!("sk-{}", "proj-a8Kd93jfLs02kdPw91mZx7Qw"),
            format!("sk-ant-{}", "api03-abcDEF123456ghiJKL7890"),
            format!("-----BEGIN {} KEY-----", "RSA PRIVATE"),
            format!("API_KEY={}", "9f8e7d6c5b4a39281706f5e4"),
            format!("password: \"{}\"", "c0rrect-h0rse-b4ttery-5taple"),
            format!("password = \"{}\"", "hunter2"),
            format!("DB_PASSWORD='{}'", "s3cr3t!!"),
            format!("password = {}", "hunter2supersecret"),
            format!("passwd: {}", "correcthorsebatterystaple"),
            format!("AGE-SECRET-KEY-{}", "1QQPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQG"),
            format!("The password: {}.", "s3cr3t!!x"),
            format!("SECRET_KEY=\"{}\"", "192b9bdd22ab9ed4d12e236c78afcb9a393ec15f71bbf5dc987d54727823bcbf"),
            format!("SECRET_KEY={}", "django-insecure-8v#k2p!x9q$w7e&r5t"),
            format!("password={}", "XlMaXZjljENUhJdu"),
            format!("postgres://app:{}@db.internal/x", "hunter2hunter2"),
            format!("redis://:{}@cache:6379", "s3cr3tPassw0rd"),
            format!("https://hooks.slack.com/services/T02AB3CDE/B04FG5HIJ/{}", "aBcDeFgHiJkLmNoPqRsTuVwX"),
            format!("ya29.{}", "a0AfH6SMBx1234567890abcdefghijklmnop"),
            format!("gh\u{200b}p_{}", "a1B2c3D4e5F6\u{200b}g7H8i9J0k1L2m3N4o5P6q7R8"),
            format!("PuTTY-User-Key-{}-2: ssh-rsa", "File"),
            format!("hf_{}", "aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567"),
            format!("SG.{}.{}", "ngeVfQFYQlKU0ufo8x5d1A", "TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc1s5cr3k"),
            format!(
                "AccountName=x;AccountKey={}==",
                "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq"
            ),
            format!("dckr_pat_{}", "aBcDeFgHiJkLmNoPqRsTuVwXyZ0"),
            format!("bot 123456789:{}", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"),
            format!("eyJhbGciOiJIUzI1NiJ9.{}.{}", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "dozjgNryP4J3jVmNHl0w5N"),
        ];
        for case in cases {
            assert!(find(&case).is_some(), "{case}");
            assert!(Sensitive::Allowed.check("content", &case).is_ok());
        }
    }

    #[test]
    fn ordinary_engineering_text_is_not() {
        for case in [
            "commit 7ac26a9f3b1d4e5f60718293a4b5c6d7e8f90123 broke it",
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "the token: CancelToken is cloned into every worker",
            "password = read_password_from_keyring(prompt)",
            "password = \"changeme\" in the sample",
            "password = userInput2 in the form",
            "password: argon2id with 64 MB",
            "password: sha256crypt",
            "password = config2.password",
            "token = CancellationTokenSource",
            "secret_key = ApplicationSecretKeyProvider",
            "token: abcdefghijklmnopqrstuvwxyz",
            "pwd=workspace1; the password: mandatory",
            "secret: \"docs/v2/secrets.md\"",
            "password = \"${DB_PASSWORD_2}\"",
            "secret: see docs/security/secret-handling.md",
            "api_key = os.environ[\"SERVICE_API_KEY\"]",
            "https://example.org/a:b@c",
            "task-1234567890-token-bucket-limiter",
            "Bearer authentication is required",
            "hf_hub_download and SG.MailService.send are called; AccountKey=<your key>",
            "1700000000:info the server is up; at 12345678:42 it stopped",
            "sk-learn-compatible-estimators are slower",
            "postgres://user:password@localhost/db",
            "https://ci:${CI_TOKEN}@example.org/repo.git",
        ] {
            assert_eq!(find(case), None, "{case}");
        }
    }

    #[test]
    fn a_secret_inside_meta_is_found_and_not_repeated() {
        let value = serde_json::json!({"env": {"api_key": "9f8e7d6c5b4a39281706f5e4"}});
        let refusal = Sensitive::Refused.check_json("meta", &value).unwrap_err().to_string();
        assert!(refusal.starts_with("meta.env.api_key"), "{refusal}");
        assert!(!refusal.contains("9f8e"));
    }
}
