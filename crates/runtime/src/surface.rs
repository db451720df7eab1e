//! Surface: everything that a host can see of m1nd, as tables that the `tools` crate fills.

use crate::tool::Toolset;

/// What is wired into a runtime when it is made.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    pub toolsets: &'static [Toolset],
    pub resources: &'static [ResourceSpec],
    pub prompts: &'static [PromptSpec],
    /// What a host tells its model about this server.
    pub instructions: &'static str,
}

/// Something a host can read by address. The text is a tool's answer.
#[derive(Clone, Copy, Debug)]
pub struct ResourceSpec {
    /// `m1nd://health`, or a template such as `m1nd://help/{tool}`.
    pub uri: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    pub mime: &'static str,
    /// The tool that answers.
    pub tool: &'static str,
    /// The argument that the template's variable fills.
    pub argument: Option<&'static str>,
}

impl ResourceSpec {
    /// The part of `uri` that stands for the template's variable; `Some(None)` for an exact match.
    pub fn matches<'u>(&self, uri: &'u str) -> Option<Option<&'u str>> {
        match self.uri.split_once('{') {
            None => (self.uri == uri).then_some(None),
            Some((head, _)) => {
                uri.strip_prefix(head).filter(|rest| !rest.is_empty() && !rest.contains('/')).map(Some)
            }
        }
    }

    pub fn is_template(&self) -> bool {
        self.uri.contains('{')
    }
}

/// A prompt that a host can offer to its user.
#[derive(Clone, Copy, Debug)]
pub struct PromptSpec {
    pub name: &'static str,
    pub description: &'static str,
    pub arguments: &'static [PromptArgument],
    /// The text, with `{name}` where an argument goes.
    pub text: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub struct PromptArgument {
    pub name: &'static str,
    pub description: &'static str,
    pub required: bool,
}

impl PromptSpec {
    /// The text with arguments filled in; the name of the first required one that is missing otherwise.
    pub fn render<'a>(&self, value_of: impl Fn(&str) -> Option<&'a str>) -> Result<String, &'static str> {
        let mut text = self.text.to_owned();
        for argument in self.arguments {
            let value = value_of(argument.name);
            if value.is_none() && argument.required {
                return Err(argument.name);
            }
            text = text.replace(&format!("{{{}}}", argument.name), value.unwrap_or("(not given)"));
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_match_one_segment() {
        let help = ResourceSpec {
            uri: "m1nd://help/{tool}",
            name: "",
            description: "",
            mime: "",
            tool: "help",
            argument: Some("tool"),
        };
        assert_eq!(help.matches("m1nd://help/search"), Some(Some("search")));
        assert_eq!(help.matches("m1nd://help/"), None);
        assert_eq!(help.matches("m1nd://help/a/b"), None);
    }

    #[test]
    fn prompts_name_the_argument_they_miss() {
        let prompt = PromptSpec {
            name: "p",
            description: "",
            arguments: &[PromptArgument { name: "report", description: "", required: true }],
            text: "Find {report}.",
        };
        assert_eq!(prompt.render(|_| None), Err("report"));
        assert_eq!(prompt.render(|_| Some("it")), Ok("Find it.".into()));
    }
}
