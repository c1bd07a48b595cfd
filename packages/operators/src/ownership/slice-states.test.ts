import { ApiError, type Client, createManualClock, type Patch } from '@kubewright/client';
import type { Json, Stored } from '@kubewright/kube';
import { type Io, silentLogger } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import type { ResourceSlice } from './api.ts';
import { sliceStates } from './slice-states.ts';

const slice: Stored<ResourceSlice> = {
  apiVersion: 'eno.azure.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 'shop', namespace: 'ns', uid: 'u', resourceVersion: '7' },
  spec: { resources: [{}] },
};

function ioWith(patch: (status: Json) => Promise<unknown>): Io {
  const client: Partial<Client> = {
    async patch(_ref, _key, { body }: Patch) {
      const [, { value = null } = {}] = body as readonly { readonly value?: Json }[];
      return (await patch(value)) as never;
    },
  };
  const io: Partial<Io> = { client: client as Client, clock: createManualClock(), log: silentLogger };
  return io as Io;
}

const CONFLICT = new ApiError({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  code: 409,
  message: 'conflict',
});

test('calls back once the states are stored: not after a conflict, nor when the server stores another', async () => {
  const responses: ((status: Json) => Promise<unknown>)[] = [
    () => Promise.reject(CONFLICT),
    () => Promise.resolve(slice),
    (status) => Promise.resolve({ ...slice, status }),
    (status) => Promise.resolve({ ...slice, status }),
  ];
  const states = sliceStates(
    slice,
    ioWith((status) => responses.shift()?.(status) ?? Promise.reject(CONFLICT)),
  );
  let calls = 0;
  states.set(0, { reconciled: true });
  states.whenStored(() => calls++);

  await expect(states.write()).rejects.toThrow(CONFLICT);
  expect(calls).toBe(0);
  expect(await states.write()).toBe('undone');
  expect(calls).toBe(0);
  expect(await states.write()).toBe('done');
  expect(calls).toBe(1);
  states.set(0, { reconciled: false });
  expect(await states.write()).toBe('done');
  expect(calls).toBe(1);
});
