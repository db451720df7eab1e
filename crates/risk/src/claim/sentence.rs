//! Sentences about the code, and what they claim.

/// What is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Calls,
    NeverCalls,
    AlwaysBefore,
    DependsOn,
    NoDependency,
    /// The same in both directions.
    Independent,
    Coupling,
    Isolated,
    /// The same as to what uses it alone.
    Unused,
    Gateway,
    Circular,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Calls => "calls",
            Kind::NeverCalls => "never_calls",
            Kind::AlwaysBefore => "always_before",
            Kind::DependsOn => "depends_on",
            Kind::NoDependency | Kind::Independent => "no_dependency",
            Kind::Coupling => "coupling",
            Kind::Isolated | Kind::Unused => "isolated",
            Kind::Gateway => "gateway",
            Kind::Circular => "circular",
        }
    }
}

/// A claim in parts: names as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub kind: Kind,
    pub one: String,
    pub other: Option<String>,
}

/// The sentences that are understood; A and B stand for names of code.
pub const PATTERNS: [&str; 10] = [
    "A never calls B",
    "A is always called before B",
    "A depends on B",
    "A calls B",
    "A does not depend on B",
    "A and B are coupled",
    "A is isolated",
    "A is the gateway to B",
    "A and B depend on each other",
    "A is in a cycle",
];

/// Connecting words, longest first, and what they claim.
const BETWEEN: [(&str, Kind); 28] = [
    (" is always called before ", Kind::AlwaysBefore),
    (" always runs before ", Kind::AlwaysBefore),
    (" always before ", Kind::AlwaysBefore),
    (" is called before ", Kind::AlwaysBefore),
    (" has no dependency on ", Kind::NoDependency),
    (" does not depend on ", Kind::NoDependency),
    (" doesn't depend on ", Kind::NoDependency),
    (" is independent of ", Kind::Independent),
    (" does not import ", Kind::NoDependency),
    (" does not use ", Kind::NoDependency),
    (" never reaches ", Kind::NeverCalls),
    (" never calls ", Kind::NeverCalls),
    (" does not call ", Kind::NeverCalls),
    (" doesn't call ", Kind::NeverCalls),
    (" is a gateway to ", Kind::Gateway),
    (" is the gateway to ", Kind::Gateway),
    (" is the only way to ", Kind::Gateway),
    (" guards ", Kind::Gateway),
    (" is coupled to ", Kind::Coupling),
    (" is coupled with ", Kind::Coupling),
    (" changes with ", Kind::Coupling),
    (" depends on ", Kind::DependsOn),
    (" relies on ", Kind::DependsOn),
    (" imports ", Kind::DependsOn),
    (" reaches ", Kind::Calls),
    (" calls ", Kind::Calls),
    (" uses ", Kind::DependsOn),
    (" needs ", Kind::DependsOn),
];

/// Endings of claims about one thing.
const ALONE: [(&str, Kind); 7] = [
    (" is isolated", Kind::Isolated),
    (" is unused", Kind::Unused),
    (" is dead code", Kind::Unused),
    (" is in a cycle", Kind::Circular),
    (" is circular", Kind::Circular),
    (" is part of a cycle", Kind::Circular),
    (" has a circular dependency", Kind::Circular),
];

/// Endings of claims about `A and B`.
const BOTH: [(&str, Kind); 8] = [
    (" are tightly coupled", Kind::Coupling),
    (" are coupled", Kind::Coupling),
    (" change together", Kind::Coupling),
    (" depend on each other", Kind::Circular),
    (" are in a cycle", Kind::Circular),
    (" are circular", Kind::Circular),
    (" are independent", Kind::Independent),
    (" have no dependency", Kind::Independent),
];

/// Reads a claim; nothing where none of the patterns fits.
pub fn parse(text: &str) -> Option<Claim> {
    let text = text.trim().trim_end_matches(['.', '!', '?']).trim();
    let lower = text.to_lowercase();
    // Letters whose small form has another length would shift the places.
    if lower.len() != text.len() {
        return None;
    }
    let name = |part: &str| {
        let part = part.trim().trim_matches(['`', '"', '\'']);
        let part = ["the function ", "the class ", "the module ", "the file ", "the method "]
            .iter()
            .find_map(|word| part.to_lowercase().starts_with(word).then(|| &part[word.len()..]))
            .unwrap_or(part)
            .trim_matches(['`', '"', '\'']);
        (!part.is_empty() && !part.contains(' ')).then(|| part.to_owned())
    };
    for (ending, kind) in BOTH {
        if let Some(rest) = lower.strip_suffix(ending)
            && let Some((one, other)) = text[..rest.len()].split_once(" and ")
        {
            return Some(Claim { kind, one: name(one)?, other: Some(name(other)?) });
        }
    }
    for (ending, kind) in ALONE {
        if let Some(rest) = lower.strip_suffix(ending) {
            return Some(Claim { kind, one: name(&text[..rest.len()])?, other: None });
        }
    }
    BETWEEN.iter().find_map(|&(words, kind)| {
        let at = lower.find(words)?;
        Some(Claim { kind, one: name(&text[..at])?, other: Some(name(&text[at + words.len()..])?) })
    })
}
