import { ApiError, type Client, createManualClock, type Patch } from '@kubewright/client';
import type { Json, Stored } from '@kubewright/kube';
import { type Io, silentLogger } from '@kubewright/runtime';
import { describe, expect, test } from 'vitest';
import type { AnyKindApi } from '../kit/any-kind-api.ts';
import { answered, fakeAnyKindApi } from '../kit/testing/fake-any-kind-api.ts';
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

function ioWith(client: Partial<Client>, clock: Io['clock'] = createManualClock()): Io {
  const io: Omit<Io, 'cache'> = {
    client: client as Client,
    clock,
    random: () => 0,
    signal: new AbortController().signal,
    log: silentLogger,
    controller: 'resourceslice',
  };
  return io as Io;
}

function reconcile(
  given: Stored<ResourceSlice>,
  io: Io,
  api: AnyKindApi = fakeAnyKindApi({ get: async () => undefined }),
): ReturnType<typeof reconcileSlice> {
  const listOthers = () => Promise.resolve([]);
  const elsewhere = {
    hasApplied: () => false,
    manifestsOf: () => [],
    wantedBy: () => Promise.resolve({ names: [], unrecorded: [] }),
    handOver: () => Promise.resolve('done' as const),
  };
  const rest = { siblings: [], others: [], listOthers, elsewhere };
  const scene = { slice: given, composition, task: 'apply', ...rest } as const;
  return reconcileSlice(scene, {
    request: { name: 'shop', namespace: 'ns' },
    io,
    tools: { api, act, policy: DEFAULT_POLICY },
    recorder: { record: () => undefined, settled: () => Promise.resolve() },
    report: () => undefined,
    metrics: { noteReport: () => undefined },
  });
}

test.each([
  ['the status', {}],
  ['the status that was there before', { requeue: true }],
] as const)('when the server stores %s, the result is %j', async (what, expected) => {
  const io = ioWith({
    async patch(_ref, _key, { body }: Patch) {
      const [, { value = null } = {}] = body as readonly { readonly value?: Json }[];
      return answers[what](value) as never;
    },
  });

  const { result } = await reconcile(slice, io);

  expect(result).toMatchObject(expected);
});

describe('a pass that was held up creates nothing that nobody would delete', () => {
  const manifests = ['one', 'two'].map((name) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } }));
  const resources = manifests.map((object) => ({ manifest: JSON.stringify(object) }));

  const inventory = [{ apiVersion: 'v1', kind: 'Node', name: 'one' }];
  const heir = { ...slice, metadata: { ...metadata, uid: 'heir', name: 'heir' }, status: { inventory } };

  test.each([
    ['the slice is gone', undefined, {}, ['one'], ['one']],
    ['the slice has it no longer on record', { ...slice, status: {} }, {}, ['one'], ['one']],
    ['the slice was recreated', { ...slice, metadata: { ...metadata, uid: 'other' } }, {}, ['one'], ['one']],
    ['the slice is gone, and another one has it on record', undefined, { others: [heir] }, ['one'], []],
    ['the slice is gone, and somebody else has created it', undefined, { creator: 'kubectl' }, ['one'], []],
    ['the slice has the next one no longer on record', { ...slice, status: { inventory } }, {}, ['one'], []],
    [
      'the slice lost both from its record a moment ago',
      { ...slice, status: {} },
      { tookMs: 0 },
      ['one', 'two'],
      ['one', 'two'],
    ],
    ['nothing has changed', 'unchanged', {}, ['one', 'two'], []],
  ] as const)('%s', async (_title, now, rest, expected, taken) => {
    const {
      others = [],
      creator = 'eno',
      tookMs = 5000,
    } = rest as {
      readonly others?: readonly Stored[];
      readonly creator?: string;
      readonly tookMs?: number;
    };
    const clock = createManualClock();
    const created: string[] = [];
    const deleted: string[] = [];
    let stored: Stored<ResourceSlice> = slice;
    const api = fakeAnyKindApi({
      get: async ({ name }) => (created.includes(name) ? nodeOf(name) : undefined),
      apply: async ({ metadata: { name = '' } }, { dryRun }) => {
        if (!dryRun) created.push(name);
        await clock.advance(tookMs);
        const managedFields = [{ manager: creator }, { manager: 'eno' }];
        return answered({ ...nodeOf(name), metadata: { ...nodeOf(name).metadata, managedFields } });
      },
      delete: async (live) => {
        deleted.push(live.metadata.name);
        return answered(live);
      },
    });
    const client: Partial<Client> = {
      list: async () => ({ items: others }) as never,
      get: async () => (now === 'unchanged' ? stored : (now ?? Promise.reject(failure(404)))) as never,
      async patch(_ref, _key, { body }: Patch) {
        const [, { value = null } = {}] = body as readonly { readonly value?: Json }[];
        return (stored = { ...slice, status: value as never }) as never;
      },
    };

    const result = reconcile({ ...slice, spec: { resources } }, ioWith(client, clock), api);

    if (now !== 'unchanged') await expect(result).rejects.toThrow('slice shop was written or deleted');
    else await result;
    expect(created).toEqual(expected);
    expect(deleted).toEqual(taken);
  });
});

function nodeOf(name: string): Stored {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name, resourceVersion: '1' } };
}

function failure(code: number): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    message: 'no',
  });
}
