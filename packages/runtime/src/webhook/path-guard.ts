import { createHash, timingSafeEqual } from 'node:crypto';

/** Which paths only an API server can know. A server without one serves every registered path. */
export type PathGuard = {
  /** Whether a webhook registered at `base` may be called with this segment behind it, or with none. */
  admits(base: string, segment: string | undefined): boolean;
};

/** Takes the time that is independent of how much of a segment is right. */
export function isOneOf(segments: readonly string[], segment: string): boolean {
  const wanted = digest(segment);
  let found = false;
  for (const one of segments) found = timingSafeEqual(digest(one), wanted) || found;
  return found;
}

function digest(segment: string): Buffer {
  return createHash('sha256').update(segment).digest();
}

export type ConfiguredPaths = PathGuard & {
  /** These segments are admitted from now on, and no others. */
  accept(segments: readonly string[]): void;
  /** The paths without a segment that configurations name now. */
  named(bare: readonly string[]): void;
};

/**
 * Admits the segments that the replicas share. A path without one is admitted while a configuration names it, and for
 * `settleMs` after, because API servers see the change a moment later: so a configuration from before there were segments,
 * or one that was applied again, is called without a gap until the leader has changed it.
 *
 * @param now milliseconds, of a clock that nobody sets
 */
export function createPathGuard(now: () => number, settleMs: number): ConfiguredPaths {
  let accepted: readonly string[] = [];
  let current: ReadonlySet<string> = new Set();
  const left = new Map<string, number>();
  return {
    accept(segments) {
      accepted = segments;
    },
    named(bare) {
      const next = new Set(bare);
      for (const path of current) if (!next.has(path)) left.set(path, now());
      for (const [path, at] of left) if (now() - at >= settleMs) left.delete(path);
      current = next;
    },
    admits(base, segment) {
      if (segment !== undefined) return isOneOf(accepted, segment);
      const since = left.get(base);
      return current.has(base) || (since !== undefined && now() - since < settleMs);
    },
  };
}
