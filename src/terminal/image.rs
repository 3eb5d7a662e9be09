//! Figures as images, in terminals that show them: by the protocol of kitty, by that of iTerm2, or as sixels.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use icy_sixel::{BackgroundMode, EncodeOptions, SixelImage};
use mercer::figure::{Figure, Size, to_png, to_small_png};

/// The largest part of an image in one sequence of kitty's protocol, in characters.
const CHUNK: usize = 4096;

/// Fewer pixels in a row are not believed.
const LEAST_WIDE: u32 = 200;

/// How a terminal shows images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Kitty,
    ITerm,
    /// Six rows of pixels at a time, in a palette.
    Sixel,
}

impl Protocol {
    /// The protocol of kitty or iTerm2, by the variables with which the terminal names itself. Multiplexers do not pass
    /// their images on.
    pub fn named() -> Option<Self> {
        Self::of(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        if variable("TMUX").is_some() || variable("STY").is_some() {
            return None;
        }
        let term = variable("TERM").unwrap_or_default();
        match variable("TERM_PROGRAM").as_deref() {
            Some("iTerm.app") => Some(Protocol::ITerm),
            Some("WezTerm" | "ghostty") => Some(Protocol::Kitty),
            _ if term == "xterm-kitty" || variable("KITTY_WINDOW_ID").is_some() => Some(Protocol::Kitty),
            _ => None,
        }
    }

    /// The sequence that draws a figure, for a terminal with a number of pixels in a row, if that is known; `None` if it
    /// cannot be drawn.
    pub fn image(self, figure: &Figure, wide: Option<u32>) -> Option<String> {
        let size = Size::of(figure);
        let png = || to_png(figure, size).ok();
        match self {
            Protocol::ITerm => Some(iterm(&png()?)),
            Protocol::Kitty => Some(kitty(&png()?)),
            Protocol::Sixel => sixel(&to_small_png(figure, within(size, wide)).ok()?),
        }
    }
}

/// The size of a figure that is not cut off at the right.
fn within(size: Size, wide: Option<u32>) -> Size {
    match wide.filter(|wide| (LEAST_WIDE..size.width).contains(wide)) {
        Some(width) => Size { width, height: size.height * width / size.width },
        None => size,
    }
}

fn iterm(png: &[u8]) -> String {
    format!("\u{1B}]1337;File=inline=1;size={}:{}\u{7}", png.len(), STANDARD.encode(png))
}

fn kitty(png: &[u8]) -> String {
    let text = STANDARD.encode(png);
    let mut out = String::new();
    let mut rest = text.as_str();
    let mut head = "a=T,f=100,";
    while !rest.is_empty() {
        let (part, after) = rest.split_at(CHUNK.min(rest.len()));
        let more = u8::from(!after.is_empty());
        out.push_str(&format!("\u{1B}_G{head}m={more};{part}\u{1B}\\"));
        (rest, head) = (after, "");
    }
    out
}

fn sixel(png: &[u8]) -> Option<String> {
    let mut decoder = png::Decoder::new(Cursor::new(png));
    decoder.set_transformations(png::Transformations::ALPHA | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut pixels).ok()?;
    pixels.truncate(frame.buffer_size());
    let image = SixelImage::try_from_rgba(pixels, frame.width as usize, frame.height as usize).ok()?;
    // Figures have few colours: without diffusion their areas are even.
    let options = EncodeOptions { diffusion: 0.0, ..EncodeOptions::default() };
    image.with_background_mode(BackgroundMode::Opaque).encode_with(&options).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer::figure::{Mark, Panel, Role};

    #[test]
    fn terminals_are_known_by_their_variables() {
        let of = |known: &[(&str, &str)]| {
            Protocol::of(|name| known.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(of(&[("TERM", "xterm-kitty")]), Some(Protocol::Kitty));
        assert_eq!(of(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/x")]), None);
        assert_eq!(of(&[("TERM_PROGRAM", "iTerm.app")]), Some(Protocol::ITerm));
        assert_eq!(of(&[("TERM", "xterm-256color")]), None);
    }

    #[test]
    fn images_are_sent_in_parts() {
        let sent = kitty(&vec![7; 6000]);
        let parts: Vec<&str> = sent.split("\u{1B}\\").filter(|part| !part.is_empty()).collect();
        assert_eq!(parts.len(), 2);
        assert!(parts[0].starts_with("\u{1B}_Ga=T,f=100,m=1;") && parts[1].starts_with("\u{1B}_Gm=0;"));
        let data: String = parts.iter().map(|part| part.split_once(';').unwrap().1).collect();
        assert_eq!(STANDARD.decode(data).unwrap(), vec![7; 6000]);
        assert!(iterm(b"png").ends_with("cG5n\u{7}"));
    }

    #[test]
    fn sixels_are_the_pixels_of_the_figure() {
        let line =
            Mark::Line { x: vec![0.0, 1.0], y: vec![0.0, 1.0], label: String::new(), role: Role::Mean, dashed: false };
        let figure = Figure::single("", Panel::new("x", "y", vec![line]));
        let size = Size::of(&figure);
        for (wide, width) in [(None, size.width), (Some(400), 400), (Some(8), size.width)] {
            let sent = Protocol::Sixel.image(&figure, wide).unwrap();
            assert!(sent.starts_with("\u{1B}P") && sent.ends_with("\u{1B}\\"), "{}", &sent[..20]);
            let shown = SixelImage::decode(sent.as_bytes()).unwrap();
            assert_eq!(shown.width, width as usize);
            assert!((shown.height as u32).abs_diff(size.height * width / size.width) < 6, "{}", shown.height);
            let near = |pixel: &[u8], colour: [u8; 3]| pixel.iter().zip(colour).all(|(a, b)| a.abs_diff(b) < 12);
            let pixels: Vec<&[u8]> = shown.pixels.chunks(4).map(|pixel| &pixel[..3]).collect();
            assert!(near(pixels[0], [255; 3]), "white paper: {:?}", pixels[0]);
            assert!(pixels.iter().any(|pixel| !near(pixel, [255; 3])), "something is drawn");
        }
    }
}
