//! Rules for a language nothing is known about: every name is unknown.

use crate::resolve::rules::Rules;

pub(super) struct NoRules;

impl Rules for NoRules {}
