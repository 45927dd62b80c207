//! A client of tokio: its timeouts and sleeps are whole milliseconds.
//! What a client does: see clients/main.rs.

use std::time::{Duration, SystemTime};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};

use super::replies::{Reply, told_wait};

const LIMIT: Duration = Duration::from_secs(30);

/// Runs it.
pub(crate) fn run(address: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(client(address));
}

async fn client(address: &str) {
    get(address, "/date").await.unwrap();
    get(address, "/wait").await.unwrap();
    get(address, "/silent").await.unwrap_err();
    for path in ["/delay", "/parts", "/end"] {
        assert_eq!(get(address, path).await.unwrap(), "done");
    }
}

async fn get(address: &str, path: &str) -> Result<String, Elapsed> {
    loop {
        let reply = timeout(LIMIT, exchange(address, path)).await?;
        if reply.status == 200 {
            return Ok(reply.body);
        }
        let told = reply.told.unwrap();
        sleep(told_wait(&told, SystemTime::now())).await;
    }
}

async fn exchange(address: &str, path: &str) -> Reply {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    Reply::parse(&text)
}
