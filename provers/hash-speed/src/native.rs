//! The functions as a program uses them: over bytes, or over elements that are elements already.

use ark_bn254::Fr;
use ark_ff::PrimeField;
use nizk_protocol::hash::Digest;
use sha2::Digest as _;

use crate::{element, mimc, poseidon};

/// A function with the values it takes and gives.
pub trait Native {
    /// What a message is made of.
    type Atom;
    /// What a digest is, and a leaf of a tree.
    type Node: Copy;

    /// A message as the function takes it.
    fn input(message: &[u8]) -> Vec<Self::Atom>;

    /// Hashes a message of at least one byte.
    fn hash(&self, input: &[Self::Atom]) -> Self::Node;

    /// Hashes two digests into one: 64 bytes, or two elements.
    fn pair(&self, left: Self::Node, right: Self::Node) -> Self::Node;

    /// A leaf from 64 random bytes: the first 32 of them, or the element that they reduce to.
    fn leaf(random: &[u8; 64]) -> Self::Node;

    /// The 32 bytes that a digest is written as.
    fn to_digest(node: Self::Node) -> Digest;
}

/// A function over bytes.
pub trait ByteFunction {
    /// The digest of bytes.
    fn digest(bytes: &[u8]) -> Digest;
}

/// A function over elements.
pub trait ElementFunction {
    /// The digest of at least one element.
    fn digest(elements: &[Fr]) -> Fr;
}

/// SHA-256 of the crate `sha2`.
pub struct Sha256;
/// SHA3-256 of the crate `sha3`.
pub struct Sha3;
/// BLAKE2s of the crate `blake2s_simd`.
pub struct Blake2s;
/// MiMC in Feistel form as a sponge, over the arithmetic of `ark-bn254`.
pub struct MimcSponge;
/// MiMC with x⁷, chained, over the arithmetic of `ark-bn254`.
pub struct Mimc7;
/// Poseidon of the crate `light-poseidon`.
pub struct Poseidon;

impl ByteFunction for Sha256 {
    #[inline]
    fn digest(bytes: &[u8]) -> Digest {
        sha2::Sha256::digest(bytes).into()
    }
}

impl ByteFunction for Sha3 {
    #[inline]
    fn digest(bytes: &[u8]) -> Digest {
        sha3::Sha3_256::digest(bytes).into()
    }
}

impl ByteFunction for Blake2s {
    #[inline]
    fn digest(bytes: &[u8]) -> Digest {
        *blake2s_simd::blake2s(bytes).as_array()
    }
}

impl ElementFunction for MimcSponge {
    #[inline]
    fn digest(elements: &[Fr]) -> Fr {
        mimc::sponge(elements)
    }
}

impl ElementFunction for Mimc7 {
    #[inline]
    fn digest(elements: &[Fr]) -> Fr {
        mimc::seven(elements)
    }
}

impl ElementFunction for Poseidon {
    #[inline]
    fn digest(elements: &[Fr]) -> Fr {
        poseidon::chain(elements)
    }
}

/// A function over bytes as [`Native`].
pub struct OverBytes<F>(pub F);

impl<F: ByteFunction> Native for OverBytes<F> {
    type Atom = u8;
    type Node = Digest;

    fn input(message: &[u8]) -> Vec<u8> {
        message.to_vec()
    }

    #[inline]
    fn hash(&self, input: &[u8]) -> Self::Node {
        F::digest(input)
    }

    #[inline]
    fn pair(&self, left: Self::Node, right: Self::Node) -> Self::Node {
        let mut bytes = [0; 64];
        bytes[..32].copy_from_slice(&left);
        bytes[32..].copy_from_slice(&right);
        F::digest(&bytes)
    }

    fn leaf(random: &[u8; 64]) -> Self::Node {
        std::array::from_fn(|index| random[index])
    }

    fn to_digest(node: Self::Node) -> Digest {
        node
    }
}

/// A function over elements as [`Native`].
pub struct OverElements<F>(pub F);

impl<F: ElementFunction> Native for OverElements<F> {
    type Atom = Fr;
    type Node = Fr;

    fn input(message: &[u8]) -> Vec<Fr> {
        element::elements(message)
    }

    #[inline]
    fn hash(&self, input: &[Fr]) -> Fr {
        F::digest(input)
    }

    #[inline]
    fn pair(&self, left: Fr, right: Fr) -> Fr {
        F::digest(&[left, right])
    }

    /// `element` of STATEMENTS.md: the digest as an unsigned little-endian integer, reduced.
    fn leaf(random: &[u8; 64]) -> Fr {
        Fr::from_le_bytes_mod_order(random)
    }

    fn to_digest(node: Fr) -> Digest {
        element::to_digest(node)
    }
}
