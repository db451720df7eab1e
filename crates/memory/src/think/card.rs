//! Reading a card: a JSON object, the same as a string, or `key: value` lines.

use std::collections::HashSet;

use serde_json::Value;

use crate::anchors::AnchorIn;
use crate::error::MemoryError;
use crate::ids::CardId;
use crate::port::{Body, Object};
use crate::secrets::Sensitive;
use crate::text;

/// What a card can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CardType {
    Frame,
    Hypothesis,
    Question,
    Test,
    Evidence,
    Decision,
    Note,
    Update,
}

impl CardType {
    pub const ALL: [Self; 8] = [
        Self::Frame,
        Self::Hypothesis,
        Self::Question,
        Self::Test,
        Self::Evidence,
        Self::Decision,
        Self::Note,
        Self::Update,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Hypothesis => "hypothesis",
            Self::Question => "question",
            Self::Test => "test",
            Self::Evidence => "evidence",
            Self::Decision => "decision",
            Self::Note => "note",
            Self::Update => "update",
        }
    }

    pub fn parse(text: &str) -> Result<Self, MemoryError> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| MemoryError::CardTypeUnknown {
            given: text.to_owned(),
            supported: Self::ALL.map(Self::as_str).to_vec(),
        })
    }
}

/// Whether a node of this type is a card.
pub fn is_card_type(type_: &str) -> bool {
    CardType::ALL.iter().any(|kind| kind.as_str() == type_)
}

/// A card in its normal form, and the cards it refers to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Card {
    pub(super) id: CardId,
    pub(super) body: Body,
    pub(super) supports: Vec<CardId>,
    pub(super) blocks: Vec<CardId>,
    pub(super) supersedes: Vec<CardId>,
    /// Places in the code that the card names itself.
    pub(super) anchors: Vec<AnchorIn>,
    /// The fields that were written out; an update leaves the others as they are.
    given: HashSet<String>,
}

/// The cards that a card refers to by one relation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links<'a> {
    pub(super) rel: &'static str,
    pub(super) cards: &'a [CardId],
    pub(super) given: bool,
}

impl Card {
    /// The card that an update makes of the one that is there: what was not written out stays.
    pub(super) fn over(mut self, there: &Body) -> Self {
        let kept = |field: &str| !self.given.contains(field);
        if kept("type") {
            self.body.type_ = there.type_.clone();
        }
        if kept("title") {
            self.body.title = there.title.clone();
        }
        if kept("text") {
            self.body.text = there.text.clone();
        }
        if kept("status") {
            self.body.status = there.status.clone();
        }
        if kept("tags") {
            self.body.tags = there.tags.clone();
        }
        if self.pin() == Some(false) {
            self.body.tags.retain(|tag| tag != PINNED);
        }
        let mut meta = there.meta.clone().filter(|_| !self.cleared("meta")).unwrap_or_default();
        meta.extend(self.body.meta.take().unwrap_or_default());
        self.body.meta = Some(meta).filter(|meta| !meta.is_empty());
        if kept("anchors") {
            self.body.anchors = there.anchors.clone();
        }
        self.mark();
        self
    }

    /// What `pinned` under meta says.
    fn pin(&self) -> Option<bool> {
        self.body.meta.as_ref()?.get(PINNED)?.as_bool()
    }

    /// Gives a card that its meta pins the tag by which pinned cards are found.
    fn mark(&mut self) {
        if self.pin() == Some(true)
            && let Err(at) = self.body.tags.binary_search_by(|tag| tag.as_str().cmp(PINNED))
        {
            self.body.tags.insert(at, PINNED.to_owned());
        }
    }

    /// Adds what a call names beside its card; a list that is named counts as written out, though it is empty.
    pub(super) fn name<T>(&mut self, field: &str, named: Option<T>, add: impl FnOnce(&mut Self, T)) {
        if let Some(named) = named {
            self.given.insert(field.to_owned());
            add(self, named);
        }
    }

