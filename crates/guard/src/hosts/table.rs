//! Table: the hosts that are known, and the files in which they keep their servers.

/// Which folder a path starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Under {
    /// The user's home.
    Home,
    /// Where programs keep settings below it: `~/.config`, or what XDG_CONFIG_HOME says.
    Config,
    /// The workspace.
    Workspace,
}

/// How a file is written, and under which key its servers stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Json(&'static str),
    /// The same, and once more for each project that the file knows.
    JsonWithProjects(&'static str),
    Toml(&'static str),
}

/// One place to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    pub under: Under,
    pub path: &'static str,
    pub form: Form,
}

/// A program that starts servers for its agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    pub name: &'static str,
    /// As its makers write it.
    pub title: &'static str,
    pub files: &'static [ConfigFile],
}

/// The host of that name.
pub fn host(name: &str) -> Option<&'static Host> {
    HOSTS.iter().find(|host| host.name == name)
}

const fn at(under: Under, path: &'static str, form: Form) -> ConfigFile {
    ConfigFile { under, path, form }
}

const SERVERS: Form = Form::Json("mcpServers");

/// Sorted by name.
pub const HOSTS: &[Host] = &[
    Host {
        name: "claude",
        title: "Claude Code",
        files: &[
            at(Under::Workspace, ".mcp.json", SERVERS),
            at(Under::Home, ".claude.json", Form::JsonWithProjects("mcpServers")),
        ],
    },
    Host {
        name: "claude_desktop",
        title: "Claude Desktop",
        files: &[
            at(Under::Config, "Claude/claude_desktop_config.json", SERVERS),
            at(Under::Home, "Library/Application Support/Claude/claude_desktop_config.json", SERVERS),
        ],
    },
    Host {
        name: "codex",
        title: "Codex",
        files: &[
            at(Under::Workspace, ".codex/config.toml", Form::Toml("mcp_servers")),
            at(Under::Home, ".codex/config.toml", Form::Toml("mcp_servers")),
        ],
    },
    Host {
        name: "cursor",
        title: "Cursor",
        files: &[
            at(Under::Workspace, ".cursor/mcp.json", SERVERS),
            at(Under::Home, ".cursor/mcp.json", SERVERS),
        ],
    },
    Host {
        name: "gemini",
        title: "Gemini CLI",
        files: &[
            at(Under::Workspace, ".gemini/settings.json", SERVERS),
            at(Under::Home, ".gemini/settings.json", SERVERS),
        ],
    },
    Host {
        name: "opencode",
        title: "opencode",
        files: &[
            at(Under::Workspace, "opencode.json", Form::Json("mcp")),
            at(Under::Config, "opencode/opencode.json", Form::Json("mcp")),
        ],
    },
    Host {
        name: "vscode",
        title: "VS Code",
        files: &[
            at(Under::Workspace, ".vscode/mcp.json", Form::Json("servers")),
            at(Under::Config, "Code/User/mcp.json", Form::Json("servers")),
            at(Under::Home, "Library/Application Support/Code/User/mcp.json", Form::Json("servers")),
        ],
    },
    Host {
        name: "windsurf",
        title: "Windsurf",
        files: &[at(Under::Home, ".codeium/windsurf/mcp_config.json", SERVERS)],
    },
    Host {
        name: "zed",
        title: "Zed",
        files: &[
            at(Under::Workspace, ".zed/settings.json", Form::Json("context_servers")),
            at(Under::Config, "zed/settings.json", Form::Json("context_servers")),
        ],
    },
];
