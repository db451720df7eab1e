//! Whether one call always comes before another, in functions of several languages.

use super::*;

/// Of the calls of `auth` and `act` in a text that is one function.
fn order(path: &str, text: &str) -> String {
    let lines = |name: &str| -> Vec<u32> {
        let lines = text.lines().zip(1_u32..).filter(|(line, _)| line.contains(&format!("{name}(")));
        lines.map(|(_, line)| line).collect()
    };
    let course = Course::of(path, text).expect("a language that is read");
    let count = u32::try_from(text.lines().count()).expect("a short text");
    let outcome =
        course.calls(&Part::Lines(1, count), (&["auth"], &lines("auth")), (&["act"], &lines("act")));
    match outcome {
        Outcome::Unknown(why) => format!("unknown: {why}"),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn python(body: &str) -> String {
    let body: String = body.split('|').map(|line| format!("    {line}\n")).collect();
    order("a.py", &format!("def f(x):\n{body}"))
}

fn go(body: &str) -> String {
    let body = body.replace('|', "\n\t");
    order("a.go", &format!("func f() {{\n\t{body}\n}}\n"))
}

#[test]
fn branches_returns_and_conditions_are_followed() {
    assert_eq!(python("auth()|return act()"), "always");
    assert_eq!(python("act()|auth()"), "never");
    assert_eq!(python("if x:|    auth()|act()"), "sometimes");
    assert_eq!(python("if x:|    auth()|    return 0|else:|    return act()"), "never");
    assert_eq!(python("if x:|    auth()|else:|    auth()|act()"), "always");
    assert_eq!(python("if x:|    auth()|elif y:|    auth()|else:|    return|act()"), "always");
    assert_eq!(python("if x:|    auth()|elif y:|    auth()|act()"), "sometimes");
    assert_eq!(python("if not x:|    return|auth()|act()"), "always");
    assert_eq!(python("if not auth():|    raise E()|act()"), "always");
    assert_eq!(python("if x and auth():|    act()"), "always");
    assert_eq!(python("if x or auth():|    act()"), "sometimes");
    assert_eq!(python("if x and auth():|    pass|act()"), "sometimes");
    assert_eq!(python("return act(auth())"), "always");
    assert_eq!(python("return auth(act())"), "never");
    assert_eq!(python("return act() if auth() else 0"), "always");
    assert_eq!(python("if x:|    auth()|if x:|    act()"), "unknown: the same condition stands before both");
    assert_eq!(python("for y in x:|    auth()|act()"), "sometimes");
    assert_eq!(python("for y in auth():|    act()"), "always");
    assert_eq!(python("for y in x:|    act()|    auth()"), "sometimes");
    assert_eq!(python("while True:|    auth()|    if x:|        break|act()"), "always");
    assert_eq!(python("return [act(y) for y in auth()]"), "always");
    assert_eq!(python("match x:|    case 1:|        auth()|    case _:|        auth()|act()"), "always");
    assert_eq!(python("match x:|    case 1:|        auth()|act()"), "sometimes");
}

#[test]
fn errors_that_are_caught_may_skip_a_call() {
    assert_eq!(python("try:|    auth()|except E:|    pass|act()"), "always");
    let skipped = "unknown: an error that is caught may skip it";
    assert_eq!(python("try:|    y = get(x)|    auth(y)|except E:|    pass|act()"), skipped);
    assert_eq!(python("try:|    y = get(x)|    auth(y)|except E:|    return|act()"), "always");
    assert_eq!(python("try:|    get(x)|except E:|    auth()|act()"), "sometimes");
    assert_eq!(python("try:|    get(x)|finally:|    auth()|act()"), "always");
    assert_eq!(python("try:|    act()|finally:|    auth()"), "never");
}

#[test]
fn what_is_put_off_or_handed_on_comes_when_it_comes() {
    assert_eq!(go("defer auth()|act()"), "never");
    assert_eq!(go("auth()|defer act()"), "always");
    assert_eq!(go("defer act()|auth()"), "always");
    assert_eq!(go("defer act()|if x {|return|}|auth()"), "sometimes");
    assert_eq!(go("if x {|return|}|defer act()|auth()"), "always");
    assert_eq!(go("defer auth()|defer act()"), "unknown: both are put off to the end of the function");
    assert_eq!(go("defer func() {|auth()|}()|act()"), "never");
    assert_eq!(
        go("go auth()|act()"),
        "unknown: it is started beside the rest, and when it runs is not known"
    );
    assert!(go("go act()|auth()").starts_with("unknown"));
    assert_eq!(go("auth()|go act()"), "always");
    assert_eq!(go("func() {|auth()|}()|act()"), "always");
    assert!(go("each(func() {|auth()|})|act()").starts_with("unknown: it stands in a function"));
    assert!(go("each(func() {|act()|})|auth()").starts_with("unknown: it stands in a function"));
    assert_eq!(go("auth()|each(func() {|act()|})"), "always");
    assert_eq!(go("each(func() {|act()|auth()|})"), "never");
    assert_eq!(go("if err := auth(); err != nil {|return|}|act()"), "always");
    assert_eq!(go("switch x {|case 1:|auth()|default:|panic(1)|}|act()"), "always");
    assert_eq!(go("for {|auth()|break|}|act()"), "always");
    assert_eq!(go("for i := 0; i < n; i++ {|auth()|}|act()"), "sometimes");
    assert!(go("goto end|auth()|end:|act()").starts_with("unknown"));
}

#[cfg(feature = "lang-typescript")]
#[test]
fn scripts_java_and_rust_are_followed_too() {
    let script = |body: &str| order("a.ts", &format!("function f(x) {{\n{}\n}}\n", body.replace('|', "\n")));
    assert_eq!(script("if (x) {|auth();|}|act();"), "sometimes");
    assert_eq!(script("if (!auth()) return;|act();"), "always");
    assert_eq!(script("x && auth();|act();"), "sometimes");
    assert_eq!(script("switch (x) {|case 1:|auth();|case 2:|act();|}"), "sometimes");
    assert_eq!(script("for (;;) {|auth();|break;|}|act();"), "always");
    assert_eq!(script("try {|auth();|} catch {|return;|}|act();"), "always");
    assert!(script("a?.auth();|act();").starts_with("unknown"));
    assert!(script("x.then(() => auth());|act();").starts_with("unknown"));
    assert_eq!(script("return auth().then(() => act());"), "always");
    assert_eq!(script("outer: for (const y of x) {|for (;;) {|continue outer;|}|}|auth();|act();"), "always");
    let deep = format!("{}act(){}", "g(".repeat(3_000), ")".repeat(3_000));
    assert!(script(&format!("auth();|{deep}")).starts_with("unknown"));
}

#[cfg(feature = "lang-java")]
#[test]
fn java_is_followed() {
    let java = |body: &str| {
        order("A.java", &format!("class A {{ void f(int x) {{\n{}\n}} }}\n", body.replace('|', "\n")))
    };
    assert_eq!(java("auth();|this.act();"), "always");
    assert_eq!(java("if (x > 1) auth();|act();"), "sometimes");
    assert_eq!(java("do {|auth();|} while (x > 1);|act();"), "always");
    assert_eq!(java("switch (x) {|case 1 -> auth();|default -> throw new E();|}|act();"), "always");
    assert_eq!(java("synchronized (this) {|auth();|}|act();"), "always");
    assert_eq!(java("try (R r = auth()) {|act();|}"), "always");
}

#[cfg(feature = "lang-rust")]
#[test]
fn rust_is_followed() {
    let rust = |body: &str| order("a.rs", &format!("fn f(x: u32) {{\n{}\n}}\n", body.replace('|', "\n")));
    assert_eq!(rust("auth()?;|act();"), "always");
    assert_eq!(rust("if x > 1 {|auth();|}|act();"), "sometimes");
    assert_eq!(rust("match x {|1 => auth(),|_ => return,|}|act();"), "always");
    assert_eq!(rust("let Some(y) = x else { return };|auth();|act();"), "always");
    assert_eq!(rust("let Some(y) = auth() else { return };|act();"), "always");
    assert_eq!(rust("loop {|if auth() { break; }|}|act();"), "always");
    assert!(
        rust("let run = async { act() };|auth();|run.await;").starts_with("unknown: it stands in a function")
    );
}

#[test]
fn a_lock_is_held_only_where_it_is() {
    let held = |path: &str, text: &str| {
        let course = Course::of(path, text).unwrap();
        let count = u32::try_from(text.lines().count()).unwrap();
        let found =
            course.outcomes(&Part::Lines(1, count), Lasting::Held, |seen| match (seen.shape, seen.name) {
                (Shape::Scope, _) if seen.text.contains("LOCK") => Some(Event::Around),
                (Shape::Call, "acquire" | "Lock") => Some(Event::Begins),
                (Shape::Call, "release" | "Unlock") => Some(Event::Ends),
                (Shape::Call, "Do") => Some(Event::Around),
                (Shape::Statement, _) if seen.text.starts_with('n') => Some(Event::Asked(0)),
                _ => None,
            });
        format!("{:?}", found.unwrap()[&0]).to_lowercase()
    };
    let python = |body: &str| {
        let body: String = body.split('|').map(|line| format!("    {line}\n")).collect();
        held("a.py", &format!("def f():\n{body}"))
    };
    assert_eq!(python("with LOCK:|    n += 1"), "always");
    assert_eq!(python("with LOCK:|    pass|n += 1"), "never");
    assert_eq!(python("l.acquire()|n += 1|l.release()"), "always");
    assert_eq!(python("l.acquire()|l.release()|n += 1"), "never");
    assert_eq!(python("l.acquire()|try:|    n += 1|finally:|    l.release()"), "always");
    let go = |body: &str| held("a.go", &format!("func f() {{\n\t{}\n}}\n", body.replace('|', "\n\t")));
    assert_eq!(go("mu.Lock()|defer mu.Unlock()|n++"), "always");
    assert_eq!(go("n++|mu.Lock()|defer mu.Unlock()"), "never");
    assert_eq!(go("mu.Lock()|mu.Unlock()|n++"), "never");
    assert_eq!(go("mu.Lock(); n++; mu.Unlock()"), "always");
    assert_eq!(go("once.Do(func() {|n++|})"), "always");
    assert_eq!(go("mu.Lock()|go func() {|n++|}()|mu.Unlock()"), "never");
    assert_eq!(go("if x {|mu.Lock()|}|n++"), "sometimes");
}
