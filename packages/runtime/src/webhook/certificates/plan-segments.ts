import type { PathSegment } from './certificate-bundle.ts';

/** How a configuration names the path of a webhook. */
export type Route = {
  /** Undefined: it has none. */
  readonly segment: string | undefined;
  /** Whether it has a caBundle, without which no API server calls it. */
  readonly isCalled: boolean;
};

export type SegmentSettings = {
  /** How long all replicas accept a segment before configurations have it, and still accept a former one. */
  readonly settleMs: number;
  /** The age at which a segment is followed by another; undefined: paths have none. */
  readonly segmentMs?: number | undefined;
};

export type SegmentState = {
  /** Those that the replicas share, the newest last. */
  readonly segments: readonly PathSegment[];
  readonly routes: readonly Route[];
  /** For how long this process has seen the segment of {@link settledSegment} in all configurations. */
  readonly routedMs: number;
  /** Wall time at which this process started. Before, there may have been nobody to call. */
  readonly startedAt: number;
  /** Wall time. */
  readonly now: number;
};

export type SegmentStep =
  /** Create a segment, which replicas accept as soon as they have read it, and configurations get later. */
  | { readonly type: 'addSegment' }
  /** No longer accept the segments that were made before that time. */
  | { readonly type: 'forgetSegments'; readonly before: number };

/** The newest segment that all replicas have had long enough. */
export function settledSegment(
  segments: readonly PathSegment[],
  now: number,
  { settleMs }: SegmentSettings,
): PathSegment | undefined {
  return segments.findLast(({ since }) => since + settleMs <= now);
}

/**
 * The segment that a route has to have; undefined: it stays as it is. While no segment has settled, a path that is called
 * without one stays so, as in an upgrade, whose former replicas know no segments; and so does one that is accepted.
 */
export function wantedSegment(
  { segment, isCalled }: Route,
  segments: readonly PathSegment[],
  now: number,
  settings: SegmentSettings,
): string | undefined {
  if (settings.segmentMs === undefined) return undefined;
  const settled = settledSegment(segments, now, settings);
  if (settled !== undefined) return settled.value;
  const isServed = segment === undefined ? isCalled : segments.some(({ value }) => value === segment);
  return isServed ? undefined : segments.at(-1)?.value;
}

/** Whether each route has the segment that it has to have. */
export function areRouted(
  { segments, routes, now }: Pick<SegmentState, 'segments' | 'routes' | 'now'>,
  settings: SegmentSettings,
): boolean {
  return routes.every((route) => {
    const wanted = wantedSegment(route, segments, now, settings);
    return wanted === undefined || wanted === route.segment;
  });
}

/**
 * What to do about the segments themselves. Invariant: whatever segment a configuration has had within `settleMs`, and
 * whatever it may get, all replicas accept.
 */
export function planSegments(state: SegmentState, settings: SegmentSettings): SegmentStep | undefined {
  const { segments, routedMs, now } = state;
  const { segmentMs, settleMs } = settings;
  if (segmentMs === undefined) return undefined;
  const newest = segments.at(-1);
  if (newest === undefined || expiryOf(newest, state, settings) <= now) return { type: 'addSegment' };
  const settled = settledSegment(segments, now, settings);
  const isFormer = settled !== undefined && segments[0] !== settled;
  return isFormer && routedMs >= settleMs ? { type: 'forgetSegments', before: settled.since } : undefined;
}

/**
 * When a segment is followed by another. An API server that cannot call a webhook shows its URL to whose write it denies: so
 * a segment from before the start of this process is old soon, though not so soon that a crash loop writes all the time.
 */
function expiryOf(
  { since }: PathSegment,
  { startedAt }: Pick<SegmentState, 'startedAt'>,
  { segmentMs = Infinity, settleMs }: SegmentSettings,
): number {
  return since + (since < startedAt ? Math.min(segmentMs, 2 * settleMs) : segmentMs);
}

/** When {@link planSegments} or {@link wantedSegment} has something else to say, in milliseconds from now. */
export function untilNextSegment(state: SegmentState, settings: SegmentSettings): readonly number[] {
  const { segments, routedMs, now } = state;
  const { segmentMs, settleMs } = settings;
  const newest = segments.at(-1);
  if (segmentMs === undefined || newest === undefined) return [];
  const settled = settledSegment(segments, now, settings);
  const isFormer = settled !== undefined && segments[0] !== settled;
  const due = [expiryOf(newest, state, settings) - now];
  if (settled !== newest) due.push(newest.since + settleMs - now);
  if (isFormer) due.push(settleMs - routedMs);
  return due;
}
