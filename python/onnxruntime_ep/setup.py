"""The version, and the version of vkdml that is required, which pyproject.toml cannot say: both are those of ../vkdml."""
import os
import re

from setuptools import setup

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "..", "vkdml", "_library.py"), encoding="utf-8") as file:
    VERSION = re.search(r'^VERSION = "(.*)"$', file.read(), re.MULTILINE)[1]

setup(version=VERSION, install_requires=[f"vkdml=={VERSION}"])
