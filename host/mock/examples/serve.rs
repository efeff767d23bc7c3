//! Serves a script until Ctrl-C: `cargo run -p weir-mock --example serve -- examples/mock/providers.toml`.

use std::error::Error;

use weir_mock::{Mock, Script};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: serve FILE")?;
    let script = Script::parse(&std::fs::read_to_string(&file)?, &file)?;
    let mock = Mock::start(&script).await?;
    for provider in mock.providers() {
        println!("{} {}", provider.name(), provider.base_url());
    }
    tokio::signal::ctrl_c().await?;
    mock.shutdown().await;
    Ok(())
}