    /// The cards that this one refers to by each relation, and whether they were written out.
    pub(super) fn links(&self) -> [Links<'_>; 3] {
        let of = |rel, cards| Links { rel, cards, given: self.given.contains(rel) };
        [
            of("supports", self.supports.as_slice()),
            of("blocks", self.blocks.as_slice()),
            of("supersedes", self.supersedes.as_slice()),
        ]
    }

    fn cleared(&self, field: &str) -> bool {
        self.given.contains(field) && self.body.meta.is_none()
    }

    pub(super) fn check(&self) -> Result<(), MemoryError> {
        if self.body.type_.is_empty() {
            return Err(MemoryError::invalid("card.type", "is missing"));
        }
        CardType::parse(&self.body.type_)?;
        if self.body.title.is_none() && self.body.text.is_none() {
            return Err(MemoryError::invalid("card", "has neither title nor text"));
        }
        Ok(())
    }
}

/// The tag of cards that every brief shows, and the key under meta that gives it.
pub(crate) const PINNED: &str = "pinned";

/// The status of a card that names none.
const DEFAULT_STATUS: &str = "open";

pub(super) fn read(value: &Value, sensitive: Sensitive) -> Result<Card, MemoryError> {
    let mut fields = match value {
        Value::Object(fields) => fields.clone(),
        Value::String(text) if unmarked(text).trim_start().starts_with('{') => {
            match serde_json::from_str(unmarked(text)) {
                Ok(Value::Object(fields)) => fields,
                Ok(_) => return unreadable("the JSON is not an object"),
                Err(err) => return unreadable(format!("the JSON does not parse: {err}")),
            }
        }
        Value::String(text) => lines(unmarked(text))?,
        _ => return unreadable("it is neither an object nor a string"),
    };
    let given = fields.keys().cloned().collect();
    let id = match (string(&mut fields, "id")?, string(&mut fields, "card_id")?) {
        (Some(a), Some(b)) if a != b => return unreadable("id and card_id differ"),
        (Some(id), _) | (None, Some(id)) => CardId::parse(&id)?,
        (None, None) => return Err(MemoryError::invalid("card.id", "is missing")),
    };
    sensitive.check("card.id", id.as_str())?;
    if id.node().is_reserved() {
        return Err(MemoryError::ReservedId { id: id.to_string() });
    }
    // An update may leave it out; `check` asks for it once it is known what the card becomes.
    let kind = string(&mut fields, "type")?.map(|kind| CardType::parse(&kind)).transpose()?;
    let title = text::optional_title("card.title", string(&mut fields, "title")?.as_deref(), sensitive)?;
    let body = text::optional_body("card.text", string(&mut fields, "text")?.as_deref(), sensitive)?;
    let status = string(&mut fields, "status")?.filter(|status| !status.is_empty());
    sensitive.check("card.status", status.as_deref().unwrap_or_default())?;
    let status = text::word("card.status", status.as_deref().unwrap_or(DEFAULT_STATUS))?;
    let tags = text::tags(&list(&mut fields, "tags")?, sensitive)?;
    let supports = cards(&mut fields, "supports")?;
    let blocks = cards(&mut fields, "blocks")?;
    let supersedes = cards(&mut fields, "supersedes")?;
    let anchors = anchors(&mut fields)?;
    let mut meta = match fields.shift_remove("meta") {
        None | Some(Value::Null) => Object::new(),
        Some(Value::Object(meta)) => meta,
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Object(meta)) => meta,
            _ => return unreadable("meta is not an object"),
        },
        Some(_) => return unreadable("meta is not an object"),
    };
    // What is not a field of a card is kept, under meta.
    for (key, value) in fields {
        if value.is_null() {
            continue;
        }
        if meta.get(&key).is_some_and(|said| *said != value) {
            return unreadable(format!("{key} is given twice, in the card and in its meta"));
        }
        meta.insert(key, value);
    }
    if let Some(pinned) = meta.get_mut(PINNED) {
        // Lines of `key: value` hold texts only.
        let said = pinned.as_bool().or_else(|| pinned.as_str()?.parse().ok());
        let Some(said) = said else {
            return Err(MemoryError::invalid("card.pinned", "must be true or false"));
        };
        *pinned = Value::Bool(said);
    }
    let meta = text::meta("card.meta", Some(&meta), sensitive)?;
    let body = Body {
        type_: kind.map_or("", CardType::as_str).to_owned(),
        title,
        text: body,
        status: Some(status),
        tags,
        meta,
        valid_to: None,
        anchors: Vec::new(),
    };
    let mut card = Card { id, body, supports, blocks, supersedes, anchors, given };
    card.mark();
    Ok(card)
}

