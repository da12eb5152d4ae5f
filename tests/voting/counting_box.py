"""A ballot box that records which of its scripts are called."""

from typing import Any

from voting.ballot_box.async_ballot_box import AsyncBallotBox


class CountingBox(AsyncBallotBox):
    def __init__(self) -> None:
        self.called: list[str] = []
        super().__init__()

    def script(self, name: str) -> Any:
        call = super().script(name)

        async def counted(**how: Any) -> Any:
            self.called.append(name)
            return await call(**how)

        return counted
