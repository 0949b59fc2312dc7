from tests.surroundings import trust_authorities_again


def pytest_runtest_setup() -> None:
    """A real service is asked, over TLS."""
    trust_authorities_again()
