"""Who plays: agents that see only what their seat may see. Names are in ``agents.registry``."""
