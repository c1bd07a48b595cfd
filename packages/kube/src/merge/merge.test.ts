import { assert, constantFrom, property, record, subarray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FieldSet } from '../fields/field-set.ts';
import { formatPath } from '../fields/format-path.ts';
import type { JsonObject } from '../json/value.ts';
import type { KubeObject, ManagedFieldsEntry } from '../object/types.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { applyManagedFields } from './managed-fields/apply-managed-fields.ts';
import { ConflictError } from './managed-fields/conflict-error.ts';
import { ignoreManagedFieldsTimestamps } from './managed-fields/ignore-timestamps.ts';
import { decodeManagers } from './managed-fields/managers.ts';
import type { VersionedSchemas } from './managed-fields/schemas.ts';
import { updateManagedFields } from './managed-fields/update-managed-fields.ts';

const string = { type: 'string' };
const names = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
const schema = {
  type: 'object',
  properties: {
    apiVersion: string,
    kind: string,
    metadata: {
      type: 'object',
      properties: { name: string, labels: { type: 'object', additionalProperties: string } },
    },
    replicas: { type: 'integer' },
    selector: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: string },
    args: { type: 'array', items: string },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: string },
    items: {
      type: 'array',
      ...names,
      items: {
        type: 'object',
        properties: {
          name: string,
          image: string,
          command: string,
          env: {
            type: 'array',
            ...names,
            items: { type: 'object', properties: { name: string, value: string } },
          },
        },
      },
    },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, note: string },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const nodes: Record<string, ReturnType<typeof compileSchema>> = {
  'ex.io/v1': compileSchema(schema),
  'ex.io/v2': compileSchema({ ...schema }),
};
const schemas: VersionedSchemas = {
  node: (apiVersion) => nodes[apiVersion],
  convert: (object, apiVersion) => ({ ...object, apiVersion }),
  empty: (apiVersion) => ({ apiVersion, kind: 'Thing', metadata: {} }),
};

/** An object that several managers write, told as a story. */
class Story {
  live: KubeObject | undefined;
  #minute = 0;

  #write(body: JsonObject, apiVersion: string): KubeObject {
    return { apiVersion, kind: 'Thing', metadata: { name: 'x' }, ...body };
  }

  #now(): Date {
    return new Date(Date.UTC(2026, 0, 1, 0, this.#minute++));
  }

  apply(manager: string, body: JsonObject, options: { force?: boolean; apiVersion?: string } = {}): this {
    const object = this.#write(body, options.apiVersion ?? 'ex.io/v1');
    const live = this.live === undefined ? undefined : { ...this.live, apiVersion: object.apiVersion };
    const next = applyManagedFields({
      live,
      object,
      manager,
      subresource: '',
      force: options.force ?? false,
      now: this.#now(),
      schemas,
    });
    if (next !== live) this.live = next;
    return this;
  }

  force(manager: string, body: JsonObject): this {
    return this.apply(manager, body, { force: true });
  }

  /** A PUT: the whole object, managedFields only where the body has them. */
  update(
    manager: string,
    body: JsonObject,
    options: { subresource?: string; apiVersion?: string } = {},
  ): this {
    const object = this.#write(body, options.apiVersion ?? 'ex.io/v1');
    const live = this.live === undefined ? undefined : { ...this.live, apiVersion: object.apiVersion };
    this.live = updateManagedFields({
      live,
      object,
      manager,
      subresource: options.subresource ?? '',
      now: this.#now(),
      schemas,
    });
    return this;
  }

  rewrite(managedFields: readonly ManagedFieldsEntry[]): this {
    const { apiVersion: _, kind: __, metadata: ___, ...body } = this.live ?? this.#write({}, '');
    return this.update('rewriter', {
      ...body,
      metadata: { name: 'x', managedFields },
    });
  }

  get body(): JsonObject {
    const { apiVersion: _, kind: __, metadata, ...body } = this.live ?? this.#write({}, '');
    const { name: ___, managedFields: ____, ...rest } = metadata;
    return {
      ...(Object.keys(rest).length > 0 ? { metadata: rest } : {}),
      ...body,
    };
  }

  /** Claims by `manager/operation[/subresource]`, as paths. */
  get claims(): Record<string, string[]> {
    const entries = [...decodeManagers(this.live?.metadata.managedFields).values()];
    return Object.fromEntries(
      entries.map(({ manager, operation, subresource, set }) => [
        `${manager}/${operation}${subresource === '' ? '' : `/${subresource}`}`,
        [...set.paths()].map(formatPath),
      ]),
    );
  }
}

