"""Random bits: fresh from the operating system in every process and thread, or openly reproducible."""

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

from duetpy.runtime.noise.continuous import laplace_steps
from duetpy.runtime.noise.random_bits import InsecureBits, SecureBits

BUFFERED = np.random.default_rng(1)
SECURE = SecureBits()


def draw_secure(_: int) -> tuple[bytes, bytes, tuple[int, ...]]:
    return (
        SECURE.bytes(16),
        SECURE.uint64(4).tobytes(),
        tuple(laplace_steps(40, Fraction(1), -30, SECURE).tolist()),
    )


def draw_buffered(_: int) -> bytes:
    return BUFFERED.bytes(16)


def draw_in_processes(method: str, draw, children: int = 4) -> list:
    # A pool hands out work as it pleases; one process a draw makes every child start from the same parent.
    context = multiprocessing.get_context(method)
    results = []
    for number in range(children):
        with context.Pool(1) as pool:
            results.append(pool.apply(draw, (number,)))
    return results


def draw_in_threads(draw, threads: int) -> list:
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(draw, range(threads)))


def draw_in_forks_of_a_thread(draw) -> list:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(draw_in_processes, "fork", draw).result()


def test_children_of_a_fork_draw_different_bits() -> None:
    draw_secure(0)  # warm the parent
    drawn = [draw_secure(0), *draw_in_processes("fork", draw_secure)]
    for part in zip(*drawn, strict=True):
        assert len(set(part)) == 5


def test_the_fork_test_sees_a_buffered_generator() -> None:
    assert len(set(draw_in_processes("fork", draw_buffered))) == 1
    assert len(set(draw_in_forks_of_a_thread(draw_buffered))) == 1


def test_children_that_a_thread_forks_draw_different_bits() -> None:
    drawn = [draw_secure(0), *draw_in_forks_of_a_thread(draw_secure)]
    for part in zip(*drawn, strict=True):
        assert len(set(part)) == 5


def test_processes_that_begin_anew_draw_different_bits() -> None:
    drawn = [draw_secure(0), *draw_in_processes("spawn", draw_secure, 2)]
    for part in zip(*drawn, strict=True):
        assert len(set(part)) == 3


@pytest.mark.thorough("test_the_fork_test_sees_a_buffered_generator")
def test_the_test_of_processes_that_begin_anew_sees_a_seed() -> None:
    assert len(set(draw_in_processes("spawn", draw_buffered, 2))) == 1


@pytest.mark.slow
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_every_way_to_start_a_process_gives_fresh_bits(method: str) -> None:
    drawn = [draw_secure(0), *draw_in_processes(method, draw_secure)]
    for part in zip(*drawn, strict=True):
        assert len(set(part)) == 5


def test_threads_draw_different_bits() -> None:
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(draw_secure, range(64)))
    drawn += draw_in_threads(draw_secure, 4)
    for part in zip(*drawn, strict=True):
        assert len(set(part)) == 68


def test_secure_bits_say_so_and_have_the_size_asked_for() -> None:
    assert SECURE.secure
    assert SECURE.uint64(1000).shape == (1000,)
    assert SECURE.uint64(1000).dtype == np.uint64
    assert SECURE.uint64(0).shape == (0,)
    assert len(SECURE.bytes(7)) == 7


@pytest.mark.parametrize("bits", [SecureBits(), InsecureBits(5)])
def test_every_bit_of_a_word_is_fair(bits: SecureBits | InsecureBits) -> None:
    ones = (bits.uint64(20_000)[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)).mean(axis=0)
    assert np.abs(ones - 0.5).max() < 6.5 * 0.5 / 20_000**0.5


def test_insecure_bits_repeat_themselves() -> None:
    first, second = InsecureBits(7), InsecureBits(7)
    assert not first.secure
    assert first.uint64(5).tolist() == second.uint64(5).tolist()
    assert first.bytes(9) == second.bytes(9)
    assert first.bytes(9) != second.bytes(10)[:9] or first.bytes(9) == second.bytes(9)


def test_insecure_bits_differ_from_request_to_request_and_from_seed_to_seed() -> None:
    bits = InsecureBits(7)
    assert bits.bytes(16) != bits.bytes(16)
    assert InsecureBits(7).bytes(16) != InsecureBits(8).bytes(16)


def test_insecure_bits_are_the_same_on_every_machine() -> None:
    assert InsecureBits(0).bytes(4).hex() == GOLDEN
    assert int(InsecureBits(0).uint64(1)[0]) & 0xFFFFFFFF == int.from_bytes(bytes.fromhex(GOLDEN), "little")


GOLDEN = __import__("hashlib").shake_256(b"duetpy insecure bits 0 0").digest(4).hex()
