//! [`serve`]: a world behind two pipes.

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, watch};

use super::messages::{LINE_MARK, WorldEvent, WorldOrder};
use super::{World, WorldFailure};

/// Serves a world on standard input and output until it is told to stop or its
/// input ends; the adapter's process tree has ended or was killed when this
/// returns.
///
/// # Errors
/// If the input holds anything but orders, or the output cannot be written.
pub async fn serve() -> Result<(), WorldFailure> {
    serve_on(BufReader::new(tokio::io::stdin()), tokio::io::stdout()).await
}

/// Serves a world on any two pipes; see [`serve`].
///
/// # Errors
/// If the input holds anything but orders, or the output cannot be written.
pub async fn serve_on(
    input: impl AsyncBufRead + Send + Unpin + 'static,
    mut output: impl AsyncWrite + Unpin,
) -> Result<(), WorldFailure> {
    let (to_orders, mut orders) = mpsc::unbounded_channel();
    let (to_over, over) = watch::channel(());
    // Owns `to_over`: when it is dropped the input has ended.
    tokio::spawn(read_orders(input, to_orders, to_over));
    let mut world = None;
    while let Some(order) = orders.recv().await {
        let order = order?;
        if order == WorldOrder::Stop {
            break;
        }
        let mut input_ends = over.clone();
        tokio::select! {
            // Nobody is left to be told: what was running is dropped, and killed by that.
            _ = input_ends.changed() => return Ok(()),
            event = obey(order, &mut world) => {
                for traffic in world.as_mut().map(World::take_late).unwrap_or_default() {
                    write(&mut output, &WorldEvent::Late { traffic }).await?;
                }
                write(&mut output, &event).await?;
            }
        }
    }
    if let Some(world) = world {
        world.stop().await;
    }
    Ok(())
}

async fn obey(order: WorldOrder, world: &mut Option<World>) -> WorldEvent {
    let obeyed = match (order, world.as_mut()) {
        (WorldOrder::Start { spec }, None) => start(*spec, world).await,
        (WorldOrder::Run { plan }, Some(world)) => {
            world
                .run(&plan)
                .await
                .map(|observation| WorldEvent::Observed {
                    observation: Box::new(observation),
                })
        }
        (order, _) => Err(WorldFailure::harness(format!(
            "the order {order:?} came out of turn"
        ))),
    };
    obeyed.unwrap_or_else(|failure| WorldEvent::Failed { failure })
}

async fn start(
    spec: crate::adapter::LaunchSpec,
    world: &mut Option<World>,
) -> Result<WorldEvent, WorldFailure> {
    let started = world.insert(World::start(spec).await?);
    let hello = started.hello().cloned();
    hello
        .map(|hello| WorldEvent::Ready { hello })
        .ok_or_else(|| WorldFailure::harness("a fresh world has no adapter"))
}

async fn read_orders(
    mut input: impl AsyncBufRead + Unpin,
    orders: mpsc::UnboundedSender<Result<WorldOrder, WorldFailure>>,
    _over: watch::Sender<()>,
) {
    let mut line = String::new();
    loop {
        line.clear();
        let order = match input.read_line(&mut line).await {
            Ok(0) => return,
            Ok(_) => serde_json::from_str(&line).map_err(WorldFailure::harness),
            Err(error) => Err(WorldFailure::harness(error)),
        };
        let is_last = order.is_err();
        if orders.send(order).is_err() {
            return;
        }
        if is_last {
            // Not the end of the input: what is wrong with it is still to be told.
            return orders.closed().await;
        }
    }
}

async fn write(
    output: &mut (impl AsyncWrite + Unpin),
    event: &WorldEvent,
) -> Result<(), WorldFailure> {
    let json = serde_json::to_string(event).map_err(WorldFailure::harness)?;
    let line = format!("{LINE_MARK}{json}\n");
    output
        .write_all(line.as_bytes())
        .await
        .map_err(WorldFailure::harness)?;
    output.flush().await.map_err(WorldFailure::harness)
}
