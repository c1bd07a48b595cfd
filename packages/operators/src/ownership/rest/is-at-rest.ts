import type { ManifestState } from '../api.ts';
import type { ObjectPlace } from './object-versions.ts';
import { type Rest, reportDigests } from './rest-of.ts';

/** What is remembered of an object of a slice. */
export type Remembered = Rest & {
  readonly place: ObjectPlace;
  /** Digest of the manifest. */
  readonly manifest: string;
  /** Digest of its settings and its version of the kind. */
  readonly settings: string;
  /** The monotonic time from which on the object is looked at all the same: not all changes cause an event. */
  readonly until: number;
};

/** What is known of an object now, without a request. */
export type Now = {
  /** The version that the watch of its kind has; undefined where there is none, or it cannot be relied on. */
  readonly version: string | undefined;
  readonly manifest: string;
  /** What the status of the slice says; nothing after the slice has changed. */
  readonly state: ManifestState;
  readonly time: number;
};

/**
 * Whether a look would find what the last one found, and report the same. A watch that is behind has another version than
 * the one that was seen, which costs a look that finds nothing.
 */
export function isAtRest(remembered: Remembered, now: Now): boolean {
  return remembered.manifest === now.manifest && isUnchanged(remembered, now);
}

/** The same for another manifest: the object and the report are those that the last look left. */
export function isUnchanged(remembered: Remembered, { version, state, time }: Now): boolean {
  return version === remembered.version && time < remembered.until && isReported(remembered, state);
}

function isReported(remembered: Remembered, now: ManifestState): boolean {
  const { applied: _applied, ...rest } = now;
  const { state, applied } = reportDigests(now);
  // What is too long for the status is not recorded.
  if (applied !== undefined && applied !== remembered.applied) return false;
  const isNew = Object.keys(rest).length === 0;
  return isNew ? remembered.isPlain && remembered.readySince !== undefined : state === remembered.state;
}
