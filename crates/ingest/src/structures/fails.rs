//! Fails: functions of standard libraries that return an error, by how they are written.

/// By the package and the name; nothing after the dot stands for all of a package that everybody knows to fail.
const GO: &[(&str, &[&str])] = &[
    ("json", &["Marshal", "MarshalIndent", "Unmarshal", "Indent", "Compact"]),
    ("xml", &["Marshal", "MarshalIndent", "Unmarshal"]),
    (
        "os",
        &[
            "Chdir",
            "Chmod",
            "Chown",
            "Chtimes",
            "Create",
            "CreateTemp",
            "Getwd",
            "Hostname",
            "Lstat",
            "Mkdir",
            "MkdirAll",
            "MkdirTemp",
            "Open",
            "OpenFile",
            "ReadDir",
            "ReadFile",
            "Readlink",
            "Remove",
            "RemoveAll",
            "Rename",
            "Setenv",
            "Stat",
            "Symlink",
            "Truncate",
            "Unsetenv",
            "UserHomeDir",
            "WriteFile",
        ],
    ),
    ("io", &["Copy", "CopyBuffer", "CopyN", "ReadAll", "ReadAtLeast", "ReadFull", "WriteString"]),
    ("ioutil", &["ReadAll", "ReadDir", "ReadFile", "TempDir", "TempFile", "WriteFile"]),
    ("strconv", &["Atoi", "ParseBool", "ParseFloat", "ParseInt", "ParseUint", "Unquote"]),
    ("url", &["Parse", "ParseQuery", "ParseRequestURI", "PathUnescape", "QueryUnescape"]),
    (
        "http",
        &[
            "Get",
            "Head",
            "ListenAndServe",
            "ListenAndServeTLS",
            "NewRequest",
            "NewRequestWithContext",
            "Post",
            "PostForm",
        ],
    ),
    ("time", &["LoadLocation", "Parse", "ParseDuration", "ParseInLocation"]),
    ("filepath", &["Abs", "EvalSymlinks", "Glob", "Rel", "Walk", "WalkDir"]),
    ("net", &["Dial", "DialTimeout", "Listen", "LookupHost", "ParseCIDR", "ResolveTCPAddr", "SplitHostPort"]),
    ("regexp", &["Compile", "MatchString"]),
    ("hex", &["DecodeString"]),
    ("rand", &["Read"]),
    ("sql", &["Open"]),
];

/// Whether a call that is written so returns an error, as far as the standard library goes.
pub fn is_known(family: &str, called: &str) -> bool {
    match family {
        "go" => called.split_once('.').is_some_and(|(package, name)| {
            GO.iter().any(|(known, names)| *known == package && names.contains(&name))
        }),
        "rust" => {
            let called = called.strip_prefix("std::").unwrap_or(called);
            called.strip_prefix("fs::").is_some_and(|name| {
                name.starts_with(|letter: char| letter.is_lowercase())
                    && name != "exists"
                    && !name.contains(':')
            }) || matches!(called, "io::copy" | "env::set_current_dir" | "env::current_dir")
        }
        _ => false,
    }
}
