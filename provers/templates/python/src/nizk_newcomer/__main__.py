"""The runner's executable."""

import sys

from nizk_protocol import Library, Runner, main

from .system import Measured

if __name__ == "__main__":
    sys.exit(main(Runner("newcomer", Library("newcomer", "0.0.0"), [Measured()])))
