//! Missions played through: what is proved, what is refused, what comes next, and that nothing can be changed unseen.

#![allow(clippy::unwrap_used)]

mod circling;
mod covered;
mod going_on;
mod grounded;
mod held;
mod honest;
mod judged;
mod leading;
mod obeying;
mod packets;
mod playing;
mod properties;
mod proving;
mod related;
mod told;
mod unread;
mod values;
mod worded;
mod world;
