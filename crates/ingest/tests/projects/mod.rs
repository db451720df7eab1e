//! One small project a language, whose files find each other in the ways that the language has.

pub const PROJECTS: &[(&str, &str)] = &[
    ("rust", include_str!("rust.txt")),
    ("python", include_str!("python.txt")),
    ("python without packages", include_str!("python_plain.txt")),
    ("python in src", include_str!("python_src.txt")),
    ("typescript", include_str!("typescript.txt")),
    ("javascript", include_str!("javascript.txt")),
    ("go", include_str!("go.txt")),
    ("java", include_str!("java.txt")),
    ("c", include_str!("c.txt")),
    ("cpp", include_str!("cpp.txt")),
    ("csharp", include_str!("csharp.txt")),
    ("ruby", include_str!("ruby.txt")),
    ("php", include_str!("php.txt")),
    ("kotlin", include_str!("kotlin.txt")),
    ("swift", include_str!("swift.txt")),
    ("scala", include_str!("scala.txt")),
    ("elixir", include_str!("elixir.txt")),
    ("lua", include_str!("lua.txt")),
    ("bash", include_str!("bash.txt")),
    ("zig", include_str!("zig.txt")),
];
