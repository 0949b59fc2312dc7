"""The REST side of the stand-in, as the Composio SDK speaks to it: one file for each resource."""
