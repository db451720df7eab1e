//! Checks and generators for working on m1nd itself.

fn main() -> anyhow::Result<()> {
    anyhow::bail!("usage: cargo xtask layers")
}
