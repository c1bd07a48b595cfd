import { createManualClock } from '@kubewright/client';
import type { OwnerReference, Stored } from '@kubewright/kube';
import { expect, it } from 'vitest';
import type { Cache } from '../cache/cache.ts';
import { type CacheHandler, Informer } from '../cache/informer.ts';
import { silentLogger } from '../log/logger.ts';
import { configMap } from '../testing/objects.ts';
import { scriptedListWatch } from '../testing/scripted-list-watch.ts';
import { formatRequest } from './reconciler.ts';
import { type Source, watchMapped, watchOwned } from './source.ts';

/** What a source asks for when the cache tells of an event. */
function ask(source: Source, event: Parameters<CacheHandler>[0]): readonly string[] {
  const clock = createManualClock();
  const informer = new Informer({
    name: 'test',
    source: scriptedListWatch([]),
    clock,
    random: () => 0.5,
    log: silentLogger,
  });
  let handler: CacheHandler | undefined;
  informer.addHandler = (added) => {
    handler = added;
    return () => undefined;
  };
  const asked: string[] = [];
  source.start({
    // A generic method cannot return the one informer that there is.
    cache: { informer: () => informer } as unknown as Cache,
    enqueue: (request, priority, afterMs = 0) =>
      asked.push([formatRequest(request), priority, ...(afterMs > 0 ? [`in ${afterMs} ms`] : [])].join(' ')),
  });
  void handler?.(event);
  return asked;
}

const ref = { group: '', version: 'v1', kind: 'ConfigMap' };
const owner = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'example.com/v1',
  kind: 'Site',
  name,
  uid: `uid-${name}`,
  controller: true,
  ...more,
});
const owned = (...ownerReferences: readonly OwnerReference[]): Stored => {
  const object = configMap('a', '1');
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
};
const site = { group: 'example.com', kind: 'Site' };
const created = (object: Stored) => ({ type: 'Create', object, initial: false }) as const;

it.each([
  ['the controller', [owner('x'), owner('y', { controller: false })], ['ns/x 0']],
  ['in another version', [owner('x', { apiVersion: 'example.com/v1beta1' })], ['ns/x 0']],
  ['not of another group', [owner('x', { apiVersion: 'example.org/v1' })], []],
  ['not of another kind', [owner('x', { kind: 'Page' })], []],
  ['not nobody', [], []],
])('an owned object leads to %s', (_title, references, expected) => {
  expect(ask(watchOwned(ref, site), created(owned(...references)))).toEqual(expected);
});

it('leads to every owner when asked to, and to one without namespace', () => {
  const two = created(owned(owner('x', { controller: false }), owner('y')));
  expect(ask(watchOwned(ref, site, { anyOwner: true }), two)).toEqual(['ns/x 0', 'ns/y 0']);
  expect(ask(watchOwned(ref, { ...site, namespaced: false }), two)).toEqual(['y 0']);
});

it('asks for both sides of a change of owner, and puts what was there at the start behind', () => {
  const change = { type: 'Update', old: owned(owner('x')), object: owned(owner('y')) } as const;
  expect(ask(watchOwned(ref, site), change)).toEqual(['ns/x 0', 'ns/y 0']);
  const mapped = watchMapped(ref, () => [{ name: 'm' }]);
  expect(ask(mapped, { type: 'Create', object: owned(), initial: true })).toEqual(['m -100']);
  const none = watchMapped(ref, () => [{ name: 'm' }], { predicates: [() => false] });
  expect(ask(none, change)).toEqual([]);
});

it('holds changes for batchMs, but not what was there at the start', () => {
  const batched = watchMapped(ref, () => [{ name: 'm' }], { batchMs: 250 });
  expect(ask(batched, created(owned()))).toEqual(['m 0 in 250 ms']);
  expect(ask(batched, { type: 'Create', object: owned(), initial: true })).toEqual(['m -100']);
});
