import { ApiError, type Client } from '@kubewright/client';
import type { Status } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type { CaptureTarget, ManifestCaptureRequest } from '../api/manifest-capture-request.ts';
import { requestMeta } from '../testing/requests.ts';
import { collect } from './collect.ts';

const target = (name: string, kind = 'ConfigMap'): CaptureTarget => ({ apiVersion: 'v1', kind, name });
const request = (...targets: readonly CaptureTarget[]): ManifestCaptureRequest => ({
  apiVersion: 'state-snapshotter.deckhouse.io/v1alpha1',
  kind: 'ManifestCaptureRequest',
  metadata: requestMeta('all'),
  spec: { targets },
});

function failure(code: number, reason: string): ApiError {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason,
    message: `${reason} it is`,
  };
  return new ApiError(status);
}

/** A server that serves ConfigMaps, and others only from the `known`th discovery on. */
function collectWith(read: () => Promise<unknown>, known = Infinity, ...targets: readonly CaptureTarget[]) {
  let discoveries = 0;
  const mapper: Client['mapper'] = {
    reset: () => undefined,
    resolve: async ({ kind }) => {
      if (kind !== 'ConfigMap' && ++discoveries < known) throw failure(0, 'NoMatch');
      return { group: '', version: 'v1', kind, resource: 'any', namespaced: true };
    },
  };
  const client = { mapper, get: read } as Partial<Client> as Client;
  const { signal } = new AbortController();
  const collected = collect(
    request(...targets),
    { secrets: 'Include', chunkBytes: 1024 },
    { client, signal },
  );
  return { collected, discoveries: () => discoveries };
}

test('CAP-72 a target that may not be read ends the capture', async () => {
  const { collected } = collectWith(() => Promise.reject(failure(403, 'Forbidden')), 0, target('one'));
  expect(await collected).toEqual({
    type: 'fault',
    message: 'ConfigMap shop/one is forbidden: Forbidden it is',
  });
});

test.each([
  [500, 'InternalError'],
  [504, 'Timeout'],
  [429, 'TooManyRequests'],
  [0, 'ConnectionFailed'],
])('CAP-72 CAP-86 %i does not: it is tried again', async (code, reason) => {
  const { collected } = collectWith(() => Promise.reject(failure(code, reason)), 0, target('one'));
  await expect(collected).rejects.toThrow(reason);
});

test('CAP-72 a kind that is not served ends it only after a second discovery', async () => {
  const object = { apiVersion: 'v1', kind: 'New', metadata: { namespace: 'shop', name: 'one' } };
  const read = () => Promise.resolve(object);
  const late = collectWith(read, 2, target('one', 'New'));
  expect(await late.collected).toMatchObject({ type: 'packed', chunks: [{ objectsCount: 1 }] });
  const never = collectWith(read, Infinity, target('one', 'New'));
  expect(await never.collected).toMatchObject({ type: 'fault' });
  expect(never.discoveries()).toBe(2);
});
