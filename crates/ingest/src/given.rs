//! Given: names that a file has or gives others without defining them under these.

use m1nd_vfs::read::decode;

use crate::languages;
use crate::walk::PARSE_LIMIT;

/// Whether a file gives others a name that it defines under another one, or has something make it.
pub fn is_given_otherwise(path: &str, text: &str, name: &str) -> bool {
    match languages::of_path(path).map(|language| language.family) {
        #[cfg(feature = "lang-typescript")]
        Some("script") => languages::typescript::given::renames(text, name),
        #[cfg(feature = "lang-python")]
        Some("python") => languages::python::answers::sets_global(text, name),
        #[cfg(feature = "lang-java")]
        Some("java") => languages::java::given::makes_accessor(text, name),
        _ => false,
    }
}

/// Whether a module may have names that it does not say. What cannot be read may.
pub fn is_open(path: &str, bytes: &[u8]) -> bool {
    let Some((language, (text, _))) = languages::of_path(path).zip(decode(bytes)) else { return true };
    match language.name {
        #[cfg(feature = "lang-rust")]
        "rust" => match languages::tree(language, text.as_bytes(), PARSE_LIMIT) {
            Ok(tree) => languages::rust::open::is_open(&tree, &text),
            Err(_) => true,
        },
        _ => true,
    }
}

#[cfg(all(
    test,
    feature = "lang-rust",
    feature = "lang-typescript",
    feature = "lang-python",
    feature = "lang-java"
))]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_be_given_otherwise() {
        for (path, text, is) in [
            ("a.ts", "export { made as name }", true),
            ("a.ts", "export type { Made as name } from './b'", true),
            ("a.ts", "import { made as name } from './b'", false),
            ("a.ts", "export { made as names }", false),
            ("a.py", "globals()[\"name\"] = made", true),
            ("a.py", "globals()[made] = 1", false),
            ("a.java", "import lombok.Data;\n@Data class A {}", false),
            ("a.go", "export { made as name }", false),
        ] {
            assert_eq!(is_given_otherwise(path, text, "name"), is, "{text}");
        }
        assert!(is_given_otherwise("a.java", "import lombok.Data;\n@Data class A {}", "getName"));
        assert!(!is_given_otherwise("a.java", "@Data class A {}", "getName"));
        let record =
            "record Pair<K>(K key, @Nullable int... rest) implements A {\n    void call(int no) {}\n}\n";
        for (name, is) in
            [("key", true), ("rest", true), ("no", false), ("K", false), ("Pair", false), ("call", false)]
        {
            assert_eq!(is_given_otherwise("a.java", record, name), is, "{name}");
        }
    }

    #[test]
    fn a_module_is_open_to_names_that_it_does_not_say() {
        let is_open = |text: &str| is_open("a.rs", text.as_bytes());
        for open in [
            "pub use self::a::*;\n",
            "pub use a::{b, *};\n",
            "use a::{\n    b::{c, *},\n};\n",
            "make! { A }\n",
            "a::make!(A);\n",
            "#[cfg(x)]\nmake! { A }\n",
            "mod a {\n    include!(\"b.rs\");\n}\n",
            "fn f( {\n",
        ] {
            assert!(is_open(open), "{open}");
        }
        for closed in [
            "use a::b;\n\nfn f() {\n    println!(\"{}\", 2 * 3);\n}\n",
            "macro_rules! m {\n    () => { use a::*; };\n}\n",
            "mod tests {\n    use super::*;\n}\n",
            "/* use a::*; */\n// make! { A }\nconst X: &str = \"\nuse a::*;\n\";\n",
        ] {
            assert!(!is_open(closed), "{closed}");
        }
    }
}
