//! That one thing calls, imports or uses another is shown by a line of the one that does so, and by no other line.

use m1nd_mission::{Family, Verdict};

use crate::judged::{judge, view, world_of};
use crate::world::World;

const HOOKS: &str = "import os\nfrom collections.abc import Callable, Iterable\n\ndef default_hooks():\n    return {event: [] for event in HOOKS}\n\ndef dispatch_hook(key, hooks):\n    hooks = hooks or {}\n    for hook in hooks.get(key):\n        # print(hook)\n        hook(os.environ[\"KEY\"])\n\ndef walk(node):\n    walk(node.next)\n";
const SESSION: &str = "from .hooks import default_hooks\n\nclass Session:\n    def send(self):\n        self.hooks = default_hooks()\n";

fn world() -> World {
    world_of(
        &[("src/hooks.py", HOOKS), ("src/session.py", SESSION)],
        &[
            ("default_hooks", "src/hooks.py:4-5"),
            ("dispatch_hook", "src/hooks.py:7-11"),
            ("walk", "src/hooks.py:13-14"),
            ("Session", "src/session.py:3-5"),
            ("send", "src/session.py:4-5"),
        ],
    )
}

const DEFINED: &str = "def default_hooks():";
const IMPORTED: &str = "from collections.abc import Callable, Iterable";
const CALLED: &str = "        hook(os.environ[\"KEY\"])";

#[test]
fn a_call_is_shown_by_the_caller_that_is_named_and_by_nothing_else() {
    for (text, quote) in [
        ("dispatch_hook calls default_hooks", DEFINED),
        ("Session.send calls default_hooks", DEFINED),
        ("default_hooks is called by Session.send", DEFINED),
        ("default_hooks is called by dispatch_hook", DEFINED),
        ("default_hooks gets called by dispatch_hook", DEFINED),
        ("default_hooks calls hooks.get", "    for hook in hooks.get(key):"),
        ("default_hooks calls itself", DEFINED),
        ("the client calls default_hooks", DEFINED),
        ("src/hooks.py calls default_hooks", DEFINED),
    ] {
        let mut world = world();
        let hooks = view(&mut world, "src/hooks.py");
        let claim = judge(&mut world, text, &[&hooks], quote);
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
    }
    for (text, quote) in [
        ("Session.send calls default_hooks", "        self.hooks = default_hooks()"),
        ("default_hooks is called by Session.send", "        self.hooks = default_hooks()"),
        ("send in src/session.py calls default_hooks", "    def send(self):"),
        ("dispatch_hook calls hooks.get", "    hooks = hooks or {}"),
        ("walk calls itself", "    walk(node.next)"),
        ("the client calls default_hooks", "        self.hooks = default_hooks()"),
    ] {
        let mut world = world();
        let (hooks, session) = (view(&mut world, "src/hooks.py"), view(&mut world, "src/session.py"));
        let claim = judge(&mut world, text, &[&hooks, &session], quote);
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{text}: {}", claim.reason);
    }
    // Where only another part of the caller was shown, nobody has seen the call.
    let mut world = world();
    let part = world.see("view", Family::Read, "src/hooks.py:7-8", &["src/hooks.py"]);
    let claim = judge(&mut world, "dispatch_hook calls hooks.get", &[&part], "    hooks = hooks or {}");
    assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{}", claim.reason);
}

#[test]
fn names_that_nobody_knows_are_held_like_those_that_are_known() {
    for (text, quote) in [
        ("src/hooks.py imports numpy", IMPORTED),
        ("src/hooks.py imports os.path.join", IMPORTED),
        ("src/hooks.py imports hook", CALLED),
        ("dispatch_hook calls print", CALLED),
        ("dispatch_hook calls `print()`", CALLED),
        ("dispatch_hook calls eval() without a check", CALLED),
        ("dispatch_hook calls requests.get", "    for hook in hooks.get(key):"),
        ("dispatch_hook uses `json`", CALLED),
        ("dispatch_hook uses os.path.join", CALLED),
    ] {
        let mut world = world();
        let hooks = view(&mut world, "src/hooks.py");
        let claim = judge(&mut world, text, &[&hooks], quote);
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
    }
    for (text, quote) in [
        ("src/hooks.py imports Callable", IMPORTED),
        ("src/hooks.py imports collections.abc", IMPORTED),
        ("src/hooks.py imports os", IMPORTED),
        ("dispatch_hook imports os", CALLED),
        ("dispatch_hook calls hook", CALLED),
        ("dispatch_hook calls hooks", CALLED),
        ("dispatch_hook calls the given hooks", CALLED),
        ("dispatch_hook uses KEY", CALLED),
        ("dispatch_hook uses os.environ", CALLED),
        ("dispatch_hook uses recursion", CALLED),
    ] {
        let mut world = world();
        let hooks = view(&mut world, "src/hooks.py");
        let claim = judge(&mut world, text, &[&hooks], quote);
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{text}: {}", claim.reason);
    }
}

const CONTEXT: &str = "import os\n\ndef create(verify, cert, trust_env=True):\n    \"\"\"Does it.\n\n    If strict is given, eval(it) is called.\n    \"\"\"\n    import certifi\n    import warnings\n\n    if trust_env and os.environ.get(\"SSL_FILE\"):\n        return make(os.environ[\"SSL_FILE\"])\n    ctx = make(certifi.where())\n    ctx.verify_mode = NONE\n    warnings.warn(\"old\", Deprecated)\n    if os.path.isdir(verify):\n        dump(verify, r)\n    return ctx\n";

