"""When the last trial of a run may start, on a clock that nobody can set."""

from __future__ import annotations

from dataclasses import dataclass

from nonstop.clock import Clock, WallClock

_CLOCK = WallClock()


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the monotonic clock of this process.

    Another process may have another monotonic clock, so the seconds that are left travel instead. How long they
    travelled, the wall clock says: usually milliseconds. A wall clock set back meanwhile lets no more time pass than
    was left; one that is set at any other time changes nothing.
    """

    #: In seconds of Clock.monotonic().
    at: float

    @classmethod
    def after(cls, seconds: float, clock: Clock | None = None) -> Deadline:
        """So many seconds from now."""
        return cls((clock or _CLOCK).monotonic() + seconds)

    def left(self, clock: Clock) -> float:
        """Seconds until then; negative afterwards."""
        return self.at - clock.monotonic()

    def __reduce__(self) -> tuple[object, ...]:
        return _received, (self.left(_CLOCK), _CLOCK.now())


def _received(left: float, sent_at: float) -> Deadline:
    return Deadline.after(left - max(0.0, _CLOCK.now() - sent_at))
