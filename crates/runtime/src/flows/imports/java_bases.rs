//! Java bases: types of the platform that bring no types of their own to those below them.

/// Classes and interfaces of `java.lang`, `java.io` and `java.util` that hold no type which is handed down.
const PLAIN: [&str; 44] = [
    "AutoCloseable",
    "BufferedReader",
    "BufferedWriter",
    "CharSequence",
    "Callable",
    "Cloneable",
    "Closeable",
    "Comparable",
    "Comparator",
    "Consumer",
    "BiConsumer",
    "BiFunction",
    "BinaryOperator",
    "Enumeration",
    "Error",
    "Exception",
    "Executor",
    "Externalizable",
    "FilterInputStream",
    "FilterOutputStream",
    "FilterReader",
    "FilterWriter",
    "Flushable",
    "Function",
    "IOException",
    "IllegalArgumentException",
    "IllegalStateException",
    "InputStream",
    "Iterable",
    "Iterator",
    "ListIterator",
    "Number",
    "Object",
    "OutputStream",
    "Predicate",
    "Reader",
    "Readable",
    "Runnable",
    "RuntimeException",
    "Serializable",
    "Supplier",
    "Throwable",
    "UnaryOperator",
    "Writer",
];

/// Whether all that a type extends and implements is such.
pub(super) fn are_plain(head: &str) -> bool {
    let mut depth = 0_u32;
    // Types between angle brackets are nothing that it is.
    let outer: String = head
        .chars()
        .filter(|&letter| {
            match letter {
                '<' => depth += 1,
                '>' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect();
    let words: Vec<&str> =
        outer.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()).collect();
    let Some(first) = words.iter().position(|word| matches!(*word, "extends" | "implements")) else {
        return true;
    };
    let bases = words[first..].iter().filter(|word| !matches!(**word, "extends" | "implements"));
    bases.into_iter().all(|base| PLAIN.contains(&base.rsplit('.').next().unwrap_or(base)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_type_is_below_stands_in_its_head() {
        for (head, is) in [
            ("public class A implements Runnable, Comparable<B>", true),
            ("class A<T extends B> extends java.io.Writer", true),
            ("class A extends HashMap<K, V> implements Serializable", false),
            ("class A", true),
        ] {
            assert_eq!(are_plain(head), is, "{head}");
        }
    }
}
