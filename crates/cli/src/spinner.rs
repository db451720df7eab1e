//! A sign of life on the terminal for work that takes longer than a second.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use m1nd_runtime::workspace::Workspace;

/// Work that ends sooner needs no sign.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the sign moves.
const TICK: Duration = Duration::from_millis(120);

/// Turns from a second after it was made until it is dropped. Nothing when stderr is no terminal.
pub struct Spinner {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    pub fn start(what: &'static str) -> Self {
        Self::show(PATIENCE, "{spinner} {msg} {elapsed}", move |bar| bar.set_message(what))
    }

    /// A bar that shows how far the ingest of a workspace is.
    pub fn ingesting(workspace: Arc<Workspace>) -> Self {
        let template = "{spinner} {bar:30} {pos}/{len} files, {msg} {elapsed}";
        Self::show(TICK, template, move |bar| {
            let (read, listed) = workspace.progress();
            bar.set_length(listed);
            bar.set_position(read);
            bar.set_message(match (read, listed) {
                (_, 0) => "listing",
                (read, listed) if read < listed => "reading",
                _ => "resolving",
            });
        })
    }

    fn show(patience: Duration, template: &str, update: impl Fn(&ProgressBar) + Send + 'static) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { stop: None, thread: None };
        }
        let style = ProgressStyle::with_template(template);
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            if stopped.recv_timeout(patience) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner();
            let bar = match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            };
            loop {
                update(&bar);
                bar.tick();
                // Ends when the sender is dropped.
                if stopped.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            bar.finish_and_clear();
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::warn!("the spinner's thread panicked");
        }
    }
}
