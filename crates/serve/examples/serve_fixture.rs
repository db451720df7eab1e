//! Serves the test surface: `serve_fixture` over stdio, `serve_fixture --http ADDRESS` over HTTP.
//!
//! For the scripts in `ci/mcp` and for trying clients out. The token comes from `M1ND_HTTP_TOKEN`.

#[path = "../tests/support/surface.rs"]
mod surface;

use m1nd_serve::{HttpOptions, HttpServer, Shutdown, StdioOptions, generate_token};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let home = std::env::temp_dir().join("m1nd-serve-fixture");
    let runtime = surface::runtime(&home);
    let mut arguments = std::env::args().skip(1).filter(|word| word != "serve");
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let shutdown = Shutdown::new();
    let outcome = tokio.block_on(async {
        shutdown.on_signals()?;
        if arguments.next().as_deref() == Some("--http") {
            let address = arguments.next().unwrap_or_else(|| "127.0.0.1:0".into()).parse()?;
            let token = std::env::var("M1ND_HTTP_TOKEN").or_else(|_| generate_token())?;
            let mut options = HttpOptions::new(address, token);
            options.shutdown = shutdown;
            let server = HttpServer::bind(options).await?;
            eprintln!("{}", server.url());
            server.run(runtime).await;
        } else {
            let options = StdioOptions { shutdown, ..StdioOptions::default() };
            m1nd_serve::stdio(runtime, options).await?;
        }
        Ok(())
    });
    tokio.shutdown_background();
    outcome
}
