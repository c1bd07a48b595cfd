import { createHash } from 'node:crypto';

/** Names derive from a request's uid alone, so any other object of that name is foreign, and long names work. */
export const NAMES = {
  captureKeeper: (uid: string): string => `retainer-vcr-${uid}`,
  snapshotContent: (uid: string): string => `snapshot-${uid}`,
  /** Of the keeper of a detached volume, and of the claim that its volume names instead of a real one. */
  detachKeeper: (uid: string): string => `ret-pv-${uid}`,
  restoreKeeper: (uid: string): string => `ret-pvc-${uid}`,
  /** Of the VolumeSnapshot, and its content, that a claim is restored from. */
  restoreSnapshot: (uid: string): string => `restore-${uid}`,
  manifestKeeper: (uid: string): string => `nss-ok-${shortHash(uid)}`,
  checkpoint: (uid: string): string => `nss-mcp-${shortHash(uid)}`,
  chunk: (checkpointUid: string, index: number): string => `nss-mcp-${shortHash(checkpointUid)}-${index}`,
} as const;

const SHORT = 16;

/** Lower-case hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function shortHash(text: string): string {
  return sha256(text).slice(0, SHORT);
}
