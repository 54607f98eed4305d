"""The analysis of conditions: types that they imply, whether they are always true, and cases that they leave
out.
"""
