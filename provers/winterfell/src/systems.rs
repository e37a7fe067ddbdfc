//! The systems of this runner, and how a request becomes a configuration of the library.

use std::marker::PhantomData;

use nizk_protocol::{
    Configuration, Failure, FieldDescription, OptionDescription, ProofSize, Rejection, Seed,
    Session, System, SystemDescription, Threads, Verifier,
};
use winterfell::crypto::hashers::{Blake3_192, Blake3_256, Rp64_256, RpJive64_256, Sha3_256};
use winterfell::math::fields::{f64, f128};
use winterfell::{BatchingMethod, FieldExtension};

use crate::description::{
    absent_phases, choice, integer, named, names, options, phases, properties, shape, statement,
};
use crate::options::Parameters;
use crate::rules::{Refusal, legal};
use crate::session::{Engine, Over};

const EXTENSIONS: [(&str, FieldExtension); 3] = [
    ("none", FieldExtension::None),
    ("quadratic", FieldExtension::Quadratic),
    ("cubic", FieldExtension::Cubic),
];

const BATCHINGS: [(&str, BatchingMethod); 3] = [
    ("linear", BatchingMethod::Linear),
    ("algebraic", BatchingMethod::Algebraic),
    ("horner", BatchingMethod::Horner),
];

/// What the systems of this library differ in.
pub struct Stark {
    system: &'static str,
    field: FieldDescription,
    /// How many of [`EXTENSIONS`] the field has.
    extensions: usize,
    default_extension: &'static str,
    hashes: &'static [(&'static str, &'static dyn Engine)],
}

/// STARKs over the 128-bit field, for which the library has no cubic extension.
pub const F128: Stark = Stark {
    system: "winterfell/stark/f128",
    field: FieldDescription {
        name: "f128",
        modulus: "0xffffffffffffffffffffd30000000001",
        bits: 128,
    },
    extensions: 2,
    default_extension: "none",
    hashes: &[
        ("blake3-192", &Over::<f128::BaseElement, Blake3_192<f128::BaseElement>>(PhantomData)),
        ("blake3-256", &Over::<f128::BaseElement, Blake3_256<f128::BaseElement>>(PhantomData)),
        ("sha3-256", &Over::<f128::BaseElement, Sha3_256<f128::BaseElement>>(PhantomData)),
    ],
};

/// STARKs over the 64-bit field, whose coins need an extension to be worth anything.
pub const F64: Stark = Stark {
    system: "winterfell/stark/f64",
    field: FieldDescription { name: "f64", modulus: "0xffffffff00000001", bits: 64 },
    extensions: 3,
    default_extension: "quadratic",
    hashes: &[
        ("blake3-192", &Over::<f64::BaseElement, Blake3_192<f64::BaseElement>>(PhantomData)),
        ("blake3-256", &Over::<f64::BaseElement, Blake3_256<f64::BaseElement>>(PhantomData)),
        ("sha3-256", &Over::<f64::BaseElement, Sha3_256<f64::BaseElement>>(PhantomData)),
        ("rp64-256", &Over::<f64::BaseElement, Rp64_256>(PhantomData)),
        ("rpjive64-256", &Over::<f64::BaseElement, RpJive64_256>(PhantomData)),
    ],
};

impl Stark {
    /// The field with each of its hashes, under the names that the option `hash` has.
    pub fn engines(&self) -> &'static [(&'static str, &'static dyn Engine)] {
        self.hashes
    }

    fn engine(&self, configuration: &Configuration) -> &'static dyn Engine {
        named(self.hashes, configuration.option_choice("hash"))
    }

    fn options(&self) -> Vec<OptionDescription> {
        let extensions = names(&EXTENSIONS[..self.extensions]);
        let batching = || names(&BATCHINGS);
        let mut options = options(extensions, self.default_extension, names(self.hashes));
        options.extend([
            choice(
                "batching_constraints",
                batching(),
                "linear",
                "how the constraints are combined into one",
            ),
            choice(
                "batching_deep",
                batching(),
                "linear",
                "how the openings are combined into the DEEP polynomial",
            ),
            integer("partitions", 1, 16, 1, "parts that a row is split into before it is hashed"),
            integer(
                "hash_rate",
                1,
                255,
                1,
                "elements that one permutation of the hash absorbs, the least size of a part",
            ),
        ]);
        options
    }
}

