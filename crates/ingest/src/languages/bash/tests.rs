//! What is read from Bash, and what it resolves to: text in, text out.

use expect_test::expect;

use crate::testing;

const SHOP: &str = r#"
//- lib/util.sh
# Logs.
log_line() {
  echo "$1"
}
//- run.sh
#!/bin/bash
source "$(dirname "$0")/lib/util.sh"
total() {
  helper "$1"
  log_line "x"
  grep x y
}
function helper {
  local y
  y=$(total 1)
}
total "$@"
//- other.sh
log_line "not sourced"
//- test/run.bats
. ../run.sh
test_total() { total 1; }
"#;

#[test]
fn calls_lead_to_their_definitions() {
    expect![[r#"
        run.sh -> run.sh total @[12]
        run.sh helper -> run.sh total @[10]
        run.sh total -> lib/util.sh log_line @[5]
        run.sh total -> run.sh helper @[4]
        test/run.bats test_total -> run.sh total @[2]
    "#]]
    .assert_eq(&testing::calls(SHOP));
}

#[test]
fn definitions_have_lines_signatures_documents_and_marks() {
    expect![[r#"
        function::lib/util.sh::log_line 2-4 `log_line()` | Logs.
        function::run.sh::helper 8-11 `function helper`
        function::run.sh::total 3-7 `total()`
        test::test/run.bats::test_total 2-2 `test_total()` (entry)
    "#]]
    .assert_eq(&testing::definitions(SHOP));
}

#[test]
fn imports_and_bases_are_known() {
    expect![[r#"
        run.sh imports -> lib/util.sh @[2]
        test/run.bats imports -> run.sh @[1]
        test/run.bats test_total tests -> run.sh total @[2]
    "#]]
    .assert_eq(&testing::imports_and_bases(SHOP));
}
