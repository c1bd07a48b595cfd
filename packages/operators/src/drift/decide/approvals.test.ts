import { expect, test } from 'vitest';
import { ANNOTATIONS, type Approval } from '../api.ts';
import { afterUse, approvalId } from '../annotations/find-approval.ts';
import {
  approvals,
  child,
  create,
  decided,
  NOW,
  site,
  traceIn,
  update,
  withAnnotations,
} from '../testing/objects.ts';

const approved = (...list: readonly Partial<Approval>[]) => site({ annotations: approvals(...list) });
const reason = (...list: readonly Partial<Approval>[]): string =>
  decided(update(child()), approved(...list)).reason;
const ANY = { apiVersion: '*', kind: '*', name: '*' };

test('DRF-47 drift without approval is denied: who, what, why, and how to approve', () => {
  const decision = decided(update(child()), site());
  expect(decision.message).toBe(
    'drift detected: no approval found for this mutation. system:serviceaccount:shop:site-controller updates ReplicaSet web ' +
      '(spec.replicas), but nobody has changed Site web, which owns it: its generation 3 is reconciled. ' +
      'Approve with: kubewright drift approve replicaset/web -n shop',
  );
  expect(decision).toMatchObject({
    reason: 'Drift',
    allowed: false,
    audit: {
      decision: 'denied',
      drift: 'true',
      mode: 'enforce',
      'drift-resolution': 'unresolved',
      'lifecycle-phase': 'Initialized',
    },
    event: { type: 'Warning', reason: 'DriftDetected', message: expect.stringMatching(/; denied$/) },
  });
  expect(decision).not.toHaveProperty('annotations');
});

test('DRF-48 in mode log it is let through with a warning, and begins a trace', () => {
  const decision = decided(update(child()), site(), 'log');
  expect(decision).toMatchObject({
    reason: 'Drift',
    allowed: true,
    warning: expect.stringContaining('drift detected'),
    audit: { decision: 'allowed-with-warning' },
    event: { message: expect.stringMatching(/let through/) },
  });
  expect(decision.warning?.length).toBeLessThanOrEqual(120);
  expect(traceIn(decision)).toMatchObject([{ kind: 'ReplicaSet', user: update(child()).user }]);
});

test.each([
  ['its generateName', { generateName: 'web-' }, 'Approved'],
  ['a longer one', { generateName: 'web-key-' }, 'Approved'],
  ['another one', { generateName: 'we-' }, 'Drift'],
  ['a name', { name: 'web-x1' }, 'Approved'],
  ['another name, made from the same', { name: 'db', generateName: 'web-' }, 'Drift'],
  ['neither', {}, 'Drift'],
])('an approval or a rejection for web-* matches a child by %s', (_what, names, expected) => {
  const review = create(child({ metadata: { name: undefined, ...names } }));
  expect(decided(review, approved({ name: 'web-*', mode: 'always' })).reason).toBe(expected);
  const rejected = site({
    annotations: {
      [ANNOTATIONS.rejections]: '[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-*"}]',
    },
  });
  expect(decided(review, rejected).reason).toBe(expected === 'Approved' ? 'Rejected' : 'Drift');
});

test('DRF-49 always is always, for the child that it names', () => {
  expect(reason({ mode: 'always' })).toBe('Approved');
  expect(reason({ ...ANY, mode: 'always' })).toBe('Approved');
  expect(reason({ name: '*', kind: 'ConfigMap', mode: 'always' })).toBe('Drift');
});

test('DRF-50 once is for one write; then it is gone, with what is stale', () => {
  const once = { mode: 'once', generation: 3 } as const;
  const parent = approved(once);
  const decision = decided(update(child()), parent);
  expect(decision).toMatchObject({
    reason: 'Approved',
    allowed: true,
    approval: once,
    event: { reason: 'DriftApproved' },
  });
  expect(traceIn(decision)).toMatchObject([
    { approval: once, causedBy: { kind: 'Site', name: 'web', generation: 3 } },
  ]);
  // The write is stored, and the approval is still there.
  const stored = withAnnotations(child(), decision.annotations ?? {});
  expect(decided(update(stored), parent)).toMatchObject({ reason: 'Drift', allowed: false });
  // Another one like it, made later, is another one.
  expect(decided(update(stored), approved({ ...once, at: 'later' }))).toMatchObject({ reason: 'Approved' });

  const of = (fields: Partial<Approval>) => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    ...fields,
  });
  const [used, stale, old, always, future] = [
    once,
    { mode: 'once', generation: 2 },
    { mode: 'generation', generation: 1 },
    { mode: 'always' },
    { mode: 'once', generation: 4 },
  ].map(of) as [Approval, Approval, Approval, Approval, Approval];
  expect(
    afterUse([used, stale, old, always, future], [approvalId(used)], { parent: site(), now: NOW }),
  ).toEqual([always, future]);
});

test('DRF-51 an approval for another generation, or of a mode that nobody knows, is none; no mode is once', () => {
  for (const mode of ['once', 'generation']) expect(reason({ mode, generation: 2 })).toBe('Drift');
  expect(reason({ generation: 3 })).toBe('Approved');
  expect(reason({ mode: 'sometimes', generation: 3 })).toBe('Drift');
});

test('DRF-52 generation lasts until the parent changes', () => {
  const entry = { mode: 'generation', generation: 3 } as const;
  const first = decided(update(child()), approved(entry));
  const stored = withAnnotations(child(), first.annotations ?? {});
  expect(decided(update(stored), approved(entry))).toMatchObject({ reason: 'Approved', allowed: true });
  const next = approved(entry);
  const parent = {
    ...next,
    metadata: { ...next.metadata, generation: 4 },
    status: { observedGeneration: 4 },
  };
  expect(decided(update(stored), parent)).toMatchObject({ reason: 'Drift', allowed: false });
});

