import type { KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { Collection } from './collection.ts';
import { entriesOf, snapshotOf } from './store-snapshot.ts';
import type { StoreEvent } from './store-event.ts';
import { objectKey } from './stored-object.ts';

function collection(history = 100): Collection {
  let revision = 0;
  return new Collection({ history, nextRevision: () => ++revision });
}

function object(name: string, data = ''): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'n', uid: name }, data };
}

const put = (to: Collection, name: string, data?: string) => to.put(objectKey('n', name), object(name, data));
const names = (entries: readonly { name: string }[] | undefined) => entries?.map(({ name }) => name);

test('objects are frozen, carry their revision and lie in key order', () => {
  const maps = collection();
  for (const name of ['b', 'a', 'c']) put(maps, name);
  expect(names(maps.entries)).toEqual(['a', 'b', 'c']);
  const stored = maps.get('n/b');
  expect(stored?.object.metadata.resourceVersion).toBe('1');
  expect(Object.isFrozen(stored?.object.metadata)).toBe(true);
});

test('namespaces sort as their keys do: with the slash', () => {
  const maps = collection();
  for (const namespace of ['a', 'a-b', 'a.c']) maps.put(objectKey(namespace, 'x'), object('x'));
  expect(maps.entries.map(({ key }) => key)).toEqual(['a-b/x', 'a.c/x', 'a/x']);
});

test('any earlier moment can be seen again', () => {
  const maps = collection();
  put(maps, 'a', '1');
  put(maps, 'b');
  put(maps, 'a', '2');
  maps.remove('n/b');
  put(maps, 'c');
  expect(names(maps.at(1))).toEqual(['a']);
  expect(maps.at(2)?.map(({ object }) => object['data'])).toEqual(['1', '']);
  expect(maps.at(3)?.map(({ object }) => object['data'])).toEqual(['2', '']);
  expect(names(maps.at(4))).toEqual(['a']);
  expect(names(maps.at(5))).toEqual(['a', 'c']);
});

test('objects are found by a value as they are now', () => {
  const maps = collection();
  const dataOf = (object: KubeObject) => [JSON.stringify(object['data'])];
  const withData = (value: string) => names(maps.withValue(dataOf, JSON.stringify(value)))?.toSorted();
  put(maps, 'a', 'red');
  expect(withData('red')).toEqual(['a']);
  put(maps, 'b', 'red');
  put(maps, 'a', 'blue');
  expect([withData('red'), withData('blue')]).toEqual([['b'], ['a']]);
  maps.remove('n/b');
  expect(withData('red')).toEqual([]);
  maps.reread((object) => ({ ...object, data: 'green' }));
  expect([withData('blue'), withData('green')]).toEqual([[], ['a']]);
});

test('events tell what was and what is; a deletion has a revision of its own', () => {
  const maps = collection();
  const heard: StoreEvent[] = [];
  const leave = maps.subscribe((event) => heard.push(event));
  put(maps, 'a', '1');
  put(maps, 'a', '2');
  maps.remove('n/a');
  leave();
  put(maps, 'b');
  expect(heard.map(({ type, revision, previous }) => [type, revision, previous?.object['data']])).toEqual([
    ['ADDED', 1, undefined],
    ['MODIFIED', 2, '1'],
    ['DELETED', 3, '2'],
  ]);
  expect(heard[2]?.object.object.metadata.resourceVersion).toBe('3');
  expect(maps.since(1)?.map(({ type }) => type)).toEqual(['MODIFIED', 'DELETED', 'ADDED']);
});

test('history is bounded, and says from where on it is whole', () => {
  const maps = collection(4);
  for (let index = 0; index < 6; index += 1) put(maps, 'a', String(index));
  expect(maps.lostRevision).toBe(2);
  expect(maps.since(1)).toBeUndefined();
  expect(maps.at(1)).toBeUndefined();
  expect(maps.since(2)?.map(({ revision }) => revision)).toEqual([3, 4, 5, 6]);
});

test('removing what is not there changes nothing', () => {
  const maps = collection();
  expect(maps.remove('n/a')).toBeUndefined();
  expect(maps.since(0)).toEqual([]);
});

test('what is held reads as it is told to, and is kept as it was written', () => {
  const maps = collection();
  put(maps, 'a', '1');
  const told: StoreEvent[] = [];
  maps.subscribe((event) => told.push(event));
  const ending = (mark: string) => (one: KubeObject) => ({ ...one, data: `${one['data'] as string}${mark}` });
  const held = () => maps.entries.map(({ object: { data }, revision }) => [data, revision]);
  maps.reread(ending('!'));
  expect(held()).toEqual([['1!', 1]]);
  const [snapshot] = snapshotOf([{ group: '', resource: 'maps', collection: maps }]);
  expect(snapshot?.objects).toMatchObject([{ data: '1' }]);
  maps.reread(ending('?'));
  expect(held()).toEqual([['1?', 1]]);
  maps.restore(snapshot === undefined ? [] : entriesOf(snapshot), 1);
  expect(held()).toEqual([['1?', 1]]);
  maps.reread((one) => one);
  expect(held()).toEqual([['1', 1]]);
  expect(told.filter(({ type }) => type !== 'MODIFIED')).toEqual([]);
  expect(maps.since(1)).toEqual([]);
});
