"""Stages drivers and build: our programs, and which library comes of the sources, by which commands?"""
