//! A witness in iden3's binary format `wtns`, version 2
//! (<https://github.com/iden3/snarkjs>, `src/wtns_utils.js`): section 1 has the field and the number
//! of wires, section 2 the value of each.

use ark_bn254::Fr;

use crate::iden3::{ELEMENT_BYTES, Malformed, Sections};

const NAME: &[u8; 4] = b"wtns";
const VERSION: u32 = 2;
const HEADER: u32 = 1;
const VALUES: u32 = 2;

/// Reads the values of all wires, the constant one first.
///
/// # Errors
///
/// What is wrong with the file, as a sentence without its subject.
pub fn read(file: &[u8]) -> Result<Vec<Fr>, Malformed> {
    let sections = Sections::read(file, NAME, VERSION, &[HEADER, VALUES])?;
    let mut header = sections.require(HEADER)?;
    header.field()?;
    let wires = header.u32()? as usize;
    header.finish()?;
    let mut values = sections.require(VALUES)?;
    if values.left() != wires.saturating_mul(ELEMENT_BYTES) {
        let bytes = values.left();
        return Err(Malformed::new(format!("it announces {wires} values and has {bytes} bytes")));
    }
    let assignment: Vec<Fr> = (0..wires).map(|_| values.element()).collect::<Result<_, _>>()?;
    if assignment.first() != Some(&Fr::from(1)) {
        return Err(Malformed::new("its first value is not the constant one"));
    }
    Ok(assignment)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = include_bytes!("../tests/data/mimc-7-1-bytes/message-ff.wtns");

    fn wrong(change: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut file = FILE.to_vec();
        change(&mut file);
        read(&file).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        assert!(read(FILE).is_ok());
        assert!(wrong(|file| file[3] = b'x').contains("begin with \"wtns\""));
        assert!(wrong(|file| file[4] = 1).contains("version is 1"));
        assert!(wrong(|file| file.truncate(file.len() - 1)).contains("ends before"));
        assert!(wrong(|file| file.push(7)).contains("1 bytes after"));
        // Section 1 stands first: 12 bytes of the file, 12 of the section, then 4 of the element's
        // size, 32 of the order, 4 of the count.
        assert!(wrong(|file| file[28] ^= 1).contains("another field"));
        assert!(wrong(|file| file[60] ^= 1).contains("values and has"));
        let values = 12 + 12 + 40 + 12;
        assert!(wrong(|file| file[values] = 2).contains("not the constant one"));
        assert!(wrong(|file| file[values + 32..values + 64].fill(0xff)).contains("not below"));
    }
}
