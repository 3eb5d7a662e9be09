//! The sockets of a kernel: requests go to the worker in order; a stop is heard while a cell runs.

use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use jupyter_protocol::messaging::ExecutionState;
use jupyter_protocol::{
    ConnectionInfo, InterruptReply, JupyterMessage, JupyterMessageContent, ReplyStatus, ShutdownReply,
};
use mercer::session::Session;
use tokio::sync::mpsc::unbounded_channel;
use zeromq::{PubSocket, RepSocket, RouterSocket, Socket, SocketRecv, SocketSend, ZmqError, ZmqMessage};

use super::notice::Stop;
use super::wire::{Signer, WireError};
use super::worker::{Outgoing, Send, Worker, kernel_info, status};

/// The time for the last messages to leave.
const FAREWELL: Duration = Duration::from_millis(200);

/// Why a kernel ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("the sockets cannot be served: {0}")]
    Runtime(#[from] std::io::Error),
    #[error("a socket failed: {0}")]
    Socket(#[from] ZmqError),
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// Serves the clients of a connection until one asks for a shutdown.
pub fn serve(connection: &ConnectionInfo, session: Session) -> Result<(), ServeError> {
    let stop = Stop::default();
    let heard = stop.clone();
    // An interrupt by a signal; without a handler it would end the kernel. The request on the control channel works
    // even if no handler can be installed.
    let _ = ctrlc::set_handler(move || heard.ask());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(run(connection, session, stop))
}

async fn run(connection: &ConnectionInfo, session: Session, stop: Stop) -> Result<(), ServeError> {
    let signer = Signer::new(connection)?;
    let (mut shell, mut control, mut broadcast) = (RouterSocket::new(), RouterSocket::new(), PubSocket::new());
    // Nothing is asked of the user, but a client connects to this socket too.
    let (mut stdin, mut heartbeat) = (RouterSocket::new(), RepSocket::new());
    shell.bind(&connection.shell_url()).await?;
    control.bind(&connection.control_url()).await?;
    broadcast.bind(&connection.iopub_url()).await?;
    stdin.bind(&connection.stdin_url()).await?;
    heartbeat.bind(&connection.hb_url()).await?;
    tokio::spawn(async move {
        while let Ok(beat) = heartbeat.recv().await {
            if heartbeat.send(beat).await.is_err() {
                break;
            }
        }
    });
    let (send, mut outgoing) = unbounded_channel();
    let (requests, receiver) = channel();
    let worker = Worker::new(session, send.clone(), stop.clone());
    thread::spawn(move || worker.run(&receiver));
    let (mut shell_send, mut shell) = shell.split();
    loop {
        tokio::select! {
            frames = shell.recv() => request(&signer, frames?, &requests),
            frames = control.recv() => {
                if let Some((reply, last)) = controlled(&signer, frames?, &send, &stop) {
                    // A client that has gone needs no reply.
                    let _ = control.send(signer.frames(&reply)?).await;
                    if last {
                        break;
                    }
                }
            }
            message = outgoing.recv() => match message {
                Some(Outgoing::Shell(reply)) => drop(shell_send.send(signer.frames(&reply)?).await),
                Some(Outgoing::Broadcast(message)) => drop(broadcast.send(signer.frames(&message)?).await),
                None => break,
            },
        }
    }
    while let Ok(Outgoing::Broadcast(message)) = outgoing.try_recv() {
        drop(broadcast.send(signer.frames(&message)?).await);
    }
    tokio::time::sleep(FAREWELL).await;
    Ok(())
}

/// Passes a request on to the worker. A message that cannot be read, or that is not signed, is not answered.
fn request(signer: &Signer, frames: ZmqMessage, requests: &Sender<JupyterMessage>) {
    match signer.message(frames) {
        // The worker ends only with the program.
        Ok(message) => drop(requests.send(message)),
        Err(error) => eprintln!("mercer: {error}"),
    }
}

/// Answers a request on the control channel. The flag is true for the last one.
fn controlled(signer: &Signer, frames: ZmqMessage, send: &Send, stop: &Stop) -> Option<(JupyterMessage, bool)> {
    let message = signer.message(frames).map_err(|error| eprintln!("mercer: {error}")).ok()?;
    let (reply, last): (JupyterMessageContent, bool) = match &message.content {
        JupyterMessageContent::InterruptRequest(_) => {
            stop.ask();
            (InterruptReply::new().into(), false)
        }
        JupyterMessageContent::ShutdownRequest(asked) => {
            stop.ask();
            (ShutdownReply { restart: asked.restart, status: ReplyStatus::Ok, error: None }.into(), true)
        }
        JupyterMessageContent::KernelInfoRequest(_) => (kernel_info().into(), false),
        _ => return None,
    };
    for state in [ExecutionState::Busy, ExecutionState::Idle] {
        // As in the worker.
        let _ = send.send(Outgoing::Broadcast(JupyterMessage::new(status(state), Some(&message))));
    }
    Some((JupyterMessage::new(reply, Some(&message)), last))
}
