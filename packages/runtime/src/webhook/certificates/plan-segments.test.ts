import { expect, test } from 'vitest';
import {
  areRouted,
  planSegments,
  type Route,
  type SegmentState,
  untilNextSegment,
  wantedSegment,
} from './plan-segments.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const NOW = Date.UTC(2026, 0, 1);
const settings = { settleMs: 5 * MINUTE, segmentMs: HOUR };

const made = (value: string, minutesAgo: number) => ({ value, since: NOW - minutesAgo * MINUTE });
const route = (segment?: string, isCalled = true): Route => ({ segment, isCalled });
const state = (more: Partial<SegmentState>): SegmentState => ({
  segments: [],
  routes: [],
  routedMs: 0,
  startedAt: NOW - 24 * HOUR,
  now: NOW,
  ...more,
});
const wanted = (at: Route, segments: SegmentState['segments']) => wantedSegment(at, segments, NOW, settings);

test('a segment is made where there is none, and where the newest is an hour old', () => {
  expect(planSegments(state({}), settings)).toEqual({ type: 'addSegment' });
  expect(planSegments(state({ segments: [made('a', 59)] }), settings)).toBeUndefined();
  expect(planSegments(state({ segments: [made('a', 60)] }), settings)).toEqual({ type: 'addSegment' });
});

test('one from before the start, which an outage may have shown, is followed by another soon', () => {
  const startedAt = NOW - MINUTE;
  expect(planSegments(state({ segments: [made('a', 10)], startedAt }), settings)).toEqual({
    type: 'addSegment',
  });
  const segments = [made('a', 9)];
  expect(planSegments(state({ segments, startedAt }), settings)).toBeUndefined();
  expect(untilNextSegment(state({ segments, startedAt }), settings)).toEqual([MINUTE]);
});

test('without a lifetime there are no segments, and paths stay as they are', () => {
  const none = { settleMs: MINUTE };
  expect(planSegments(state({}), none)).toBeUndefined();
  expect(wantedSegment(route(), [made('a', 60)], NOW, none)).toBeUndefined();
  expect(untilNextSegment(state({ segments: [made('a', 60)] }), none)).toEqual([]);
});

test('configurations get it when all replicas have had it for a while', () => {
  const segments = [made('a', 61), made('b', 4)];
  expect(wanted(route('a'), segments)).toBe('a');
  expect(wanted(route(), segments)).toBe('a');
  expect(wanted(route('a'), [made('a', 62), made('b', 5)])).toBe('b');
  expect(untilNextSegment(state({ segments, routedMs: HOUR }), settings)).toEqual([56 * MINUTE, MINUTE]);
});

test('while none has settled, whoever is called is called as before', () => {
  const segments = [made('a', 1)];
  expect(wanted(route(), segments)).toBeUndefined();
  expect(wanted(route('a'), segments)).toBeUndefined();
  expect(areRouted(state({ segments, routes: [route(), route('a')] }), settings)).toBe(true);
});

test('a path that nobody can call yet, or that no replica knows, gets the first one at once', () => {
  const segments = [made('a', 0)];
  expect(wanted(route(undefined, false), segments)).toBe('a');
  expect(wanted(route('lost'), segments)).toBe('a');
  expect(areRouted(state({ segments, routes: [route('lost')] }), settings)).toBe(false);
});

test('a former segment is accepted until all configurations have had another one for a while', () => {
  const segments = [made('a', 70), made('b', 10)];
  expect(planSegments(state({ segments, routedMs: 5 * MINUTE - 1 }), settings)).toBeUndefined();
  expect(planSegments(state({ segments, routedMs: 5 * MINUTE }), settings)).toEqual({
    type: 'forgetSegments',
    before: NOW - 10 * MINUTE,
  });
  expect(untilNextSegment(state({ segments, routedMs: MINUTE }), settings)).toEqual([
    50 * MINUTE,
    4 * MINUTE,
  ]);
});
