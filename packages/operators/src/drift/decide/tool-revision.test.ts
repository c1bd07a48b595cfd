import type { JsonObject, KubeObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { toolRevision } from './tool-revision.ts';

const object = (kind: string, status: JsonObject, generation = 1, labels = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'web', namespace: 'shop', generation, labels },
  status,
});
const release = (labels: Readonly<Record<string, string>>): KubeObject => object('Secret', {}, 1, labels);
const R1 = 'main@sha1:1';
const R2 = 'main@sha1:2';

describe('the revision that a tool applies, by its own object', () => {
  test.each<[what: string, object: KubeObject, revision: string | undefined, isNew?: boolean]>([
    ['a Kustomization that was never reconciled', object('Kustomization', {}), undefined],
    [
      'a Kustomization that applies a new revision',
      object('Kustomization', { lastAttemptedRevision: R2, lastAppliedRevision: R1, observedGeneration: 1 }),
      R2,
      true,
    ],
    [
      'a Kustomization that has applied it',
      object('Kustomization', { lastAttemptedRevision: R2, lastAppliedRevision: R2, observedGeneration: 1 }),
      R2,
      false,
    ],
    [
      'a Kustomization whose spec somebody has changed',
      object(
        'Kustomization',
        { lastAttemptedRevision: R2, lastAppliedRevision: R2, observedGeneration: 1 },
        2,
      ),
      R2,
      true,
    ],
    [
      'a HelmRelease that upgrades',
      object('HelmRelease', {
        lastAttemptedRevision: '1.1.0',
        lastAttemptedConfigDigest: 'a',
        history: [{ chartVersion: '1.0.0', configDigest: 'a', status: 'deployed' }],
      }),
      '1.1.0',
      true,
    ],
    [
      'a HelmRelease whose values have changed',
      object('HelmRelease', {
        lastAttemptedRevision: '1.1.0',
        lastAttemptedConfigDigest: 'b',
        history: [{ chartVersion: '1.1.0', configDigest: 'a', status: 'deployed' }],
      }),
      '1.1.0',
      true,
    ],
    [
      'a HelmRelease at rest',
      object('HelmRelease', {
        lastAttemptedRevision: '1.1.0',
        lastAttemptedConfigDigest: 'a',
        history: [{ chartVersion: '1.1.0', configDigest: 'a', status: 'deployed' }],
      }),
      '1.1.0',
      false,
    ],
    [
      'an Application that syncs to a new revision',
      object('Application', {
        operationState: { phase: 'Running', operation: { sync: { revision: '2' } } },
        sync: { revision: '2' },
        history: [{ revision: '1' }],
      }),
      '2',
      true,
    ],
    [
      'an Application that heals itself',
      object('Application', {
        operationState: { phase: 'Running', operation: { sync: { revision: '2' } } },
        history: [{ revision: '1' }, { revision: '2' }],
      }),
      '2',
      false,
    ],
    [
      'an Application of two sources, which has seen a new revision and does not sync it',
      object('Application', {
        operationState: { phase: 'Succeeded', syncResult: { revisions: ['2', '7'] } },
        sync: { revisions: ['3', '7'] },
        history: [{ revisions: ['2', '7'] }],
      }),
      '2, 7',
      false,
    ],
    [
      'a release of Helm in an upgrade',
      release({ version: '4', status: 'pending-upgrade' }),
      'revision 4',
      true,
    ],
    [
      'a release of Helm that is deployed',
      release({ version: '4', status: 'deployed' }),
      'revision 4',
      false,
    ],
    ['a kind that is no tool’s', object('constructor', { lastAttemptedRevision: R1 }), undefined],
    ['a status that is no object', { ...object('Application', {}), status: 'x' }, undefined],
    [
      'a status of other types',
      object('Application', { operationState: [], history: 'x', sync: 1 }),
      undefined,
    ],
  ])('DRF-136 %s', (_what, from, text, isNew) => {
    expect(toolRevision(from)).toEqual(text === undefined ? undefined : { text, isNew });
  });

  test('DRF-136 a revision is cut: anybody who may write a status chooses it', () => {
    const long = object('Kustomization', { lastAttemptedRevision: 'x'.repeat(5000) });
    expect(toolRevision(long)?.text).toHaveLength(200);
  });
});
