import type { QueueOptions } from './messages.ts';

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

/** Who waits for the state of another process, and gets the command to restore it from that one: as the operator would send it. */
export type Successor = {
  /** The UID of the pod. */
  readonly pod: string;
  /** Of the command. */
  readonly step: number;
  /** See `restore`. */
  readonly hold?: boolean;
  readonly primary?: string;
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
     * that of the pod's report; without it, a barrier is a message of the application. `snapshot`, of a barrier: write the state into
     * this queue as it is there. `successor`: then have this pod restore it.
     */
    {
        readonly type: 'pause';
        readonly pod?: string;
        readonly token?: string;
        readonly snapshot?: string;
        readonly successor?: Successor;
      }
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
  /** The pod that it had restore the snapshot, since the last command. */
  readonly successor?: string;
};

/** Queues of a pod that is gone go too, after an hour in which nobody used them. */
export const QUEUE_EXPIRES_MS = 3_600_000;

export const controlQueue = (podUid: string): string => `ms2m.control.${podUid}`;
export const statusQueue = (podUid: string): string => `ms2m.status.${podUid}`;

/** Says for which pod a primary queue is held. */
export const holdQueue = (primary: string): string => `ms2m.hold.${primary}`;

/** How a hold queue is declared, by whoever holds the primary queue. */
export const HOLD_QUEUE: QueueOptions = { maxLength: 1, expiresMs: QUEUE_EXPIRES_MS };

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

/** Producers whose messages are distinguished, at most. */
export const MOST_PRODUCERS = 64;
/** Of a queue, a producer, a UID: as AMQP bounds names. */
export const LONGEST_NAME = 255;
