"""Intermediate code becomes objects without counts of references that cancel out."""

from __future__ import annotations

import pytest

pytest.importorskip("llvmlite")

import llvmlite.binding as llvm

from ougi._native import emit
from ougi._native.library import name_platform

# A loop over numbers that it has allocated: a function that it calls counts its reference to them.
CODE = """
declare ptr @NRT_MemInfo_alloc_safe_aligned(i64, i32)
declare void @NRT_incref(ptr)
declare void @NRT_decref(ptr)
declare ptr @NRT_MemInfo_data_fast(ptr)

define double @get_number(ptr %info, i64 %i) alwaysinline {
  call void @NRT_incref(ptr %info)
  %data = call ptr @NRT_MemInfo_data_fast(ptr %info)
  %at = getelementptr double, ptr %data, i64 %i
  %number = load double, ptr %at
  call void @NRT_decref(ptr %info)
  ret double %number
}

define double @add_numbers(i64 %n) {
start:
  %info = call ptr @NRT_MemInfo_alloc_safe_aligned(i64 800, i32 64)
  br label %loop
loop:
  %i = phi i64 [0, %start], [%next, %loop]
  %sum = phi double [0.0, %start], [%more, %loop]
  %number = call double @get_number(ptr %info, i64 %i)
  %more = fadd double %sum, %number
  %next = add i64 %i, 1
  %last = icmp eq i64 %next, %n
  br i1 %last, label %end, label %loop
end:
  call void @NRT_decref(ptr %info)
  ret double %more
}
"""


def test_counts_that_cancel_out_are_dropped() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    platform = name_platform()
    target = emit.PLATFORMS[platform][1][emit.levels_of(platform)[0]]
    finished = str(emit._finish(llvm.parse_assembly(CODE), target, {"add_numbers"}))
    body = finished[finished.index("@add_numbers") :]
    assert "NRT_incref" not in body
    assert body.count("store i64") == 1  # the one that releases the numbers at the end
