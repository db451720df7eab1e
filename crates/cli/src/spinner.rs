//! A sign of life on the terminal for work that takes longer than a second.

use std::io::IsTerminal as _;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Work that ends sooner needs no sign.
const PATIENCE: Duration = Duration::from_secs(1);

/// Turns from a second after it was made until it is dropped. Nothing when stderr is no terminal.
pub struct Spinner {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    pub fn start(what: &'static str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { stop: None, thread: None };
        }
        let (stop, stopped) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
            let bar = ProgressBar::new_spinner().with_message(what);
            let bar = match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            };
            bar.enable_steady_tick(Duration::from_millis(120));
            // Ends when the sender is dropped.
            while stopped.recv().is_ok() {}
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
