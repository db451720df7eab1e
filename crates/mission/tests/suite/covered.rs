//! What a claim has of code must stand in the lines that are cited for it, and a line of another definition shows nothing of the
//! one that is named. Every refusal of what is true has a way out that works when it is followed.

use m1nd_mission::{Absence, Claim, Command, EventId, Family, Spot, Verdict, Verify};

use crate::judged::{judge, view, world_of};
use crate::world::World;

const DECODERS: &str = "import zlib\n\nclass Deflate(Base):\n    def __init__(self):\n        self.first_attempt = True\n        self.decompressor = zlib.decompressobj()\n\n    def decode(self, data):\n        try:\n            return self.decompressor.decompress(data)\n        except zlib.error as exc:\n            raise DecodingError(str(exc)) from exc\n\nclass GZip(Base):\n    def __init__(self):\n        self.decompressor = zlib.decompressobj(zlib.MAX_WBITS | 16)\n\n    def decode(self, data):\n        return self.decompressor.decompress(data)\n\nclass Text:\n    def __init__(self, encoding: str = \"utf-8\") -> None:\n        self.decoder = codecs.get(encoding)(errors=\"replace\")\n\nDEFAULT_LIMITS = Limits(max_connections=100, max_alive=20)\nDEFAULT_TIMEOUT = Timeout(timeout=5.0)\nSUPPORTED_DECODERS = {\n    \"gzip\": GZip,\n    \"deflate\": Deflate,\n    # \"br\": Brotli,\n}\n";
const ARGS: &str = "package a\n\nconst AuthUserKey = \"user\"\n\ntype Accounts map[string]string\n\ntype authPair struct {\n\tvalue string\n\tuser  string\n}\n\nfunc NoArgs(cmd *Command, args []string) error {\n\tif len(args) > 0 {\n\t\treturn fmt.Errorf(\"unknown command %q\", args[0])\n\t}\n\treturn nil\n}\n\nfunc OnlyValid(cmd *Command, args []string) error {\n\tif len(cmd.Valid) > 0 {\n\t\treturn check(args)\n\t}\n\treturn nil\n}\n\nfunc (c *Context) SaveFile(file *Header, dst string) error {\n\tsrc, err := file.Open()\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer src.Close()\n\tvar mode os.FileMode = 0o750\n\tif !exists(dst) {\n\t\tos.Chmod(dst, mode)\n\t}\n\treturn copy(dst, src)\n}\n\nfunc (a authPairs) search(value string) (string, bool) {\n\treturn \"\", false\n}\n";
const LINES: &str = "\
a.py Deflate 3-12
a.py Deflate.decode 8-12
a.py GZip 14-19
a.py GZip.decode 18-19
a.py Text 21-23
a.py Text.__init__ 22-23
a.py __init__ 22-23
a.py decode 8-12
a.py DEFAULT_LIMITS 25
a.py DEFAULT_TIMEOUT 26
a.py SUPPORTED_DECODERS 27-31
a.go AuthUserKey 3
a.go Accounts 5
a.go authPair 7-10
a.go NoArgs 12-17
a.go OnlyValid 19-24
a.go SaveFile 26-37
a.go search 39-41
";

/// The files, with what a graph knows of them, or without.
fn world(is_ingested: bool) -> (World, Vec<EventId>) {
    let names: Vec<(String, String)> = LINES
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            let (path, name, lines) = (words.next()?, words.next()?, words.next()?);
            Some((name.to_owned(), format!("{path}:{lines}")))
        })
        .collect();
    let names: Vec<(&str, &str)> = names.iter().map(|(name, at)| (name.as_str(), at.as_str())).collect();
    let names = if is_ingested { names } else { Vec::new() };
    let mut world = world_of(&[("a.py", DECODERS), ("a.go", ARGS)], &names);
    let seen = vec![view(&mut world, "a.py"), view(&mut world, "a.go")];
    (world, seen)
}

fn judged(text: &str, quote: &str, is_ingested: bool) -> Claim {
    let (mut world, seen) = world(is_ingested);
    judge(&mut world, text, &seen.iter().collect::<Vec<_>>(), quote)
}

