//! The contract: its shape, and that the copy which the SDK carries is the one of the repository.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::path::{Path, PathBuf};

use wit_component::WitPrinter;
use wit_parser::Resolve;

/// Every file of a folder with its text, by name.
fn texts(folder: &Path) -> Vec<(String, String)> {
    let paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut texts: Vec<_> =
        paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect();
    texts.sort();
    texts
}

#[test]
fn the_copy_is_the_contract_of_the_repository() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("wit");
    let repository = own.join("../../wit");
    if repository.exists() {
        let mend = "sdk/wit is not wit; run `cp wit/*.wit sdk/wit/`";
        assert_eq!(texts(&own), texts(&repository), "{mend}");
    }
}

#[test]
fn the_shape_of_the_contract() {
    let mut resolve = Resolve::default();
    let (package, _) =
        resolve.push_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("wit")).unwrap();
    let mut printer = WitPrinter::default();
    printer.emit_docs(false);
    printer.print(&resolve, package, &[]).unwrap();
    insta::assert_snapshot!(String::from(printer.output));
}
