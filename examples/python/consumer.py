"""An application with state in memory: by producer, the numbers of all messages that it has applied."""
from __future__ import annotations

import json
import logging
import os
import signal
import sys

from migratable import Message, Migratable


class Numbers:
    """Prints what it applies, and what it restores: one JSON object a line."""

    def __init__(self) -> None:
        self._by_producer: dict[str, list[int]] = {}

    def apply(self, message: Message) -> None:
        if not isinstance(message.body, dict) or 'seq' not in message.body:
            return  # Somebody else's: anybody may publish here.
        producer, seq = message.body.get('producer', ''), message.body['seq']
        self._by_producer.setdefault(producer, []).append(seq)
        self._print(producer, seq)

    def snapshot(self) -> dict[str, list[int]]:
        return self._by_producer

    def restore(self, state: dict[str, list[int]]) -> None:
        self._by_producer = state
        for producer, numbers in state.items():
            for seq in numbers:
                self._print(producer, seq)

    def _print(self, producer: str, seq: int) -> None:
        print(json.dumps({'producer': producer, 'seq': seq}), flush=True)


# pika logs whatever the broker rejects, such as a queue that another process has.
logging.getLogger('pika').setLevel(logging.CRITICAL)
env = os.environ
app = Migratable(Numbers(), url=env['BROKER_URL'], queue=env['QUEUE'], pod=env['POD_UID'],
                 on_report=lambda report: print('mode', report['mode'], file=sys.stderr, flush=True))
signal.signal(signal.SIGTERM, lambda *_: app.stop())
app.run()
