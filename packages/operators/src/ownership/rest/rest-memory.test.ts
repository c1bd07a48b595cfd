import { describe, expect, test } from 'vitest';
import type { Remembered } from './is-at-rest.ts';
import { RestMemory } from './rest-memory.ts';

const slice = { namespace: 'shop', name: 'web-1' };
const other = { namespace: 'shop', name: 'web-2' };
const KEY = '/ConfigMap/shop/web';
const object = (version = 'uid 7'): Remembered => ({
  version,
  state: '',
  applied: undefined,
  isPlain: true,
  manifest: '',
  settings: '',
  place: { kind: 'v1 ConfigMap', key: 'shop/web' },
  until: 0,
});

function remembering(reconciledAt?: number): RestMemory {
  const memory = new RestMemory();
  const known = memory.begin(slice, 'uid', 'owner');
  if (reconciledAt !== undefined) known.reconciledAt = reconciledAt;
  memory.remember(slice, KEY, object());
  return memory;
}

const objects = (memory: RestMemory, request = slice): number => memory.of(request, 'uid')?.objects.size ?? 0;

describe('a watch reports', () => {
  test('soon after a change of the slice another version ⇒ the slice looks again, once', () => {
    const memory = remembering(1000);
    expect(memory.changed(KEY, 'uid 8', 2000)).toEqual(slice);
    expect(memory.changed(KEY, 'uid 9', 2000)).toBeUndefined();
  });

  test('the end of an object, or one that was created again ⇒ the slice looks again', () => {
    expect(remembering(1000).changed(KEY, undefined, 2000)).toEqual(slice);
    expect(remembering(1000).changed(KEY, 'another 5', 2000)).toEqual(slice);
  });

  test('the end of an object, of which a change was reported before ⇒ nothing of it is kept', () => {
    const memory = remembering(1000);
    memory.changed(KEY, 'uid 8', 2000);
    memory.changed(KEY, undefined, 2000);
    expect(objects(memory)).toBe(0);
    expect(memory.of(slice, 'uid')?.late.size).toBe(0);
  });

  test('the version that was seen, or one before it ⇒ nothing', () => {
    const memory = remembering(1000);
    expect(memory.changed(KEY, 'uid 7', 2000)).toBeUndefined();
    expect(memory.changed(KEY, 'uid 6', 2000)).toBeUndefined();
    expect(objects(memory)).toBe(1);
  });

  test('a change long after, or when nothing but time had the slice reconciled ⇒ it waits for the next reconcile', () => {
    expect(remembering(1000).changed(KEY, 'uid 8', 61_000)).toBeUndefined();
    const memory = remembering();
    expect(memory.changed(KEY, 'uid 8', 2000)).toBeUndefined();
  });

  test('that schemas of a group have changed ⇒ its objects are forgotten', () => {
    const memory = remembering(1000);
    memory.remember(slice, 'shop.example.com/Widget/shop/one', object());
    expect(memory.changedGroup('shop.example.com', 2000)).toEqual([slice]);
    expect(objects(memory)).toBe(1);
  });
});

test('what a look finds of a slice that was forgotten meanwhile is not kept', () => {
  const memory = remembering();
  memory.forget(slice);
  memory.begin(other, 'uid', 'owner');
  memory.remember(other, KEY, object());
  memory.remember(slice, KEY, object());
  expect(objects(memory, other)).toBe(1);
});

test('what a slice found is forgotten when its Composition says something else, or it is another slice', () => {
  const memory = remembering();
  memory.begin(slice, 'uid', 'owner');
  expect(objects(memory)).toBe(1);
  memory.begin(slice, 'uid', 'another');
  expect(objects(memory)).toBe(0);
  expect(memory.of(slice, 'another uid')).toBeUndefined();
});

test('an object of two slices is remembered by the one that looked last', () => {
  const memory = remembering();
  memory.begin(other, 'uid', 'owner');
  memory.remember(other, KEY, object());
  expect(objects(memory)).toBe(0);
  expect(objects(memory, other)).toBe(1);
});

test('what any object loses, the slice as a whole loses too', () => {
  const memory = remembering();
  const known = memory.of(slice, 'uid');
  if (known !== undefined) known.whole = { of: '', until: 1 };
  memory.forgetObject(slice, KEY);
  expect(known?.whole).toBeUndefined();
});

test('the number of objects is bounded: the slices that were worked on longest ago are forgotten', () => {
  const memory = remembering();
  memory.begin(other, 'uid', 'owner');
  for (let index = 0; index < 50_000; index++) memory.remember(other, `/ConfigMap/shop/${index}`, object());
  expect(objects(memory)).toBe(0);
  expect(objects(memory, other)).toBe(50_000);
});
