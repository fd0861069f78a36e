"""`pokerroom.bridge`: asyncio coroutines as Deferreds, on the loop the reactor runs on."""

import asyncio

import pytest
from twisted.internet.defer import fail, succeed
from twisted.internet.threads import deferToThread

from pokerroom.bridge import as_future, deferred


def test_the_result_of_the_coroutine_is_the_result_of_the_deferred(run):
    """A coroutine that waits on asyncio fires the Deferred with what it returns."""

    async def work() -> int:
        await asyncio.sleep(0)
        return 42

    assert run(deferred(work())) == 42


def test_the_exception_of_the_coroutine_is_the_failure_of_the_deferred(run):
    """What the coroutine raises is what the Deferred fails with, the same object."""
    wrong = ValueError("wrong")

    async def work() -> None:
        raise wrong

    with pytest.raises(ValueError, match="wrong") as caught:
        run(deferred(work()))
    assert caught.value is wrong


def test_cancelling_the_deferred_cancels_the_coroutine(run):
    """A cancelled Deferred stops the coroutine where it waits."""
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("stopped")

    async def turn() -> None:
        await asyncio.sleep(0)

    waiting = deferred(work())
    run(deferred(turn()))
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        run(waiting)
    assert ended == ["stopped"]


def test_the_reactor_of_the_tests_runs_threads(run):
    """`run` drives Twisted as well as asyncio: a call in the reactor's thread pool comes back."""
    assert run(deferToThread(sum, (1, 2))) == 3


def test_asyncio_waits_for_coroutines_that_await_deferreds():
    """Or for a Deferred alone; a failure is raised."""

    async def work() -> int:
        return await succeed(41) + 1

    async def command() -> list[int]:
        return [await as_future(work()), await as_future(succeed(1))]

    async def failing() -> None:
        await as_future(fail(ValueError("wrong")))

    assert asyncio.run(command()) == [42, 1]
    with pytest.raises(ValueError, match="wrong"):
        asyncio.run(failing())
