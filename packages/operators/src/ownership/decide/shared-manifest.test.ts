import type { JsonObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { type DesiredManifest, readManifest } from '../read-manifest.ts';
import { sharedManifest } from './shared-manifest.ts';

function manifest(fields: JsonObject, apiVersion = 'v1'): DesiredManifest {
  const object = { apiVersion, kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' }, ...fields };
  const read = readManifest({ manifest: JSON.stringify(object) });
  if (typeof read === 'string') throw new TypeError(read);
  return read;
}

const rival = (holder: string, isFirst: boolean, fields: JsonObject, apiVersion?: string) => ({
  holder,
  isFirst,
  manifest: manifest(fields, apiVersion),
});

function shared(own: DesiredManifest, ...rivals: readonly ReturnType<typeof rival>[]) {
  const { object, contested } = sharedManifest(own, rivals).overridden?.(undefined) ?? own;
  return { data: object['data'], apiVersion: object.apiVersion, contested };
}

describe('what is applied of an object that several Compositions have', () => {
  test('is their manifest, where it is the same', () => {
    expect(shared(manifest({ data: { a: '1' } }), rival('b', true, { data: { a: '1' } }))).toMatchObject({
      data: { a: '1' },
      contested: [],
    });
  });

  test('is all fields of all, and of each value that of the first', () => {
    const own = manifest({ data: { a: '1', own: '1' } });
    expect(
      shared(
        own,
        rival('first', true, { data: { a: '0', first: '0' } }),
        rival('later', false, { data: { own: '2', later: '2' } }),
      ),
    ).toMatchObject({
      data: { a: '0', own: '1', first: '0', later: '2' },
      contested: [
        { path: '.data.a', holder: 'first', isLost: true },
        { path: '.data.own', holder: 'later', isLost: false },
      ],
    });
  });

  test('a list is one value', () => {
    const own = manifest({ data: [1, 2] });
    expect(shared(own, rival('first', true, { data: [2] }))).toMatchObject({
      data: [2],
      contested: [{ path: '.data' }],
    });
  });

  test('is that of the first alone, where it is of another version', () => {
    const own = manifest({ data: { a: '1' } });
    expect(shared(own, rival('first', true, { data: { b: '1' } }, 'v2'))).toMatchObject({
      apiVersion: 'v2',
      data: { b: '1' },
      contested: [{ path: '.apiVersion', holder: 'first', isLost: true }],
    });
  });

  test('keys of the prototype are keys like others', () => {
    const own = manifest({ data: { a: '1' } });
    const data = JSON.parse('{"__proto__": {"x": "1"}}') as JsonObject;
    expect(JSON.stringify(shared(own, rival('later', false, { data })).data)).toBe(
      '{"a":"1","__proto__":{"x":"1"}}',
    );
  });
});
