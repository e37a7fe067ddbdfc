//! Hexadecimal as the protocol writes it: lower case, and canonical for field elements.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Bytes as pairs of lower-case digits.
pub(crate) fn encode(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(digit).collect()
}

fn digit(value: u8) -> char {
    char::from(DIGITS[usize::from(value)])
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// Reads exactly 64 lower-case digits.
pub(crate) fn decode_32(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(bytes)
}

/// Writes a little-endian integer as `0x` and digits without leading zeros.
pub(crate) fn encode_integer(little_endian: &[u8; 32]) -> String {
    let digits: String = little_endian
        .iter()
        .rev()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .skip_while(|value| *value == 0)
        .map(digit)
        .collect();
    if digits.is_empty() { "0x0".to_owned() } else { format!("0x{digits}") }
}

/// Reads what [`encode_integer`] writes and nothing else.
pub(crate) fn decode_integer(text: &str) -> Option<[u8; 32]> {
    let digits = text.strip_prefix("0x")?.as_bytes();
    let canonical =
        !digits.is_empty() && digits.len() <= 64 && (digits[0] != b'0' || digits.len() == 1);
    if !canonical {
        return None;
    }
    let mut bytes = [0; 32];
    for (position, digit) in digits.iter().rev().enumerate() {
        bytes[position / 2] |= value(*digit)? << (4 * (position % 2));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_they_are_written() {
        for text in ["0x0", "0x1", "0x10", "0xff", "0x100", "0xdeadbeef"] {
            assert_eq!(encode_integer(&decode_integer(text).unwrap()), text);
        }
        let largest = format!("0x{}", "f".repeat(64));
        assert_eq!(decode_integer(&largest), Some([0xff; 32]));
    }

    #[test]
    fn integers_not_in_canonical_form_are_refused() {
        let long = format!("0x1{}", "0".repeat(64));
        for text in ["", "0", "0x", "0x00", "0x01", "0xA", "0xg", "1", "0X1", " 0x1", "0x1 ", &long]
        {
            assert_eq!(decode_integer(text), None, "{text:?}");
        }
    }

    #[test]
    fn thirty_two_bytes_are_read_as_they_are_written() {
        let bytes: [u8; 32] = std::array::from_fn(|index| (index * 9) as u8);
        assert_eq!(decode_32(&encode(&bytes)), Some(bytes));
        assert_eq!(decode_32(&"A".repeat(64)), None);
        assert_eq!(decode_32(&"a".repeat(63)), None);
        assert_eq!(decode_32(&"a".repeat(66)), None);
    }
}
