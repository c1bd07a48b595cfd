import { describe, expect, test } from 'vitest';
import { conflictOf, story } from './testing/story.ts';

describe('what an applier claims', () => {
  test('leaves and list items, but no structs', () => {
    const s = story().apply('a', {
      replicas: 1,
      selector: { app: 'x' },
      items: [{ name: 'c', image: 'i' }],
      tags: ['t'],
    });
    expect(s.claims).toEqual({
      'a/Apply': [
        '.items[name="c"]',
        '.items[name="c"].image',
        '.items[name="c"].name',
        '.replicas',
        '.selector',
        '.tags[="t"]',
      ],
    });
  });

  test('keys of a list by their default where they are not sent', () => {
    expect(story().apply('a', { ports: [{ port: 80 }] }).claims).toEqual({
      'a/Apply': ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].port'],
    });
  });

  test('every level of what no schema describes', () => {
    expect(story().apply('a', { free: { x: { y: 1 }, l: [1] } }).claims).toEqual({
      'a/Apply': ['.free.l', '.free.x', '.free.x.y'],
    });
  });

  test('an updater claims what it changed, the maps it created included', () => {
    const s = story().update('u', {
      metadata: { name: 'x', labels: { a: '1' } },
      items: [{ name: 'c', image: 'i' }],
    });
    expect(s.claims).toEqual({
      'u/Update': [
        '.items',
        '.items[name="c"]',
        '.items[name="c"].image',
        '.items[name="c"].name',
        '.metadata.labels',
        '.metadata.labels.a',
      ],
    });
    s.update('v', { metadata: { name: 'x', labels: { a: '1' } }, items: [{ name: 'c', image: 'j' }] });
    expect(s.claims['v/Update']).toEqual(['.items[name="c"].image']);
    expect(s.claims['u/Update']).not.toContain('.items[name="c"].image');
  });
});

describe('several appliers', () => {
  test('share what they agree on; the last to drop it removes it', () => {
    const s = story().apply('a', { replicas: 1 }).apply('b', { replicas: 1 });
    expect(s.claims).toEqual({ 'a/Apply': ['.replicas'], 'b/Apply': ['.replicas'] });
    s.apply('a', {});
    expect(s.body).toEqual({ replicas: 1 });
    expect(s.claims).toEqual({ 'b/Apply': ['.replicas'] });
    s.apply('b', {});
    expect(s.body).toEqual({});
    expect(s.claims).toEqual({});
  });

  test('conflict where they differ, until one forces', () => {
    const s = story().apply('a', { replicas: 1, items: [{ name: 'c', image: 'i' }] });
    const conflict = conflictOf(() => s.apply('b', { replicas: 3, items: [{ name: 'c', image: 'j' }] }));
    expect(conflict.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "a":\n- .items[name="c"].image\n- .replicas',
    );
    expect(conflict.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.items[name="c"].image' },
      { reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.replicas' },
    ]);
    s.force('b', { replicas: 3, items: [{ name: 'c', image: 'j' }] });
    expect(s.claims['a/Apply']).toEqual(['.items[name="c"]', '.items[name="c"].name']);
  });

  test('a conflict names version and operation of an updater', () => {
    const s = story().update('u', { replicas: 1 });
    expect(conflictOf(() => s.apply('b', { replicas: 3 })).message).toBe(
      'Apply failed with 1 conflict: conflict with "u" using ex.io/v1: .replicas',
    );
  });

  test('an applier that repeats itself changes nothing, its time included', () => {
    const s = story().apply('a', { replicas: 1, tags: ['t'] });
    const before = s.live;
    s.apply('a', { replicas: 1, tags: ['t'] });
    expect(s.live).toBe(before);
  });
});

describe('what an apply removes', () => {
  test('an item that nobody else claims, with what is below', () => {
    const s = story().apply('a', {
      items: [
        { name: 'c', image: 'i' },
        { name: 'd', image: 'i' },
      ],
    });
    s.update('u', {
      items: [
        { name: 'c', image: 'i', command: 'x' },
        { name: 'd', image: 'i' },
      ],
    });
    s.apply('a', { items: [{ name: 'd', image: 'i' }] });
    expect(s.body).toEqual({ items: [{ name: 'd', image: 'i' }] });
    expect(s.claims['u/Update']).toBeUndefined();
  });

  test('of an item that another claims too, only its own fields', () => {
    const s = story().update('u', { items: [{ name: 'c', image: 'i', command: 'x' }] });
    s.force('a', { items: [{ name: 'c', image: 'j' }] }).apply('a', {});
    expect(s.body).toEqual({ items: [{ name: 'c', command: 'x' }] });
  });

  test('an element of a set when its last owner drops it', () => {
    const s = story()
      .apply('a', { tags: ['x', 'y'] })
      .apply('b', { tags: ['y'] })
      .apply('a', {});
    expect(s.body).toEqual({ tags: ['y'] });
  });

  test('below a null that it repeats, what nobody claims', () => {
    const s = story().update('u', { tags: ['x'] });
    s.apply('a', { tags: null });
    s.rewrite((s.live?.metadata.managedFields ?? []).filter((entry) => entry.manager === 'a'));
    expect(s.apply('a', { tags: null }).body).toEqual({});
  });

  test('nothing that the applier never claimed', () => {
    const s = story().update('u', { replicas: 5 });
    s.apply('a', { tags: ['t'] }).apply('a', {});
    expect(s.body).toEqual({ replicas: 5 });
  });

  test('an unclaimed sibling goes when its whole list does', () => {
    const s = story().update('u', {
      items: [
        { name: 'c', image: 'i' },
        { name: 'd', image: 'i' },
      ],
    });
    s.apply('a', { items: [{ name: 'c', image: 'i' }] });
    const entries = (s.live?.metadata.managedFields ?? []).filter((entry) => entry.manager === 'a');
    s.rewrite(entries).apply('a', {});
    expect(s.body).toEqual({});
  });
});

describe('versions', () => {
  test('an applier has one entry, whose version moves', () => {
    const s = story().apply('a', { replicas: 1 });
    s.apply('a', { replicas: 1 }, { apiVersion: 'ex.io/v2' });
    expect(s.live?.metadata.managedFields?.map((entry) => entry.apiVersion)).toEqual(['ex.io/v2']);
  });

  test('an updater has one entry per version', () => {
    const s = story().update('u', { replicas: 1 });
    s.update('u', { replicas: 1, tags: ['t'] }, { apiVersion: 'ex.io/v2' });
    expect(s.live?.metadata.managedFields?.map((entry) => entry.apiVersion)).toEqual([
      'ex.io/v1',
      'ex.io/v2',
    ]);
  });

  test('claims at a version that is not served are dropped at once', () => {
    const s = story()
      .update('u', { replicas: 1 })
      .apply('a', { tags: ['t'] });
    const entries = s.live?.metadata.managedFields ?? [];
    s.rewrite(entries.map((entry) => (entry.manager === 'u' ? { ...entry, apiVersion: 'ex.io/v0' } : entry)));
    expect(Object.keys(s.claims)).toEqual(['a/Apply']);
  });
});
