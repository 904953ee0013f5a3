#!/usr/bin/env python3
"""Passes columns between pyarrow and libsamara.so, both ways, and compares every value.

    tests/arrow/with_pyarrow.py BUILD

pyarrow is another implementation of the Arrow C data interface, and so an independent truth: what
it exports samara must read, cell for cell, and what samara exports it must validate and import.  No
Debian package has it; in a virtual environment `pip install pyarrow` gives it.  Where it is missing
all tests count as skipped.
"""
import argparse
import ctypes
import datetime
import decimal
import math
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tools"))
from tap import Report  # noqa: E402

try:
    import pyarrow as pa
except ImportError:
    pa = None

N = 101
SCHEMA, ARRAY, STREAM = 72, 80, 40  # bytes of the structs on a 64-bit machine
NUMBER, CATEGORY, DATE = 0, 1, 3
LABEL, PROBA = 1, 2
UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)


class Samara:
    """The functions of samara.h that are needed here."""

    def __init__(self, build):
        self.lib = ctypes.CDLL(os.path.join(build, "libsamara.so"))
        for name, result in (("smr_table_number", ctypes.c_double),
                             ("smr_table_text", ctypes.POINTER(ctypes.c_char)),
                             ("smr_table_col_name", ctypes.c_char_p),
                             ("smr_table_n_rows", ctypes.c_int64),
                             ("smr_table_n_cols", ctypes.c_int64),
                             ("smr_ctx_message", ctypes.c_char_p)):
            getattr(self.lib, name).restype = result
        self.ctx = ctypes.c_void_p()
        if self.lib.smr_ctx_create(None, ctypes.byref(self.ctx)) != 0:
            sys.exit("no context")

    def message(self):
        return self.lib.smr_ctx_message(self.ctx).decode()

    def must(self, status):
        if status != 0:
            raise RuntimeError(self.message())

    def from_batch(self, batch):
        """(status, table)"""
        schema, array = ctypes.create_string_buffer(SCHEMA), ctypes.create_string_buffer(ARRAY)
        table = ctypes.c_void_p()
        batch._export_to_c(ctypes.addressof(array), ctypes.addressof(schema))
        status = self.lib.smr_table_from_arrow(self.ctx, schema, array, ctypes.byref(table))
        return status, table

    def from_reader(self, reader):
        stream, table = ctypes.create_string_buffer(STREAM), ctypes.c_void_p()
        reader._export_to_c(ctypes.addressof(stream))
        status = self.lib.smr_table_from_arrow_stream(self.ctx, stream, ctypes.byref(table))
        return status, table

    def imported(self, fill):
        """The batch that fill(schema, array) exports."""
        schema, array = ctypes.create_string_buffer(SCHEMA), ctypes.create_string_buffer(ARRAY)
        self.must(fill(schema, array))
        return pa.RecordBatch._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))

    def to_batch(self, table):
        return self.imported(lambda s, a: self.lib.smr_table_to_arrow(self.ctx, table, s, a))

    def column(self, table, j):
        """The kind of column j and its cells; None where one is missing."""
        kind = self.lib.smr_table_col_kind(table, ctypes.c_int64(j))
        cells, length = [], ctypes.c_int64()
        for i in range(self.lib.smr_table_n_rows(table)):
            row, col = ctypes.c_int64(i), ctypes.c_int64(j)
            if kind == CATEGORY:
                text = self.lib.smr_table_text(table, row, col, ctypes.byref(length))
                cells.append(text[:length.value].decode() if text else None)
            else:
                x = self.lib.smr_table_number(table, row, col)
                cells.append(None if math.isnan(x) else x)
        return kind, cells


