"""The parts of an audit: each looks at one thing and adds what it finds to the Findings."""
