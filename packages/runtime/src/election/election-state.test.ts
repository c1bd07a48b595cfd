import type { KubeObject } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import {
  type ElectionEvent,
  type ElectionSettings,
  type ElectionState,
  nextElectionStep,
} from './election-state.ts';

const settings: ElectionSettings = {
  namespace: 'ns',
  name: 'operator',
  identity: 'me',
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2000,
};
const WALL = Date.UTC(2026, 0, 1);

const lease = (holder: string, resourceVersion = '1', spec: object = {}, uid = 'u'): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'ns', name: 'operator', uid, resourceVersion },
  spec: {
    holderIdentity: holder,
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: '2026-01-01T00:00:00.000000Z',
    leaseTransitions: 3,
    ...spec,
  },
});
const standby: ElectionState = { phase: 'Standby' };
const seen = (live: KubeObject, since: number): ElectionState => ({
  phase: 'Standby',
  observed: { lease: live, since },
});
const leading: ElectionState = {
  phase: 'Leading',
  observed: { lease: lease('me'), since: 0 },
  provenAt: 0,
  until: 10_000,
  term: 3,
};

type Happening = ElectionEvent extends infer E
  ? E extends unknown
    ? Omit<E, 'now' | 'wall'>
    : never
  : never;
const step = (state: ElectionState, now: number, event: Happening) =>
  nextElectionStep(state, { ...event, now, wall: WALL + now }, settings);
const read = (live: KubeObject | undefined): Happening => ({ type: 'Read', lease: live });

describe('who waits', () => {
  it('looks, and creates what is not there', () => {
    expect(step(standby, 0, { type: 'Due' }).action).toEqual({ type: 'read' });
    expect(step(standby, 5, read(undefined)).action).toEqual({
      type: 'create',
      lease: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: 'ns', name: 'operator' },
        spec: {
          holderIdentity: 'me',
          leaseDurationSeconds: 15,
          acquireTime: '2026-01-01T00:00:00.005000Z',
          renewTime: '2026-01-01T00:00:00.005000Z',
          leaseTransitions: 0,
        },
      },
    });
  });

  it.each([
    ['held, seen for the first time, however old it says it is', standby, 90_000, lease('other'), 'wait'],
    ['held and unchanged, but not for long enough', seen(lease('other'), 0), 14_999, lease('other'), 'wait'],
    ['unchanged for as long as was promised', seen(lease('other'), 0), 15_000, lease('other'), 'update'],
    ['renewed meanwhile', seen(lease('other', '1'), 0), 15_000, lease('other', '2'), 'wait'],
    ['another object of that name', seen(lease('other'), 0), 15_000, lease('other', '1', {}, 'v'), 'wait'],
    [
      'held for longer than we would',
      seen(lease('other', '1', { leaseDurationSeconds: 60 }), 0),
      59_999,
      lease('other', '1', { leaseDurationSeconds: 60 }),
      'wait',
    ],
    ['released', standby, 0, lease(''), 'update'],
    ['ours: the answer to our write was lost', standby, 0, lease('me'), 'update'],
    ['deleted under a holder who may not know', seen(lease('other'), 0), 14_999, undefined, 'wait'],
    ['deleted long ago', seen(lease('other'), 0), 15_000, undefined, 'create'],
    ['nonsense', standby, 0, { ...lease('x'), spec: { holderIdentity: 7, leaseTransitions: 'x' } }, 'update'],
  ] as const)('%s', (_, state, now, live, action) => {
    expect(step(state, now, read(live)).action.type).toBe(action);
  });

  it('counts a take-over, guards it with the version that it saw, and begins a new acquire time', () => {
    const { action } = step(seen(lease('other', '7'), 0), 15_000, read(lease('other', '7')));
    expect(action).toMatchObject({
      lease: {
        metadata: { resourceVersion: '7' },
        spec: { holderIdentity: 'me', leaseTransitions: 4, acquireTime: '2026-01-01T00:00:15.000000Z' },
      },
    });
  });

  it('leads from the moment before it asked, not from the answer', () => {
    const { state } = step(standby, 4000, { type: 'Written', lease: lease('me'), sentAt: 1000 });
    expect(state).toMatchObject({ phase: 'Leading', provenAt: 1000, until: 11_000, term: 3 });
  });

  it('does not lead on an answer that took longer than the lease is good for', () => {
    const { state, action } = step(standby, 11_000, { type: 'Written', lease: lease('me'), sentAt: 1000 });
    expect({ phase: state.phase, action }).toEqual({ phase: 'Standby', action: { type: 'read' } });
  });

  it.each([
    ['another holder', lease('other', '1'), 'wait'],
    ['another, who has held it since', lease('other', '2'), 'wait'],
    ['no holder', lease('', '2'), 'wait'],
  ] as const)('does not lead when its write was altered to %s', (_, live, action) => {
    const after = step(seen(lease('other', '1'), 0), 15_000, { type: 'Altered', lease: live });
    expect({ phase: after.state.phase, action: after.action.type }).toEqual({ phase: 'Standby', action });
  });

  it('waits for a whole duration again when its write was altered and another holds the Lease since', () => {
    const { state } = step(seen(lease('other', '1'), 0), 15_000, {
      type: 'Altered',
      lease: lease('other', '2'),
    });
    expect(step(state, 17_000, read(lease('other', '2'))).action.type).toBe('wait');
    expect(step(state, 30_000, read(lease('other', '2'))).action.type).toBe('update');
  });

  it('tries again after the period when a call fails', () => {
    const wait = { type: 'wait', ms: 2000 };
    expect(step(standby, 0, { type: 'ReadFailed' }).action).toEqual(wait);
    expect(step(standby, 0, { type: 'WriteFailed', retryAtOnce: true }).action).toEqual(wait);
  });
});

