//! Files that m1nd never reads for anybody: secrets, and git's own folder.

use crate::path::RelPath;

/// Why a file is not read although it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// Its name says that it holds keys or passwords.
    Secret,
    /// It belongs to git.
    GitInternal,
}

/// Whether `path` is withheld, judged by its name alone.
pub fn withheld(path: &RelPath) -> Option<Withheld> {
    if path.as_str().split('/').any(|part| part == ".git") {
        return Some(Withheld::GitInternal);
    }
    is_secret(path).then_some(Withheld::Secret)
}

/// The same for a relative path as text.
pub fn is_withheld(path: &str) -> bool {
    crate::path::normalise(path).is_ok_and(|path| withheld(&path).is_some())
}

const SECRET_NAMES: [&str; 24] = [
    "credentials.json",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "service-account.json",
    ".dockerconfigjson",
    "wallet.dat",
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    ".vault-token",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "terraform.tfstate",
];

const SECRET_ENDINGS: [&str; 11] =
    [".env", ".p8", ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".tfvars"];

/// Folders whose `credentials`, `config.json` and the like hold tokens.
const SECRET_PLACES: [(&str, &str); 4] = [
    (".aws", "credentials"),
    (".docker", "config.json"),
    (".kube", "config"),
    (".cargo", "credentials.toml"),
];

/// `.env.example` and its like are written to be read.
const TEMPLATE_ENDINGS: [&str; 5] = [".example", ".sample", ".template", ".dist", ".defaults"];

fn is_secret(path: &RelPath) -> bool {
    let name = path.file_name().to_ascii_lowercase();
    if TEMPLATE_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return false;
    }
    SECRET_NAMES.contains(&name.as_str())
        || name.starts_with(".env.")
        || SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || SECRET_PLACES.iter().any(|(folder, file)| name == *file && path.parent().file_name() == *folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_withheld_and_their_templates_are_not() {
        let judge = |path: &str| withheld(&crate::path::normalise(path).unwrap());
        for path in [".env", "a/.env.production", "deploy/id_rsa", "tls/server.KEY", ".aws/credentials"] {
            assert_eq!(judge(path), Some(Withheld::Secret), "{path}");
        }
        for path in [".env.example", "src/env.rs", "credentials.py", "keys.md", "monkey.rs"] {
            assert_eq!(judge(path), None, "{path}");
        }
        assert_eq!(judge("sub/.git/config"), Some(Withheld::GitInternal));
        assert_eq!(judge(".github/workflows/ci.yml"), None);
    }
}
