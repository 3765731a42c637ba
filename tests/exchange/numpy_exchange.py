# SPDX-License-Identifier: Apache-2.0
"""Arrays to and from NumPy by DLPack capsules: what NumPy holds is what tutti reads, and the other way round.

usage: numpy_exchange.py MODULE        (built from exchange.cpp; 77: this Python has no NumPy)
"""
import ctypes
import gc
import sys

try:
    import numpy as np
except ImportError:
    print("this Python has no numpy")
    sys.exit(77)

lib = ctypes.CDLL(sys.argv[1])
python = ctypes.pythonapi
IF_NEEDED, ALWAYS, NEVER = range(3)
for name, result, arguments in (
        ("import", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]),
        ("import_unversioned", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]),
        ("export", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]),
        ("export_unversioned", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]),
        ("address", ctypes.c_void_p, [ctypes.c_void_p]),
        ("weighted", ctypes.c_float, [ctypes.c_void_p]),
        ("free", None, [ctypes.c_void_p]),
        ("problem", ctypes.c_char_p, [])):
    function = getattr(lib, "exchange_" + name)
    function.restype, function.argtypes = result, arguments
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

NAMES = {False: (b"dltensor", b"used_dltensor"), True: (b"dltensor_versioned", b"used_dltensor_versioned")}
VERSIONS = [False] + [True] * (np.lib.NumpyVersion(np.__version__) >= "2.1.0")


def taken(x, versioned, copy=IF_NEEDED):
    """tutti's array over x; None where it refuses."""
    capsule = x.__dlpack__(max_version=(1, 0)) if versioned else x.__dlpack__()
    fresh, used = NAMES[versioned]
    pointer = python.PyCapsule_GetPointer(capsule, fresh)
    python.PyCapsule_SetName(capsule, used)  # its deleter is tutti's to call from here on
    return (lib.exchange_import if versioned else lib.exchange_import_unversioned)(pointer, copy)


class Given:
    """A tensor of tutti as an object that NumPy takes."""

    def __init__(self, array, versioned, copy=False):
        self.versioned = versioned
        self.pointer = (lib.exchange_export if versioned else lib.exchange_export_unversioned)(array, copy)
        assert self.pointer, lib.exchange_problem()

    def __dlpack__(self, **_):
        return python.PyCapsule_New(self.pointer, NAMES[self.versioned][0], None)

    def __dlpack_device__(self):
        return 1, 0


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


checks = 0
for versioned in VERSIONS:
    for dtype in "? i1 i2 i4 u1 u2 u4 f2 f4".split()[np.lib.NumpyVersion(np.__version__) < "1.25.0":]:  # then without bools
        whole = (np.arange(120) % 100).astype(dtype).reshape(4, 5, 6)
        for x in (whole, whole[1], whole[:, 2:4], whole[::2, ::-1, 1::2], whole.T, whole[:0], whole[0, 0, :1].reshape(()),
                  np.asfortranarray(whole), np.broadcast_to(whole[0, 0], (3, 6))):
            if not x.flags.writeable and not versioned:
                continue  # the old form cannot say that it is read-only: NumPy does not give it
            before = sys.getrefcount(x)
            array = taken(x, versioned)
            assert array, (x.strides, lib.exchange_problem())
            dense = x.flags.c_contiguous
            if x.size:
                assert (lib.exchange_address(array) == x.ctypes.data) == dense, x.strides
                flat = x.reshape(-1).astype("f4")
                assert abs(lib.exchange_weighted(array) - (flat * np.arange(1, x.size + 1)).sum()) <= 1e-3 * x.size ** 2
            back = np.from_dlpack(Given(array, versioned))
            assert same(back, np.ascontiguousarray(x).reshape(x.shape)), (back, x)
            if versioned:
                assert not back.flags.writeable
            # NumPy keeps the memory: tutti's last handle goes.
            lib.exchange_free(array)
            gc.collect()
            assert same(back, np.ascontiguousarray(x).reshape(x.shape))
            del back
            assert sys.getrefcount(x) == before, "the deleter was not called, or twice"
            refused = taken(x, versioned, NEVER)
            assert bool(refused) == (dense or x.size == 0), lib.exchange_problem()
            lib.exchange_free(refused)
            assert sys.getrefcount(x) == before
            checks += 1
    wide = np.arange(5)  # int64 is int32 here
    array = taken(wide, versioned)
    assert same(np.from_dlpack(Given(array, versioned)), wide.astype("i4"))
    own = np.from_dlpack(Given(array, versioned, True))
    if versioned:
        own[0] = 77  # a copy of its own
    assert np.from_dlpack(Given(array, versioned))[0] == 0
    lib.exchange_free(array)
    pairs = np.arange(3) + 2j  # complex128 is complex64 here
    array = taken(pairs, versioned)
    assert same(np.from_dlpack(Given(array, versioned)), pairs.astype("c8"))
    lib.exchange_free(array)
    try:
        array = taken(np.zeros(3, "g"), versioned)
        assert not array and b"from_dlpack" in lib.exchange_problem()
    except BufferError:  # NumPy has no such tensors itself
        pass
print(f"{checks} arrays there and back, NumPy {np.__version__}")
