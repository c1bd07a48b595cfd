import type { Discovered, ServedResource } from '@kubewright/client';
import { expect, test } from 'vitest';
import { findResource } from './find-resource.ts';

const served = (
  group: string,
  kind: string,
  resource: string,
  ...short: readonly string[]
): ServedResource => ({
  ref: { group, version: 'v1', resource, kind, namespaced: true },
  verbs: ['get', 'list', 'watch'],
  names: [resource, kind.toLowerCase(), ...short],
});

/** Of a server whose metrics API is unavailable. */
const DISCOVERED: Discovered = {
  resources: [
    served('', 'ConfigMap', 'configmaps', 'cm'),
    served('', 'Pod', 'pods'),
    served('apps', 'Deployment', 'deployments', 'deploy'),
    served('example.com', 'Pod', 'pods'),
  ],
  stale: ['metrics.k8s.io/v1beta1'],
};

test.each([
  ['configmaps', 'ConfigMap', ''],
  ['CM', 'ConfigMap', ''],
  ['deployment', 'Deployment', 'apps'],
  ['deploy.apps', 'Deployment', 'apps'],
  ['pod', 'Pod', ''],
  ['pods.example', 'Pod', 'example.com'],
  ['pods.example.com', 'Pod', 'example.com'],
])('%s is found although an aggregated API is unavailable', (name, kind, group) => {
  expect(findResource(name, DISCOVERED)).toMatchObject({ kind, group });
});

test('an unknown name is rejected, and the message names what could not be read', () => {
  expect(() => findResource('weave', DISCOVERED)).toThrow(
    'the server has no resource "weave"; "kubectl api-resources" lists what it has (metrics.k8s.io/v1beta1: the API server behind it is unavailable)',
  );
});