impl System for Stark {
    fn description(&self) -> SystemDescription {
        SystemDescription {
            system: self.system,
            scheme: "stark",
            curve: None,
            field: self.field.clone(),
            properties: properties(
                "\"The current implementation provides succinct proofs but NOT perfect \
                 zero-knowledge. This means that, in its current form, the library may \
                 not be suitable for use cases where proofs must not leak any info \
                 about secret inputs.\" (README.md of github.com/facebook/winterfell, \
                 Planned features)",
            ),
            phases: phases(),
            absent_phases: absent_phases(),
            threads: Threads {
                minimum: 1,
                maximum: None,
                how: "rayon global pool of this many threads, and the CPU affinity the harness sets",
            },
            proof_size: ProofSize::Varies,
            statements: vec![statement()],
            options: self.options(),
            malleable: Vec::new(),
        }
    }

    fn legal(&self, configuration: &Configuration) -> Result<(), Failure> {
        let Err(Refusal { rule, option, message }) =
            legal(configuration.size(), &parameters(configuration))
        else {
            return Ok(());
        };
        Err(Failure::unsupported(rule, option, message))
    }

    fn open(
        &self,
        configuration: &Configuration,
        seed: &Seed,
    ) -> Result<Box<dyn Session>, Failure> {
        let (parameters, shape) = (parameters(configuration), shape(configuration));
        Ok(self.engine(configuration).open(parameters, shape, seed, configuration.threads()))
    }

    fn verifier(
        &self,
        configuration: &Configuration,
        verifying_key: &[u8],
    ) -> Result<Box<dyn Verifier>, Rejection> {
        if !verifying_key.is_empty() {
            return Err(Rejection::new("a STARK has no verifying key, but the file holds one"));
        }
        let parameters = parameters(configuration);
        legal(configuration.size(), &parameters)
            .map_err(|refusal| Rejection::new(refusal.message))?;
        Ok(self.engine(configuration).verifier(&parameters, shape(configuration)))
    }
}

/// The options of a validated request.
pub fn parameters(configuration: &Configuration) -> Parameters {
    let integer = |name| configuration.option_integer(name);
    let choice = |name| configuration.option_choice(name);
    // Every integer option is bounded by 255 in the description.
    let small = |name| integer(name) as usize;
    Parameters {
        queries: small("queries"),
        blowup: small("blowup"),
        grinding: integer("grinding") as u32,
        extension: named(&EXTENSIONS, choice("extension")),
        folding: small("folding"),
        remainder_max_degree: small("remainder_max_degree"),
        batching_constraints: named(&BATCHINGS, choice("batching_constraints")),
        batching_deep: named(&BATCHINGS, choice("batching_deep")),
        partitions: small("partitions"),
        hash_rate: small("hash_rate"),
    }
}

#[cfg(test)]
mod tests {
    use winterfell::math::StarkField;

    use super::*;

    #[test]
    fn descriptions_have_no_faults() {
        for stark in [F128, F64] {
            assert_eq!(stark.description().faults(), Vec::<String>::new(), "{}", stark.system);
        }
    }

    #[test]
    fn moduli_are_those_of_the_library() {
        assert_eq!(F128.field.modulus, format!("{:#x}", f128::BaseElement::MODULUS));
        assert_eq!(F64.field.modulus, format!("{:#x}", f64::BaseElement::MODULUS));
        assert_eq!(F128.field.bits, f128::BaseElement::MODULUS_BITS);
        assert_eq!(F64.field.bits, f64::BaseElement::MODULUS_BITS);
    }
}
