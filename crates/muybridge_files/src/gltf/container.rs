//! Splits glTF bytes into JSON text and binary chunks, and joins them again.
//!
//! ```text
//! GLB = "glTF" u32 version u32 length, then chunks { u32 length, u32 type, bytes }: JSON first, BIN second, others after.
//! data:[<media type>][;base64],<characters>
//! ```
//! Source: Khronos glTF 2.0 specification, sections 4.4 (GLB) and 2.7 (URIs); RFC 4648 for base64.

use crate::{Error, Location};

const MAGIC: &[u8; 4] = b"glTF";
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BIN_CHUNK: u32 = 0x004E_4942;

/// The parts of a glTF file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Container {
    /// Whether the file is a GLB.
    pub binary: bool,
    /// The JSON text.
    pub text: String,
    /// The BIN chunk of a GLB; `None` if the file has none.
    pub bin: Option<Vec<u8>>,
    /// Chunks of unknown types, kept for writing back.
    pub other_chunks: Vec<(u32, Vec<u8>)>,
    /// Offset of the JSON text in the file.
    pub text_offset: usize,
    /// Notes on oddities that are readable.
    pub notes: Vec<String>,
}

/// Splits a file into its parts. Errors name the byte.
pub(super) fn split(bytes: &[u8]) -> Result<Container, Error> {
    if bytes.starts_with(b"version https://git-lfs") {
        let message = "this is a git-LFS pointer, not the file itself; fetch it with `git lfs pull`";
        return Err(Error::new(Location::File, message));
    }
    if bytes.starts_with(MAGIC) {
        return split_glb(bytes);
    }
    let (text_offset, notes) = if bytes.starts_with(&[0xEF, 0xBB, 0xBF]) {
        (3, vec!["a byte order mark before the JSON text, which glTF does not allow, was skipped".to_string()])
    } else {
        (0, Vec::new())
    };
    let first = bytes[text_offset..].iter().find(|b| !b.is_ascii_whitespace());
    if !matches!(first, Some(b'{' | b'[')) {
        let message = "this is neither a GLB file (it would begin with “glTF”) nor glTF JSON (it would begin with “{”)";
        return Err(Error::new(Location::Byte(0), message));
    }
    let text = utf8(&bytes[text_offset..], text_offset)?;
    Ok(Container { binary: false, text, bin: None, other_chunks: Vec::new(), text_offset, notes })
}

/// Joins a GLB: JSON padded with spaces, binary chunks with zeros, to whole words of 4 bytes.
pub(crate) fn join_glb(text: &str, bin: Option<&[u8]>, other_chunks: &[(u32, Vec<u8>)]) -> Result<Vec<u8>, Error> {
    let mut body = Vec::with_capacity(text.len() + bin.map_or(0, <[u8]>::len) + 32);
    push_chunk(&mut body, JSON_CHUNK, text.as_bytes(), b' ');
    if let Some(bin) = bin {
        push_chunk(&mut body, BIN_CHUNK, bin, 0);
    }
    for (kind, bytes) in other_chunks {
        push_chunk(&mut body, *kind, bytes, 0);
    }
    let Ok(length) = u32::try_from(body.len() + 12) else {
        return Err(Error::new(Location::File, "the GLB would be longer than 4 GB, which the format cannot say"));
    };
    let mut file = Vec::with_capacity(length as usize);
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&2u32.to_le_bytes());
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(&body);
    Ok(file)
}

/// Decodes a `data:` URI; `None` if it is malformed.
pub(crate) fn decode_data_uri(uri: &str) -> Option<Vec<u8>> {
    let (head, body) = uri.strip_prefix("data:")?.split_once(',')?;
    if head.contains(";;") {
        return None;
    }
    match head.ends_with(";base64") {
        true => decode_base64(body),
        false => decode_percent(body),
    }
}

/// Encodes bytes as Base64 with padding, RFC 4648.
pub(crate) fn encode_base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group.iter().enumerate().fold(0u32, |word, (i, &b)| word | u32::from(b) << (16 - 8 * i));
        for i in 0..4 {
            let sextet = (word >> (18 - 6 * i)) as usize & 63;
            text.push(if i <= group.len() { char::from(ALPHABET[sextet]) } else { '=' });
        }
    }
    text
}

/// Decodes percent escapes such as `%20` in a URI; `None` if it is malformed.
pub(super) fn decode_percent(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |b: Option<u8>| char::from(b?).to_digit(16);
            bytes.push((digit(rest.next())? * 16 + digit(rest.next())?) as u8);
        } else {
            bytes.push(byte);
        }
    }
    Some(bytes)
}

