import type { JsonObject, KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { child, NOW, site, update } from '../testing/objects.ts';
import { driftId } from './drift-report.ts';
import { backendsOf } from './backends-of.ts';

const parent: KubeObject = {
  apiVersion: 'ex.io/v1',
  kind: 'Parent',
  metadata: { namespace: 'ns', name: 'p' },
};
const resize = (from: number, to: number): string => {
  const sized = (replicas: number): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { namespace: 'ns', name: 'r' },
    spec: { replicas } satisfies JsonObject,
  });
  return driftId(parent, update(sized(from), { object: sized(to) }));
};

test('DRF-69 a drift has the identity that it has in the original', () => {
  expect(resize(3, 5)).toBe('537074d09fcf45cd');
  expect(resize(5, 7)).toBe('8678975512b3d965');
  // The identity is that of the change: it does not depend on the time, or on what else the objects say.
  expect(driftId(site(), update(child()))).toBe(
    driftId(site({ status: { at: NOW.toISOString() } }), update(child())),
  );
});

test('backends of a config file, with the defaults of the original', () => {
  expect(
    backendsOf({ backends: [{ url: 'http://b:8080/webhook', timeout: '5s', retryInterval: '1m' }] }),
  ).toEqual([
    { url: new URL('http://b:8080/webhook'), timeoutMs: 5000, retryCount: 3, retryIntervalMs: 60_000 },
  ]);
  expect(backendsOf(null)).toEqual([]);
  expect(() => backendsOf({ backends: [{ url: 'b' }] })).toThrow(
    'backends[0].url is not an http or https URL',
  );
  expect(() => backendsOf({ backends: [{ url: 'http://b', timeout: 'soon' }] })).toThrow(
    'backends[0].timeout',
  );
  expect(() => backendsOf({ backends: {} })).toThrow('backends is not a list');
});
