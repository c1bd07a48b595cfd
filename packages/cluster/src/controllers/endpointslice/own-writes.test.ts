import type { discoveryv1, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { OwnWrites } from './own-writes.ts';

function slice(resourceVersion: string): Stored<discoveryv1.EndpointSlice> {
  const metadata = { name: 'web-x', namespace: 'shop', uid: 'uid', resourceVersion };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    endpoints: [],
    metadata,
  };
}

const SERVICE = 'shop/web';
const update = (resourceVersion: string) =>
  ({ type: 'Update', old: slice('1'), object: slice(resourceVersion) }) as const;

test.each([
  ['2', false],
  ['3', true],
])(
  'of what is reported while version 2 is written, version %s is of somebody else: %s',
  async (version, isStale) => {
    const writes = new OwnWrites(() => SERVICE);
    const write = async (written: unknown[]): Promise<string> => {
      expect(writes.isForeign(update(version))).toBe(false);
      written.push(slice('2'));
      return 'done';
    };
    expect(await writes.during(SERVICE, write)).toEqual({ result: 'done', isStale });
  },
);

test('a deletion, and what is reported at other times, or of other services, is handled at once', async () => {
  const writes = new OwnWrites(() => SERVICE);
  expect(writes.isForeign(update('2'))).toBe(true);
  const look = async (): Promise<readonly boolean[]> => [
    writes.isForeign({ type: 'Delete', object: slice('2') }),
    writes.isForeign(update('2')),
  ];
  expect((await writes.during(SERVICE, look)).result).toEqual([true, false]);
  expect((await writes.during('shop/other', look)).result).toEqual([true, true]);
});

test('after a write that is rejected events are handled again', async () => {
  const writes = new OwnWrites(() => SERVICE);
  await expect(writes.during(SERVICE, () => Promise.reject(new TypeError('no')))).rejects.toThrow('no');
  expect(writes.isForeign(update('2'))).toBe(true);
});
