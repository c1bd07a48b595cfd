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
const create = (): OwnWrites => new OwnWrites(() => SERVICE);
const update = (resourceVersion: string) =>
  ({ type: 'Update', old: slice('1'), object: slice(resourceVersion) }) as const;

test('the event of an own write is not foreign; what others write later is', () => {
  const writes = create();
  writes.add(slice('2'));
  expect(writes.isForeign(update('2'))).toBe(false);
  expect(writes.isForeign(update('3'))).toBe(true);
});

test('a deletion is foreign, and forgets what was written', () => {
  const writes = create();
  writes.add(slice('2'));
  expect(writes.isForeign({ type: 'Delete', object: slice('2') })).toBe(true);
  expect(writes.isForeign(update('2'))).toBe(true);
});

test.each([
  ['2', false],
  ['3', true],
])(
  'an event that comes before the response of the write of version 2, of version %s: foreign %s',
  async (version, foreign) => {
    const writes = create();
    const write = async (): Promise<void> => {
      expect(writes.isForeign(update(version))).toBe(false);
      writes.add(slice('2'));
    };
    expect(await writes.during(SERVICE, write)).toBe(foreign);
  },
);
