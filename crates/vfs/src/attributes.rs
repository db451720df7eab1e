//! Attributes: to whom a file belongs, and what else is kept of it beside its content and mode.

use std::os::fd::BorrowedFd;

use rustix::fs::{Gid, Uid, XattrFlags, fchown, fgetxattr, flistxattr, flistxattr_query, fsetxattr, fstat};
use rustix::io::Errno;

use crate::path::RelPath;

/// The kernel holds no longer list of names, and no longer value.
const MAX_BYTES: usize = 64 << 10;

/// Gives a new file the owner and the extended attributes (lists of who may do what among them) of an old one, as far as
/// that is allowed.
pub(crate) fn copy(old: BorrowedFd<'_>, new: BorrowedFd<'_>, path: &RelPath) {
    if let Err(err) = owner(old, new) {
        tracing::debug!(%err, %path, "the owner is not kept");
    }
    if let Err(err) = extended(old, new) {
        tracing::debug!(%err, %path, "extended attributes are not kept");
    }
}

fn owner(old: BorrowedFd<'_>, new: BorrowedFd<'_>) -> Result<(), Errno> {
    let (old, mine) = (fstat(old)?, fstat(new)?);
    if (old.st_uid, old.st_gid) == (mine.st_uid, mine.st_gid) {
        return Ok(());
    }
    fchown(new, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)))
}

fn extended(old: BorrowedFd<'_>, new: BorrowedFd<'_>) -> Result<(), Errno> {
    // Most files have none, and asking for the length alone costs no room.
    let length = flistxattr_query(old)?;
    if length == 0 {
        return Ok(());
    }
    let mut names = vec![0_u8; length.min(MAX_BYTES)];
    let length = flistxattr(old, &mut names)?;
    let mut refused = Ok(());
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0_u8; MAX_BYTES];
        let copied = fgetxattr(old, name, &mut value)
            .and_then(|length| fsetxattr(new, name, &value[..length], XattrFlags::empty()));
        // One that is not ours to give does not keep the others away.
        refused = refused.and(copied);
    }
    refused
}
