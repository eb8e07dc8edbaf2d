"""Stage fetch: are these the submitted sources?"""
