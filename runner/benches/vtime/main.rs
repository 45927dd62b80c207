//! What virtual time costs: `just bench-vtime`. Real time, and so no test; the
//! numbers are printed, and nobody judges them.
#![expect(clippy::unwrap_used, reason = "a bench stops at the first surprise")]

#[cfg(target_os = "linux")]
mod clients;
#[cfg(target_os = "linux")]
mod server;
#[cfg(target_os = "linux")]
mod world;

#[cfg(target_os = "linux")]
fn main() {
    // `cargo test --benches` only wants to know that it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let lacking = holdoff_vtime::examine()
        .into_iter()
        .find(|finding| !finding.is_met());
    if let Some(finding) = lacking {
        println!("no virtual time here: {finding:?}");
        return;
    }
    clients::measure();
    world::measure();
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("virtual time needs Linux on x86-64");
}

/// The middle one.
#[cfg(target_os = "linux")]
fn median(mut durations: Vec<std::time::Duration>) -> std::time::Duration {
    durations.sort_unstable();
    durations[durations.len() / 2]
}

#[cfg(target_os = "linux")]
fn milliseconds(duration: std::time::Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}
