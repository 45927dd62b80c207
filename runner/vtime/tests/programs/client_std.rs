//! A client of the standard library: the timeout is the socket's.
//! What a client does: see clients/main.rs.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, SystemTime};

use super::replies::{Reply, told_wait};

const LIMIT: Duration = Duration::from_secs(30);

/// Runs it.
pub(crate) fn run(address: &str) {
    get(address, "/date").unwrap();
    get(address, "/wait").unwrap();
    assert_eq!(get(address, "/silent").unwrap_err(), ErrorKind::WouldBlock);
    for path in ["/delay", "/parts", "/end"] {
        assert_eq!(get(address, path).unwrap(), "done");
    }
}

fn get(address: &str, path: &str) -> Result<String, ErrorKind> {
    loop {
        let reply = exchange(address, path)?;
        if reply.status == 200 {
            return Ok(reply.body);
        }
        let told = reply.told.unwrap();
        std::thread::sleep(told_wait(&told, SystemTime::now()));
    }
}

fn exchange(address: &str, path: &str) -> Result<Reply, ErrorKind> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let mut text = String::new();
    stream
        .read_to_string(&mut text)
        .map_err(|error| error.kind())?;
    Ok(Reply::parse(&text))
}
