import type { JsonObject, KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { child, NOW, site, update } from '../testing/objects.ts';
import { driftId } from './drift-report.ts';
import { reportSettingsOf } from './report-settings-of.ts';

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
  const settings = reportSettingsOf({
    backends: [{ url: 'http://b:8080/webhook', timeout: '5s', retryInterval: '1m' }],
    outbox: '/data',
  });
  const url = new URL('http://b:8080/webhook');
  expect(settings).toEqual({
    backends: [{ url, timeoutMs: 5000, retryCount: 3, retryIntervalMs: 60_000 }],
    outbox: '/data',
  });
  expect(reportSettingsOf(null)).toEqual({ backends: [] });
  const invalid = (backend: JsonObject, why: string): void =>
    expect(() => reportSettingsOf({ backends: [backend] })).toThrow(why);
  invalid({ url: 'b' }, 'backends[0].url is not an http or https URL');
  invalid({ url: 'http://b', timeout: 'soon' }, 'backends[0].timeout');
  invalid({ url: 'http://b', format: 'teams' }, 'backends[0].format is not report or slack');
  invalid({ url: 'http://b', secretFile: 1 }, 'backends[0].secretFile is not a path');
  expect(() => reportSettingsOf({ backends: {} })).toThrow('backends is not a list');
});