const story = (): Story => new Story();

function conflictOf(run: () => unknown): ConflictError {
  try {
    run();
  } catch (error) {
    if (error instanceof ConflictError) return error;
    throw error;
  }
  throw new Error('no conflict');
}

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

describe('lists', () => {
  test('the applier orders what both have; the rest keeps its place', () => {
    const s = story().update('u', { items: ['a', 'b', 'c'].map((name) => ({ name })) });
    s.apply('x', { items: [{ name: 'c' }, { name: 'new' }, { name: 'a' }] });
    expect((s.body['items'] as { name: string }[]).map(({ name }) => name)).toEqual(['b', 'c', 'new', 'a']);
  });

  test('an atomic list is taken as a whole', () => {
    const s = story().apply('a', { args: ['1', '2'] });
    expect(conflictOf(() => s.apply('b', { args: ['1'] })).message).toContain('.args');
    expect(s.force('b', { args: ['1'] }).body).toEqual({ args: ['1'] });
  });

  test('a key may not stand twice in a configuration, but may in a live object', () => {
    const twice = {
      items: [
        { name: 'c', image: 'i' },
        { name: 'c', image: 'j' },
      ],
    };
    expect(() => story().apply('a', twice)).toThrow(
      'failed to create typed patch object (/x; ex.io/v1, Kind=Thing): .items: duplicate entries for key [name="c"]',
    );
    const s = story().update('u', twice);
    expect(s.claims['u/Update']).toEqual(['.items', '.items[name="c"]']);
    s.apply('a', { replicas: 1 });
    expect(s.body['items']).toEqual(twice.items);
  });

  test('of live duplicates the first is merged, the rest goes, and new items come in their place', () => {
    const s = story().update('u', {
      ports: [{ port: 80, note: 'a' }, { port: 80 }, { port: 80, protocol: 'UDP' }],
    });
    s.force('a', { ports: [{ port: 80 }, { port: 81 }] });
    expect(s.body).toEqual({ ports: [{ port: 80 }, { port: 81 }, { port: 80, protocol: 'UDP' }] });
  });

  test('nested lists merge by their own keys', () => {
    const s = story().apply('a', { items: [{ name: 'c', env: [{ name: 'A', value: '1' }] }] });
    s.apply('b', { items: [{ name: 'c', env: [{ name: 'B', value: '2' }] }] });
    expect(s.body).toEqual({
      items: [
        {
          name: 'c',
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
        },
      ],
    });
    s.apply('a', {});
    expect(s.body).toEqual({ items: [{ name: 'c', env: [{ name: 'B', value: '2' }] }] });
  });
});

