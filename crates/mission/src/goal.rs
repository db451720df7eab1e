//! Goal: the files and definitions that the goal of a mission names. Whoever changes something has read these first.

use std::collections::BTreeSet;

use crate::grounds::strong_names;
use crate::named::named_in;
use crate::needs::is_known_as_it_is;
use crate::situation::Situation;
use crate::state::{State, path_of};

/// A name that is defined in more files than these says of none of them that it is meant.
const MOST_FILES: usize = 3;
/// Words of a goal by which one definition is told from others of its name.
const MOST_WORDS: usize = 32;

/// The first place that the goal names and of whose file nothing was read.
pub(crate) fn unread_place(state: &State, situation: &Situation<'_>) -> Option<String> {
    let was_read = |path: &str| state.files.contains_key(path) || is_known_as_it_is(state, situation, path);
    let is_open = |place: &String| {
        let path = path_of(place);
        situation.exists(path) && (situation.is_of_repo)(path) && !state.is_dead(place, situation.hash_of)
    };
    // Of several places of one name, whoever has read one chose it.
    let unread = |places: &Vec<String>| !places.iter().any(|at| was_read(path_of(at)));
    let open = places(state, situation).into_iter().filter(unread);
    open.filter_map(|places| places.into_iter().find(is_open)).next()
}

/// Whether the goal names anything that is known.
pub(crate) fn names_something(state: &State, situation: &Situation<'_>) -> bool {
    places(state, situation).iter().any(|places| !places.is_empty())
}

/// For each file and each definition that the goal names, where it may be.
fn places(state: &State, situation: &Situation<'_>) -> Vec<Vec<String>> {
    let files = named_in(&state.goal, situation.names).into_iter().map(|path| vec![path]);
    let names = strong_names(&state.goal);
    files.chain(names.iter().map(|name| definitions_of(name, &state.goal, situation))).collect()
}

/// Where a name of the goal is defined. Of several files those count that define another word of the goal, too: the `Client`
/// of `Client.get`.
fn definitions_of(name: &str, goal: &str, situation: &Situation<'_>) -> Vec<String> {
    let mut places = (situation.defined)(name);
    let files = |places: &[String]| places.iter().map(|at| path_of(at).to_owned()).collect::<BTreeSet<_>>();
    if files(&places).len() > 1 {
        let words = goal.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let others = words.filter(|word| *word != name && word.chars().count() > 2).take(MOST_WORDS);
        let beside: BTreeSet<String> = others.flat_map(|word| files(&(situation.defined)(word))).collect();
        if places.iter().any(|at| beside.contains(path_of(at))) {
            places.retain(|at| beside.contains(path_of(at)));
        }
    }
    if files(&places).len() > MOST_FILES { Vec::new() } else { places }
}