def as_cell(value):
    """What samara makes of a value of pyarrow's."""
    if isinstance(value, datetime.datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=UTC)
        delta = moment - EPOCH
        return float(delta.days * 86400 + delta.seconds) + delta.microseconds / 1e6
    if isinstance(value, datetime.date):
        return float((value - EPOCH.date()).days * 86400)
    if isinstance(value, (bool, int, decimal.Decimal)):
        return float(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    return value


def columns_of_every_type():
    """name -> an array of N values, some of them null"""
    draw = random.Random(20)
    gaps = lambda make: [None if draw.random() < 0.2 else make() for _ in range(N)]
    words = ["", "red", "blue", "a word of more than twelve bytes", "Grün", "10", "9"]
    word = lambda: draw.choice(words)
    spread = 5 * 10**15
    moment = lambda: EPOCH + datetime.timedelta(microseconds=draw.randrange(-spread, spread))
    second = lambda: EPOCH + datetime.timedelta(seconds=draw.randrange(-10**9, 10**9))
    money = lambda: decimal.Decimal(draw.randrange(-10**8, 10**8)).scaleb(-3)
    found = {}
    for bits in (8, 16, 32, 64):
        most = min(bits, 53) - 1
        found[f"int{bits}"] = pa.array(gaps(lambda: draw.randrange(-2**most, 2**most)),
                                       getattr(pa, f"int{bits}")())
        found[f"uint{bits}"] = pa.array(gaps(lambda: draw.randrange(2**most)),
                                        getattr(pa, f"uint{bits}")())
        whole = [draw.randrange(2**most) for _ in range(N)]
        found[f"uint{bits}_whole"] = pa.array(whole, getattr(pa, f"uint{bits}")())
        found[f"int{bits}_whole"] = pa.array(whole, getattr(pa, f"int{bits}")())
    halves = pa.array(gaps(lambda: draw.randrange(-999, 999) / 8), pa.float32())
    found["float16"] = halves.cast(pa.float16())
    for bits in (32, 64):
        kind = getattr(pa, f"float{bits}")()
        found[f"float{bits}"] = pa.array(gaps(lambda: draw.gauss(0, 1e3)), kind)
        found[f"float{bits}_whole"] = pa.array([draw.gauss(0, 1) for _ in range(N)], kind)
    found["bool"] = pa.array(gaps(lambda: draw.random() < 0.5))
    found["bool_whole"] = pa.array([draw.random() < 0.5 for _ in range(N)])
    found["null"] = pa.nulls(N)
    for name in ("string", "large_string", "string_view"):
        found[name] = pa.array(gaps(word), getattr(pa, name)())
    for index in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        for values in ("string", "large_string", "string_view"):
            codes = pa.array(gaps(lambda: draw.randrange(len(words))), getattr(pa, index)())
            names = pa.array(words, getattr(pa, values)())
            found[f"dictionary_{index}_{values}"] = pa.DictionaryArray.from_arrays(codes, names)
    found["date32"] = pa.array(gaps(lambda: second().date()), pa.date32())
    found["date64"] = pa.array(gaps(lambda: second().date()), pa.date64())
    for unit, make in (("s", second), ("ms", second), ("us", moment), ("ns", moment)):
        for zone in (None, "UTC", "Asia/Kolkata"):
            naive = gaps(make)
            if zone is None:
                naive = [x and x.replace(tzinfo=None) for x in naive]
            found[f"timestamp_{unit}_{zone}"] = pa.array(naive, pa.timestamp(unit, zone))
    for bits, digits in ((32, 9), (64, 18), (128, 38), (256, 76)):
        kind = getattr(pa, f"decimal{bits}")
        found[f"decimal{bits}"] = pa.array(gaps(money), kind(9, 3))
        big = decimal.Decimal(10)**(digits - 1) + 7
        found[f"decimal{bits}_large"] = pa.array([big, -big, None] * 33 + [big, None],
                                                 kind(digits, 0))
    return found


def same(got, want):
    return [(i, g, w) for i, (g, w) in enumerate(zip(got, want)) if g != w][:3] or None


def plain(array):
    """The values, with timestamps of nanoseconds in microseconds, as Python has no finer ones."""
    if pa.types.is_timestamp(array.type) and array.type.unit == "ns":
        array = array.cast(pa.timestamp("us", array.type.tz))
    if pa.types.is_date64(array.type):
        array = array.cast(pa.date32())
    return array.to_pylist()


def check_columns(report, smr, arrays):
    batch = pa.RecordBatch.from_arrays(list(arrays.values()), names=list(arrays))
    for title, part in (("whole", batch), ("slice", batch.slice(13, 71)),
                        ("empty", batch.slice(5, 0))):
        before = pa.total_allocated_bytes()
        status, table = smr.from_batch(part)
        smr.must(status)
        for j, name in enumerate(arrays):
            kind, cells = smr.column(table, j)
            wrong = same(cells, [as_cell(x) for x in plain(part.column(j))])
            size = len(cells) == part.num_rows
            report.check(f"{name}_of_a_{title}_batch_has_pyarrows_values", size and not wrong,
                         str(wrong))
        back = smr.to_batch(table)
        back.validate(full=True)
        for j, name in enumerate(arrays):
            wrong = same([as_cell(x) for x in back.column(j).to_pylist()], smr.column(table, j)[1])
            report.check(f"{name}_of_a_{title}_batch_comes_back", not wrong, str(wrong))
        smr.lib.smr_table_free(table)
        del back
        report.check(f"a_{title}_batch_leaves_no_memory", pa.total_allocated_bytes() == before)


def check_rows_that_are_null(report, smr, arrays):
    fields = {k: v for k, v in arrays.items() if not k.startswith("dictionary")}
    mask = pa.array([i % 7 == 3 for i in range(N)])
    rows = pa.StructArray.from_arrays(list(fields.values()), names=list(fields), mask=mask)
    for title, part in (("whole", rows), ("slice", rows.slice(10, 60))):
        schema, array = ctypes.create_string_buffer(SCHEMA), ctypes.create_string_buffer(ARRAY)
        table = ctypes.c_void_p()
        part._export_to_c(ctypes.addressof(array), ctypes.addressof(schema))
        smr.must(smr.lib.smr_table_from_arrow(smr.ctx, schema, array, ctypes.byref(table)))
        wrong = None
        for j, name in enumerate(fields):
            want = [as_cell(x) if there else None
                    for there, x in zip(part.is_valid().to_pylist(), plain(part.field(j)))]
            wrong = wrong or same(smr.column(table, j)[1], want) and (name, want)
        report.check(f"rows_that_are_null_are_missing_in_a_{title}_struct", not wrong, str(wrong))
        smr.lib.smr_table_free(table)


def check_streams(report, smr, arrays):
    half = pa.RecordBatch.from_arrays([a.slice(0, 40) for a in arrays.values()], names=list(arrays))
    rest = pa.RecordBatch.from_arrays([a.slice(40) for a in arrays.values()], names=list(arrays))
    reader = pa.RecordBatchReader.from_batches(half.schema, [half, half.slice(0, 0), rest])
    status, table = smr.from_reader(reader)
    smr.must(status)
    for j, name in enumerate(arrays):
        wrong = same(smr.column(table, j)[1], [as_cell(x) for x in plain(arrays[name])])
        report.check(f"{name}_of_a_stream_has_pyarrows_values", not wrong, str(wrong))
    smr.lib.smr_table_free(table)

    colours = [pa.array(x).dictionary_encode() for x in (["b", "a", "b"], ["c", "a"], ["d", None])]
    batches = [pa.RecordBatch.from_arrays([c], names=["colour"]) for c in colours]
    status, table = smr.from_reader(pa.RecordBatchReader.from_batches(batches[0].schema, batches))
    smr.must(status)
    cells = smr.column(table, 0)[1]
    report.check("dictionaries_that_differ_are_merged",
                 cells == ["b", "a", "b", "c", "a", "d", None], str(cells))
    smr.lib.smr_table_free(table)

    def torn():
        yield half
        raise ValueError("the cable is cut")
    status, table = smr.from_reader(pa.RecordBatchReader.from_batches(half.schema, torn()))
    report.check("an_error_of_a_python_stream_is_passed_on",
                 status != 0 and not table and "the cable is cut" in smr.message(), smr.message())


def check_refusals(report, smr):
    cases = {"list": pa.array([[1], [2, 3]]), "binary": pa.array([b"x", b"y"]),
             "struct": pa.array([{"a": 1}, {"a": 2}]),
             "duration": pa.array([1, 2], pa.duration("s")),
             "time of day": pa.array([1, 2], pa.time32("s")),
             "map": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
             "fixed-size binary": pa.array([b"xy", b"zw"], pa.binary(2)),
             "interval": pa.array([(1, 2, 3), None], pa.month_day_nano_interval()),
             "run-end encoded": pa.RunEndEncodedArray.from_arrays([1, 2], [1, 2])}
    for words, array in cases.items():
        before = pa.total_allocated_bytes()
        status, table = smr.from_batch(pa.RecordBatch.from_arrays([array], names=["odd one"]))
        told = smr.message()
        report.check(f"{words.replace(' ', '_')}_is_refused_by_name",
                     status != 0 and not table and pa.total_allocated_bytes() == before
                     and f"column 'odd one' is of the Arrow type {words} (" in told, told)


class TrainOpts(ctypes.Structure):
    """The first two fields of smr_train_opts: an older caller knows no others."""
    _fields_ = [("size", ctypes.c_size_t), ("target", ctypes.c_char_p)]


def check_predictions(report, smr):
    draw = random.Random(3)
    x = [draw.gauss(0, 1) for _ in range(N)]
    sides = ["low" if v < 0 else "high" for v in x]
    batch = pa.RecordBatch.from_arrays([pa.array(x), pa.array(sides)], names=["x", "side"])
    status, table = smr.from_batch(batch)
    smr.must(status)
    model, opts = ctypes.c_void_p(), TrainOpts(ctypes.sizeof(TrainOpts), b"side")
    smr.must(smr.lib.smr_train(smr.ctx, b"tree", table, ctypes.byref(opts), ctypes.byref(model)))
    ask = lambda output: smr.imported(
        lambda s, a: smr.lib.smr_predict_arrow(smr.ctx, model, table, output, s, a))
    labels, proba = ask(LABEL), ask(PROBA)
    labels.validate(full=True)
    report.check("labels_come_as_a_dictionary_of_the_classes",
                 labels.schema.names == ["side"]
                 and labels.schema.types == [pa.dictionary(pa.int32(), pa.string())]
                 and labels.column(0).to_pylist() == batch.column(1).to_pylist(), str(labels))
    sums = [a + b for a, b in zip(*(c.to_pylist() for c in proba.columns))]
    report.check("probabilities_come_as_a_column_a_class",
                 proba.schema.names == ["p(high)", "p(low)"]
                 and proba.schema.types == [pa.float64()] * 2
                 and all(abs(s - 1) < 1e-12 for s in sums), str(proba))
    smr.lib.smr_model_free(model)
    smr.lib.smr_table_free(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    options = parser.parse_args()
    report = Report()
    if not pa:
        report.skipped("columns_to_and_from_pyarrow", "no pyarrow")
        report.done()
    smr = Samara(options.build)
    arrays = columns_of_every_type()
    check_columns(report, smr, arrays)
    check_rows_that_are_null(report, smr, arrays)
    check_streams(report, smr, arrays)
    check_refusals(report, smr)
    check_predictions(report, smr)
    smr.lib.smr_ctx_destroy(smr.ctx)
    report.done()


if __name__ == "__main__":
    main()
