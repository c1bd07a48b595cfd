"""Moves the state of a message consumer to another process while messages arrive: each message changes the state once.

This is the protocol of @kubewright/migratable over RabbitMQ, in one file and one thread. What each command and report
means is in packages/migratable/src/protocol.ts. Snapshots and digests are those of the TypeScript library: a process of
either kind can take over from one of the other, except that integers beyond 2**53 have another digest in JavaScript.

It lacks NATS JetStream, checkpoints of processes (`capture`, `restored`), `identify` for messages that are not JSON
with a `seq`, and a thread for the connection: a call of the application that takes longer than two heartbeats (20 s)
loses it, and the message comes again, as a duplicate.
"""
from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import time
import uuid
from collections import deque
from contextlib import suppress
from decimal import Decimal
from typing import Any, Callable, NamedTuple, Protocol

import pika
from pika.exceptions import AMQPError, ChannelClosedByBroker, UnroutableError

# A virtual host may have another default type, and who looks at the head of a quorum queue counts as having failed.
CLASSIC = {'x-queue-type': 'classic'}
EXPIRES = {**CLASSIC, 'x-expires': 3_600_000}
ONE_MESSAGE = {'x-max-length': 1, **EXPIRES}
COMMAND_HEADER = 'ms2m-command'
MODES = ('running', 'paused', 'following')
MOST_PRODUCERS, LONGEST_NAME, MOST_MIGRATIONS, MOST_GAPS = 64, 255, 8, 64
CHUNK_BYTES, MOST_BYTES, MOST_COPIES = 128 * 1024, 256 * 1024 * 1024, 64
PREFETCH, HEARTBEAT_S, LOOK_S, FIRST_RETRY_S, MOST_RETRY_S, SNAPSHOT_S = 50, 10, 1, 0.1, 5, 60
TICK_S = 0.2  # It waits so long for events; then it looks whether it is to stop, or can have a queue that it lacks.


class Message(NamedTuple):
    body: Any  # A JSON value, a text or bytes, by its content type.
    headers: dict[str, Any]
    tag: int = 0


class Application(Protocol):
    """What has the state. What it raises ends the process, and the message in hand stays in its queue.

    An AMQPError of pika does not: it counts as a lost broker, and the message comes again.
    """

    def apply(self, message: Message) -> None:
        """Changes the state by one message, completely or, when it raises, not at all."""

    def snapshot(self) -> Any:
        """The whole state, a JSON value."""

    def restore(self, state: Any) -> None:
        """Puts a state that `snapshot` gave in the place of the present one."""


class CommandFailed(Exception):
    """Why a command cannot be carried out, for the report."""


def canonical_json(value: Any) -> str:
    """What canonical-json.ts gives for the same value: equal values have equal texts."""
    if isinstance(value, dict):
        keys = sorted(value, key=_place)
        return '{' + ','.join(f'{canonical_json(key)}:{canonical_json(value[key])}' for key in keys) + '}'
    if isinstance(value, (list, tuple)):
        return '[' + ','.join(map(canonical_json, value)) + ']'
    if isinstance(value, float) and (value == 0 or 1e-6 <= abs(value) < 1e21):
        return format(Decimal(repr(value or 0.0)).normalize(), 'f')
    if isinstance(value, float):
        return re.sub(r'(e[+-])0', r'\1', json.dumps(value, allow_nan=False))
    # A surrogate without its other half has no UTF-8: JSON.stringify escapes it.
    return json.dumps(value, ensure_ascii=False).encode('utf-8', 'backslashreplace').decode()


def _place(key: str) -> tuple[int, bytes]:
    """JavaScript lists keys that are indices of arrays first, by number, and compares others by UTF-16 units."""
    is_index = re.fullmatch('0|[1-9][0-9]{0,9}', key) is not None and int(key) < 2**32 - 1
    return (int(key), b'') if is_index else (2**32, key.encode('utf-16-be', 'surrogatepass'))


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