describe('a configuration that is not of its type', () => {
  test.each<[JsonObject, string]>([
    [{ nope: 1 }, '.nope: field not declared in schema'],
    [{ replicas: 'x' }, '.replicas: expected numeric (int or float), got string'],
    [{ replicas: { a: true } }, '.replicas: expected numeric (int or float), got map[string]interface {}'],
    [
      { metadata: { name: 'x', labels: { a: { b: [1, 'c'] } } } },
      '.metadata.labels.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":[]interface {}{1, "c"}}}',
    ],
    [{ items: 'x' }, '.items: expected list, got &{x}'],
    [{ items: { a: 1 } }, '.items: expected list, got &{map[a:1]}'],
    [
      { items: [{ image: 'i' }] },
      '.items: element 0: associative list with keys has an element that omits all key fields ["name"]',
    ],
    [
      { tags: [null] },
      ".tags: element 0: associative list without keys has an element that's an explicit null",
    ],
  ])('%j is refused', (body, message) => {
    expect(() => story().apply('a', body)).toThrow(message);
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

describe('what a schema does not name', () => {
  test('is taken anywhere below what preserves unknown fields', () => {
    nodes['ex.io/v3'] = compileSchema({
      ...schema,
      properties: {
        ...schema.properties,
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { a: string } } },
        },
      },
    });
    const s = story().apply(
      'a',
      { free: { known: { a: 'x', b: { c: 1 } }, d: 1 } },
      { apiVersion: 'ex.io/v3' },
    );
    expect(s.claims['a/Apply']).toEqual(['.free.d', '.free.known.a', '.free.known.b', '.free.known.b.c']);
  });
});

describe('duplicates in a live object that somebody claims at another version', () => {
  const twice = { tags: ['x', 'x'] };

  test('fail an apply', () => {
    const s = story().update('u', twice);
    expect(() => s.apply('a', { replicas: 1 }, { apiVersion: 'ex.io/v2' })).toThrow(
      '.tags: duplicate entries for key [="x"]',
    );
  });

  test('cost an update all claims', () => {
    const s = story().update('u', twice);
    expect(s.update('v', { ...twice, replicas: 1 }, { apiVersion: 'ex.io/v2' }).claims).toEqual({});
  });
});

test('an item that loses its key, because somebody claims the key field no more, goes', () => {
  const s = story().apply('a', { items: [{ name: 'c', image: 'i' }] });
  s.rewrite([
    {
      manager: 'a',
      operation: 'Apply',
      apiVersion: 'ex.io/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:items': { 'k:{"name":"c"}': { '.': {}, 'f:image': {} } } },
    },
    {
      manager: 'b',
      operation: 'Update',
      apiVersion: 'ex.io/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:items': { 'k:{"name":"c"}': { '.': {}, 'f:image': {} } } },
    },
  ]);
  expect(s.apply('a', { replicas: 1 }).body).toEqual({ items: [], replicas: 1 });
  expect(s.claims).toEqual({ 'a/Apply': ['.replicas'] });
});

describe('objects that nobody claims', () => {
  const untracked = (): Story => {
    const s = story().update('u', { replicas: 1 });
    return s.rewrite([]);
  };

  test('an empty list resets the claims, and updates stay untracked', () => {
    const s = untracked();
    expect(s.live?.metadata.managedFields).toBeUndefined();
    s.update('v', { replicas: 2 });
    expect(s.claims).toEqual({});
  });

  test('so does a list of one empty entry', () => {
    expect(story().update('u', { replicas: 1 }).rewrite([{}]).claims).toEqual({});
  });

  test('the first apply gives the rest to before-first-apply', () => {
    const s = untracked().apply('a', { tags: ['t'] });
    expect(s.claims).toEqual({ 'a/Apply': ['.tags[="t"]'], 'before-first-apply/Update': ['.replicas'] });
  });
});

describe('rewriting claims', () => {
  const shared = (): Story => story().apply('a', { replicas: 1 }).apply('b', { replicas: 1 });
  const entries = (s: Story): readonly ManagedFieldsEntry[] => s.live?.metadata.managedFields ?? [];

  test('moves them without an entry for who rewrites', () => {
    const s = shared();
    s.rewrite(entries(s).filter((entry) => entry.manager === 'a'));
    expect(s.claims).toEqual({ 'a/Apply': ['.replicas'] });
  });

  test.each<[string, ManagedFieldsEntry]>([
    ['no operation', { manager: 'z', apiVersion: 'ex.io/v1', fieldsType: 'FieldsV1' }],
    ['no apiVersion', { manager: 'z', operation: 'Apply', fieldsType: 'FieldsV1' }],
    [
      'another fieldsType',
      { manager: 'z', operation: 'Apply', apiVersion: 'ex.io/v1', fieldsType: 'FieldsV2' },
    ],
    [
      'a bad key',
      {
        manager: 'z',
        operation: 'Apply',
        apiVersion: 'ex.io/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { x: {} },
      },
    ],
  ])('one entry with %s voids the whole', (_, bad) => {
    const s = shared();
    const before = s.claims;
    expect(s.rewrite([...entries(s).slice(0, 1), bad]).claims).toEqual(before);
  });

  test('an entry without fields is none', () => {
    const s = shared();
    s.rewrite([
      ...entries(s),
      { manager: 'z', operation: 'Apply', apiVersion: 'ex.io/v1', fieldsType: 'FieldsV1' },
    ]);
    expect(Object.keys(s.claims).sort()).toEqual(['a/Apply', 'b/Apply']);
  });

  test('is ignored through a subresource', () => {
    const s = shared();
    const { apiVersion: _, kind: __, metadata: ___, ...body } = s.live as KubeObject;
    s.update('w', { ...body, metadata: { name: 'x', managedFields: [] } }, { subresource: 'status' });
    expect(Object.keys(s.claims).sort()).toEqual(['a/Apply', 'b/Apply']);
  });

  test('a write that differs in times alone is none', () => {
    const s = shared();
    const live = s.live as KubeObject;
    const managedFields = entries(s).map((entry) => ({ ...entry, time: '2030-01-01T00:00:00Z' }));
    const later = { ...live, metadata: { ...live.metadata, managedFields } };
    expect(ignoreManagedFieldsTimestamps(live, later)).toBe(live);
    expect(ignoreManagedFieldsTimestamps(live, { ...later, replicas: 7 })).not.toBe(live);
  });
});

