import { MigratableError } from './migratable-error.ts';
import type { Message } from './messages.ts';
import {
  type Barrier,
  type Command,
  type Fence,
  LONGEST_NAME,
  MOST_PRODUCERS,
  type Report,
  type SnapshotFacts,
  type Successor,
  type Watermarks,
} from './protocol.ts';

// Messages of the protocol, as they are written, and as they are read from whoever may have written them.

/** Marks a command among the messages of a primary queue. */
const COMMAND_HEADER = 'ms2m-command';

export function commandMessage(command: Command): Message {
  return { headers: { [COMMAND_HEADER]: command.type }, body: command };
}

/** What a message of a primary queue or a mirror claims to be: anybody may have written it. */
export function barrierOf(message: Message): Barrier | undefined {
  if (!Object.hasOwn(message.headers ?? {}, COMMAND_HEADER)) return undefined;
  const command = commandOf(message);
  return command?.type === 'pause' ? command : undefined;
}

function parseCommand({ body }: Message): Command {
  const value = objectOf(body, 'command');
  const { type } = value;
  if (type === 'report') return { type, ...(value['tokens'] === true ? { tokens: true } : {}) };
  const fence = fenceOf(value, 'command');
  switch (type) {
    case 'pause':
      return pauseOf(fence, value);
    case 'resume':
      return {
        ...fence,
        type,
        ...(value['release'] === true ? { release: true } : {}),
        ...optional(value, 'instance'),
        ...optional(value, 'lost'),
        ...optional(value, 'primary'),
      };
    case 'snapshot':
      return { ...fence, type, queue: textOf(value, 'queue') };
    case 'restore':
      return {
        ...fence,
        type,
        snapshot: snapshotOf(value['snapshot']),
        hold: value['hold'] === true,
        ...optional(value, 'primary'),
      };
    case 'follow':
      return {
        ...fence,
        type,
        queue: textOf(value, 'queue'),
        ...(value['upTo'] === undefined ? {} : { upTo: watermarksOf(value['upTo']) }),
        final: value['final'] === true,
      };
    default:
      throw malformed('command', 'type');
  }
}

function pauseOf(fence: Fence, value: Fields): Barrier {
  return {
    ...fence,
    type: 'pause',
    ...optional(value, 'pod'),
    ...optional(value, 'token'),
    ...optional(value, 'snapshot'),
    ...(value['successor'] === undefined ? {} : { successor: successorOf(value['successor']) }),
  };
}

function successorOf(value: unknown): Successor {
  const fields = objectOf(value, 'command');
  return {
    pod: textOf(fields, 'pod'),
    step: countOf(fields, 'step'),
    hold: fields['hold'] === true,
    ...optional(fields, 'primary'),
  };
}

/** Undefined for what is no command: anybody may have written it. */
export function commandOf(message: Message): Command | undefined {
  return ifWellFormed(() => parseCommand(message));
}

/** Undefined for what is no report. */
export function reportOf(message: Message): Report | undefined {
  return ifWellFormed(() => parseReport(message));
}

/** In the hold queue: the primary queue is held for this pod, as long as it has its status queue. */
export function holdMessage(pod: string): Message {
  return { body: { pod } };
}

/** The pod for which a queue is held; undefined for what says no such thing. */
export function holderOf({ body }: Message): string | undefined {
  return ifWellFormed(() => textOf(objectOf(body, 'hold'), 'pod'));
}

function ifWellFormed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof MigratableError && error.code === 'Malformed') return undefined;
    throw error;
  }
}

function parseReport({ body }: Message): Report {
  const value = objectOf(body, 'report');
  const { mode, handled, waiting, failure, digest, snapshot } = value;
  if (mode !== 'running' && mode !== 'paused' && mode !== 'following') throw malformed('report', 'mode');
  return {
    pod: textOf(value, 'pod'),
    instance: textOf(value, 'instance'),
    mode,
    number: countOf(value, 'number'),
    watermarks: watermarksOf(value['watermarks']),
    applied: countOf(value, 'applied'),
    duplicates: countOf(value, 'duplicates'),
    gaps: countOf(value, 'gaps'),
    unnumbered: countOf(value, 'unnumbered'),
    ...optional(value, 'token'),
    ...optional(value, 'queue'),
    ...(value['assigned'] === true ? { assigned: true } : {}),
    ...optional(value, 'lost'),
    ...optional(value, 'successor'),
    ...(handled === undefined ? {} : { handled: fenceOf(objectOf(handled, 'report'), 'report') }),
    ...(waiting === true ? { waiting } : {}),
    ...(typeof failure === 'string' ? { failure: failure.slice(0, 1024) } : {}),
    ...(digest === undefined ? {} : { digest: textOf(value, 'digest') }),
    ...(snapshot === undefined ? {} : { snapshot: snapshotOf(snapshot) }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

const malformed = (what: string, field: string): MigratableError =>
  new MigratableError('Malformed', `the ${what} is malformed: ${field}`);

function objectOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(what, 'no object');
  return value as Fields;
}

function textOf(value: Fields, field: string): string {
  const text = Object.hasOwn(value, field) ? value[field] : undefined;
  if (typeof text !== 'string' || text === '' || text.length > LONGEST_NAME)
    throw malformed('message', field);
  return text;
}

function optional<F extends string>(value: Fields, field: F): { readonly [K in F]?: string } {
  return value[field] === undefined ? {} : ({ [field]: textOf(value, field) } as { [K in F]: string });
}

function countOf(value: Fields, field: string): number {
  const count = Object.hasOwn(value, field) ? value[field] : undefined;
  if (!isCount(count)) throw malformed('message', field);
  return count;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function fenceOf(value: Fields, what: string): Fence {
  if (!Object.hasOwn(value, 'migration')) throw malformed(what, 'migration');
  return {
    migration: textOf(value, 'migration'),
    epoch: countOf(value, 'epoch'),
    step: countOf(value, 'step'),
  };
}

function snapshotOf(value: unknown): SnapshotFacts {
  const fields = objectOf(value, 'snapshot');
  return {
    queue: textOf(fields, 'queue'),
    chunks: countOf(fields, 'chunks'),
    bytes: countOf(fields, 'bytes'),
    sha256: textOf(fields, 'sha256'),
  };
}

/** Marks by producer, whatever producers are called. */
export function watermarksOf(value: unknown): Watermarks {
  const entries = Object.entries(objectOf(value, 'watermarks'));
  if (entries.length > MOST_PRODUCERS) throw malformed('watermarks', `more than ${MOST_PRODUCERS} producers`);
  for (const [producer, mark] of entries)
    if (!isCount(mark) || producer.length > LONGEST_NAME) throw malformed('watermarks', 'a mark');
  return Object.fromEntries(entries) as Watermarks;
}
