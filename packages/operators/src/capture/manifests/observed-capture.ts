import type { ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import type { ManifestCheckpoint } from '../api/manifest-checkpoint.ts';
import type { KeeperState } from '../requests/keeper-state.ts';
import type { JudgedChunk } from './new-checkpoint.ts';
import type { Collected } from './collect.ts';

/** A chunk that is in its place, that must not be there, or that is missing. */
export type ChunkState =
  | JudgedChunk
  | { readonly type: 'missing'; readonly index: number; readonly collected: Collected };

/** All that a decision about a capture rests on, but the time. */
export type ObservedCapture = {
  readonly request: ManifestCaptureRequest;
  readonly keeper: KeeperState;
  readonly checkpoint?: ManifestCheckpoint;
  /** Of a request that has a keeper and no checkpoint yet. */
  readonly collected?: Collected;
  /** Of a checkpoint that is not final: up to the first that is not kept. */
  readonly chunks: readonly ChunkState[];
};
