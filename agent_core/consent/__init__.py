"""What a tool call may do: judged by a policy, decided by people, remembered for the operator."""
