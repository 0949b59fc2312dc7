"""What an operator looks at from outside, over HTTP."""
