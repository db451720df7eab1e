//! Thinking cards: explicit artifacts of reasoning, kept as a trace entry and a node.

mod card;
mod commit;
mod context;
mod next;
mod place;
mod template;

pub(crate) use card::PINNED;
pub use card::{CardType, is_card_type};
pub use commit::{GraphApplied, ThinkCardOutput, ThinkCardRequest, commit};
pub use context::{CardStats, ThinkContextOutput, ThinkContextRequest, context};
pub(crate) use next::is_unanswered;
pub use next::{NextMove, ThinkNextOutput, ThinkNextRequest, next};
pub use template::{ThinkTemplateOutput, ThinkTemplateRequest, template};
