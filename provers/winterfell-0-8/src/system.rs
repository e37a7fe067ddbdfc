//! The system of this runner, and how a request becomes a configuration of the library.

use std::marker::PhantomData;

use nizk_protocol::{
    Configuration, Failure, FieldDescription, ProofSize, Rejection, Seed, Session, System,
    SystemDescription, Threads, Verifier,
};
use winterfell::FieldExtension;
use winterfell::crypto::hashers::{Blake3_192, Blake3_256, Sha3_256};
use winterfell::math::fields::f128::BaseElement;

use crate::description::{
    absent_phases, named, names, options, phases, properties, shape, statement,
};
use crate::options::Parameters;
use crate::rules::{Refusal, legal};
use crate::session::{Engine, Over};

/// STARKs over the 128-bit field, the one that earlier work used.
pub struct F128;

const HASHES: [(&str, &dyn Engine); 3] = [
    ("blake3-192", &Over::<BaseElement, Blake3_192<BaseElement>>(PhantomData)),
    ("blake3-256", &Over::<BaseElement, Blake3_256<BaseElement>>(PhantomData)),
    ("sha3-256", &Over::<BaseElement, Sha3_256<BaseElement>>(PhantomData)),
];

/// The library has no cubic extension of this field.
pub(crate) const EXTENSIONS: [(&str, FieldExtension); 2] =
    [("none", FieldExtension::None), ("quadratic", FieldExtension::Quadratic)];

impl System for F128 {
    fn description(&self) -> SystemDescription {
        SystemDescription {
            system: "winterfell-0-8/stark/f128",
            scheme: "stark",
            curve: None,
            field: FieldDescription {
                name: "f128",
                modulus: "0xffffffffffffffffffffd30000000001",
                bits: 128,
            },
            properties: properties(
                "\"The current implementation provides succinct proofs but NOT perfect \
                 zero-knowledge.\" (README.md of github.com/facebook/winterfell, \
                 Planned features)",
            ),
            phases: phases(),
            absent_phases: absent_phases(),
            threads: Threads {
                minimum: 1,
                maximum: Some(1),
                how: "the library is built without its feature concurrent, as in earlier work, and \
                      computes in one thread",
            },
            proof_size: ProofSize::Varies,
            statements: vec![statement()],
            options: options(names(&EXTENSIONS), "none", names(&HASHES)),
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
        Ok(engine(configuration).open(parameters, shape, seed, configuration.threads()))
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
        Ok(engine(configuration).verifier(&parameters, shape(configuration)))
    }
}

fn engine(configuration: &Configuration) -> &'static dyn Engine {
    named(&HASHES, configuration.option_choice("hash"))
}

fn parameters(configuration: &Configuration) -> Parameters {
    // Every integer option is bounded by 255 in the description.
    let small = |name| configuration.option_integer(name) as usize;
    Parameters {
        queries: small("queries"),
        blowup: small("blowup"),
        grinding: small("grinding") as u32,
        extension: named(&EXTENSIONS, configuration.option_choice("extension")),
        folding: small("folding"),
        remainder_max_degree: small("remainder_max_degree"),
    }
}

#[cfg(test)]
mod tests {
    use winterfell::math::StarkField;

    use super::*;

    #[test]
    fn the_description_has_no_faults() {
        assert_eq!(F128.description().faults(), Vec::<String>::new());
    }

    #[test]
    fn the_modulus_is_that_of_the_library() {
        let field = F128.description().field;
        assert_eq!(field.modulus, format!("{:#x}", BaseElement::MODULUS));
        assert_eq!(field.bits, BaseElement::MODULUS_BITS);
    }
}
