import { expect, test } from 'vitest';
import type { Stored } from '@kubewright/kube';
import type { OwnershipReport } from '../api.ts';
import { type DesiredManifest, readManifest } from '../read-manifest.ts';
import { type Look, restOf } from './rest-of.ts';

const metadata = { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '7' };
const live: Stored = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
const manifest = readManifest({
  manifest: JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'web', namespace: 'shop' },
  }),
}) as DesiredManifest;
const status = { reconciled: true, ready: '2026-01-01T00:00:00Z' };
const left: OwnershipReport = { state: 'Left', message: 'others keep it' };

type Change = { observed?: object; decision?: object };

function look({ observed, decision }: Change = {}): Look {
  return {
    observed: { manifest, live, previous: {}, ...observed },
    decision: { reason: 'InSync', status, ...decision },
    readySince: '2026-01-01T00:00:00Z',
  };
}

test('of a look that found nothing to do, the version of the object and the report are remembered', () => {
  expect(restOf(look())).toMatchObject({ version: 'u 7', isPlain: true, readySince: status.ready });
  expect(restOf(look({ decision: { requeueAfter: 5000 } }))).toMatchObject({ requeueAfter: 5000 });
});

test.each<[string, Change]>([
  ['something is to be written', { decision: { action: { type: 'apply', object: live } } }],
  ['it failed', { decision: { reason: 'Refused' } }],
  ['it failed open', { decision: { reason: 'FailedOpen' } }],
  ['an apply keeps changing it', { decision: { reason: 'Applied' } }],
  ['the object is gone', { observed: { live: undefined } }],
  [
    'the object is terminating',
    { observed: { live: { ...live, metadata: { ...metadata, deletionTimestamp: 'x' } } } },
  ],
  ['it is not ready yet', { decision: { status: { reconciled: true } } }],
  ['the manifest is a tombstone', { observed: { manifest: { ...manifest, deleted: true } } }],
  ['another Composition wants other values', { observed: { manifest: { ...manifest, contested: [{}] } } }],
  [
    'another applier claims it again',
    { decision: { status: { ...status, ownership: { ...left, state: 'Contested' } } } },
  ],
  [
    'a webhook puts something back',
    { decision: { status: { ...status, ownership: { ...left, reason: 'Restored' } } } },
  ],
  ['the report is new', { decision: { status: { ...status, ownership: left } } }],
])('nothing is remembered when %s', (_why, change) => {
  expect(restOf(look(change))).toBeUndefined();
});

test('what is left alone is reported as such, which the next version of the slice has to repeat', () => {
  const disabled = { decision: { reason: 'Disabled', status: { ...status, deleted: true } } };
  expect(restOf(look(disabled))).toMatchObject({ isPlain: false });
});

test('a report about others is remembered once it is repeated', () => {
  const repeated = {
    observed: { previous: { ownership: left } },
    decision: { status: { ...status, ownership: left } },
  };
  expect(restOf(look(repeated))).toMatchObject({ isPlain: false });
});
