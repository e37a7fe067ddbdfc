//! The parts of Plonky3 that make a STARK, put together for one hash.

use p3_challenger::{HashChallenger, SerializingChallenger32};
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::extension::QuinticTrinomialExtensionField;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_symmetric::{CompressionFunctionFromHasher, CryptographicHasher, SerializingHasher};
use p3_uni_stark::StarkConfig;

use crate::field::Base;
use crate::options::Parameters;

/// A hash of commitments and coins, of 256 bits over bytes.
pub trait ByteHash: CryptographicHasher<u8, [u8; 32]> + Copy + Send + Sync + 'static {}

impl<H: CryptographicHasher<u8, [u8; 32]> + Copy + Send + Sync + 'static> ByteHash for H {}

/// The field that the verifier's coins are drawn from: F_p[X] / (X⁵ + X² − 1), of 154.9 bits.
pub type Challenge = QuinticTrinomialExtensionField<Base>;

type Leaves<H> = SerializingHasher<H>;
type Nodes<H> = CompressionFunctionFromHasher<H, 2, 32>;
type Tree<H> = MerkleTreeMmcs<Base, u8, Leaves<H>, Nodes<H>, 2, 32>;
type ChallengeTree<H> = ExtensionMmcs<Base, Challenge, Tree<H>>;
type Commitments<H> = TwoAdicFriPcs<Base, Radix2DitParallel<Base>, Tree<H>, ChallengeTree<H>>;
type Coins<H> = SerializingChallenger32<Base, HashChallenger<u8, H, 32>>;

/// The library's configuration.
pub type Config<H> = StarkConfig<Commitments<H>, Challenge, Coins<H>>;

/// The library's proof.
pub type Proof<H> = p3_uni_stark::Proof<Config<H>>;

/// A configuration whose coins begin with `transcript`.
pub fn config<H: ByteHash>(hash: H, parameters: &Parameters, transcript: Vec<u8>) -> Config<H> {
    let tree = Tree::<H>::new(Leaves::new(hash), Nodes::new(hash), 0);
    let fri = fri(parameters, ChallengeTree::new(tree.clone()));
    let commitments = Commitments::new(Radix2DitParallel::default(), tree, fri);
    StarkConfig::new(commitments, Coins::from_hasher(transcript, hash))
}

/// The parameters of the low-degree test, as the library names them.
pub fn fri<M>(parameters: &Parameters, mmcs: M) -> FriParameters<M> {
    FriParameters {
        log_blowup: parameters.blowup.ilog2() as usize,
        log_final_poly_len: parameters.remainder_length().ilog2() as usize,
        max_log_arity: parameters.folding.ilog2() as usize,
        num_queries: parameters.queries,
        batch_proof_of_work_bits: 0,
        commit_proof_of_work_bits: parameters.folding_grinding,
        query_proof_of_work_bits: parameters.grinding,
        mmcs,
    }
}
