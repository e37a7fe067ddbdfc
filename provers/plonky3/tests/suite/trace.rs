//! The AIR: its shape, its degree, and that every cell of an honest trace is tied to the others.

use std::panic::catch_unwind;

use nizk_plonky3::air::{MimcAir, trace};
use nizk_plonky3::field::{Base, Element, KoalaBear4};
use nizk_plonky3::rules::shape;
use nizk_protocol::{Seed, mimc};
use p3_air::check_constraints;
use p3_air::symbolic::{AirLayout, get_max_constraint_degree};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

const ROUNDS: usize = 31;
const WIDTHS: [usize; 3] = [2, 4, 8];

fn instance() -> (Vec<Element>, (Element, Element), Vec<Base>) {
    let seed = Seed::new([3; 32]);
    let constants = mimc::constants::<KoalaBear4>(&seed, ROUNDS);
    let preimage = mimc::preimage::<KoalaBear4>(&seed, 0);
    let image = mimc::image::<KoalaBear4>(&constants, preimage);
    (constants, preimage, image.as_basis_coefficients_slice().to_vec())
}

#[test]
fn an_honest_trace_satisfies_the_constraints_however_many_rounds_are_in_a_row() {
    let (constants, preimage, image) = instance();
    for width in WIDTHS {
        let air = MimcAir::new(shape(ROUNDS, width).unwrap(), &constants);
        check_constraints(&air, &trace(preimage, &constants, width), &image);
    }
}

#[test]
fn no_cell_of_a_trace_can_be_another() {
    let (constants, preimage, image) = instance();
    for width in WIDTHS {
        let air = MimcAir::new(shape(ROUNDS, width).unwrap(), &constants);
        let honest = trace(preimage, &constants, width);
        for cell in 0..honest.values.len() {
            let mut other = honest.clone();
            other.values[cell] += Base::ONE;
            let checked = catch_unwind(|| check_constraints(&air, &other, &image));
            assert!(checked.is_err(), "cell {cell} with {width} rounds in a row");
        }
    }
}

#[test]
fn no_constant_and_no_coordinate_of_the_image_can_be_another() {
    let (constants, preimage, image) = instance();
    for width in WIDTHS {
        let shape = shape(ROUNDS, width).unwrap();
        let honest = trace(preimage, &constants, width);
        for round in 0..ROUNDS {
            let mut other = constants.clone();
            other[round] += Element::ONE;
            let air = MimcAir::new(shape, &other);
            assert!(catch_unwind(|| check_constraints(&air, &honest, &image)).is_err());
        }
        let air = MimcAir::new(shape, &constants);
        for coordinate in 0..image.len() {
            let mut other = image.clone();
            other[coordinate] += Base::ONE;
            assert!(catch_unwind(|| check_constraints(&air, &honest, &other)).is_err());
        }
    }
}

#[test]
fn constraints_have_degree_three_so_that_a_blowup_of_two_is_enough() {
    let (constants, ..) = instance();
    for width in WIDTHS {
        let shape = shape(ROUNDS, width).unwrap();
        let air = MimcAir::new(shape, &constants);
        let layout = AirLayout::from_air::<Base>(&air);
        assert_eq!(get_max_constraint_degree::<Base, _>(&air, layout, shape.trace_length()), 3);
    }
}
