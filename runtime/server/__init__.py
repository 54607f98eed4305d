"""The HTTP API over stored runs, as an ASGI application; ``process`` serves it by itself.

It keeps nothing but what the store has: two servers on one store are as good as one, and so is one that was killed and
started again.
"""