/// A text without the byte order mark that some editors put before it.
fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Reads `key: value` lines; a line that is indented more than the first goes on with the value before it. A card
/// that is indented as a whole, as in a list or a quotation, reads like one that is not.
fn lines(source: &str) -> Result<Object, MemoryError> {
    let mut out = Object::new();
    let mut last: Option<String> = None;
    // How far the first line of the value that goes on is indented: what is beyond that belongs to the text.
    let mut inner: Option<usize> = None;
    let margin = source.lines().find(|line| !line.trim().is_empty()).map_or(0, indent);
    for (at, line) in source.lines().enumerate() {
        let deeper = indent(line) > margin;
        match (&last, line.split_once(':')) {
            _ if line.trim().is_empty() && last.is_none() => {}
            (Some(key), _) if deeper || line.trim().is_empty() => {
                let blank = line.trim().is_empty();
                let from =
                    if blank { 0 } else { indent(line).min(*inner.get_or_insert_with(|| indent(line))) };
                if let Some(Value::String(value)) = out.get_mut(key) {
                    value.push('\n');
                    value.push_str(line.get(from..).unwrap_or_default().trim_end());
                }
            }
            (_, Some((key, value))) if is_key(key) => {
                let key = key.trim().to_lowercase();
                if out.contains_key(&key) {
                    return unreadable(format!("line {}: {key} is given twice", at + 1));
                }
                out.insert(key.clone(), Value::String(value.trim().to_owned()));
                last = Some(key);
                inner = None;
            }
            (_, Some((key, _))) if !key.trim().is_empty() => {
                let said = text::cut(key.trim(), 64);
                return unreadable(format!(
                    "line {}: {said:?} is no key, which is one word of letters, digits and _ - . (at most 64); a line that \
                     goes on with the value before it is indented",
                    at + 1
                ));
            }
            _ => return unreadable(format!("line {} is not `key: value`", at + 1)),
        }
    }
    for value in out.values_mut() {
        if let Value::String(text) = value {
            // `key: |` starts a block, as in YAML.
            let block = text.strip_prefix("|\n").map(str::to_owned);
            *text = block.unwrap_or_else(|| std::mem::take(text)).trim().to_owned();
        }
    }
    Ok(out)
}

/// How many bytes of blanks a line starts with.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn is_key(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.len() <= 64
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn string(fields: &mut Object, key: &'static str) -> Result<Option<String>, MemoryError> {
    match fields.shift_remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
        Some(_) => unreadable(format!("{key} is not a string")),
    }
}

/// A list of strings, or one string with commas or with a line for each.
fn list(fields: &mut Object, key: &'static str) -> Result<Vec<String>, MemoryError> {
    let parts = |text: &str| {
        if let Ok(items) = serde_json::from_str::<Vec<String>>(text) {
            return items;
        }
        let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
        let item = |part: &str| part.trim().strip_prefix("- ").unwrap_or(part).trim().to_owned();
        let bare = |part: &str| item(part).trim_matches(['"', '\'']).trim().to_owned();
        inner.split([',', '\n']).map(bare).filter(|part| !part.is_empty()).collect()
    };
    match fields.shift_remove(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(parts(&text)),
        Some(Value::Array(items)) => items
            .into_iter()
            .map(|item| match item {
                Value::String(text) => Ok(text),
                _ => unreadable(format!("{key} holds something that is not a string")),
            })
            .collect(),
        Some(_) => unreadable(format!("{key} is not a list")),
    }
}