Check = Callable[[Any], bool]


def is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME


def is_count(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < 2**53 and value == int(value)


def is_marks(value: Any) -> bool:
    return isinstance(value, dict) and len(value) <= MOST_PRODUCERS and all(map(is_count, value.values()))


def has(**fields: Check) -> Check:
    """Whether a value is an object with such fields."""
    return lambda value: isinstance(value, dict) and all(check(value.get(name)) for name, check in fields.items())


def maybe(check: Check) -> Check:
    return lambda value: value is None or check(value)


FENCE: dict[str, Check] = {'migration': is_text, 'epoch': is_count, 'step': is_count}
is_fence = has(**FENCE)
is_fences: Check = lambda value: isinstance(value, list) and all(map(is_fence, value))
COMMANDS = {
    'report': has(),
    'pause': has(**FENCE, pod=maybe(is_text), token=maybe(is_text)),
    'snapshot': has(**FENCE, queue=is_text),
    'restore': has(**FENCE, primary=maybe(is_text), snapshot=has(queue=is_text, chunks=is_count, bytes=is_count, sha256=is_text)),
    'follow': has(**FENCE, queue=is_text, upTo=maybe(is_marks)),
    'resume': has(**FENCE, instance=maybe(is_text), lost=maybe(is_text), primary=maybe(is_text)),
}


def command_of(message: Message) -> dict | None:
    """None for what is no command: anybody may have written it."""
    kind = message.body.get('type') if isinstance(message.body, dict) else None
    return message.body if isinstance(kind, str) and kind in COMMANDS and COMMANDS[kind](message.body) else None


class Broker:
    """One connection, and what the protocol needs of it. Raises what pika raises."""

    def __init__(self, url: str) -> None:
        parameters = pika.URLParameters(url)
        parameters.heartbeat = HEARTBEAT_S
        try:
            self.connection = pika.BlockingConnection(parameters)
        except OSError as error:
            raise AMQPError(f'no connection: {error}') from error
        self._publisher: Any = None
        # A quorum queue of RabbitMQ 4.3 puts what is nacked before the rest, and does not count it; 3.10 puts it at the end.
        version = re.match(r'(\d+)\.(\d+)', str((self.connection._impl.server_properties or {}).get('version')))
        self.nacks_in_place = version is not None and tuple(map(int, version.groups())) >= (4, 3)

    def channel(self) -> Any:
        channel = self.connection.channel()
        # pika cancels consumers before it closes their channel: another process could have the queue before the
        # messages in hand are back, and get later ones first. Without that, the broker gives them back first.
        for owner, name in ((channel, '_cancel_all_consumers'), (channel._impl, 'basic_cancel')):
            if not hasattr(owner, name):
                raise ImportError('this version of pika is not known: 1.2 and 1.3 are')
            setattr(owner, name, lambda **_arguments: None)
        return channel

    def declare(self, queue: str, arguments: dict[str, int | str]) -> None:
        channel = self.channel()
        try:
            channel.queue_declare(queue, durable=True, arguments=arguments)
        except ChannelClosedByBroker as error:
            if 'inequivalent arg' in error.reply_text:
                raise RuntimeError(f'{error.reply_text}; delete queue {queue}: it is declared again') from error
            raise
        channel.close()

    def send(self, queue: str, body: Any, headers: dict | None = None) -> bool:
        """Straight into a queue: True when the broker has confirmed it, False where there is no such queue."""
        if self._publisher is None or not self._publisher.is_open:
            self._publisher = self.channel()
            self._publisher.confirm_delivery()
        kind, content = (None, body) if isinstance(body, bytes) else ('application/json', json.dumps(body))
        properties = pika.BasicProperties(content_type=kind, delivery_mode=2, headers=headers)
        try:
            self._publisher.basic_publish('', queue, content, properties, mandatory=True)
        except UnroutableError:
            return False
        return True

    def peek(self, queue: str) -> Message | None:
        """The message at the head, which stays. One process looks at a time: to others the queue would seem empty."""
        for _attempt in range(3000):
            try:
                consumer = Consumer(self, queue, prefetch=1, exclusive=True)
                # The queue hands it out before it responds, and the channel passes it on before the second response.
                for _time in range(2):
                    consumer.channel.queue_declare(queue, passive=True)
                self.connection.process_data_events(0)
                consumer.close()
                return consumer.handed[0] if consumer.handed else None
            except ChannelClosedByBroker as error:
                if error.reply_code == 404:
                    return None
                if 'exclusive use' not in error.reply_text:
                    raise
            self.connection.sleep(0.01)
        raise AMQPError(f'queue {queue} has another consumer')


class Consumer:
    """The messages of a queue that the broker has handed out. Raises ChannelClosedByBroker where it may not consume.

    `alone`: no other process has the queue meanwhile, see be-alone.ts, and consume-amqp.ts for `fill` and `close`.
    """

    def __init__(self, broker: Broker, queue: str, prefetch: int, exclusive: bool = False, alone: bool = False) -> None:
        self.handed: deque[Message] = deque()
        self.channel = broker.channel()
        self.channel.add_on_cancel_callback(self._cancelled)
        self.channel.basic_qos(prefetch_count=prefetch)
        self._queue, self._is_exclusive, self._is_cancelled = queue, exclusive, False
        self._tag: str | None = None
        self._nacks, self.is_one_by_one, self._is_over = alone and broker.nacks_in_place, False, False
        self._unacked: set[int] = set()
        if alone:
            self._be_alone(f'ms2m.lock.{queue}')
        if self.channel.is_open:
            self._consume()

    def _be_alone(self, lock: str) -> None:
        """A quorum queue ignores `exclusive`; a lost connection has messages in hand until the broker notices it."""
        self.channel.queue_declare(lock, exclusive=True, auto_delete=True, arguments=CLASSIC)
        self.channel.basic_consume(lock, lambda *_none: None, exclusive=True)
        if self.channel.queue_declare(self._queue, passive=True).method.consumer_count > 0:
            self.channel.close()

    def _consume(self) -> None:
        self.is_one_by_one = False
        self._tag = str(uuid.uuid4())
        self.channel.basic_consume(self._queue, self._hand, exclusive=self._is_exclusive, consumer_tag=self._tag)

    def fill(self) -> None:
        """Where a process was lost more than once, only the message that is applied is in hand: see consume-amqp.ts."""
        if self._nacks and not self.is_one_by_one and self.handed and _is_at_risk(self.handed[0]):
            self._give_back()
            self.is_one_by_one, self._is_over = True, False
        if not self.is_one_by_one or self.handed:
            return
        got = (None, None, None) if self._is_over else self.channel.basic_get(self._queue)
        if got[0] is None:
            self._consume()
            return
        self._hand(self.channel, *got)
        self._is_over = not _is_at_risk(self.handed[0])

    def _give_back(self) -> None:
        """A quorum queue puts it behind what came back before: so that the order stays, all of that is taken first."""
        if self.is_one_by_one:
            self.channel.basic_qos(prefetch_count=PREFETCH - 1)
            self._consume()
        tag, self._tag = self._tag, None
        if tag is not None:
            self.channel._impl._send_method(pika.spec.Basic.Cancel(consumer_tag=tag, nowait=True))
        ready = self._ready()  # When it returns, all that was handed out has come.
        self.channel.basic_nack(0, multiple=True)
        for _look in range(1000):  # A quorum queue confirms nothing: who consumes before would go on behind them.
            if self._ready() >= ready + len(self._unacked):
                break
        self.handed.clear()
        self._unacked.clear()

    def _ready(self) -> int:
        return self.channel.queue_declare(self._queue, passive=True).method.message_count

    @property
    def is_open(self) -> bool:
        return self.channel.is_open and not self._is_cancelled

    def ack(self, message: Message) -> None:
        """On a channel that is lost nothing can be acked: the message comes again."""
        if self.channel.is_open:
            self.channel.basic_ack(message.tag)
        self._unacked.discard(message.tag)

    def close(self) -> None:
        """When it returns, what was not acked is back in the queue, in its order, and is not counted as tried."""
        if not self.channel.is_open:
            return
        if self._nacks:
            self._give_back()
        self.channel.close()

    def _cancelled(self, _frame: Any) -> None:
        self._is_cancelled = True

    def _hand(self, _channel: Any, method: Any, properties: Any, body: Any) -> None:
        self._unacked.add(method.delivery_tag)
        if getattr(method, 'consumer_tag', self._tag) != self._tag:
            return  # It goes back.
        with suppress(ValueError):
            if properties.content_type == 'application/json':
                body = json.loads(body)
            elif properties.content_type == 'text/plain':
                body = body.decode()
        self.handed.append(Message(body, properties.headers or {}, method.delivery_tag))


def _is_at_risk(message: Message) -> bool:
    """A quorum queue has counted that it came back more than once."""
    count = message.headers.get('x-delivery-count')
    return isinstance(count, int) and count > 1


class Progress:
    """How far the application is with each producer, and which commands it has seen."""

    def __init__(self) -> None:
        self.marks: dict[str, int] = {}
        self.missing: dict[str, list[list[int]]] = {}  # Numbers below the mark that have not come: first and last.
        self.counts = {'applied': 0, 'duplicates': 0, 'gaps': 0, 'unnumbered': 0}
        self.fences: list[dict] = []  # Of the last command of each migration, the latest one first.

    def identify(self, message: Message) -> tuple[str, int] | None:
        """None too where there are more producers than marks: somebody invents them."""
        body = message.body if isinstance(message.body, dict) else {}
        producer, seq = body.get('producer', ''), body.get('seq')
        if not is_count(seq) or not isinstance(producer, str) or len(producer) > LONGEST_NAME:
            return None
        return (producer, int(seq)) if producer in self.marks or len(self.marks) < MOST_PRODUCERS else None

    def apply(self, message: Message, change: Callable[[Message], None]) -> None:
        producer, seq = self.identify(message) or (None, 0)
        mark = -1 if producer is None else self.marks.get(producer, -1)
        gaps = [] if producer is None else self.missing.get(producer, [])
        gap = next((one for one in gaps if one[0] <= seq <= one[1]), None)
        if producer is not None and seq <= mark and gap is None:
            self.counts['duplicates'] += 1
            return
        change(message)
        self.counts['applied'] += 1
        if producer is None:
            self.counts['unnumbered'] += 1
        elif gap is not None:
            sides = [side for side in ([gap[0], seq - 1], [seq + 1, gap[1]]) if side[0] <= side[1]]
            at = gaps.index(gap)
            self._keep_gaps(producer, [*gaps[:at], *sides, *gaps[at + 1:]])
        else:
            # Where a producer's numbers begin is not known: what comes below the first one was not applied either.
            self.marks[producer] = seq
            if seq > mark + 1:
                self.counts['gaps'] += mark != -1
                self._keep_gaps(producer, [*gaps, [mark + 1, seq - 1]])

    def _keep_gaps(self, producer: str, gaps: list[list[int]]) -> None:
        self.missing[producer] = gaps[-MOST_GAPS:]
        if not gaps:
            del self.missing[producer]

    def is_beyond(self, message: Message, marks: dict[str, int] | None) -> bool:
        identity = self.identify(message)
        return marks is not None and identity is not None and identity[1] > marks.get(identity[0], -1)

    def has_reached(self, marks: dict[str, int]) -> bool:
        return all(self.marks.get(producer, -1) >= mark for producer, mark in marks.items())

    def is_new(self, command: dict) -> bool:
        """What arrives twice or late is not."""
        last = next((fence for fence in self.fences if fence['migration'] == command['migration']), None)
        return last is None or (command['epoch'], command['step']) > (last['epoch'], last['step'])

    def saw(self, command: dict) -> None:
        others = [fence for fence in self.fences if fence['migration'] != command['migration']]
        self.fences = [{name: command[name] for name in FENCE}, *others][:MOST_MIGRATIONS]

    def inherit(self, marks: dict[str, int], missing: dict[str, list[list[int]]], fences: list[dict]) -> None:
        own = {fence['migration'] for fence in self.fences}
        self.marks, self.missing = dict(marks), dict(missing)
        self.fences = [*self.fences, *(one for one in fences if one['migration'] not in own)][:MOST_MIGRATIONS]


class Migratable:
    """A consumer that an operator can move. `url`: amqp:// or amqps://; `pod`: its UID, from the downward API."""

    def __init__(self, application: Application, *, url: str, queue: str, pod: str,
                 on_report: Callable[[dict], None] = lambda _report: None) -> None:
        self._application, self._url, self._queue, self._pod = application, url, queue, pod
        self._on_report = on_report
        self._control_queue, self._status_queue = f'ms2m.control.{pod}', f'ms2m.status.{pod}'
        self._hold_queue, self._is_assigned = f'ms2m.hold.{queue}', False
        self._instance, self._number, self._progress = str(uuid.uuid4()), 0, Progress()
        # What a barrier for this pod carries: its report has it. Trusting: the operator is one of before, without tokens.
        self._token, self._is_trusting = str(uuid.uuid4()), False
        self._judged: tuple[Message | None, dict | None] = (None, None)
        self._mode, self._limit = 'paused', {}  # `_limit`: the command `follow`, while it follows.
        self._consumer: Consumer | None = None
        # It has begun without a state while the queue is held. Nobody: and no process of its pod has ever reported.
        self._is_waiting = self._is_nobody = self._has_hold = False
        # Why a later state than this one was lost.
        self._snapshot = self._failure = self._digest = self._lost = None
        self._has_begun = self._is_due = self._is_stopping = False
        self._look_at = 0.0

    def stop(self) -> None:
        """Ends `run` after the message in hand. A signal handler may call it."""
        self._is_stopping = True

    def run(self) -> None:
        """Consumes and obeys until `stop`. Waits for a broker that is away. Raises what the application raises."""
        delay = FIRST_RETRY_S
        while not self._is_stopping:
            try:
                self._broker = Broker(self._url)
                try:
                    self._begin()
                    delay = FIRST_RETRY_S
                    while self._control.is_open and not self._is_stopping:
                        self._turn()
                finally:
                    with suppress(AMQPError):
                        self._broker.connection.close()
            except AMQPError as error:
                logging.getLogger('migratable').warning('the broker is away: %r', error)
            until = time.monotonic() + delay
            while time.monotonic() < until and not self._is_stopping:
                time.sleep(TICK_S / 4)
            delay = min(2 * delay, MOST_RETRY_S)

    def _begin(self) -> None:
        """On a new connection; on the first one, whether to run is decided by the last report of its pod."""
        self._broker.declare(self._control_queue, EXPIRES)
        if not self._has_begun:
            self._broker.declare(self._status_queue, ONE_MESSAGE)
            last = self._broker.peek(self._status_queue)
            earlier = last.body if last is not None and has(mode=MODES.__contains__)(last.body) else {}
            takes_over = os.environ.get('MS2M_RESTORE_MODE') == 'true'
            if is_text(earlier.get('token')):
                self._token = earlier['token']
            if earlier.get('assigned') is True and is_text(earlier.get('queue')):
                self._assign(earlier['queue'])
            if is_fence(earlier.get('handled')):
                self._progress.saw(earlier['handled'])
            # Not where it takes over from another process, or was started again in the midst of a migration.
            may_run = earlier.get('mode') == 'running' or earlier.get('waiting') is True or not (earlier or takes_over)
            # A source that is started again runs, though its queue is held: what it takes is in the mirror, too.
            self._is_waiting = may_run and (not earlier or takes_over) and self._is_held()
            self._is_nobody = self._is_waiting and not earlier
            self._mode = 'running' if may_run and not self._is_waiting else 'paused'
            self._has_begun, self._is_due = True, not self._is_nobody
        self._consumer, self._control = None, Consumer(self._broker, self._control_queue, prefetch=1)

    def _turn(self) -> None:
        """One command and one message, where there are such."""
        handed = self._consumer.handed if self._consumer is not None and self._consumer.is_open else ()
        is_one_by_one = self._consumer is not None and self._consumer.is_open and self._consumer.is_one_by_one
        has_work = is_one_by_one or self._control.handed or self._is_due or (handed and not self._is_held_back(handed[0]))
        self._broker.connection.process_data_events(0 if has_work else TICK_S)
        if self._is_stopping:
            return
        if time.monotonic() >= self._look_at:
            self._look()
        command = self._control.handed.popleft() if self._control.handed else None
        if command is not None:
            self._hear(command)
        if self._mode != 'paused' and not self._is_reached():
            self._work()
        if self._is_reached():
            self._pause()
        if self._is_due:
            self._publish()
        if command is not None:
            self._control.ack(command)

    # Messages

    def _work(self) -> None:
        """One message of the primary queue, or of a mirror up to its limit."""
        if self._consumer is None or not self._consumer.is_open:
            self._subscribe()
        if self._consumer is not None and self._consumer.is_open:
            with suppress(ChannelClosedByBroker):
                self._consumer.fill()
        if self._consumer is None or not self._consumer.handed or self._is_held_back(self._consumer.handed[0]):
            return
        message = self._consumer.handed.popleft()
        barrier = self._barrier_in(message)
        if barrier is None and not self._progress.is_beyond(message, self._limit.get('upTo')):
            self._progress.apply(message, self._application.apply)
        self._consumer.ack(message)
        is_meant = barrier is not None and barrier.get('pod', self._pod) == self._pod
        if is_meant and self._progress.is_new(barrier):
            self._progress.saw(barrier)
            self._failure = None
            self._pause()

    def _barrier_in(self, message: Message) -> dict | None:
        """None for a message of the application, also for one that looks like a barrier: anybody may have written it."""
        if COMMAND_HEADER not in message.headers:
            return None
        if self._judged[0] is not message:
            command = command_of(message)
            is_known = command is not None and command['type'] == 'pause' and self._is_known(command)
            self._judged = (message, command if is_known else None)
        return self._judged[1]

    def _is_known(self, barrier: dict) -> bool:
        """It has the token of its pod's report, which a pod that is gone has left."""
        pod, token = barrier.get('pod', self._pod), barrier.get('token')
        if token is None:
            return self._is_trusting
        if token == self._token or pod == self._pod:
            return token == self._token
        left = self._broker.peek(f'ms2m.status.{pod}')
        return left is not None and has(token=is_text)(left.body) and left.body['token'] == token

    def _is_held_back(self, message: Message) -> bool:
        """With `final` what is beyond the marks is thrown away: it is in the primary queue still. So is a barrier."""
        is_dropped = self._limit.get('final') is True or self._barrier_in(message) is not None
        return not is_dropped and self._progress.is_beyond(message, self._limit.get('upTo'))

    def _is_reached(self) -> bool:
        """All is applied that ever may be."""
        marks = self._limit.get('upTo')
        return self._limit.get('final') is True and marks is not None and self._progress.has_reached(marks)

    def _start(self, mode: str, limit: dict) -> None:
        self._pause()
        self._mode, self._limit = mode, limit
        self._subscribe()

    def _subscribe(self) -> None:
        """Does nothing where the queue is missing, or another process has it."""
        self._unsubscribe()
        with suppress(ChannelClosedByBroker):
            queue = self._limit.get('queue', self._queue)
            is_alone = self._mode == 'running'
            self._consumer = Consumer(self._broker, queue, PREFETCH, exclusive=is_alone, alone=is_alone)

    def _unsubscribe(self) -> None:
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            consumer.close()

    def _pause(self) -> None:
        # First: where the connection is lost as messages are given back, they go back all the same.
        self._mode, self._limit, self._digest, self._is_due = 'paused', {}, None, True
        self._unsubscribe()

    # Commands

    def _hear(self, message: Message) -> None:
        command = command_of(message)
        if command is None:
            return
        if command['type'] == 'report':
            self._is_trusting = command.get('tokens') is not True
        self._look()
        if self._is_nobody:
            return
        if command['type'] != 'report' and self._progress.is_new(command) and not self._is_busy(command):
            self._handle(command)
        # It does not expire while it is needed; a late call of an earlier migration may have deleted it.
        if self._has_hold:
            self._broker.declare(self._hold_queue, ONE_MESSAGE)
            if self._broker.peek(self._hold_queue) is None:
                self._take_hold()
        self._is_due = True

    def _is_busy(self, command: dict) -> bool:
        """Another migration has it, and has not let it go."""
        is_other = any(fence['migration'] != command['migration'] for fence in self._progress.fences[:1])
        return is_other and command['type'] != 'resume' and self._mode != 'running'

    def _handle(self, command: dict) -> None:
        seen, self._failure, self._digest = self._progress.fences, None, None
        self._progress.saw(command)
        try:
            self._carry_out(command)
            self._is_waiting = self._is_nobody = False
        except (CommandFailed, AMQPError) as error:
            if not self._broker.connection.is_open:
                self._progress.fences = seen  # The command comes again.
                raise
            self._failure = str(error)

    def _carry_out(self, command: dict) -> None:
        kind = command['type']
        if kind in ('snapshot', 'restore') and self._mode != 'paused':
            raise CommandFailed(f'the process is {self._mode}, not paused')
        if kind == 'pause':
            self._pause()
        elif kind == 'snapshot':
            self._snapshot = self._write_snapshot(command['queue'])
        elif kind == 'restore':
            self._assign(command.get('primary'))
            if command.get('hold') is True:
                self._take_hold()
            captured = self._read_snapshot(command['snapshot'])
            self._application.restore(captured.get('state'))
            self._progress.inherit(captured['watermarks'], captured.get('missing') or {}, captured['handled'])
            self._lost = captured.get('lost')
        elif kind == 'follow':
            if self._mode == 'running':
                raise CommandFailed('the process is running: it follows nobody')
            if self._limit.get('queue') == command['queue']:
                self._limit = command
            else:
                self._start('following', command)
        elif kind == 'resume':
            if command.get('instance', self._instance) != self._instance:
                raise CommandFailed('the process was started again, and has lost its state')
            self._has_hold = self._has_hold and command.get('release') is not True
            self._assign(command.get('primary'))
            if command.get('lost') is not None:
                self._lost = command['lost']
                logging.getLogger('migratable').warning('the state is an old one, a later one was lost: %s', self._lost)
            if self._mode != 'running':
                self._start('running', {})

    # Snapshots

    def _write_snapshot(self, queue: str) -> dict:
        content = canonical_json({**self._captured(), **self._loss(), 'handled': self._progress.fences}).encode()
        if len(content) > MOST_BYTES:
            raise CommandFailed(f'the state has {len(content)} bytes: at most {MOST_BYTES}')
        chunks = [content[at:at + CHUNK_BYTES] for at in range(0, len(content), CHUNK_BYTES)]
        for index, chunk in enumerate(chunks):
            if not self._broker.send(queue, chunk, {'chunk': index}):
                raise CommandFailed(f'there is no queue {queue}')
        return {'queue': queue, 'chunks': len(chunks), 'bytes': len(content), 'sha256': sha256(content)}

    def _read_snapshot(self, facts: dict) -> dict:
        """Acks no chunk, so all go back: this process may be lost, too, and the queue may have the only copy."""
        found: dict[Any, bytes] = {}
        until = time.monotonic() + SNAPSHOT_S
        consumer = Consumer(self._broker, facts['queue'], prefetch=int(facts['chunks']) + MOST_COPIES)
        while len(found) < facts['chunks'] and consumer.is_open and time.monotonic() < until and not self._is_stopping:
            self._broker.connection.process_data_events(TICK_S)
            found.update((one.headers['chunk'], one.body) for one in consumer.handed if self._is_chunk(one, facts))
        consumer.close()
        content = b''.join(found.get(index, b'') for index in range(len(found)))
        if len(content) != facts['bytes'] or sha256(content) != facts['sha256']:
            raise CommandFailed(f"the snapshot in {facts['queue']} is not the one that was written")
        captured = json.loads(content)
        if not has(watermarks=is_marks, handled=is_fences)(captured):
            raise CommandFailed('this is no snapshot')
        return captured

    def _is_chunk(self, message: Message, facts: dict) -> bool:
        """The queue may have other things, too."""
        index = message.headers.get('chunk')
        is_bytes = isinstance(message.body, bytes) and len(message.body) <= CHUNK_BYTES
        return is_bytes and type(index) is int and 0 <= index < facts['chunks']

    def _loss(self) -> dict:
        return {} if self._lost is None else {'lost': self._lost}

    def _captured(self) -> dict:
        missing = {'missing': self._progress.missing} if self._progress.missing else {}
        return {'state': self._application.snapshot(), 'watermarks': self._progress.marks, **missing}

    def _assign(self, queue: str | None) -> None:
        """The queue whose messages made the state that it takes over: its own may be named after another pod."""
        if queue is not None and queue != self._queue:
            self._queue, self._hold_queue, self._is_assigned = queue, f'ms2m.hold.{queue}', True

    # The hold: who begins without a state leaves the queue alone while another pod has that.

    def _take_hold(self) -> None:
        self._broker.declare(self._hold_queue, ONE_MESSAGE)
        if not self._broker.send(self._hold_queue, {'pod': self._pod}):
            raise CommandFailed(f'queue {self._hold_queue} is gone')
        self._has_hold = True

    def _is_held(self) -> bool:
        hold = self._broker.peek(self._hold_queue)
        if hold is None or not has(pod=is_text)(hold.body):
            return False
        return self._broker.peek(f"ms2m.status.{hold.body['pod']}") is not None

    def _look(self) -> None:
        """A process that waits begins when it may."""
        self._look_at = time.monotonic() + LOOK_S
        if self._is_waiting and not self._is_held():
            self._is_waiting = self._is_nobody = False
            self._start('running', {})

    def _publish(self) -> None:
        self._number += 1
        optional: dict[str, Any] = {'failure': self._failure, 'snapshot': self._snapshot, **self._loss()}
        optional['handled'] = next(iter(self._progress.fences), None)
        optional['waiting'], optional['assigned'] = self._is_waiting or None, self._is_assigned or None
        if self._mode == 'paused':
            self._digest = self._digest or sha256(canonical_json(self._captured()).encode())
            optional['digest'] = self._digest
        report = {'pod': self._pod, 'instance': self._instance, 'number': self._number, 'mode': self._mode,
                  'token': self._token, 'queue': self._queue, 'watermarks': self._progress.marks, **self._progress.counts,
                  **{name: value for name, value in optional.items() if value is not None}}
        while not self._broker.send(self._status_queue, report):
            self._broker.declare(self._status_queue, ONE_MESSAGE)
        self._is_due = False
        self._on_report(report)
