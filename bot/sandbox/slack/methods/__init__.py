"""The Web API's methods, one module per family."""
