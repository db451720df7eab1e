//! What a host can read by address.

use m1nd_runtime::ResourceSpec;

pub const RESOURCES: &[ResourceSpec] = &[
    ResourceSpec {
        uri: "m1nd://health",
        name: "health",
        description: "State of this server: workspace, graph, memory, sessions.",
        mime: "application/json",
        tool: "health",
        argument: None,
    },
    ResourceSpec {
        uri: "m1nd://help/{tool}",
        name: "help",
        description: "The manual page of one tool.",
        mime: "text/plain",
        tool: "help",
        argument: Some("tool"),
    },
];
