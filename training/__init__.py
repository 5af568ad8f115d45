"""How policies are learned and measured."""
