"""Effects: each adapter implements one port and knows no flow."""
