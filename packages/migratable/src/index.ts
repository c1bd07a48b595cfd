export type { Identify, Identity } from './identify.ts';
export type * from './messages.ts';
export { Migratable, type MigratableOptions } from './migratable.ts';
export { MigratableError, type MigratableErrorCode } from './migratable-error.ts';
export {
  type Command,
  controlQueue,
  type Fence,
  type FencedCommand,
  HOLD_QUEUE,
  holdQueue,
  lockQueue,
  mirrorQueue,
  type Mode,
  QUEUE_EXPIRES_MS,
  type Report,
  RESTORE_MODE,
  type SnapshotFacts,
  snapshotQueue,
  statusQueue,
  type Successor,
  type Watermarks,
} from './protocol.ts';
export { commandMessage, holdMessage, reportOf } from './protocol-messages.ts';
export { queueArguments } from './queue-arguments.ts';
export { type Captured, readSnapshot } from './read-snapshot.ts';
export type { Timer, Waiting } from './while-away.ts';
