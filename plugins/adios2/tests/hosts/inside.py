"""Runs a C++ program in the ADIOS2 inside openPMD-api, whose symbols it uses: inside.py LIBRARY ARGUMENT..."""

import ctypes
import os
import sys

sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
import openpmd_api  # noqa: E402, F401

words = [word.encode() for word in sys.argv[1:]]
arguments = (ctypes.c_char_p * (len(words) + 1))(*words, None)
sys.exit(ctypes.CDLL(sys.argv[1]).main(len(words), arguments))
