import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@kubewright/kube';
import { countSteps } from '../../kit/testing/count-steps.ts';
import { isAmong, isNarrowedFrom } from '../annotations/find-approval.ts';
import { MOST_ENTRIES } from '../annotations/read-annotation.ts';
import { formatTrace, traceOf } from '../annotations/trace-of.ts';
import { ANNOTATIONS } from '../api.ts';
import { child, CTL, decided, resized, site, traceIn, update, withAnnotations } from '../testing/objects.ts';
import { loosening } from './annotations-for-people.ts';

const { approvals, rejections, freeze, trace, updaters, controllers, usedApprovals } = ANNOTATIONS;

const entries = (count: number, more: object = {}): string =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ name: `w${index}`, ...more })));
/** An object of alice's, which nobody else writes. */
const mine = (annotations: Readonly<Record<string, string>>) =>
  withAnnotations(child({ metadata: { ownerReferences: [] } }), annotations);
const written = (
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  spec?: object,
) => {
  const [old, object] = [mine(before), mine(after)];
  return update(old, {
    object: spec === undefined ? object : { ...object, spec: { replicas: 9 } },
    user: 'alice',
  });
};

describe('DRF-81 what people write is bounded, and costs others nothing', () => {
  test('a list of more than a hundred entries is denied, with the limit and what to do', () => {
    expect(decided(written({}, { [rejections]: entries(12_000) }), undefined)).toEqual({
      reason: 'TooMany',
      allowed: false,
      message:
        'metadata.annotations[kausality.io/rejections]: Too many: 12000: must have at most 100 items; ' +
        'remove rejections that are over, or name many objects with "*"',
    });
    expect(decided(written({}, { [approvals]: entries(101) }, {}), undefined).message).toMatch(
      /^metadata\.annotations\[kausality\.io\/approvals\]: Too many: 101: must have at most 100 items; .*ApprovalPolicy/,
    );
    const tree = `{"message":"incident","tree":${entries(101)}}`;
    expect(decided(written({}, { [freeze]: tree }), undefined).message).toMatch(/freeze\]: Too many: 101/);
    expect(decided(written({}, { [freeze]: 'x'.repeat(262_145) }), undefined).message).toMatch(
      /Too long: may not be more than 262144 bytes/,
    );
  });

  test('a hundred are not', () => {
    const annotations = { [rejections]: entries(MOST_ENTRIES), [approvals]: entries(MOST_ENTRIES) };
    expect(decided(written({}, annotations), undefined).allowed).toBe(true);
  });

  test('many or long labels of the trace are denied', () => {
    const labels = Object.fromEntries(
      Array.from({ length: 21 }, (_, index) => [`kausality.io/trace-l${index}`, 'x']),
    );
    expect(decided(written({}, labels), undefined).message).toBe(
      'metadata.annotations[kausality.io/trace-*]: Too many: 21: must have at most 20 items; ' +
        'remove labels of the trace that are not needed',
    );
    const long = { 'kausality.io/trace-ticket': 'x'.repeat(1025) };
    expect(decided(written({}, long), undefined).message).toMatch(
      /^metadata\.annotations\[kausality\.io\/trace-ticket\]: Too long: may not be more than 1024 characters/,
    );
  });

  test('what was stored before anybody checked stays, and other writes of the object go on', () => {
    const annotations = { [rejections]: entries(12_000), [approvals]: entries(12_000) };
    const review = written(annotations, { ...annotations, note: 'x' });
    const decision = decided(written(annotations, { ...annotations, 'kausality.io/note': 'x' }), undefined);
    expect(decision).toMatchObject({ allowed: true, annotations });
    expect(decided(review, undefined).allowed).toBe(true);
    expect(decided(written(annotations, annotations, {}), undefined).allowed).toBe(true);
  });

  test('too many approvals approve nothing, and too many rejections reject', () => {
    const always = site({
      annotations: { [approvals]: entries(101, { apiVersion: '*', kind: '*', name: '*', mode: 'always' }) },
    });
    expect(decided(update(child()), always).reason).toBe('Drift');
    const rejecting = site({ annotations: { [rejections]: entries(101) } });
    expect(decided(update(child()), rejecting).message).toMatch(
      /^drift rejected: kausality.io\/rejections is not readable, or too long/,
    );
  });

  test('a trace with long labels keeps the first hop and the latest ones, and fits on the object', () => {
    const hop = (index: number) => ({
      apiVersion: 'v1',
      kind: 'Site',
      name: `s${index}`,
      generation: 1,
      user: 'alice',
      timestamp: '2026-01-01T09:00:00Z',
      labels: { ticket: 'x'.repeat(6000) },
    });
    const before = Array.from({ length: 10 }, (_, index) => hop(index));
    const parent = site({
      annotations: { [trace]: formatTrace(before) },
      status: { observedGeneration: 2 },
    });
    const next = traceIn(decided(update(child()), parent));
    expect(formatTrace(next).length).toBeLessThan(65_536);
    expect([next[0]?.name, next.at(-1)?.kind]).toEqual(['s0', 'ReplicaSet']);
    expect(next.length).toBeGreaterThan(8);
  });

  test('a trace that somebody wrote before is cut, so that writes below fit on their object', () => {
    const long = [{ ...traceOfOne, labels: { ticket: 'x'.repeat(200_000) } }];
    const parent = site({ annotations: { [trace]: formatTrace(long) }, status: { observedGeneration: 2 } });
    expect(traceIn(decided(update(child()), parent)).map(({ kind }) => kind)).toEqual(['ReplicaSet']);
    expect(traceOf(mine({ [trace]: entries(12_000) }))).toEqual([]);
  });
});

