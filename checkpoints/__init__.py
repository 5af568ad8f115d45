"""Shipped policies, a folder each: weights, description, model card, measured results. ``net:NAME`` plays one."""
