import { describe, expect, test } from 'vitest';
import { readManifest } from './read-manifest.ts';

const configMap = (metadata: object, rest: object = {}): { manifest: string } => ({
  manifest: JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c', ...metadata },
    ...rest,
  }),
});

describe('manifests', () => {
  test('what a serialised Go struct carries along is not applied', () => {
    const read = readManifest(
      configMap({ creationTimestamp: null, resourceVersion: '1' }, { status: {}, data: { a: '1' } }),
    );

    expect(read).toMatchObject({
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '1' } },
    });
    expect(Object.keys((read as { object: object }).object)).not.toContain('status');
  });

  test('annotations and labels for the operator are read and not applied', () => {
    const read = readManifest(
      configMap({
        annotations: { 'eno.azure.io/disable-updates': 'true', mine: '1' },
        labels: { 'eno.azure.io/x': 'y' },
      }),
      {
        metadata: {
          annotations: {
            'eno.azure.io/disable-updates': 'false',
            'eno.azure.io/replace': 'true',
            other: '1',
          },
        },
      },
    );

    expect(read).toMatchObject({
      object: { metadata: { name: 'c', annotations: { mine: '1' } } },
      settings: { 'eno.azure.io/disable-updates': 'true', 'eno.azure.io/replace': 'true' },
    });
    expect(JSON.stringify(read)).not.toContain('labels');
  });

  test.each([
    ['', 'invalid json'],
    ['[]', 'invalid json: not an object'],
    ['{"kind":"ConfigMap"}', 'missing name, kind, or apiVersion'],
    ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":""}}', 'missing name, kind, or apiVersion'],
    ['{"apiVersion":"a/b/v1","kind":"ConfigMap","metadata":{"name":"a"}}', 'invalid apiVersion: a/b/v1'],
    [
      '{"apiVersion":"eno.azure.io/v1","kind":"Patch","metadata":{"name":"a"},"patch":{"apiVersion":"a/b/v1","kind":"ConfigMap"}}',
      'invalid apiVersion of the patch: a/b/v1',
    ],
  ])('%s is refused: %s', (manifest, message) => {
    expect(readManifest({ manifest })).toContain(message);
  });

  test('large integers arrive as they are written', () => {
    const manifest = '{"apiVersion":"v1","kind":"X","metadata":{"name":"n"},"spec":{"n":9007199254740993}}';

    expect(readManifest({ manifest })).toMatchObject({ object: { spec: { n: 9007199254740993n } } });
  });
});
