//! The digest of a message, whatever the function.

use nizk_protocol::hash::{Digest, Function};

use crate::native::{
    Blake2s, Mimc7, MimcSponge, Native, OverBytes, OverElements, Poseidon, Sha3, Sha256,
};

/// The digest of a message of at least one byte.
pub fn digest(function: Function, message: &[u8]) -> Digest {
    fn digest<N: Native>(native: &N, message: &[u8]) -> Digest {
        N::to_digest(native.hash(&N::input(message)))
    }
    match function {
        Function::Sha256 => digest(&OverBytes(Sha256), message),
        Function::Sha3_256 => digest(&OverBytes(Sha3), message),
        Function::Blake2s => digest(&OverBytes(Blake2s), message),
        Function::MimcSponge => digest(&OverElements(MimcSponge), message),
        Function::Mimc7 => digest(&OverElements(Mimc7), message),
        Function::Poseidon => digest(&OverElements(Poseidon), message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hexadecimal(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// NIST's examples for FIPS 180-4 and FIPS 202, of one block and of two; RFC 7693, appendix B, and
    /// Python's `hashlib.blake2s(b"\xa3" * 200).hexdigest()` for four blocks.
    #[test]
    fn functions_over_bytes_answer_as_their_standards_do() {
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        let answers: [(Function, &[u8], &str); 6] = [
            (
                Function::Sha256,
                b"abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            (
                Function::Sha256,
                two_blocks,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
            (
                Function::Sha3_256,
                b"abc",
                "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
            ),
            (
                Function::Sha3_256,
                &[0xa3; 200],
                "79f38adec5c20307a98ef76e8324afbfd46cfd81b22e3973c65fa1bd9de31787",
            ),
            (
                Function::Blake2s,
                b"abc",
                "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982",
            ),
            (
                Function::Blake2s,
                &[0xa3; 200],
                "462f5a236559c276cd0bdac7ae17ee36c279e968befe254e3ee04b7ed0a02b50",
            ),
        ];
        for (function, message, answer) in answers {
            assert_eq!(hexadecimal(&digest(function, message)), answer, "{function:?}");
        }
    }

    /// Answers of circomlibjs 0.1.7 (`mimcSponge.multiHash`, `mimc7.multiHash`, `poseidon`) for the
    /// pieces of the message 00 01 02 …: one piece, two, just as many as Poseidon takes at once, one
    /// more, and two chained calls.
    #[test]
    fn functions_over_elements_answer_as_circomlib_does() {
        let answers = [
            (
                1,
                "2027777a0db985664a19a476fa41bb311a34bf30e70eade27d3eb7ff691dba40",
                "19ef1644e8e5e6a0d7db0046d76324d7052eb1dcd7802ef5845f93cfeaa02179",
                "2a09a9fd93c590c26b91effbb2499f07e8f7aa12e2b4940a3aed2411cb65e11c",
            ),
            (
                31,
                "275dafc02b046942edf11258f5e847a1147a336bc34c8ab6b1fae9ecf8e724eb",
                "0a72b4294d764d17978e1b593318f625a82ab58c491afc2d8b6c283ebb400996",
                "1bef91cd8f4fd044e5867ac9c205ae180908fbe69d61d9f73223f74e7c25229f",
            ),
            (
                32,
                "08b5e4c41f79cd45c156c6d84d3390b9ffb0c4ee7926d129a564a6dc02df1bd6",
                "11ba91cb59351c633a3a8d15594b9820d85ffd70c05709c795651076607a2b25",
                "2fca23d1968463489ff30915b5dc9d819aa12f69f0ba8282acc73eabfa076ab5",
            ),
            (
                186,
                "25e4a98b73d3229e269262d259b01e19797ba917dacf653cd27b5e71b2b7b440",
                "079602acf0ff96a98a2b449b680c67941007708bd90f653eaa78b37353fd2ad2",
                "201b0ce0ce100836546c31b114774274ebdbe08f54b82116bdff6147da284410",
            ),
            (
                187,
                "0d84ce99703bc612ce17304ad14c819384b25359bfb621c21ea99888ed1f970d",
                "17b6ede5a56c30b97d06145de757f2129de3846b7c813f0a8014da7c99f0e329",
                "28faf737cef361475e56e22b70afc48ba4c8aee29c473980a7d512c61be373e7",
            ),
            (
                400,
                "00a94ad1db7627c3047473f0be472ec08a5c11fc846a2c2663d41245a0d72a00",
                "14caf2c1dc60ad3461ff4121678128a45b7fcd20cf7af9736417faa68c26adbc",
                "13f5f55444c10953be890c123b854153541b08dc14ee9e4206b418b123acdf51",
            ),
        ];
        for (bytes, sponge, seven, poseidon) in answers {
            let message: Vec<u8> = (0..bytes).map(|index: usize| index as u8).collect();
            let digest = |function| hexadecimal(&super::digest(function, &message));
            assert_eq!(digest(Function::MimcSponge), sponge, "mimc-sponge of {bytes} bytes");
            assert_eq!(digest(Function::Mimc7), seven, "mimc-7 of {bytes} bytes");
            assert_eq!(digest(Function::Poseidon), poseidon, "poseidon of {bytes} bytes");
        }
    }
}