/// Encodes a relative name as a URI: characters other than letters, digits and `-._~/` become escapes such as `%20`.
pub(super) fn encode_percent(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => text.push(char::from(byte)),
            _ => {
                text.push('%');
                text.extend([byte >> 4, byte & 15].map(|digit| char::from(b"0123456789ABCDEF"[usize::from(digit)])));
            }
        }
    }
    text
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn split_glb(bytes: &[u8]) -> Result<Container, Error> {
    let word = |at: usize| -> Option<u32> { Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?)) };
    let (Some(version), Some(length)) = (word(4), word(8)) else {
        return Err(Error::new(
            Location::Byte(bytes.len()),
            "the file ends inside the 12-byte GLB header; it is truncated",
        ));
    };
    if version != 2 {
        let message = format!("GLB version {version}; only version 2 can be read, export as glTF 2.0");
        return Err(Error::new(Location::Byte(4), message));
    }
    if length < 12 {
        let message = format!("the header says the file is {length} bytes long, less than the header itself");
        return Err(Error::new(Location::Byte(8), message));
    }
    let mut glb = Container {
        binary: true,
        text: String::new(),
        bin: None,
        other_chunks: Vec::new(),
        text_offset: 20,
        notes: Vec::new(),
    };
    if length as usize != bytes.len() {
        glb.notes.push(format!("the header says {length} bytes, the file has {}", bytes.len()));
    }
    let end = bytes.len().min(length as usize);
    let mut at = 12;
    let mut index = 0;
    while at < end || index == 0 {
        let (kind, body) = chunk_at(&bytes[..end], at)?;
        take_chunk(&mut glb, at, index, kind, body)?;
        at += 8 + body.len();
        index += 1;
    }
    Ok(glb)
}

fn chunk_at(bytes: &[u8], at: usize) -> Result<(u32, &[u8]), Error> {
    let truncated = |what: &str| {
        let message = format!("the file ends inside the {what} of the chunk that begins at byte {at}; it is truncated");
        Error::new(Location::Byte(bytes.len()), message)
    };
    let header = bytes.get(at..at + 8).ok_or_else(|| truncated("header"))?;
    let word = |i: usize| u32::from_le_bytes([header[i], header[i + 1], header[i + 2], header[i + 3]]);
    let body = bytes[at + 8..].get(..word(0) as usize).ok_or_else(|| truncated("bytes"))?;
    Ok((word(4), body))
}

fn take_chunk(glb: &mut Container, at: usize, index: usize, kind: u32, body: &[u8]) -> Result<(), Error> {
    let refuse = |message: &str| Err(Error::new(Location::Byte(at), message));
    match kind {
        JSON_CHUNK if index == 0 => {
            let end = body.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
            glb.text = utf8(&body[..end], at + 8)?;
        }
        _ if index == 0 => return refuse("the first chunk of a GLB must hold the JSON text"),
        JSON_CHUNK => return refuse("a second JSON chunk; a GLB holds one"),
        BIN_CHUNK if index == 1 => glb.bin = Some(body.to_vec()),
        BIN_CHUNK => return refuse("a BIN chunk that is not the second chunk; a GLB holds one, right after the JSON"),
        _ => {
            glb.notes.push(format!("a chunk of unknown type {kind:#010x} at byte {at} was left alone"));
            glb.other_chunks.push((kind, body.to_vec()));
        }
    }
    Ok(())
}

fn push_chunk(file: &mut Vec<u8>, kind: u32, bytes: &[u8], padding: u8) {
    let padded = bytes.len().next_multiple_of(4);
    file.extend_from_slice(&(padded as u32).to_le_bytes());
    file.extend_from_slice(&kind.to_le_bytes());
    file.extend_from_slice(bytes);
    file.resize(file.len() + padded - bytes.len(), padding);
}

fn utf8(bytes: &[u8], offset: usize) -> Result<String, Error> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        Error::new(Location::Byte(offset + e.valid_up_to()), "the JSON text is not UTF-8 here; save the file as UTF-8")
    })?;
    Ok(text.to_string())
}

fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    if text.len() - digits.len() > 2 || digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut word = 0u32;
        for (i, &digit) in group.iter().enumerate() {
            word |= u32::from(sextet(digit)?) << (18 - 6 * i);
        }
        bytes.extend_from_slice(&word.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

fn sextet(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_vectors_of_rfc_4648_encode_and_decode() {
        let vectors =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in vectors {
            assert_eq!(encode_base64(plain.as_bytes()), coded);
            assert_eq!(decode_base64(coded).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(decode_base64("A"), None);
        assert_eq!(decode_base64("A!=="), None);
    }

    #[test]
    fn a_data_uri_without_base64_is_percent_encoded() {
        assert_eq!(decode_data_uri("data:application/gltf-buffer,a%20b"), Some(b"a b".to_vec()));
        assert_eq!(decode_data_uri("data:"), None);
        assert_eq!(decode_data_uri("data:,%2"), None);
    }

    #[test]
    fn a_glb_that_is_joined_splits_into_the_same_parts() {
        let other = vec![(7, vec![1, 2, 3, 4])];
        let file = join_glb("{} ", Some(&[9, 9, 9]), &other).unwrap();
        assert_eq!(file.len() % 4, 0);
        let parts = split(&file).unwrap();
        assert_eq!((parts.text.trim(), parts.bin), ("{}", Some(vec![9, 9, 9, 0])));
        assert_eq!(parts.other_chunks, other);
    }
}
