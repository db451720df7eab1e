//! `branchmind_init`: the memory of a workspace, made.

use m1nd_memory::workspace::{self, InitOutput, InitRequest};
use m1nd_runtime::Example;

use crate::recall::{WRITE, memory_tool};

memory_tool! {
    Init, workspace::init, InitRequest => InitOutput;
    name: "branchmind_init",
    summary: "Make the memory of a workspace. Not needed before writing; tells where it is kept.",
    intents: &["initialize memory", "storage folder"],
    examples: &[Example { says: "Where is it kept?", arguments: r#"{}"# }],
    ..WRITE
}