test('DRF-53 a stale approval does not hide a valid one', () => {
  expect(reason({ mode: 'once', generation: 2 }, { ...ANY, mode: 'always' })).toBe('Approved');
});

const rejected = (text: string) =>
  site({ annotations: { [ANNOTATIONS.rejections]: text, ...approvals({ mode: 'always' }) } });

test('DRF-54 a rejection beats every approval, until its generation is over; one that nobody can read rejects', () => {
  const entry = { apiVersion: 'apps/v1', kind: '*', name: 'web', reason: 'not this week' };
  const decision = decided(update(child()), rejected(JSON.stringify([entry])));
  expect(decision).toMatchObject({
    reason: 'Rejected',
    allowed: false,
    audit: { 'drift-resolution': 'rejected' },
  });
  expect(decision.message).toMatch(/^drift rejected: not this week/);
  expect(decided(update(child()), rejected(JSON.stringify([{ ...entry, generation: 2 }]))).reason).toBe(
    'Approved',
  );
  expect(decided(update(child()), rejected('[{'))).toMatchObject({ reason: 'Rejected', allowed: false });
});

test('DRF-55 a rejection denies in mode log too', () => {
  const entry = { apiVersion: '*', kind: '*', name: '*' };
  expect(decided(update(child()), rejected(JSON.stringify([entry])), 'log')).toMatchObject({
    allowed: false,
  });
});

test('DRF-58 a snooze silences Events and changes no verdict', () => {
  const snoozed = (value: string) =>
    decided(update(child()), site({ annotations: { [ANNOTATIONS.snooze]: value } }));
  for (const value of ['{"expiry":"2026-01-01T11:00:00Z"}', '2026-01-01T11:00:00Z'])
    expect(snoozed(value)).toEqual({ ...snoozed('garbage'), event: undefined });
  for (const value of ['{"expiry":"2026-01-01T09:00:00Z"}', 'garbage']) {
    expect(snoozed(value)).toMatchObject({ allowed: false, event: { reason: 'DriftDetected' } });
  }
});

/** A Deployment of generation 3 that has done what it says. */
const deployment = (fields = {}) =>
  site({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: { replicas: 1 },
    status: { observedGeneration: 3, replicas: 1, updatedReplicas: 1 },
    ...fields,
  });

/** As it is once alice has written these approvals: that has raised its generation, which its controller has seen. */
function approvedBy(alice: 'before' | 'after', spec = { replicas: 1 }) {
  const generation = alice === 'before' ? 3 : 4;
  const list = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', mode: 'generation', generation }];
  const old = deployment();
  const object = withAnnotations(old, {
    ...old.metadata.annotations,
    [ANNOTATIONS.approvals]: JSON.stringify(list),
  });
  const { annotations = {} } = decided(update(old, { object, user: 'alice' }), undefined);
  const status = { observedGeneration: 5, replicas: spec.replicas, updatedReplicas: spec.replicas };
  return deployment({ annotations, metadata: { generation: 5 }, spec, status });
}

test.each(['before', 'after'] as const)(
  'DRF-56 an approval on a Deployment, for the generation %s it is written, lasts until the spec changes',
  (when) => {
    expect(decided(update(child()), approvedBy(when)).reason).toBe('Approved');
    expect(decided(update(child()), approvedBy(when, { replicas: 2 })).reason).toBe('Drift');
  },
);

test('DRF-56 nobody brings the hash of a spec along', () => {
  const { annotations = {} } = approvedBy('before').metadata;
  const [{ specHash }] = JSON.parse(annotations[ANNOTATIONS.approvals] ?? '') as [Approval];
  const old = deployment();
  const object = withAnnotations(
    old,
    approvals({ mode: 'generation', generation: 2, ...({ specHash } as object) }),
  );
  const decision = decided(update(old, { object, user: 'alice' }), undefined);
  expect(decision.annotations?.[ANNOTATIONS.approvals]).not.toContain('specHash');
});

test('DRF-56 of other objects the generation alone tells what an approval is for', () => {
  const { annotations = {} } = approvedBy('before').metadata;
  const parent = site({
    annotations,
    metadata: { generation: 5 },
    spec: { replicas: 1 },
    status: { observedGeneration: 5 },
  });
  expect(decided(update(child()), parent).reason).toBe('Drift');
});

test('an approval ends when it says, whatever its mode; an end that nobody can read is over', () => {
  for (const expiry of ['2026-01-01T10:00:00Z', '', 'next week'])
    for (const entry of [{ mode: 'always' }, { mode: 'once', generation: 3 }])
      expect(reason({ ...entry, expiry }), expiry).toBe('Drift');
  expect(reason({ mode: 'always', expiry: '2026-01-01T10:00:01Z' })).toBe('Approved');
  expect(
    decided(
      update(child()),
      site({
        annotations: { [ANNOTATIONS.approvals]: JSON.stringify([{ ...ANY, mode: 'always', expiry: 7 }]) },
      }),
    ).reason,
  ).toBe('Drift');
  const over = { ...ANY, mode: 'always', expiry: '2026-01-01T09:00:00Z' };
  expect(afterUse([over], [], { parent: site(), now: NOW })).toEqual([]);
});

test('DRF-76 an approval of mode once does not cover a scale: its use could not be stored', () => {
  const scaled = (mode: string): string =>
    decided(update(child(), { isScale: true }), approved({ mode, generation: 3 })).reason;
  expect(scaled('once')).toBe('Drift');
  expect(scaled('generation')).toBe('Approved');
});
