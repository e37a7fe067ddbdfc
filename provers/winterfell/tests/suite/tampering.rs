//! Every bit of a proof matters, nothing may be missing or left over, and no bytes whatsoever make the
//! verifier allocate what it was not sent.

use nizk_protocol::Verdict;
use nizk_winterfell::air::Constants;
use nizk_winterfell::options::Parameters;
use nizk_winterfell::verifier::MimcVerifier;
use winterfell::FieldExtension;
use winterfell::crypto::hashers::Blake3_256;
use winterfell::math::fields::f64;

use crate::instances::{accepts, instance, library_accepts, prove, small};

type Field = f64::BaseElement;
type Hash = Blake3_256<Field>;

/// With FRI layers and without, with an extension and without.
fn configurations() -> [Parameters; 3] {
    [
        Parameters { queries: 3, ..small() },
        Parameters { queries: 3, remainder_max_degree: 15, ..small() },
        Parameters { queries: 2, extension: FieldExtension::Quadratic, folding: 4, ..small() },
    ]
}

fn proof(parameters: &Parameters) -> (crate::instances::Instance<Field>, Vec<u8>) {
    let instance = instance::<Field>(7, 5, Constants::Public);
    let bytes = prove::<_, Hash>(parameters, &instance).to_bytes();
    assert!(accepts::<_, Hash>(parameters, &instance.public, &bytes));
    (instance, bytes)
}

#[test]
fn a_proof_with_any_bit_flipped_is_rejected() {
    for parameters in configurations() {
        let (instance, mut bytes) = proof(&parameters);
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(!accepts::<_, Hash>(&parameters, &instance.public, &bytes), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn without_fri_layers_the_library_alone_ignores_the_number_of_partitions() {
    let [_, parameters, _] = configurations();
    let (instance, mut bytes) = proof(&parameters);
    // Before the eight bytes of the nonce.
    let partitions = bytes.len() - 9;
    bytes[partitions] ^= 1;
    assert!(library_accepts::<_, Hash>(&parameters, &instance.public, &bytes));
    assert!(!accepts::<_, Hash>(&parameters, &instance.public, &bytes));
}

#[test]
fn a_proof_that_is_cut_or_continued_is_rejected() {
    for parameters in configurations() {
        let (instance, bytes) = proof(&parameters);
        for length in 0..bytes.len() {
            assert!(!accepts::<_, Hash>(&parameters, &instance.public, &bytes[..length]));
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(library_accepts::<_, Hash>(&parameters, &instance.public, &longer));
        assert!(!accepts::<_, Hash>(&parameters, &instance.public, &longer));
        longer.extend(bytes);
        assert!(!accepts::<_, Hash>(&parameters, &instance.public, &longer));
    }
}

#[test]
fn a_proof_made_with_other_options_is_rejected_although_it_is_sound() {
    let (instance, bytes) = proof(&small());
    let others = [
        Parameters { queries: 5, ..small() },
        Parameters { blowup: 8, ..small() },
        Parameters { grinding: 1, ..small() },
        Parameters { extension: FieldExtension::Quadratic, ..small() },
        Parameters { folding: 4, ..small() },
        Parameters { remainder_max_degree: 3, ..small() },
        Parameters { partitions: 2, ..small() },
        Parameters { hash_rate: 2, ..small() },
    ];
    for other in others {
        assert!(!accepts::<_, Hash>(&other, &instance.public, &bytes), "{other:?}");
    }
}

/// Writes a length that no machine can allocate over every position, as each of the encodings that
/// the format has. An allocation that fails would end this process.
#[test]
fn no_length_in_a_proof_is_allocated_before_it_is_checked() {
    let [parameters, ..] = configurations();
    let (instance, bytes) = proof(&parameters);
    let verifier = MimcVerifier::<Field, Hash>::new(&parameters, instance.public.shape());
    // Nine-byte and six-byte variable-length integers, and all ones for the fixed ones.
    let lengths: [&[u8]; 3] =
        [&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0], &[0x20, 0, 0, 0, 0, 0x80], &[0xff; 4]];
    for position in 0..bytes.len() {
        for length in lengths {
            let mut tampered = bytes.clone();
            let end = (position + length.len()).min(bytes.len());
            tampered[position..end].copy_from_slice(&length[..end - position]);
            if tampered == bytes {
                continue;
            }
            assert!(verifier.verify(&instance.public, &tampered).is_err(), "byte {position}");
        }
    }
}

#[test]
fn bytes_that_are_no_proof_are_rejected() {
    let (instance, proof) = proof(&small());
    let mut state = 1_u64;
    let mut noise = |length| -> Vec<u8> {
        (0..length)
            .map(|_| {
                // Xorshift: any bytes will do, the same ones each time.
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state as u8
            })
            .collect()
    };
    for length in 0..400 {
        let garbage = noise(length);
        assert!(!accepts::<_, Hash>(&small(), &instance.public, &garbage));
        // The same behind as much of an honest proof as the context takes.
        let start = [&proof[..40.min(proof.len())], &garbage].concat();
        assert!(!accepts::<_, Hash>(&small(), &instance.public, &start));
    }
}

#[test]
fn a_session_rejects_its_own_proof_once_the_instance_has_changed() {
    let engine = nizk_winterfell::systems::F64.engines()[0].1;
    let shape = instance::<Field>(7, 5, Constants::Public).public.shape();
    let mut session = engine.open(small(), shape, &nizk_protocol::Seed::new([5; 32]), 1);
    session.load_instance(0).unwrap();
    session.witness().unwrap();
    session.prove().unwrap();
    assert_eq!(session.verify(), Ok(Verdict::Accepted));
    let (public_input, proof) = (session.public_input(), session.proof().to_vec());
    let verifier = engine.verifier(&small(), shape);
    assert_eq!(verifier.verify(&public_input, &proof), Verdict::Accepted);
    session.load_instance(1).unwrap();
    assert_ne!(verifier.verify(&session.public_input(), &proof), Verdict::Accepted);
}