test('of more than ten updaters the oldest become ancient-changes', () => {
  const s = story();
  const labels: Record<string, string> = {};
  for (let i = 0; i < 12; i++) {
    labels[`l${i}`] = '1';
    s.update(`u${String(i).padStart(2, '0')}`, { metadata: { name: 'x', labels: { ...labels } } });
  }
  expect(Object.keys(s.claims)).toHaveLength(10);
  expect(s.claims['ancient-changes/Update']).toEqual([
    '.metadata.labels',
    ...['l0', 'l1', 'l2'].map((l) => `.metadata.labels.${l}`),
  ]);
});

describe('kubectl, which once applied client-side', () => {
  const annotation = (body: JsonObject): JsonObject => ({
    'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
      apiVersion: 'ex.io/v1',
      kind: 'Thing',
      metadata: { name: 'x' },
      ...body,
    }),
  });
  nodes['ex.io/v1'] = compileSchema({
    ...schema,
    properties: {
      ...schema.properties,
      metadata: {
        type: 'object',
        properties: {
          ...schema.properties.metadata.properties,
          annotations: { type: 'object', additionalProperties: string },
        },
      },
    },
  });

  test('takes over what its annotation holds, and keeps the annotation in step', () => {
    const s = story().update('kubectl-client-side-apply', {
      metadata: { name: 'x', annotations: annotation({ replicas: 1 }) },
      replicas: 1,
    });
    s.apply('kubectl', { replicas: 2 });
    expect(s.body['replicas']).toBe(2);
    expect(s.live?.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration']).toContain(
      '"replicas":2',
    );
  });

  test('conflicts where the field is not as the annotation has it', () => {
    const s = story().update('kubectl-client-side-apply', {
      metadata: { name: 'x', annotations: annotation({ replicas: 1 }) },
      replicas: 1,
    });
    s.update('other', { metadata: { name: 'x', annotations: annotation({ replicas: 1 }) }, replicas: 4 });
    expect(conflictOf(() => s.apply('kubectl', { replicas: 2 })).message).toContain('"other"');
  });
});

describe('laws', () => {
  const body = record(
    {
      replicas: constantFrom(1, 2),
      tags: subarray(['x', 'y', 'z']),
      items: subarray(['c', 'd', 'e']).map((list) => list.map((name) => ({ name, image: `i-${name}` }))),
      metadata: record({ name: constantFrom('x'), labels: constantFrom({}, { a: '1' }, { b: '1' }) }),
    },
    { requiredKeys: [] },
  );

  test('applying twice is applying once', () => {
    assert(
      property(body, body, (first, second) => {
        const s = story()
          .force('a', first as JsonObject)
          .force('b', second as JsonObject);
        const before = s.live;
        expect(s.force('b', second as JsonObject).live).toBe(before);
      }),
    );
  });

  test('what one applier drops leaves the claims and values of another', () => {
    assert(
      property(body, body, (first, second) => {
        const s = story()
          .force('a', first as JsonObject)
          .force('b', second as JsonObject);
        const claims = s.claims['b/Apply'];
        s.force('a', {});
        expect(s.claims['b/Apply']).toEqual(claims);
        expect(s.claims['a/Apply']).toBeUndefined();
        const alone = story().force('b', second as JsonObject);
        expect(s.claims['b/Apply']).toEqual(alone.claims['b/Apply']);
      }),
    );
  });

  test('a set read from an object is never empty', () => {
    assert(
      property(body, (config) => {
        for (const { set } of decodeManagers(
          story().force('a', config as JsonObject).live?.metadata.managedFields,
        ).values()) {
          expect(set.equals(FieldSet.EMPTY)).toBe(false);
        }
      }),
    );
  });
});
