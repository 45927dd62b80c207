//! [`SocketDiag`]: how many bytes the kernel holds for a TCP connection, by
//! asking it for exactly that one. (The kernel's text file of all connections
//! takes five milliseconds to read.)

use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};

use crate::Error;

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const REQUEST: u16 = 1;
const HEADER: usize = 16;
const LENGTH: usize = 72;
/// Where an answer has the state, and the one of a socket that only listens.
const STATE: usize = HEADER + 1;
const LISTENS: u8 = 10;
/// Where an answer has the bytes not yet read and not yet acknowledged.
const UNREAD: usize = HEADER + 56;
const UNSENT: usize = HEADER + 60;

/// Bytes that the kernel holds for one end of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// Received, and not yet read by the program.
    pub(super) unread: u32,
    /// Written by the program, and not yet acknowledged by the other end.
    pub(super) unsent: u32,
}

/// A line to the kernel's socket diagnosis. It needs no privilege.
#[derive(Debug)]
pub(super) struct SocketDiag(OwnedFd);

impl SocketDiag {
    pub(super) fn open() -> Result<Self, Error> {
        socket_with(
            AddressFamily::NETLINK,
            SocketType::RAW,
            SocketFlags::CLOEXEC,
            Some(netlink::SOCK_DIAG),
        )
        .map(Self)
        .map_err(|errno| Error::System {
            attempted: "open a line to the kernel's socket diagnosis",
            source: errno.into(),
        })
    }

    /// What the kernel holds for the end at `local`; nothing if there is no
    /// such connection any more.
    pub(super) fn held(&self, local: SocketAddr, peer: SocketAddr) -> Result<Held, Errno> {
        send(&self.0, &question(local, peer), SendFlags::empty())?;
        let mut answer = [0; 512];
        let (count, _) = recv(&self.0, &mut answer, RecvFlags::empty())?;
        let kind = u16::from_ne_bytes([answer[4], answer[5]]);
        let is_answer = kind == SOCK_DIAG_BY_FAMILY && count >= UNSENT + 4;
        // Where there is no such connection the kernel tells of who listens.
        if !is_answer || answer[STATE] == LISTENS {
            return Ok(Held::default());
        }
        let number = |at: usize| {
            let bytes: [u8; 4] = answer[at..at + 4].try_into().expect("four bytes");
            u32::from_ne_bytes(bytes)
        };
        Ok(Held {
            unread: number(UNREAD),
            unsent: number(UNSENT),
        })
    }
}

/// struct nlmsghdr, struct inet_diag_req_v2.
fn question(local: SocketAddr, peer: SocketAddr) -> [u8; LENGTH] {
    let mut message = [0; LENGTH];
    let mut put = |at: usize, bytes: &[u8]| message[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &(LENGTH as u32).to_ne_bytes());
    put(4, &SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    put(6, &REQUEST.to_ne_bytes());
    let family = match local.ip() {
        IpAddr::V4(_) => libc::AF_INET,
        IpAddr::V6(_) => libc::AF_INET6,
    };
    put(HEADER, &[u8::try_from(family).expect("2 or 10")]);
    put(HEADER + 1, &[u8::try_from(libc::IPPROTO_TCP).expect("6")]);
    put(HEADER + 4, &u32::MAX.to_ne_bytes());
    put(HEADER + 8, &local.port().to_be_bytes());
    put(HEADER + 10, &peer.port().to_be_bytes());
    for (at, address) in [(HEADER + 12, local), (HEADER + 28, peer)] {
        match address.ip() {
            IpAddr::V4(ip) => put(at, &ip.octets()),
            IpAddr::V6(ip) => put(at, &ip.octets()),
        }
    }
    // No cookie: any socket with these addresses.
    put(HEADER + 48, &u64::MAX.to_ne_bytes());
    message
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn what_is_on_its_way_is_counted_until_it_is_read() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut server, peer) = listener.accept().unwrap();
        let local = server.local_addr().unwrap();
        let diag = SocketDiag::open().unwrap();
        assert_eq!(diag.held(local, peer).unwrap(), Held::default());
        client.write_all(b"seven b").unwrap();
        assert_eq!(diag.held(local, peer).unwrap().unread, 7);
        server.read_exact(&mut [0; 7]).unwrap();
        assert_eq!(diag.held(local, peer).unwrap(), Held::default());
        drop((client, server));
        // The word of the end is counted as a byte, and children that other tests
        // are just making hold the sockets open until they begin.
        let until = Instant::now() + Duration::from_secs(5);
        while diag.held(local, peer).unwrap() != Held::default() {
            assert!(Instant::now() < until, "gone");
            std::thread::yield_now();
        }
    }
}
