import { createClient, createManualClock } from '@kubewright/client';
import { corev1, type KubeObject } from '@kubewright/kube';
import { expect, it } from 'vitest';
import { fakeApi } from '../testing/fake-api.ts';
import { configMap } from '../testing/objects.ts';
import { waitForObject } from './wait-for-object.ts';

const key = { namespace: 'ns', name: 'a' };
const managed = configMap('a', '7', { text: 'hello' });
const stored: KubeObject = {
  ...managed,
  metadata: { ...managed.metadata, managedFields: [{ manager: 'me' }] },
};

const dying: KubeObject = {
  ...managed,
  metadata: { ...managed.metadata, generation: 3, deletionTimestamp: '2026-01-01T00:00:00Z' },
  status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Waiting', message: 'hello' }] },
};

/** What a wait of one second rejects with. */
async function rejection(items: readonly KubeObject[], status?: number): Promise<string> {
  const api = fakeApi(items);
  api.refuse = status;
  const clock = createManualClock();
  const never = (): boolean => false;
  const options = { clock, random: () => 0.5, timeoutMs: 1000 };
  const waiting = waitForObject(createClient(api), corev1.configmaps, key, never, options);
  const text = waiting.then(
    () => 'resolved',
    (error: unknown) => String(error),
  );
  await clock.advance(0);
  await clock.advance(1000);
  return text;
}

it.each<[string, readonly KubeObject[], number | undefined, string]>([
  ['which version of the object was seen last', [stored], undefined, 'it was last seen at resourceVersion 7'],
  [
    'its generation, deletion and conditions',
    [dying],
    undefined,
    'it was last seen at resourceVersion 7, generation 3, it is being deleted, Ready=False (Waiting)',
  ],
  ['that there is none', [], undefined, 'it does not exist'],
  ['why it could not be read', [], 403, 'it was not read: the server answered 403'],
])('a wait in vain shows %s', async (_title, items, status, shown) => {
  const text = await rejection(items, status);
  expect(text).toContain('RuntimeError: ConfigMap ns/a: not as expected after 1000 ms: ');
  expect(text).toContain(shown);
  expect(text).not.toContain('hello');
});

it('rejects with what the condition throws', async () => {
  const clock = createManualClock();
  const broken = (): boolean => {
    throw new TypeError('no phase');
  };
  const api = fakeApi([stored]);
  const waiting = waitForObject(createClient(api), corev1.configmaps, key, broken, {
    clock,
    random: () => 0.5,
  });
  const failed = expect(waiting).rejects.toThrow('no phase');
  await clock.advance(0);
  await failed;
});