fn cards(fields: &mut Object, key: &'static str) -> Result<Vec<CardId>, MemoryError> {
    list(fields, key)?.iter().map(|id| CardId::parse(id)).collect()
}

/// Places as objects with `node_id` or `path`, or in words: `src/a.rs`, `src/a.rs:12-40`, or a node id.
fn anchors(fields: &mut Object) -> Result<Vec<AnchorIn>, MemoryError> {
    let given = match fields.get("anchors") {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or(Value::Null),
        Some(value) => value.clone(),
        None => Value::Null,
    };
    if let Value::Array(items) = &given
        && items.iter().any(Value::is_object)
    {
        fields.shift_remove("anchors");
        return serde_json::from_value(given).or_else(|err| unreadable(format!("anchors: {err}")));
    }
    let in_words = |place: String| match place.contains("::") {
        true => AnchorIn { node_id: Some(place), ..AnchorIn::default() },
        false => AnchorIn { path: Some(place), ..AnchorIn::default() },
    };
    Ok(list(fields, "anchors")?.into_iter().map(in_words).collect())
}

fn unreadable<T>(reason: impl Into<String>) -> Result<T, MemoryError> {
    Err(MemoryError::CardUnreadable { reason: reason.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn card(value: Value) -> Result<Card, MemoryError> {
        let card = read(&value, Sensitive::Refused)?;
        card.check().map(|()| card)
    }

    #[test]
    fn the_three_spellings_give_the_same_card() {
        let object = json!({"id": "h1", "type": "hypothesis", "title": "Cache is stale", "text": "after restart",
            "tags": ["Cache", "b"], "owner": "ann"});
        let from_object = card(object.clone()).unwrap();
        assert_eq!(card(Value::String(object.to_string())).unwrap(), from_object);
        let dsl = "id: h1\ntype: hypothesis\nTitle: Cache is stale\ntext: after restart\ntags: Cache, b\nowner: ann";
        assert_eq!(card(json!(dsl)).unwrap(), from_object);
        for tags in [r#"["Cache","b"]"#, "['Cache', 'b']", r#""Cache", b"#, "[Cache, b]"] {
            let spelled = dsl.replace("Cache, b", tags);
            assert_eq!(card(json!(spelled)).unwrap(), from_object, "{tags}");
        }
        assert_eq!(from_object.body.status.as_deref(), Some("open"));
        assert_eq!(from_object.body.tags, ["b", "cache"]);
        assert_eq!(from_object.body.meta.unwrap()["owner"], json!("ann"));
    }

    #[test]
    fn a_value_may_go_on_in_indented_lines_and_may_hold_colons() {
        let read =
            card(json!("card_id: d1\ntype: decision\ntext: use a: b\n  second line\n\n  third")).unwrap();
        assert_eq!(read.body.text.as_deref(), Some("use a: b\nsecond line\n\nthird"));
        let block = card(json!("id: d1\ntype: decision\ntext: |\n  one\n  two")).unwrap();
        assert_eq!(block.body.text.as_deref(), Some("one\ntwo"));
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        for (value, part) in [
            (json!({"type": "note", "title": "x"}), "card.id"),
            (json!({"id": "a", "title": "x"}), "card.type"),
            (json!({"id": "a", "type": "note"}), "neither title nor text"),
            (json!({"id": "a", "type": "note", "title": "  "}), "neither title nor text"),
            (json!({"id": "a", "type": "idea", "title": "x"}), "idea"),
            (json!({"id": "task:a", "type": "note", "title": "x"}), "reserved"),
            (json!("id: a\nhello"), "line 2"),
            (json!("id: a\nid: b"), "twice"),
            (json!("id: a\ntype: note\nkey with space: v"), "\"key with space\" is no key"),
            (
                json!({"id": "a", "type": "note", "title": "x", "foo": 1, "meta": {"foo": 2}}),
                "foo is given twice",
            ),
            (json!("{\"id\": "), "does not parse"),
            (json!(7), "neither"),
        ] {
            let refusal = card(value.clone()).unwrap_err().to_string();
            assert!(refusal.contains(part), "{value}: {refusal}");
        }
    }
}
