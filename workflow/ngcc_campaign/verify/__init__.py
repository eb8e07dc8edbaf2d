"""Stage verify: does the library compute the submitted vectors?"""
