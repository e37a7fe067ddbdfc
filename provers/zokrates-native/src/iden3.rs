//! The container of iden3's binary formats: a name of four letters, a version, and sections, each
//! with its type and length (<https://github.com/iden3/binfileutils>). Integers are little-endian.
//!
//! Everything is read from a slice with bounds checked, and nothing is reserved for a count before the
//! bytes that it announces are seen to be there.

use std::collections::BTreeMap;
use std::fmt;

use ark_bn254::Fr;
use ark_ff::{BigInt, PrimeField};

/// Bytes of an element of BN254's scalar field.
pub(crate) const ELEMENT_BYTES: usize = 32;

/// What is wrong with a file, as a sentence without its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Malformed {
    pub(crate) fn new(what: impl Into<String>) -> Malformed {
        Malformed(what.into())
    }
}

/// The sections of a file by their type.
pub(crate) struct Sections<'a>(BTreeMap<u32, &'a [u8]>);

impl<'a> Sections<'a> {
    /// Cuts a file of this name and version into sections, of which every type in `legal` may occur
    /// once and no other.
    pub(crate) fn read(
        file: &'a [u8],
        name: &[u8; 4],
        version: u32,
        legal: &[u32],
    ) -> Result<Sections<'a>, Malformed> {
        let mut rest = Reader::new(file);
        if rest.bytes(4)? != name {
            let name = String::from_utf8_lossy(name);
            return Err(Malformed::new(format!("it does not begin with {name:?}")));
        }
        let found = rest.u32()?;
        if found != version {
            return Err(Malformed::new(format!("its version is {found}, legal is {version}")));
        }
        let mut sections = BTreeMap::new();
        for _ in 0..rest.u32()? {
            let kind = rest.u32()?;
            let length = rest.u64()?;
            let content = usize::try_from(length)
                .map_err(|_| too_short())
                .and_then(|length| rest.bytes(length))?;
            if !legal.contains(&kind) {
                return Err(Malformed::new(format!("it has a section of the unknown type {kind}")));
            }
            if sections.insert(kind, content).is_some() {
                return Err(Malformed::new(format!("it has two sections of type {kind}")));
            }
        }
        rest.finish()?;
        Ok(Sections(sections))
    }

    /// The section of a type that must be there.
    pub(crate) fn require(&self, kind: u32) -> Result<Reader<'a>, Malformed> {
        self.get(kind).ok_or_else(|| Malformed::new(format!("it has no section of type {kind}")))
    }

    /// The section of a type.
    pub(crate) fn get(&self, kind: u32) -> Option<Reader<'a>> {
        self.0.get(&kind).map(|content| Reader::new(content))
    }
}

/// What is not read yet.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn new(rest: &'a [u8]) -> Reader<'a> {
        Reader { rest }
    }

    /// How many bytes are left.
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or_else(too_short)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn array<const BYTES: usize>(&mut self) -> Result<[u8; BYTES], Malformed> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or_else(too_short)?;
        self.rest = rest;
        Ok(*bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// A count of items of which each takes at least this many bytes of what is left.
    pub(crate) fn count(&mut self, bytes_each: usize) -> Result<usize, Malformed> {
        let count = self.u32()? as usize;
        match count.checked_mul(bytes_each) {
            Some(bytes) if bytes <= self.left() => Ok(count),
            _ => Err(too_short()),
        }
    }

    /// An element in its only form: below the order.
    pub(crate) fn element(&mut self) -> Result<Fr, Malformed> {
        Fr::from_bigint(self.integer()?)
            .ok_or_else(|| Malformed::new("it has an element that is not below the field's order"))
    }

    /// The size of an element and the order of the field, which must be BN254's.
    pub(crate) fn field(&mut self) -> Result<(), Malformed> {
        let bytes = self.u32()?;
        if bytes as usize != ELEMENT_BYTES || self.integer()? != Fr::MODULUS {
            return Err(Malformed::new("it is over another field than the scalar field of BN254"));
        }
        Ok(())
    }

    fn integer(&mut self) -> Result<BigInt<4>, Malformed> {
        let mut limbs = [0; 4];
        for limb in &mut limbs {
            *limb = self.u64()?;
        }
        Ok(BigInt::new(limbs))
    }

    /// Refuses bytes that nothing has read.
    pub(crate) fn finish(self) -> Result<(), Malformed> {
        match self.left() {
            0 => Ok(()),
            left => Err(Malformed::new(format!("it has {left} bytes after the end of a part"))),
        }
    }
}

fn too_short() -> Malformed {
    Malformed::new("it ends before what it announces")
}
