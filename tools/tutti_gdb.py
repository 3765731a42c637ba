# SPDX-License-Identifier: Apache-2.0
"""Printers of gdb for arrays, shapes and dtypes of tutti.

    (gdb) source /usr/share/tutti/tutti_gdb.py        # not needed where libtutti.so is installed under /usr
    (gdb) print x
    $1 = float32[2,3] [[1. 2. 3.] [4. 5. 6.]]

The text of an array is made by the process that is debugged, so a core file shows its address alone. Only what the
user's program was compiled with -g for is needed.
"""

import gdb

DTYPES = ("bool int4 int8 int16 int32 int64 uint4 uint8 uint16 uint32 uint64 float8_e4m3fn float8_e5m2 bfloat16 "
          "float16 float32 float64 complex64 complex128 key<fry>").split()
DEBUG_TEXT = "_ZN5tutti6detail10debug_textEPKv"
ARRAYS = ("tutti::Array", "tutti::Dict")
SHOWN = 400  # characters of an array


class ArrayPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        address = self.value.address
        if address is None:
            return "an array that has no address: assign it to a variable"
        where = int(address)
        try:
            text = gdb.parse_and_eval(
                f"((const char *(*)(const void *)) {DEBUG_TEXT})((const void *) {where})").string()
        except gdb.error as problem:
            return f"an array at {where:#x} ({problem})"
        text = " ".join(text.split())
        return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def elements(vector):
    start, finish = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    return [int((start + i).dereference()) for i in range(int(finish - start))]


class ShapePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        dims = [str(d) for d in elements(self.value["dims_"])]
        return "(" + ", ".join(dims) + ("," if len(dims) == 1 else "") + ")"


class DTypePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return DTYPES[int(self.value["kind_"])]


class LocPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        line = int(self.value["line"])
        return f"{self.value['file'].string().rsplit('/', 1)[-1]}:{line}" if line else "no line"


PRINTERS = {"tutti::Shape": ShapePrinter, "tutti::DType": DTypePrinter, "tutti::Loc": LocPrinter,
            **{name: ArrayPrinter for name in ARRAYS}}


def printer_of(value):
    kind = value.type.strip_typedefs().unqualified()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
        kind = value.type.strip_typedefs().unqualified()
    found = PRINTERS.get(kind.name)
    return found(value) if found else None


printer_of.__name__ = "tutti"
if not any(getattr(p, "__name__", "") == "tutti" for p in gdb.pretty_printers):
    gdb.pretty_printers.append(printer_of)
