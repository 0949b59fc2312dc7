"""Working fakes that ship with the code; they pass the conformance suites of what they fake."""
