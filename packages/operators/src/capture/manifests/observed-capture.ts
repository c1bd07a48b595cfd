import type { Author } from '../authority/read-author.ts';
import type { ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import type { ManifestCheckpoint } from '../api/manifest-checkpoint.ts';
import type { KeeperState } from '../requests/keeper-state.ts';
import type { JudgedChunk } from './new-checkpoint.ts';
import type { Collected } from './collect.ts';

/** A valid chunk, an invalid one, or a missing one. */
export type ChunkState =
  | JudgedChunk
  | { readonly type: 'missing'; readonly index: number; readonly collected: Collected };

/** Everything that a decision about a capture depends on, except the time. */
export type ObservedCapture = {
  readonly request: ManifestCaptureRequest;
  readonly keeper: KeeperState;
  /** Its deadline has passed: its targets and chunks are not read any more. */
  readonly isLate?: boolean;
  readonly checkpoint?: ManifestCheckpoint;
  /** Read while the request has no keeper: nothing begins without. */
  readonly author?: Author;
  /** Read once the request has a keeper and no checkpoint yet. */
  readonly collected?: Collected;
  /** Of a checkpoint that is not final: up to the first chunk that is not valid. */
  readonly chunks: readonly ChunkState[];
};