describe('who leads', () => {
  it('renews without reading first, and keeps term and acquire time', () => {
    expect(step(leading, 2000, { type: 'Due' }).action).toMatchObject({
      type: 'update',
      lease: {
        metadata: { resourceVersion: '1' },
        spec: {
          leaseTransitions: 3,
          acquireTime: '2026-01-01T00:00:00.000000Z',
          renewTime: '2026-01-01T00:00:02.000000Z',
        },
      },
    });
  });

  it('writes a new renew time even when the clock gives the old one again', () => {
    const { action } = nextElectionStep(leading, { type: 'Due', now: 2000, wall: WALL }, settings);
    expect(action).toMatchObject({ lease: { spec: { renewTime: '2026-01-01T00:00:00.001000Z' } } });
  });

  it('looks when its renewal was refused, and renews over what it finds', () => {
    expect(step(leading, 2000, { type: 'WriteFailed', retryAtOnce: true }).action).toEqual({ type: 'read' });
    expect(step(leading, 2010, read(lease('me', '2'))).action).toMatchObject({
      type: 'update',
      lease: { metadata: { resourceVersion: '2' } },
    });
  });

  it('keeps its deadline when its renewal was altered, and renews what is there after the period', () => {
    const { state, action } = step(leading, 2010, { type: 'Altered', lease: lease('me', '2') });
    expect(state).toMatchObject({ phase: 'Leading', provenAt: 0, until: 10_000, term: 3 });
    expect(action).toEqual({ type: 'wait', ms: 2000 });
    expect(step(state, 4010, { type: 'Due' }).action).toMatchObject({
      type: 'update',
      lease: { metadata: { resourceVersion: '2' } },
    });
  });

  it('waits no longer than its deadline', () => {
    expect(step(leading, 9500, { type: 'ReadFailed' }).action).toEqual({ type: 'wait', ms: 500 });
  });

  it.each([
    ['its deadline has passed', 10_000, { type: 'Due' }, 'not renewed within 10000 ms'],
    [
      'it was frozen and its renewal answers now',
      60_000,
      { type: 'Written', lease: lease('me', '2'), sentAt: 2000 },
      'not renewed',
    ],
    ['another holds the Lease', 2000, read(lease('other', '2')), 'other holds the Lease'],
    [
      'its renewal was altered and another holds the Lease',
      2000,
      { type: 'Altered', lease: lease('other', '2') },
      'other holds the Lease',
    ],
    ['somebody released it', 2000, read(lease('', '2')), 'somebody released'],
    ['the Lease is gone', 2000, read(undefined), 'was deleted'],
    ['the Lease is another one', 2000, read(lease('me', '2', {}, 'v')), 'me holds'],
  ] satisfies [string, number, Happening, string][])(
    'has lost when %s, and stays so',
    (_, now, event, reason) => {
      const { state, action } = step(leading, now, event);
      expect(state).toEqual({ phase: 'Lost', reason: expect.stringContaining(reason) });
      expect(action).toEqual({ type: 'stop' });
      expect(step(state, now, read(lease('')))).toEqual({ state, action });
    },
  );
});
