//! What the allocator keeps of memory that was given back to it.
//!
//! glibc is the one that keeps much: after a large piece of work most pages of its heaps stay with the process.
//! Elsewhere nothing is done.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    /// From this size on, memory goes straight back to the system when it is freed. Left alone, glibc raises the
    /// limit with the first large buffer that is freed, and the pages of later ones stay.
    const DIRECT: libc::c_int = 128 * 1024;

    #[allow(unsafe_code)]
    pub(super) fn set_up() {
        // SAFETY: it sets a number of the allocator and touches no memory of ours.
        unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, DIRECT) };
    }

    #[allow(unsafe_code)]
    pub(super) fn give_back() {
        // SAFETY: it releases pages that hold nothing, under the allocator's own locks.
        unsafe { libc::malloc_trim(0) };
    }
}

/// To be called once, early in a process.
pub fn set_up() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::set_up();
}

/// Returns free pages to the system. Worth its few milliseconds only after much was freed.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    glibc::give_back();
}
