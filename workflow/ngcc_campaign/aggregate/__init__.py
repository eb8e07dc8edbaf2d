"""Stage aggregate: what do the raw observations amount to?"""
