"""Runner of nizk-bench for newcomer."""
