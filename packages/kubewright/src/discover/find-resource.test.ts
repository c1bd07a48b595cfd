import type { Transport } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { findResource } from './find-resource.ts';

const entry = (resource: string, kind: string, shortNames: readonly string[] = []): object => ({
  resource,
  responseKind: { kind },
  scope: 'Namespaced',
  singularResource: kind.toLowerCase(),
  shortNames,
  verbs: ['get', 'list', 'watch'],
});

const DOCUMENTS: Readonly<Record<string, object>> = {
  '/api': {
    items: [
      {
        metadata: { name: '' },
        versions: [
          { version: 'v1', resources: [entry('configmaps', 'ConfigMap', ['cm']), entry('pods', 'Pod')] },
        ],
      },
    ],
  },
  '/apis': {
    items: [
      {
        metadata: { name: 'apps' },
        versions: [{ version: 'v1', resources: [entry('deployments', 'Deployment', ['deploy'])] }],
      },
      { metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1beta1', freshness: 'Stale' }] },
      {
        metadata: { name: 'example.com' },
        versions: [{ version: 'v1', resources: [entry('pods', 'Pod')] }],
      },
    ],
  },
};

async function* bodyOf(document: object): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(JSON.stringify(document));
}

/** A server whose metrics API is unavailable. */
const transport: Transport = {
  async request({ path }) {
    const document = DOCUMENTS[path];
    const headers = { 'content-type': 'application/json' };
    return { status: document === undefined ? 503 : 200, headers, body: bodyOf(document ?? {}) };
  },
  async close() {},
};

test.each([
  ['configmaps', 'ConfigMap', ''],
  ['CM', 'ConfigMap', ''],
  ['deployment', 'Deployment', 'apps'],
  ['deploy.apps', 'Deployment', 'apps'],
  ['pod', 'Pod', ''],
  ['pods.example', 'Pod', 'example.com'],
  ['pods.example.com', 'Pod', 'example.com'],
])('%s is found although an aggregated API is unavailable', async (name, kind, group) => {
  expect(await findResource(name, transport)).toMatchObject({ kind, group });
});

test('an unknown name is rejected, and the message names what could not be read', async () => {
  await expect(findResource('weave', transport)).rejects.toThrow(
    'the server has no resource "weave"; "kubectl api-resources" lists what it has (metrics.k8s.io/v1beta1: the API server behind it is unavailable)',
  );
});
