//! Messages as frames: identities, a delimiter, a signature, and four parts of JSON.

use hmac::{Hmac, KeyInit, Mac};
use jupyter_protocol::{ConnectionInfo, JupyterMessage, JupyterMessageContent};
use serde_json::Value as Json;
use sha2::Sha256;
use zeromq::ZmqMessage;

use super::history::completed;

type Frame = bytes::Bytes;

const DELIMITER: &[u8] = b"<IDS|MSG>";
const SCHEME: &str = "hmac-sha256";

/// Why frames are not a message.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error("the signature scheme `{0}` is not supported: it must be `{SCHEME}`")]
    Scheme(String),
    #[error("a message has too few frames")]
    Short,
    #[error("a message has a wrong signature")]
    Signature,
    #[error("a message cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    #[error("a message cannot be sent: {0}")]
    Frames(&'static str),
}

/// Signs messages and checks their signatures.
#[derive(Clone)]
pub struct Signer(Option<Hmac<Sha256>>);

impl Signer {
    /// With the key of a connection; without one, messages are not signed.
    pub fn new(connection: &ConnectionInfo) -> Result<Self, WireError> {
        if connection.key.is_empty() {
            return Ok(Self(None));
        }
        if connection.signature_scheme != SCHEME {
            return Err(WireError::Scheme(connection.signature_scheme.clone()));
        }
        // A key of any length is valid.
        Ok(Self(Hmac::new_from_slice(connection.key.as_bytes()).ok()))
    }

    fn begun(&self, parts: &[&[u8]]) -> Option<Hmac<Sha256>> {
        let mut mac = self.0.clone()?;
        parts.iter().for_each(|part| mac.update(part));
        Some(mac)
    }

    /// A message as frames.
    pub fn frames(&self, message: &JupyterMessage) -> Result<ZmqMessage, WireError> {
        let parent = match &message.parent_header {
            Some(parent) => serde_json::to_vec(parent)?,
            None => b"{}".to_vec(),
        };
        let parts = [
            serde_json::to_vec(&message.header)?,
            parent,
            serde_json::to_vec(&message.metadata)?,
            serde_json::to_vec(&message.content)?,
        ];
        let signed = self.begun(&parts.each_ref().map(Vec::as_slice));
        let signature = signed.map(|mac| hex(&mac.finalize().into_bytes())).unwrap_or_default();
        let mut frames: Vec<Frame> = message.zmq_identities.clone();
        frames.extend([Frame::from_static(DELIMITER), Frame::from(signature)]);
        frames.extend(parts.map(Frame::from));
        frames.extend(message.buffers.iter().cloned());
        ZmqMessage::try_from(frames).map_err(|_| WireError::Frames("it has no frames"))
    }

    /// The message in frames.
    pub fn message(&self, frames: ZmqMessage) -> Result<JupyterMessage, WireError> {
        let mut identities = frames.into_vec();
        let at = identities.iter().position(|frame| frame == DELIMITER).ok_or(WireError::Short)?;
        let rest = identities.split_off(at);
        let [_, signature, header, parent, metadata, content, buffers @ ..] = rest.as_slice() else {
            return Err(WireError::Short);
        };
        if let Some(mac) = self.begun(&[header, parent, metadata, content]) {
            let signature = unhex(signature).ok_or(WireError::Signature)?;
            // compares in constant time
            mac.verify_slice(&signature).map_err(|_| WireError::Signature)?;
        }
        let header: jupyter_protocol::Header = serde_json::from_slice(header)?;
        let content: Json = serde_json::from_slice(content)?;
        let content = match header.msg_type.as_str() {
            "history_request" => completed(content),
            "complete_request" | "inspect_request" => with_cursor(content),
            _ => content,
        };
        Ok(JupyterMessage {
            zmq_identities: identities,
            content: JupyterMessageContent::from_type_and_content(&header.msg_type, content)?,
            header,
            // `{}` if there is none
            parent_header: serde_json::from_slice(parent).ok(),
            metadata: serde_json::from_slice(metadata)?,
            buffers: buffers.to_vec(),
            channel: None,
        })
    }
}

/// A request about a place in a text, with a place inside it: before its beginning is its beginning; without a number, or
/// beyond its end, is its end.
fn with_cursor(mut content: Json) -> Json {
    let end = content["code"].as_str().map_or(0, |code| code.chars().count());
    let at = content["cursor_pos"].as_f64().map_or(end, |at| (at.max(0.0) as usize).min(end));
    if let Some(content) = content.as_object_mut() {
        content.insert("cursor_pos".into(), at.into());
    }
    content
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?));
    if text.len().is_multiple_of(2) { pairs.collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jupyter_protocol::connection_info::Transport;
    use jupyter_protocol::{ExecuteRequest, StreamContent};
    use serde_json::json;

    fn signer(key: &str) -> Signer {
        let info = ConnectionInfo {
            ip: "127.0.0.1".into(),
            transport: Transport::TCP,
            shell_port: 1,
            iopub_port: 2,
            stdin_port: 3,
            control_port: 4,
            hb_port: 5,
            key: key.into(),
            signature_scheme: SCHEME.into(),
            kernel_name: None,
        };
        Signer::new(&info).unwrap()
    }

    #[test]
    fn messages_are_read_back_and_their_signatures_checked() {
        let request = JupyterMessage::new(ExecuteRequest::new("1 + 1".into()), None)
            .with_zmq_identities(vec![Frame::from_static(b"client")]);
        for key in ["", "secret"] {
            let frames = signer(key).frames(&request).unwrap();
            let read = signer(key).message(frames.clone()).unwrap();
            assert_eq!((&read.header.msg_id, &read.zmq_identities), (&request.header.msg_id, &request.zmq_identities));
            assert!(matches!(&read.content, JupyterMessageContent::ExecuteRequest(found) if found.code == "1 + 1"));
            assert!(read.parent_header.is_none());
            let other = signer("other").message(frames);
            assert!(matches!(other, Err(WireError::Signature)), "an unsigned message is refused, too");
        }
    }

    #[test]
    fn a_cursor_outside_of_the_text_is_at_its_nearer_end() {
        for (cursor, at) in [(json!(-5), 0), (json!(2), 2), (json!(99), 3), (json!("x"), 3), (json!(null), 3)] {
            let read = with_cursor(json!({ "code": "σit", "cursor_pos": cursor }));
            assert_eq!(read["cursor_pos"], at, "{cursor}");
        }
    }

    /// The example of RFC 4231, test case 2.
    #[test]
    fn the_signature_is_that_of_the_standard() {
        let mac = signer("Jefe").begun(&[b"what do ya want ", b"for nothing?"]).unwrap();
        assert_eq!(
            hex(&mac.finalize().into_bytes()),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        let stream = JupyterMessage::new(StreamContent::stdout("a"), None);
        assert_eq!(signer("Jefe").frames(&stream).unwrap().len(), 6);
    }
}
