import { describe, expect, test } from 'vitest';
import type { JsonObject, Stored } from '@kubewright/kube';
import { DEFAULT_POLICY } from '../migration-policy.ts';
import { type DesiredManifest, readManifest } from '../read-manifest.ts';
import { isDirect, isTaken } from './direct-apply.ts';

const APPLIED = JSON.stringify({ 'f:data': { 'f:a': {} } });

function manifestOf(content: JsonObject, annotations: JsonObject = {}): DesiredManifest {
  const metadata = { name: 'web', namespace: 'shop', annotations };
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...content });
  return readManifest({ manifest: text }) as DesiredManifest;
}

const settings = (name: string, value: string): JsonObject => ({ [`eno.azure.io/${name}`]: value });

describe('a changed manifest is applied without a look before', () => {
  test.each<[string, JsonObject]>([
    ['another value', { data: { a: '2' } }],
    ['one more field', { data: { a: '1', b: '1' } }],
  ])('with %s', (_what, content) => {
    expect(isDirect(manifestOf(content), APPLIED, DEFAULT_POLICY)).toBe(true);
  });

  test('with a list that has the items that it had', () => {
    const applied = JSON.stringify({
      'f:spec': { 'f:ports': { 'k:{"port":80}': { '.': {}, 'f:name': {} } } },
    });
    const ports = [{ port: 80, name: 'web' }];
    expect(isDirect(manifestOf({ spec: { ports } }), applied, DEFAULT_POLICY)).toBe(true);
    expect(
      isDirect(manifestOf({ spec: { ports: [{ port: 81, name: 'web' }] } }), applied, DEFAULT_POLICY),
    ).toBe(false);
  });
});

describe('it is looked at first', () => {
  test.each<[string, DesiredManifest]>([
    ['drops a field', manifestOf({ data: { b: '1' } })],
    ['drops all', manifestOf({})],
    ['replaces', manifestOf({ data: { a: '2' } }, settings('replace', 'true'))],
    ['is not updated', manifestOf({ data: { a: '2' } }, settings('disable-updates', 'true'))],
    ['adopts', manifestOf({ data: { a: '2' } }, settings('migrate-ownership-mode', 'adopt'))],
    ['only observes', manifestOf({ data: { a: '2' } }, settings('migrate-ownership-mode', 'observe'))],
    [
      'has overrides, which depend on the object',
      manifestOf({ data: { a: '2' } }, settings('overrides', '[{"path":"self.data.a","value":"3"}]')),
    ],
  ])('where it %s', (_what, manifest) => {
    expect(isDirect(manifest, APPLIED, DEFAULT_POLICY)).toBe(false);
  });

  test('where nothing is on record of what was applied', () => {
    expect(isDirect(manifestOf({ data: { a: '2' } }), undefined, DEFAULT_POLICY)).toBe(false);
    expect(isDirect(manifestOf({ data: { a: '2' } }), '{}', DEFAULT_POLICY)).toBe(false);
  });
});

describe('the response to an apply', () => {
  const { object } = manifestOf({ data: { a: '2' }, list: [{ x: 1 }] });
  const entry = { manager: 'eno', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1' };
  const response = (content: JsonObject, fieldsV1: JsonObject = { 'f:data': { 'f:a': {} } }): Stored => ({
    ...object,
    ...content,
    metadata: { ...object.metadata, uid: 'u', resourceVersion: '8', managedFields: [{ ...entry, fieldsV1 }] },
  });

  test('has what the manifest has, and maybe more', () => {
    const result = response({ data: { a: '2', theirs: '1' }, list: [{ x: 1, y: 'default' }] });
    expect(isTaken(object, APPLIED, result)).toBe(true);
  });

  test.each<[string, Stored]>([
    ['a webhook changed a value', response({ data: { a: '1' } })],
    ['a webhook added an item', response({ list: [{ x: 0 }, { x: 1 }] })],
    ['a value is missing', response({ list: [] })],
    ['we own less than before', response({}, { 'f:list': {} })],
  ])('shows that %s', (_what, result) => {
    expect(isTaken(object, APPLIED, result)).toBe(false);
  });
});
