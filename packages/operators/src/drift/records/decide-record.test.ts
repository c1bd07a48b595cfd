import type { Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { ANNOTATIONS, type Approval } from '../api.ts';
import { approvalId } from '../annotations/find-approval.ts';
import { approvals, CTL, NOW, site, users } from '../testing/objects.ts';
import type { StatusClaim } from './status-claim.ts';
import { decideRecord, type ObservedRecord } from './decide-record.ts';

const seconds = (ago: number): number => NOW.getTime() - ago * 1000;
const note = (fields = {}, ago = 2) => ({
  statuses: [],
  uses: [],
  at: seconds(ago),
  ...fields,
});
const [hash = ''] = users(CTL).split(',');
const conditions = [{ type: 'Ready', status: 'True' }];
const claim = (more: Partial<StatusClaim> = {}): StatusClaim => ({
  controller: hash,
  observedGeneration: 3,
  uid: 'p-1',
  version: '6',
  fields: { conditions },
  isChange: true,
  ...more,
});
const decide = (parent: object, rest: Partial<ObservedRecord> = {}) =>
  decideRecord({ ...OBSERVED, parent: parent as Stored, ...rest }, NOW);
const OBSERVED = { note: undefined, used: [], isPending: false, place: 'annotations' } as const;
const written = (...call: Parameters<typeof decide>) => decide(...call).action?.annotations;
const resource = (annotations = {}) =>
  site({
    annotations: { [ANNOTATIONS.controllers]: '', ...annotations },
    metadata: { name: 'web', uid: 'p-1', generation: 3, resourceVersion: '7' },
    status: { conditions },
  });

test('DRF-12 what a status tells of a custom resource is written a moment later, not within its write', () => {
  const news = { statuses: [claim()] };
  expect(decide(resource(), { note: note(news, 0) })).toEqual({ reason: 'Waiting', requeueAfter: 500 });
  expect(written(resource(), { note: note(news) })).toEqual({
    [ANNOTATIONS.controllers]: hash,
    [ANNOTATIONS.observedGeneration]: '3',
  });
});

test.each<[string, Partial<StatusClaim>]>([
  ['was not written since', { version: '7' }],
  ['is older than what it says to replace', { version: '8' }],
  ['has another status', { fields: { conditions: [] } }],
  ['is another object', { uid: 'p-2' }],
  ['is not that far', { observedGeneration: 4 }],
  ['has more than one that changes nothing', { isChange: false, fields: { conditions, a: 1 } }],
])('a review that the live object does not confirm teaches nothing: it %s', (_why, more) => {
  const forged = { note: note({ statuses: [claim(more)] }) };
  expect(decide(resource(), forged)).toMatchObject({ reason: 'Waiting' });
  expect(decide(resource(), { note: note({ statuses: [claim(more)] }, 10) })).toEqual({ reason: 'UpToDate' });
  const other = claim({ controller: 'zzzzz' });
  const both = written(resource(), { note: note({ statuses: [other, claim(more)] }) });
  expect(both?.[ANNOTATIONS.controllers]).toBe('zzzzz');
});

test('a write of the same status is not stored, and counts where the object has it', () => {
  const same = claim({ isChange: false, version: '7' });
  expect(written(resource(), { note: note({ statuses: [same] }) })).toMatchObject({
    [ANNOTATIONS.controllers]: hash,
  });
});

test('part of a status confirms it: another webhook may have changed the rest', () => {
  const partly = claim({ fields: { conditions, url: 'https://x' } });
  expect(written(resource(), { note: note({ statuses: [partly] }) })).toMatchObject({
    [ANNOTATIONS.controllers]: hash,
  });
});

test('what the server kept of the response is not written again', () => {
  const known = resource({ [ANNOTATIONS.controllers]: hash, [ANNOTATIONS.observedGeneration]: '3' });
  expect(decide(known, { note: note({ statuses: [claim()] }) })).toEqual({
    reason: 'UpToDate',
  });
});

test('DRF-32 a parent that is ready is initialized for good', () => {
  expect(written(resource({ [ANNOTATIONS.phase]: 'initializing' }), { note: note() })).toEqual({
    [ANNOTATIONS.phase]: 'initialized',
  });
});

const once: Approval = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: 'web',
  mode: 'once',
  generation: 3,
};

test('DRF-50 DRF-60 an approval whose write is stored goes, once', () => {
  const parent = site({ annotations: approvals({ mode: 'once', generation: 3 }, { mode: 'always' }) });
  const [first] = JSON.parse(
    parent.metadata.annotations?.[ANNOTATIONS.approvals] ?? '',
  ) as readonly Approval[];
  const used = [approvalId(first ?? once)];
  const left = written(parent, { used })?.[ANNOTATIONS.approvals] ?? '';
  expect(JSON.parse(left)).toMatchObject([{ mode: 'always' }]);
  expect(written(site({ annotations: approvals({ mode: 'once', generation: 3 }) }), { used })).toEqual({
    [ANNOTATIONS.approvals]: null,
  });
});

test('DRF-61 one whose write never comes stays', () => {
  const parent = site({ annotations: approvals({ mode: 'once', generation: 3 }) });
  const uses = [
    { approval: 'x', child: { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'shop', name: 'web' } },
  ];
  expect(decide(parent, { note: note({ uses }), isPending: true })).toMatchObject({ reason: 'Waiting' });
  expect(decide(parent, { note: note({ uses }, 61), isPending: true })).toEqual({ reason: 'UpToDate' });
});

const scale = {
  generation: 4,
  replicas: 5,
  annotations: { [ANNOTATIONS.trace]: '[]', [ANNOTATIONS.updaters]: hash },
};
const scaled = (generation: number, replicas: number, trace = '[]') =>
  site({
    metadata: { name: 'web', uid: 'p-1', generation, annotations: { [ANNOTATIONS.trace]: trace } },
    spec: { replicas },
  });

test('DRF-76 the trace of a scale is written when the scale is stored, and once', () => {
  expect(decide(scaled(3, 3), { note: note({ scale }) })).toMatchObject({ reason: 'Waiting' });
  expect(written(scaled(4, 5), { note: note({ scale }, 0) })).toEqual(scale.annotations);
  const hop = (generation: number) =>
    JSON.stringify([
      { apiVersion: 'example.com/v1', kind: 'Site', name: 'web', generation, user: 'alice', timestamp: '' },
    ]);
  expect(written(scaled(4, 5, hop(3)), { note: note({ scale }, 0) })).toEqual(scale.annotations);
  expect(written(scaled(4, 5, hop(4)), { note: note({ scale }, 0) })).toBeUndefined();
});

test('a scale that is never stored, or not this one, leaves no trace', () => {
  expect(decide(scaled(4, 3), { note: note({ scale }) })).toEqual({ reason: 'UpToDate' });
  expect(decide(scaled(3, 3), { note: note({ scale }, 61) })).toEqual({ reason: 'UpToDate' });
});

test('what the brake freezes is written at once, over no freeze of somebody else', () => {
  const freeze = '{"message":"too many"}';
  const noted = { note: note({ freeze }, 0) };
  expect(written(site(), noted)).toEqual({ [ANNOTATIONS.freeze]: freeze });
  expect(written(site({ annotations: { [ANNOTATIONS.freeze]: 'true' } }), noted)).toBeUndefined();
});
