"""From Cython text to a module that is loaded: translate, compile, link, import."""
