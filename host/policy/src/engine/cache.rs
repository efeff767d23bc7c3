//! Where compiled code is kept between runs.
//!
//! Whoever can write compiled code can run code in this process. So it is kept in a directory that belongs to
//! this user and is closed to all others, and is never taken from anywhere else.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Why compiled code is not kept.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The directory cannot be made or looked at.
    #[error("compiled policies cannot be kept in {directory:?}: {source}")]
    Directory {
        /// Which.
        directory: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Others could put code there, or it is no directory.
    #[error(
        "compiled policies are not kept in {directory:?}, which must be a directory of this user alone; remove \
         it, and it is made anew"
    )]
    Open {
        /// Which.
        directory: PathBuf,
    },
}

/// This user's directory for compiled policies: `weir/compiled` below `XDG_CACHE_HOME`, or below `.cache` in the
/// home folder. It is made where it is missing. Absent when there is no home.
///
/// # Errors
///
/// It cannot be made, or others could write there.
pub fn private_cache() -> Result<Option<PathBuf>, CacheError> {
    // The XDG base directory specification has relative paths ignored.
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let named = named.filter(|path| path.is_absolute());
    let home = || std::env::home_dir().filter(|path| path.is_absolute());
    let base = named.or_else(|| Some(home()?.join(".cache")));
    base.map(|base| private(base.join("weir/compiled"))).transpose()
}

/// Makes the directory, or checks the one that is there.
fn private(directory: PathBuf) -> Result<PathBuf, CacheError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&directory);
    match made.and_then(|()| closed(&directory)) {
        Ok(true) => Ok(directory),
        Ok(false) => Err(CacheError::Open { directory }),
        Err(source) => Err(CacheError::Directory { directory, source }),
    }
}

/// It is a directory of this user, and nobody else's.
fn closed(directory: &Path) -> io::Result<bool> {
    let found = fs::symlink_metadata(directory)?;
    let mine = found.uid() == rustix::process::geteuid().as_raw();
    Ok(found.is_dir() && mine && found.mode() & 0o077 == 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn it_is_made_for_this_user_alone_and_refused_when_it_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("weir/compiled");
        assert_eq!(private(directory.clone()).unwrap(), directory);
        assert_eq!(fs::metadata(&directory).unwrap().mode() & 0o777, 0o700);
        assert_eq!(private(directory.clone()).unwrap(), directory);

        fs::set_permissions(&directory, fs::Permissions::from_mode(0o770)).unwrap();
        let error = private(directory).unwrap_err();
        assert!(matches!(error, CacheError::Open { .. }), "{error}");
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        private(real.clone()).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert!(matches!(private(link), Err(CacheError::Open { .. })));

        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(matches!(private(file), Err(CacheError::Directory { .. })));
    }
}
