//! The text of a file that a person writes, and no more of it than a person would write.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The longest file that is read, in bytes.
pub const MOST_BYTES: u64 = 4 << 20;

/// Reads a file's text.
///
/// # Errors
///
/// It cannot be read, is no text, or is longer than [`MOST_BYTES`].
pub fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST_BYTES {
        let words = format!("it is longer than {} MiB; parts of it must go", MOST_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_the_most_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("long.toml");
        let whole = " ".repeat(usize::try_from(MOST_BYTES).unwrap());
        std::fs::write(&file, &whole).unwrap();
        assert_eq!(read(&file).unwrap().len(), whole.len());
        std::fs::write(&file, whole + " ").unwrap();
        assert!(read(&file).unwrap_err().to_string().starts_with("it is longer than 4 MiB"));
    }

    #[cfg(unix)]
    #[test]
    fn what_has_no_end_is_refused() {
        assert!(read(Path::new("/dev/zero")).unwrap_err().to_string().contains("4 MiB"));
    }
}
