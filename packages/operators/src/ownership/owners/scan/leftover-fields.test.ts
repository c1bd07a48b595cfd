import type { JsonObject, ManagedFieldsEntry, Stored } from '@kubewright/kube';
import { formatPath, parsePathPattern } from '@kubewright/kube/fields';
import { describe, expect, test } from 'vitest';
import { readManagedFields } from '../../read-managed-fields.ts';
import { leftoverFields, namedPath } from './leftover-fields.ts';

const entry = (manager: string, operation: string, fieldsV1: JsonObject): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
});
const data = (...keys: readonly string[]): JsonObject => ({
  'f:data': Object.fromEntries(keys.map((name) => [`f:${name}`, {}])),
});
const items = (...names: readonly string[]): JsonObject => ({
  'f:spec': {
    'f:containers': Object.fromEntries(
      names.map((name) => [`k:{"name":"${name}"}`, { '.': {}, 'f:name': {} }]),
    ),
  },
});

function leftovers(fields: JsonObject, ...managedFields: readonly ManagedFieldsEntry[]): readonly string[] {
  const { metadata = {}, ...rest } = fields as { readonly metadata?: object };
  const object = {
    apiVersion: 'v1',
    kind: 'Any',
    metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '1', managedFields, ...metadata },
    ...rest,
  } as Stored;
  return leftoverFields(object, readManagedFields(object).claims).map(
    ({ path, owners }) => `${formatPath(path)} of ${owners.join(', ')}`,
  );
}

describe('what nobody applies any more', () => {
  test('a key that only an updater owns, or nobody, beside one that is applied', () => {
    const map = { data: { a: '1', b: '1', c: '1' } };
    expect(
      leftovers(map, entry('ci', 'Apply', data('a')), entry('kubectl-create', 'Update', data('a', 'b'))),
    ).toEqual(['.data.b of kubectl-create (Update)', '.data.c of ']);
  });

  test('an item of a list, beside one that is applied', () => {
    const pod = { spec: { containers: [{ name: 'web' }, { name: 'old' }, { image: 'without a name' }] } };
    expect(
      leftovers(pod, entry('ci', 'Apply', items('web')), entry('legacy', 'Update', items('old'))),
    ).toEqual(['.spec.containers[name="old"] of legacy (Update)']);
  });

  test('labels and annotations only of nobody, and none of the server', () => {
    const metadata = { labels: { lost: '1', theirs: '1', 'kubernetes.io/metadata.name': 'a' } };
    const theirs = { 'f:metadata': { 'f:labels': { 'f:theirs': {} } } };
    expect(
      leftovers({ metadata }, entry('ci', 'Apply', data('a')), entry('kubectl-label', 'Update', theirs)),
    ).toEqual(['.metadata.labels.lost of ']);
  });

  test('nothing that a tool has which removes by itself what it drops', () => {
    const map = { data: { a: '1', b: '1' } };
    expect(leftovers(map, entry('ci', 'Apply', data('a')), entry('helm', 'Update', data('b')))).toEqual([]);
  });

  test('nothing of a map that nobody applies, of defaults, and where there is no applier', () => {
    const map = { data: { a: '1' }, spec: { replicas: 1 } };
    expect(leftovers(map, entry('ci', 'Apply', { 'f:spec': { 'f:x': {} } }))).toEqual([]);
    expect(leftovers(map, entry('kubectl-create', 'Update', {}))).toEqual([]);
  });
});

test.each([
  [['f:data', 'f:a_b'], 'data.a_b'],
  [['f:data', "f:app.conf's"], "data['app.conf\\'s']"],
  [['f:spec', 'f:ports', 'k:{"port":53,"protocol":"UDP"}'], 'spec.ports[port=53,protocol="UDP"]'],
])('the path %j is named %s, which is read as it again', (path, text) => {
  expect(namedPath(path)).toBe(text);
  expect(parsePathPattern(text).steps).toHaveLength(path.length);
});