fn context() -> (World, m1nd_mission::EventId) {
    let mut world = world_of(&[("src/config.py", CONTEXT)], &[("create", "src/config.py:3-18")]);
    let seen = view(&mut world, "src/config.py");
    (world, seen)
}

#[test]
fn calls_imports_and_values_of_unknown_names_are_not_denied_where_the_text_has_them() {
    for text in [
        "`create` does not call warnings.warn",
        "`create` in src/config.py does not call warnings.warn",
        "`create` does not call certifi.where()",
        "`create` never calls certifi.where",
        "`create` does not call eval_all or os.path.isdir",
        "`create` does not call isdir",
        "certifi.where is not called in `create`",
        "`create` does not import certifi",
        "`create` skips warnings.warn",
        "`create` does not set verify_mode",
        "`create` forgets to set verify_mode",
        "`create` does not use certifi",
    ] {
        let (mut world, seen) = context();
        let claim = judge(&mut world, text, &[&seen], "    ctx = make(certifi.where())");
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
        assert!(claim.reason.contains("It denies"), "{text}: {}", claim.reason);
    }
    for text in [
        "`create` does not call eval",
        "`create` never calls os.path.join",
        "`create` does not import numpy",
        "`create` does not import json.loads",
        "`create` does not import `make`",
        "`create` does not set trust_env",
        "`create` does not use recursion",
        "`create` does not set minimum_version",
        "`create` skips ctx.load",
    ] {
        let (mut world, seen) = context();
        let claim = judge(&mut world, text, &[&seen], "    ctx = make(certifi.where())");
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{text}: {}", claim.reason);
    }
}

#[test]
fn what_a_condition_or_a_key_looks_at_is_not_ignored() {
    for text in [
        "`create` ignores SSL_FILE",
        "`create` ignores trust_env",
        "`create` ignores r",
        "`create` ignores verify",
        "`create` disregards trust_env",
        "`create` never reads SSL_FILE",
    ] {
        let (mut world, seen) = context();
        let claim = judge(&mut world, text, &[&seen], "    ctx = make(certifi.where())");
        assert_eq!(claim.verdict, Verdict::NeedsDirectEvidence, "{text}: {}", claim.reason);
    }
    for text in [
        "`create` ignores cert",
        "`create` ignores strict",
        "`create` ignores SSL_DIR",
        "`create` never reads SSL_DIR",
        "`create` does not ignore trust_env",
    ] {
        let (mut world, seen) = context();
        let claim = judge(&mut world, text, &[&seen], "    ctx = make(certifi.where())");
        assert_eq!(claim.verdict, Verdict::VerifiedForMission, "{text}: {}", claim.reason);
    }
}

const RECOVER: &str = "func Recover(out io.Writer, handle Handler) {\n\tif isBroken {\n\t\t// we can't write a status to it\n\t\tc.Abort()\n\t} else {\n\t\tc.WriteStatus(500)\n\t}\n}\n\nfunc Stop(out io.Writer) {\n\t// we can't write a status to it\n\tc.Abort()\n}\n\nfunc Each(hooks []Hook) {\n\tfor _, hook := range hooks {\n\t\thook(out)\n\t}\n}\n";

#[test]
fn a_type_that_shares_a_stem_with_a_deed_does_not_do_it() {
    let recover = || {
        let names = [("Recover", "a.go:1-8"), ("Stop", "a.go:10-13"), ("Each", "a.go:15-19")];
        let mut world = world_of(&[("a.go", RECOVER)], &names);
        let seen = view(&mut world, "a.go");
        (world, seen)
    };
    for (text, quote, wanted) in [
        ("`Stop` aborts without writing a status", "c.Abort()", Verdict::VerifiedForMission),
        ("`Recover` aborts without writing a status", "c.Abort()", Verdict::NeedsDirectEvidence),
        ("`Each` calls every hook of the list", "hook(out)", Verdict::VerifiedForMission),
        ("`Each` handles lists with exactly one hook", "hook(out)", Verdict::VerifiedForMission),
        ("every caller of `Each` calls hook", "hook(out)", Verdict::NeedsDirectEvidence),
        ("`Each` calls every handler", "hook(out)", Verdict::NeedsDirectEvidence),
        ("`Each` has exactly one loop", "hook(out)", Verdict::NeedsDirectEvidence),
    ] {
        let (mut world, seen) = recover();
        let claim = judge(&mut world, text, &[&seen], quote);
        assert_eq!(claim.verdict, wanted, "{text}: {}", claim.reason);
    }
}

#[test]
fn of_many_namesakes_the_one_that_is_written_with_its_owner_is_meant() {
    let text = "class Builder(Base):\n    def build(self):\n        return is_file(self)\n\n    def __init__(self):\n        Base.__init__(self)\n";
    let names = [("Builder.build", "src/b.py:2-3"), ("Builder.__init__", "src/b.py:5-6")];
    for (said, quote, wanted) in [
        ("Builder.build calls is_file", "    def build(self):", Verdict::VerifiedForMission),
        ("is_file is called by Builder.build", "    def build(self):", Verdict::VerifiedForMission),
        ("Builder.build calls Base.__init__", "        Base.__init__(self)", Verdict::NeedsDirectEvidence),
        ("Builder.__init__ calls Base.__init__", "        Base.__init__(self)", Verdict::VerifiedForMission),
        ("Builder.build does not call is_file", "    def build(self):", Verdict::NeedsDirectEvidence),
    ] {
        let mut world = world_of(&[("src/b.py", text)], &names);
        let seen = view(&mut world, "src/b.py");
        let claim = judge(&mut world, said, &[&seen], quote);
        assert_eq!(claim.verdict, wanted, "{said}: {}", claim.reason);
    }
}
