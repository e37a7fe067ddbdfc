//! Instances, proofs and verdicts, as the tests of this runner need them.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Once};

use nizk_protocol::{Seed, mimc};
use nizk_winterfell::air::{Constants, MimcAir, PublicInputs, trace};
use nizk_winterfell::field::{BaseField, Prime};
use nizk_winterfell::options::Parameters;
use nizk_winterfell::prover::MimcProver;
use nizk_winterfell::verifier::MimcVerifier;
use winterfell::crypto::{DefaultRandomCoin, ElementHasher, MerkleTree};
use winterfell::{AcceptableOptions, BatchingMethod, FieldExtension, Proof, Prover};

/// A preimage and what the verifier is given.
pub(crate) struct Instance<B> {
    pub(crate) preimage: (B, B),
    pub(crate) public: PublicInputs<B>,
}

/// Instance 0 of a seed made of one byte.
pub(crate) fn instance<B: BaseField>(rounds: usize, seed: u8, constants: Constants) -> Instance<B> {
    let seed = Seed::new([seed; 32]);
    let round_constants: Arc<[B]> = mimc::constants::<Prime<B>>(&seed, rounds).into();
    let preimage = mimc::preimage::<Prime<B>>(&seed, 0);
    let image = mimc::image::<Prime<B>>(&round_constants, preimage);
    Instance {
        preimage,
        public: PublicInputs { image, preimage: None, round_constants, constants },
    }
}

/// Small and fast parameters.
pub(crate) fn small() -> Parameters {
    Parameters {
        queries: 4,
        blowup: 4,
        grinding: 0,
        extension: FieldExtension::None,
        folding: 2,
        remainder_max_degree: 1,
        batching_constraints: BatchingMethod::Linear,
        batching_deep: BatchingMethod::Linear,
        partitions: 1,
        hash_rate: 1,
    }
}

/// An honest proof.
pub(crate) fn prove<B: BaseField, H: ElementHasher<BaseField = B> + Sync>(
    parameters: &Parameters,
    instance: &Instance<B>,
) -> Proof {
    let Instance { preimage, public } = instance;
    let trace = trace(*preimage, &public.round_constants, public.constants);
    MimcProver::<B, H>::new(parameters.proof_options(), public.clone())
        .prove(trace)
        .expect("the prover proves")
}

/// This runner's verdict; a panic is a rejection, as it is in the runner.
pub(crate) fn accepts<B: BaseField, H: ElementHasher<BaseField = B>>(
    parameters: &Parameters,
    public: &PublicInputs<B>,
    proof: &[u8],
) -> bool {
    let verifier = MimcVerifier::<B, H>::new(parameters, public.shape());
    unwound(|| verifier.verify(public, proof).is_ok()).unwrap_or(false)
}

/// The library's verdict, alone.
pub(crate) fn library_accepts<B: BaseField, H: ElementHasher<BaseField = B>>(
    parameters: &Parameters,
    public: &PublicInputs<B>,
    proof: &[u8],
) -> bool {
    let acceptable = AcceptableOptions::OptionSet(vec![parameters.proof_options()]);
    unwound(|| {
        Proof::from_bytes(proof).is_ok_and(|proof| {
            winterfell::verify::<MimcAir<B>, H, DefaultRandomCoin<H>, MerkleTree<H>>(
                proof,
                public.clone(),
                &acceptable,
            )
            .is_ok()
        })
    })
    .unwrap_or(false)
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// The result, or `None` after a panic, which is kept off standard error: tests provoke thousands.
pub(crate) fn unwound<R>(work: impl FnOnce() -> R) -> Option<R> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                print(panic);
            }
        }));
    });
    QUIET.set(true);
    let result = catch_unwind(AssertUnwindSafe(work)).ok();
    QUIET.set(false);
    result
}
