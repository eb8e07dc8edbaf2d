"""Stage render: what does a person read?"""
