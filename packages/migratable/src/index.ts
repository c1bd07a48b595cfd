export type { Identify, Identity } from './identify.ts';
export type * from './messages.ts';
export { Migratable, type MigratableOptions } from './migratable.ts';
export { MigratableError, type MigratableErrorCode } from './migratable-error.ts';
export {
  type Command,
  commandMessage,
  controlQueue,
  type Fence,
  type FencedCommand,
  HOLD_QUEUE,
  holdMessage,
  holdQueue,
  lockQueue,
  mirrorQueue,
  type Mode,
  QUEUE_EXPIRES_MS,
  type Report,
  reportOf,
  RESTORE_MODE,
  type SnapshotFacts,
  snapshotQueue,
  statusQueue,
  type Watermarks,
} from './protocol.ts';
export { queueArguments } from './queue-arguments.ts';
export { type Captured, readSnapshot } from './read-snapshot.ts';
export type { Timer, Waiting } from './while-away.ts';
