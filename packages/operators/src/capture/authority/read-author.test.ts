import type { admissionregistrationv1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decide as decideManifests } from '../manifests/decide.ts';
import { at, requestMeta, stored, timeAt } from '../testing/requests.ts';
import { decide as decideSnapshot } from '../volumes/snapshot/decide.ts';
import { decide as decideRestore } from '../volumes/restore/decide.ts';
import { ANNOTATIONS } from '../api/annotations.ts';
import { CHECK_WEBHOOK } from './author-webhooks.ts';
import { authorFault, authorFaultIfInstalled, authorOf } from './read-author.ts';

type Configuration = admissionregistrationv1.ValidatingWebhookConfiguration;
type Entry = NonNullable<Configuration['webhooks']>[number];

const REQUEST = {
  apiVersion: 'v1',
  kind: 'Any',
  metadata: {
    ...requestMeta('all'),
    creationTimestamp: timeAt(5),
    annotations: { [ANNOTATIONS.author]: 'alice' },
  },
};

/** The configuration as a server has it, with what somebody has changed. */
function configured(changed: Partial<Entry> = {}, since = 0): Stored<Configuration> {
  const entry = { ...CHECK_WEBHOOK, clientConfig: { url: 'https://any' }, ...changed } as Entry;
  const configuration: Configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'kubewright-capture' },
    webhooks: [entry],
  };
  return stored(configuration, { creationTimestamp: timeAt(since) });
}

test('an author counts where the webhook has checked it', () => {
  const checked = { type: 'checked', name: 'alice' };
  expect(authorOf(REQUEST, configured())).toEqual(checked);
  expect(authorOf(REQUEST, configured({}, 5))).toEqual(checked);
  expect(authorOf(REQUEST, configured({ timeoutSeconds: 1, namespaceSelector: {} }))).toEqual(checked);
});

test.each<[string, Stored<Configuration>]>([
  ['was configured later', configured({}, 6)],
  ['may be passed by', configured({ failurePolicy: 'Ignore' })],
  ['leaves out namespaces', configured({ namespaceSelector: { matchLabels: { a: 'b' } } })],
  ['leaves out requests', configured({ objectSelector: { matchLabels: { a: 'b' } } })],
  ['leaves out a kind', configured({ rules: CHECK_WEBHOOK.rules.slice(1) as never })],
  ['has another condition', configured({ matchConditions: [{ name: 'never', expression: 'false' }] })],
  ['has another name', configured({ name: 'other.example.com' })],
])('it does not where the webhook %s', (_title, configuration) => {
  expect(authorOf(REQUEST, configuration)).toMatchObject({ type: 'unknown' });
});

test('where it is not installed, only what deletes needs a checked author', () => {
  const author = authorOf(REQUEST, undefined);
  expect(author).toMatchObject({ type: 'notInstalled' });
  expect(authorFaultIfInstalled(author)).toBeUndefined();
  expect(authorFault(author)).toContain('nobody has checked');
});

test('nor where none is recorded', () => {
  const { annotations: _none, ...metadata } = REQUEST.metadata;
  expect(authorOf({ ...REQUEST, metadata }, configured())).toMatchObject({ type: 'unknown' });
});

test('CAP-21 without an author no request begins, of any kind', () => {
  const unknown = { type: 'unknown', message: 'nobody has checked' } as const;
  const keeper = { type: 'absent' } as const;
  const metadata = requestMeta('all');
  const [manifests, volumes] = ['state-snapshotter', 'storage-foundation'];
  for (const author of [unknown, undefined]) {
    const seen = { keeper, ...(author && { author }) };
    const decisions = [
      decideManifests(
        {
          ...seen,
          chunks: [],
          request: {
            apiVersion: `${manifests}.deckhouse.io/v1alpha1`,
            kind: 'ManifestCaptureRequest',
            metadata,
            spec: { targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'one' }] },
          },
        },
        at(1),
      ),
      decideSnapshot(
        {
          ...seen,
          source: {},
          request: {
            apiVersion: `${volumes}.deckhouse.io/v1alpha1`,
            kind: 'VolumeCaptureRequest',
            metadata,
            spec: { mode: 'Snapshot', externalErrorPolicy: 'Terminal' },
          },
        },
        at(1),
      ),
      decideRestore(
        {
          ...seen,
          passage: {},
          request: {
            apiVersion: `${volumes}.deckhouse.io/v1alpha1`,
            kind: 'VolumeRestoreRequest',
            metadata,
            spec: {
              sourceRef: { name: 'snap' },
              pvcTemplate: { metadata: { name: 'data' } },
              pvcRetention: 'Keep',
              externalErrorPolicy: 'Terminal',
            },
          },
        },
        at(1),
      ),
    ];
    expect(decisions.map(({ reason, action }) => ({ reason, action }))).toEqual([
      { reason: 'Failed', action: undefined },
      { reason: 'RBACDenied', action: undefined },
      { reason: 'RBACDenied', action: undefined },
    ]);
  }
});
