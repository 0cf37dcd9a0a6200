"""The real agents, offline, with hookkit as their hook: scripts/install-agents fetches them."""