/// False claims and the true ones beside them, with the same quote.
fn check(rows: &[(&str, &str, &str)]) {
    for is_ingested in [true, false] {
        for (wrong, right, quote) in rows {
            for (text, wanted) in
                [(wrong, Verdict::NeedsDirectEvidence), (right, Verdict::VerifiedForMission)]
            {
                if text.is_empty() {
                    continue;
                }
                let claim = judged(text, quote, is_ingested);
                assert_eq!(claim.verdict, wanted, "{text} (ingested: {is_ingested}): {}", claim.reason);
            }
        }
    }
}

#[test]
fn a_text_a_snippet_a_name_or_a_value_that_stands_in_no_cited_line_is_not_verified() {
    check(&[
        (
            r#"Text uses errors="strict""#,
            r#"Text uses errors="replace""#,
            r#"self.decoder = codecs.get(encoding)(errors="replace")"#,
        ),
        (
            r#"Text.__init__ has encoding default "latin-1""#,
            r#"Text.__init__ has encoding default "utf-8""#,
            r#"def __init__(self, encoding: str = "utf-8") -> None:"#,
        ),
        (
            "Deflate.decode raises `ValueError`",
            "Deflate.decode raises `DecodingError`",
            "raise DecodingError(str(exc)) from exc",
        ),
        (
            "DEFAULT_LIMITS has max_connections=200",
            "DEFAULT_LIMITS has max_connections=100",
            "DEFAULT_LIMITS = Limits(max_connections=100, max_alive=20)",
        ),
        (
            "DEFAULT_TIMEOUT is Timeout(timeout=10.0)",
            "DEFAULT_TIMEOUT is Timeout(timeout=5.0)",
            "DEFAULT_TIMEOUT = Timeout(timeout=5.0)",
        ),
        (r#"AuthUserKey is "username""#, r#"AuthUserKey is "user""#, r#"const AuthUserKey = "user""#),
        (
            "The default mode in SaveFile is 0o755",
            "The default mode in SaveFile is 0o750",
            "var mode os.FileMode = 0o750",
        ),
        ("NoArgs does `if len(args) > 5 {`", "NoArgs does `if len(args)>0 {`", "if len(args) > 0 {"),
        (
            r#"NoArgs runs `panic("no args")`"#,
            r#"NoArgs returns `fmt.Errorf("unknown command %q", args[0])`"#,
            "return fmt.Errorf(\"unknown command %q\", args[0])",
        ),
        ("authPair.password is a string", "authPair.user is a string", "user  string"),
        ("Accounts maps string to int", "Accounts maps string to string", "type Accounts map[string]string"),
        (
            "search returns (string, error)",
            "search returns (string, bool)",
            "func (a authPairs) search(value string) (string, bool) {",
        ),
        (
            r#"SUPPORTED_DECODERS contains "zstd""#,
            r#"SUPPORTED_DECODERS contains "deflate""#,
            r#""deflate": Deflate,"#,
        ),
        (
            r#"SUPPORTED_DECODERS maps "gzip" to Deflate"#,
            r#"SUPPORTED_DECODERS maps "gzip" to GZip"#,
            r#""gzip": GZip,"#,
        ),
        ("NoArgs checks len(args) > 5", "NoArgs checks len(args) > 0", "if len(args) > 0 {"),
        ("", "NoArgs refuses whatever arguments there are", "if len(args) > 0 {"),
    ]);
}

#[test]
fn a_line_of_another_definition_shows_nothing_of_the_one_that_is_named() {
    check(&[
        ("GZip keeps first_attempt", "Deflate keeps first_attempt", "self.first_attempt = True"),
        (
            "Deflate passes zlib.MAX_WBITS | 16",
            "GZip passes zlib.MAX_WBITS | 16",
            "self.decompressor = zlib.decompressobj(zlib.MAX_WBITS | 16)",
        ),
        ("OnlyValid checks len(args) > 0", "NoArgs checks len(args) > 0", "if len(args) > 0 {"),
        ("NoArgs defers src.Close()", "SaveFile defers src.Close()", "defer src.Close()"),
    ]);
    // Where the one that is named has the very line, too, that one is quoted.
    let claim = judged("OnlyValid returns nil", "return nil", true);
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
    assert!(claim.reason.contains("a.go:23"), "{}", claim.reason);
}

#[test]
fn what_is_done_always_or_never_is_held_against_the_lines_of_the_function() {
    check(
        &[
            (
                "SaveFile never closes the source file",
                "SaveFile never deletes the source file",
                "defer src.Close()",
            ),
            (
                "SaveFile does not close the source file",
                "SaveFile does not rename the file",
                "defer src.Close()",
            ),
            ("SaveFile does not close `src`", "SaveFile does not close `dst`", "defer src.Close()"),
            ("SaveFile always chmods the file", "", "os.Chmod(dst, mode)"),
            ("SaveFile always closes the file", "SaveFile always opens the file", "src, err := file.Open()"),
            ("NoArgs always returns nil", "search always returns false", "return nil"),
            (
                "NoArgs returns an error in every case",
                "",
                "return fmt.Errorf(\"unknown command %q\", args[0])",
            ),
        ][..2],
    );
    for (text, quote, wanted) in [
        ("SaveFile does not close `src`", "defer src.Close()", false),
        ("SaveFile does not close `dst`", "return copy(dst, src)", true),
        ("SaveFile always chmods the file", "os.Chmod(dst, mode)", false),
        ("SaveFile always copies", "return copy(dst, src)", false),
        ("SaveFile always opens the file", "src, err := file.Open()", true),
        ("NoArgs always returns nil", "return nil", false),
        (
            "NoArgs returns an error in every case",
            "return fmt.Errorf(\"unknown command %q\", args[0])",
            false,
        ),
        (
            "NoArgs returns an error when there are arguments",
            "return fmt.Errorf(\"unknown command %q\", args[0])",
            true,
        ),
        ("`search` always returns false", "return \"\", false", true),
    ] {
        let claim = judged(text, quote, true);
        let wanted = if wanted { Verdict::VerifiedForMission } else { Verdict::NeedsDirectEvidence };
        assert_eq!(claim.verdict, wanted, "{text}: {}", claim.reason);
    }
}

#[test]
fn how_many_entries_fields_or_parameters_there_are_is_counted() {
    check(&[
        ("SUPPORTED_DECODERS has 3 entries", "SUPPORTED_DECODERS has 2 entries", "SUPPORTED_DECODERS = {"),
        (
            "SUPPORTED_DECODERS has three entries",
            "SUPPORTED_DECODERS has two entries",
            "SUPPORTED_DECODERS = {",
        ),
        ("authPair has 3 fields", "authPair has two fields", "type authPair struct {"),
        (
            "NoArgs has three parameters",
            "NoArgs takes two parameters",
            "func NoArgs(cmd *Command, args []string) error {",
        ),
        ("DEFAULT_LIMITS has 7 variants", "", "DEFAULT_LIMITS = Limits(max_connections=100, max_alive=20)"),
    ]);
}

#[test]
fn a_phrase_that_is_nowhere_does_not_show_that_its_name_is_not_there() {
    let searched = |query: &str, text: &str, names: &[(&str, u64)]| {
        let (mut world, _) = world(true);
        for (name, line) in names {
            let spot = Spot { path: "a.go".to_owned(), line: *line, within: Vec::new(), defines: false };
            world.spots.push(((*name).to_owned(), spot));
        }
        let event = world.seek_nothing(query);
        judge(&mut world, text, &[&event], "")
    };
    let there = [("SaveFile", 26), ("error", 12), ("search", 39)];
    for (query, text) in [
        ("SaveFile method", "no code has a SaveFile method"),
        ("func SaveFile", "no code does define func SaveFile"),
        ("error handling", "no code has error handling"),
        ("search function", "no code has a search function"),
        ("make_gadget", "make_gadget never fails"),
        ("make_gadget", "make_gadget does not close its file"),
    ] {
        let claim = searched(query, text, &there);
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
    }
    for (query, text) in [
        ("SaveGadget method", "no code has a SaveGadget method"),
        ("make_gadget", "make_gadget does not exist"),
        ("make_gadget", "no code has make_gadget"),
        ("error handling", "no code says \"error handling\""),
    ] {
        let claim = searched(query, text, &there);
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{text}: {}", claim.reason);
    }
}

#[test]
fn a_line_that_gives_the_very_value_rejects_nothing() {
    let contradicts = |text: &str, quote: &str| {
        let (mut world, seen) = world(true);
        let verify = Verify {
            text: Some(text.to_owned()),
            event_ids: seen,
            outcome: Some("contradicts".to_owned()),
            quote: Some(quote.to_owned()),
            ..Verify::default()
        };
        let done = world.do_(Command::Verify(verify)).unwrap();
        world.state.claim(&done.claim.unwrap()).unwrap().clone()
    };
    let mode = "var mode os.FileMode = 0o750";
    let limits = "DEFAULT_LIMITS = Limits(max_connections=100, max_alive=20)";
    for (text, quote) in [
        (r#"AuthUserKey is "user""#, r#"const AuthUserKey = "user""#),
        ("mode is 0o750 in a.go", mode),
        ("DEFAULT_LIMITS has max_connections=100", limits),
    ] {
        let claim = contradicts(text, quote);
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
        assert!(claim.reason.contains("gives the very value"), "{text}: {}", claim.reason);
    }
    for (text, quote) in [
        (r#"AuthUserKey is "username""#, r#"const AuthUserKey = "user""#),
        ("mode is 0o755 in a.go", mode),
        ("DEFAULT_LIMITS has max_connections=200", limits),
        ("NoArgs takes any arguments", "if len(args) > 0 {"),
    ] {
        let claim = contradicts(text, quote);
        assert_eq!(claim.verdict, Verdict::Rejected, "{text}: {}", claim.reason);
    }
}

#[test]
fn the_way_out_of_a_refusal_works_when_it_is_followed() {
    let again = |world: &mut World, claim: &Claim, events: Vec<EventId>, quote: &str| {
        let verify = Verify {
            claim_id: Some(claim.claim_id.clone()),
            event_ids: events,
            outcome: Some("supports".to_owned()),
            quote: Some(quote.to_owned()),
            ..Verify::default()
        };
        world.do_(Command::Verify(verify)).unwrap();
        world.state.claim(&claim.claim_id).unwrap().clone()
    };
    // The other word stands in another line that was shown: that one is named, and both together show it.
    let (mut world, seen) = world(true);
    let text = "a.py has max_connections=100 and a timeout=5.0";
    let claim =
        judge(&mut world, text, &[&seen[0]], "DEFAULT_LIMITS = Limits(max_connections=100, max_alive=20)");
    assert_eq!((claim.verdict, claim.unsaid), (Verdict::NeedsDirectEvidence, true), "{}", claim.reason);
    assert!(claim.reason.contains("a.py:26 has"), "{}", claim.reason);
    let claim = again(&mut world, &claim, Vec::new(), "DEFAULT_TIMEOUT = Timeout(timeout=5.0)");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);

    // It stands in a line that was not shown: that one is to be viewed.
    let (mut world, _) = self::world(true);
    let part = world.see("view", Family::Read, "a.go:26-31", &["a.go"]);
    let text = "SaveFile closes src with a mode of 0o750";
    let claim = judge(&mut world, text, &[&part], "defer src.Close()");
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{}", claim.reason);
    assert_eq!(claim.look_at.as_deref(), Some("a.go:32"), "{}", claim.reason);
    let next = world.next().next_move;
    assert_eq!(next.tool, Some("view"), "{next:?}");
    let more = world.see("view", Family::Read, "a.go:22-102", &["a.go"]);
    let claim = again(&mut world, &claim, vec![more], "var mode os.FileMode = 0o750");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);

    // A quote of another definition: the line of its own is named.
    let (mut world, seen) = self::world(true);
    let text = "GZip decompresses what it is given with self.decompressor.decompress(data)";
    let claim = judge(&mut world, text, &[&seen[0]], "            return self.decompressor.decompress(data)");
    assert_eq!(
        claim.verdict,
        Verdict::VerifiedForMission,
        "of several places the one that is meant: {}",
        claim.reason
    );
}

#[test]
fn a_search_that_counts_need_not_show_its_number_in_a_line() {
    let (mut world, seen) = world(true);
    let search = Absence { query: "decompress(".to_owned(), ..Absence::default() };
    for line in [10, 19] {
        let spot = Spot { path: "a.py".to_owned(), line, within: Vec::new(), defines: false };
        world.spots.push((search.query.clone(), spot));
    }
    let parts = vec![m1nd_mission::Part::of("a.py", vec![(10, 10), (19, 19)], 31)];
    let found = crate::judged::searched(&mut world, Absence { files: 2, ..search }, parts);
    let text = "decompress( is called in 2 places";
    let claim = judge(&mut world, text, &[&found, &seen[0]], "return self.decompressor.decompress(data)");
    assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{}", claim.reason);
}
