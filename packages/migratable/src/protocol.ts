import { MigratableError } from './migratable-error.ts';
import type { Message, QueueOptions } from './messages.ts';

/** By producer: the highest sequence number that was applied. */
export type Watermarks = Readonly<Record<string, number>>;

/**
 * Who commands, and when. A command is carried out only if (epoch, step) is greater than what the process handled for that
 * migration: what arrives twice or late changes nothing.
 */
export type Fence = {
  /** The UID of the migration. */
  readonly migration: string;
  /** Grows when another operator takes over, or the migration starts over. */
  readonly epoch: number;
  readonly step: number;
};

/** Where a snapshot is, and what it has to be. */
export type SnapshotFacts = {
  readonly queue: string;
  readonly chunks: number;
  readonly bytes: number;
  readonly sha256: string;
};

/** To an application, in its control queue. */
export type Command =
  /** Publish the report now. `tokens`: whoever sends it puts the token of a report into barriers. */
  { readonly type: 'report'; readonly tokens?: boolean } | FencedCommand;

export type FencedCommand = Fence &
  (
    | /**
     * Stop after the message in hand; what was not applied goes back. In the primary queue itself, or in the mirror, it is the
     * barrier: stop here. `pod`: whom it is to stop, for whoever finds it there after that pod is gone; default: anybody. `token`:
     * that of the pod's report; without it, a barrier is a message of the application.
     */
    { readonly type: 'pause'; readonly pod?: string; readonly token?: string }
    /** When paused: write the state into this queue. */
    | { readonly type: 'snapshot'; readonly queue: string }
    /**
     * When paused: take the state from there. `primary`: the queue whose messages made it, in the place of the one that the process
     * was configured with, which may be named after another pod; from now on. `hold`: from now on, as long as this pod has its status queue, who begins without
     * a state leaves the primary queue alone.
     */
    | {
        readonly type: 'restore';
        readonly snapshot: SnapshotFacts;
        readonly hold?: boolean;
        readonly primary?: string;
      }
    /**
     * When paused or following: apply the messages of this queue up to these marks (default: all) and hold back later ones.
     * `final`: stop where all marks are reached; later messages are thrown away.
     */
    | {
        readonly type: 'follow';
        readonly queue: string;
        readonly upTo?: Watermarks;
        readonly final?: boolean;
      }
    /**
     * Consume the primary queue, alone. `release`: it is no longer held, see `restore`. `instance`: the run of the process that has
     * the state; a later one does not consume. Default: any. `lost`: why this state is an old one, see {@link Report.lost}. `primary`: as in `restore`.
     */
    | {
        readonly type: 'resume';
        readonly release?: boolean;
        readonly instance?: string;
        readonly lost?: string;
        readonly primary?: string;
      }
  );

export type Barrier = Extract<FencedCommand, { readonly type: 'pause' }>;

export type Mode = 'running' | 'paused' | 'following';

/** From an application: the one message in its status queue. */
export type Report = {
  /** The UID of the pod. */
  readonly pod: string;
  /** Another one: the process was started again. */
  readonly instance: string;
  /** Grows within an instance. */
  readonly number: number;
  readonly mode: Mode;
  /** What a barrier for this pod carries. Absent: it stops at any. */
  readonly token?: string;
  /** The primary queue that it consumes, or would. Absent: it takes no other one. */
  readonly queue?: string;
  /** By an operator. */
  readonly assigned?: boolean;
  /** The last command that was carried out, or failed. */
  readonly handled?: Fence;
  /** It was started again, without its state, and does not consume while the queue is held. */
  readonly waiting?: boolean;
  /** Why that one failed. The mode is what it was before. */
  readonly failure?: string;
  /** A later state than this one was lost, and with it messages that another process had applied: why. */
  readonly lost?: string;
  readonly watermarks: Watermarks;
  /** Messages that changed the state; that came again and did not; numbers that were left out; messages without a number. */
  readonly applied: number;
  readonly duplicates: number;
  readonly gaps: number;
  readonly unnumbered: number;
  /** When paused: SHA-256 of state and watermarks. */
  readonly digest?: string;
  readonly snapshot?: SnapshotFacts;
};

/** Queues of a pod that is gone go too, after an hour in which nobody used them. */
export const QUEUE_EXPIRES_MS = 3_600_000;

export const controlQueue = (podUid: string): string => `ms2m.control.${podUid}`;
export const statusQueue = (podUid: string): string => `ms2m.status.${podUid}`;

/** Says for which pod a primary queue is held. */
export const holdQueue = (primary: string): string => `ms2m.hold.${primary}`;

/** Whose consumer is alone on a primary queue of RabbitMQ. */
export const lockQueue = (primary: string): string => `ms2m.lock.${primary}`;

/** Gets what the primary queue gets, for one epoch of a migration. */
export const mirrorQueue = (primary: string, migration: string, epoch: number): string =>
  `${primary}.mig.${migration.slice(0, 8)}.${epoch}`;

/** Where one `snapshot` goes. */
export const snapshotQueue = (migration: string, { epoch, step }: Omit<Fence, 'migration'>): string =>
  `ms2m.snapshot.${migration.slice(0, 8)}.${epoch}.${step}`;

/** `true` in the environment of a process that takes over from another: it does nothing until it is commanded. */
export const RESTORE_MODE = 'MS2M_RESTORE_MODE';

/** Marks a command among the messages of a primary queue. */
const COMMAND_HEADER = 'ms2m-command';
/** Producers whose messages are distinguished, at most. */
export const MOST_PRODUCERS = 64;
/** Of a queue, a producer, a UID: as AMQP bounds names. */
export const LONGEST_NAME = 255;

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
      return { ...fence, type, ...optional(value, 'pod'), ...optional(value, 'token') };
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

/** How a hold queue is declared, by whoever holds the primary queue. */
export const HOLD_QUEUE: QueueOptions = { maxLength: 1, expiresMs: QUEUE_EXPIRES_MS };

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
