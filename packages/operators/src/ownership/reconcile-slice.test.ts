import { type Client, createManualClock, type Patch } from '@kubewright/client';
import type { Json, Stored } from '@kubewright/kube';
import { type Io, silentLogger } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { fakeAnyKindApi } from '../kit/testing/fake-any-kind-api.ts';
import { act } from './act.ts';
import { type Composition, type ResourceSlice } from './api.ts';
import { DEFAULT_POLICY } from './migration-policy.ts';
import { reconcileSlice } from './reconcile-slice.ts';

const metadata = { name: 'shop', namespace: 'ns', uid: 'u', resourceVersion: '7' };
const composition: Stored<Composition> = { apiVersion: 'eno.azure.io/v1', kind: 'Composition', metadata };
const annotations = { 'eno.azure.io/disable-reconciliation': 'true' };
const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', annotations } });
const slice: Stored<ResourceSlice> = {
  apiVersion: 'eno.azure.io/v1',
  kind: 'ResourceSlice',
  metadata,
  spec: { resources: [{ manifest }] },
};

/** What the server stores, as it answers. */
const answers = {
  'the status': (status: Json) => ({ ...slice, status }),
  'the status that was there before': () => slice,
};

test.each([
  ['the status', {}],
  ['the status that was there before', { requeue: true }],
] as const)('when the server stores %s, the result is %j', async (what, expected) => {
  const client: Partial<Client> = {
    async patch(_ref, _key, { body }: Patch) {
      const [, { value = null } = {}] = body as readonly { readonly value?: Json }[];
      return answers[what](value) as never;
    },
  };
  const { signal } = new AbortController();
  const io: Omit<Io, 'cache'> = {
    client: client as Client,
    clock: createManualClock(),
    random: () => 0,
    signal,
    log: silentLogger,
    controller: 'resourceslice',
  };

  const listOthers = () => Promise.resolve([]);
  const scene = { slice, composition, task: 'apply', siblings: [], others: [], listOthers } as const;
  const { result } = await reconcileSlice(scene, {
    request: { name: 'shop', namespace: 'ns' },
    io: io as Io,
    tools: {
      api: fakeAnyKindApi({ get: async () => undefined }),
      act,
      policy: DEFAULT_POLICY,
    },
    recorder: { record: () => Promise.resolve(), settled: () => Promise.resolve() },
    report: () => undefined,
    metrics: { noteReport: () => undefined },
  });

  expect(result).toMatchObject(expected);
});
