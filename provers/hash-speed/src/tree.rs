//! The root of a binary Merkle tree whose number of leaves is a power of two.

use crate::native::Native;

/// Hashes the leaves pairwise, then the digests of each level, in `level`, which has half as many
/// places as there are leaves: what is kept is one level, and the leaves stay as they are.
pub(crate) fn root<N: Native>(native: &N, leaves: &[N::Node], level: &mut [N::Node]) -> N::Node {
    for (place, pair) in level.iter_mut().zip(leaves.chunks_exact(2)) {
        *place = native.pair(pair[0], pair[1]);
    }
    let mut width = leaves.len() / 2;
    while width > 1 {
        width /= 2;
        for index in 0..width {
            level[index] = native.pair(level[2 * index], level[2 * index + 1]);
        }
    }
    level[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::{OverBytes, OverElements, Poseidon, Sha256};

    /// Written the other way round: a tree is the hash of its two halves.
    fn halves<N: Native>(native: &N, leaves: &[N::Node]) -> N::Node {
        match leaves {
            [leaf] => *leaf,
            _ => {
                let (left, right) = leaves.split_at(leaves.len() / 2);
                native.pair(halves(native, left), halves(native, right))
            }
        }
    }

    fn leaves<N: Native>(count: usize) -> Vec<N::Node> {
        (0..count).map(|index| N::leaf(&[index as u8; 64])).collect()
    }

    #[test]
    fn the_root_is_the_hash_of_the_roots_of_both_halves() {
        let (bytes, elements) = (OverBytes(Sha256), OverElements(Poseidon));
        for count in [2, 4, 32] {
            let leaves_of_bytes = leaves::<OverBytes<Sha256>>(count);
            let mut level = vec![[0; 32]; count / 2];
            let found = root(&bytes, &leaves_of_bytes, &mut level);
            assert_eq!(found, halves(&bytes, &leaves_of_bytes));
            let leaves_of_elements = leaves::<OverElements<Poseidon>>(count);
            let mut level = leaves_of_elements[..count / 2].to_vec();
            let found = root(&elements, &leaves_of_elements, &mut level);
            assert_eq!(found, halves(&elements, &leaves_of_elements));
        }
    }
}
