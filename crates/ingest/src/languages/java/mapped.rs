//! HTTP routes that annotations give: `@GetMapping("/path")` of Spring, `@GET @Path("/path")` of JAX-RS.

use crate::languages::routes::{self, UNKNOWN};

/// Methods and patterns of a function, by what stands before it.
pub(super) fn routes(modifiers: &str) -> Vec<(String, String)> {
    let (mut methods, mut patterns) = (Vec::new(), Vec::new());
    for annotation in modifiers.split('@').skip(1) {
        let name = annotation.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        match name {
            "Path" => patterns.extend(written(annotation)),
            "RequestMapping" => {
                methods.extend(asked(annotation));
                patterns.extend(written(annotation));
            }
            "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "HEAD" | "OPTIONS" => methods.push(name),
            _ => {
                let Some(verb) = name.strip_suffix("Mapping").and_then(routes::method) else { continue };
                methods.push(verb);
                patterns.extend(written(annotation));
            }
        }
    }
    if patterns.is_empty() {
        patterns.push(String::new());
    }
    let of = |method: &&str| patterns.iter().map(|pattern| ((*method).to_owned(), pattern.clone())).collect();
    methods.iter().flat_map(|method| -> Vec<(String, String)> { of(method) }).collect()
}

/// The pattern that a class puts before those of its methods.
pub(super) fn prefix(modifiers: &str) -> String {
    let annotations = modifiers.split('@').skip(1);
    let mut found = annotations.filter(|a| a.starts_with("RequestMapping") || a.starts_with("Path("));
    found.next().and_then(|annotation| written(annotation).into_iter().next()).unwrap_or_default()
}

/// The methods of `method = {RequestMethod.GET, RequestMethod.POST}`.
fn asked(annotation: &str) -> Vec<&'static str> {
    let given = parts(annotation).into_iter().find_map(|part| {
        let (key, value) = part.split_once('=')?;
        (key.trim() == "method").then_some(value)
    });
    let words = given.unwrap_or("").split(|c: char| !c.is_alphanumeric());
    let found: Vec<&str> = words.filter(|word| *word != "RequestMethod").filter_map(routes::method).collect();
    if found.is_empty() { vec!["ANY"] } else { found }
}

/// The patterns of an annotation: what is given without a name, or as `value` or `path`.
fn written(annotation: &str) -> Vec<String> {
    let named = parts(annotation).into_iter().find_map(|part| {
        let before = part.split('"').next().unwrap_or("");
        match before.split_once('=') {
            Some((key, _)) if !matches!(key.trim(), "value" | "path") => None,
            Some((key, _)) => Some(&part[key.len() + 1..]),
            None => Some(part),
        }
    });
    let Some(value) = named.map(str::trim).filter(|value| !value.is_empty()) else { return Vec::new() };
    // What is put together of constants is not known from here.
    let texts: Vec<String> = value.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    let is_plain = value.split('"').step_by(2).all(|between| !between.contains(char::is_alphanumeric));
    if is_plain && !texts.is_empty() { texts } else { vec![UNKNOWN.to_owned()] }
}

/// What an annotation is given, cut at the commas that are not inside of brackets or quotes.
fn parts(annotation: &str) -> Vec<&str> {
    let Some((_, inside)) = annotation.split_once('(') else { return Vec::new() };
    let (mut found, mut from, mut depth, mut in_quotes) = (Vec::new(), 0, 0, false);
    for (at, sign) in inside.char_indices() {
        match sign {
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            '(' | '{' => depth += 1,
            ')' if depth == 0 => {
                found.push(&inside[from..at]);
                return found;
            }
            ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&inside[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found
}