const traceOfOne = { apiVersion: 'v1', kind: 'Site', name: 'a', generation: 1, user: '', timestamp: '' };

describe('DRF-82 the work of a decision grows no faster than what it reads', () => {
  const STEPS_PER_ENTRY = 100;
  const steps = (count: number, key: string) => {
    const long = { [key]: entries(count) };
    const renamed = { [key]: entries(count, { reason: 'x' }) };
    const review = written(long, renamed);
    return countSteps(() => [decided(review, undefined), loosening(review.old, renamed)]);
  };

  test.each([approvals, rejections, freeze, trace])('of entries of %s', (key) => {
    expect(steps(2000, key)).toBeLessThan(STEPS_PER_ENTRY * 2000);
  });

  test('of entries that are compared with those before', () => {
    const many = JSON.parse(entries(5000)) as readonly JsonObject[];
    const next = many.map((entry) => ({ ...entry, reason: 'x' }));
    for (const compare of [isAmong, isNarrowedFrom])
      expect(countSteps(() => next.filter(compare(many)))).toBeLessThan(STEPS_PER_ENTRY * 5000);
  });

  test('of hashes, of which only the latest are read', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => index.toString(36).padStart(5, '0')).join(',');
    const hashes = { [updaters]: many, [controllers]: many, [usedApprovals]: many };
    const old = child({ annotations: hashes });
    const parent = site({ annotations: { ...hashes, [approvals]: entries(100, { name: '*' }) } });
    const few = countSteps(() => decided(update(child()), site()));
    expect(countSteps(() => decided(update(old, { object: resized(old), user: CTL }), parent))).toBeLessThan(
      few + STEPS_PER_ENTRY * 100,
    );
  });

  test('of owner references', () => {
    const owners = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: `o${index}`,
        uid: `u-${index}`,
        ...(index === count - 1 ? { controller: true } : {}),
      }));
    const old = child({ metadata: { ownerReferences: owners(5000) } });
    expect(countSteps(() => decided(update(old), site()))).toBeLessThan(STEPS_PER_ENTRY * 5000);
  });

  test('what a write leaves as it is is not read again', () => {
    const long = { [approvals]: entries(100), [rejections]: entries(100) };
    const relabeled = written(long, { ...long, 'kausality.io/note': 'x' });
    const bare = written({}, { 'kausality.io/note': 'x' });
    const of = (review: typeof bare) =>
      countSteps(() => loosening(review.old, decided(review, undefined).annotations ?? {}));
    expect(of(relabeled) - of(bare)).toBeLessThan(100);
  });
});
