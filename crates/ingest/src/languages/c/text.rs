//! Where the parts of a source of C end, read byte by byte.

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// A number may hold quotes between its digits, as `1'000` does.
pub(super) fn name_end(source: &[u8], from: usize) -> usize {
    let is_number = source[from].is_ascii_digit();
    let mut at = from;
    while let Some(&byte) = source.get(at) {
        let joins = is_number && byte == b'\'' && source.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !is_name(byte) && !joins {
            break;
        }
        at += 1;
    }
    at
}

pub(super) fn line_end(source: &[u8], from: usize) -> usize {
    source[from..].iter().position(|&byte| byte == b'\n').map_or(source.len(), |at| from + at)
}

pub(super) fn comment_end(source: &[u8], from: usize) -> usize {
    let rest = source.get(from + 2..).unwrap_or(&[]);
    rest.windows(2).position(|pair| pair == b"*/").map_or(source.len(), |at| from + at + 4)
}

/// The end of the directive's last line; a comment that it opens belongs to it.
pub(in crate::languages) fn directive_end(source: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'\n' if !source[from..at].trim_ascii_end().ends_with(b"\\") => return at,
            b'/' if source.get(at + 1) == Some(&b'*') => at = comment_end(source, at),
            b'/' if source.get(at + 1) == Some(&b'/') => return line_end(source, at),
            _ => at += 1,
        }
    }
    source.len()
}

pub(super) fn quoted_end(source: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from + 1;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            b if b == quote => return at + 1,
            _ => at += 1,
        }
    }
    source.len()
}

pub(super) fn raw_end(source: &[u8], from: usize) -> usize {
    let rest = source.get(from..).unwrap_or(&[]);
    let Some(open) = rest.iter().position(|&byte| byte == b'(').filter(|open| *open <= 16) else {
        return from;
    };
    let close = [b")", &rest[..open], b"\""].concat();
    let end = rest.windows(close.len()).position(|window| window == close);
    end.map_or(source.len(), |at| from + at + close.len())
}
