import { expect, test } from 'vitest';
import type { Named, Stored } from '@kubewright/kube';
import type { Composition } from '../api.ts';
import type { DesiredManifest } from '../read-manifest.ts';
import { readManifest } from '../read-manifest.ts';
import type { Look } from './rest-of.ts';
import { RestMemory } from './rest-memory.ts';
import { type RestItem, RestPass, type RestTools } from './rest-pass.ts';

const REQUEST = { namespace: 'shop', name: 'web-1' };
const COMPOSITION: Composition = {
  apiVersion: 'eno.azure.io/v1',
  kind: 'Composition',
  metadata: { name: 'web', namespace: 'shop', uid: 'owner' },
};

/** Passes of one slice. No object is ever at another version than the look found. */
class Passes {
  readonly memory = new RestMemory();
  now = 0;
  readonly #tools: RestTools = {
    memory: this.memory,
    versions: {
      begin: () => true,
      placeOf: ({ kind, metadata: { name } }: Named) => ({ kind, key: name }),
      now: () => () => 'uid 7',
    },
    monotonic: () => this.now,
    random: () => 0,
  };

  begin(): RestPass {
    const slice = this.memory.begin(REQUEST, 'uid', 'owner');
    return new RestPass(this.#tools, { request: REQUEST, slice, composition: COMPOSITION });
  }

  get objects(): readonly string[] {
    return [...(this.memory.of(REQUEST, 'uid')?.objects.keys() ?? [])];
  }
}

function itemOf(kind: string, name: string): RestItem {
  const apiVersion = kind === 'ConfigMap' ? 'v1' : 'shop.example.com/v1';
  const text = JSON.stringify({ apiVersion, kind, metadata: { namespace: 'shop', name } });
  return { manifest: readManifest({ manifest: text }) as DesiredManifest, text };
}

function lookAt({ manifest }: RestItem): Look {
  const { apiVersion, kind, metadata } = manifest.object;
  const live: Stored = { apiVersion, kind, metadata: { ...metadata, uid: 'uid', resourceVersion: '7' } };
  const status = { reconciled: true, ready: '2026-01-01T00:00:00Z' };
  return {
    observed: { manifest, live, previous: status },
    decision: { reason: 'InSync', status },
    readySince: status.ready,
  };
}

test('a slice that drops an object is at rest without it, and the object is forgotten', () => {
  const passes = new Passes();
  const [kept, dropped] = [itemOf('ConfigMap', 'kept'), itemOf('ConfigMap', 'dropped')];
  const first = passes.begin();
  for (const item of [kept, dropped]) first.note(item, lookAt(item));
  first.noteWhole('1', {});

  const second = passes.begin();
  expect(second.known(kept, {})).toBeDefined();
  second.noteWhole('2', {});
  expect(passes.objects).toEqual(['/ConfigMap/shop/kept']);
  expect(passes.begin().whole('2')).toEqual({});
});

test('a definition that changes while the slice is reconciled ⇒ its objects are looked at the next time', () => {
  const passes = new Passes();
  const [widget, map] = [itemOf('Widget', 'one'), itemOf('ConfigMap', 'web')];
  const pass = passes.begin();
  pass.note(widget, lookAt(widget));
  passes.memory.changedGroup('shop.example.com', 0);
  pass.note(map, lookAt(map));
  expect(pass.resting).toBe(2);
  pass.noteWhole('1', {});
  expect(passes.begin().whole('1')).toBeUndefined();
});

test('OWN-T107 a look at an object that a webhook gives other values counts for five minutes', () => {
  const passes = new Passes();
  const item = itemOf('ConfigMap', 'web');
  const { observed, ...look } = lookAt(item);
  const other = { ...item.manifest.object, data: { a: '1' } };
  passes
    .begin()
    .note(item, { ...look, observed: { ...observed, manifest: { ...item.manifest, object: other } } });
  const known = (): unknown => passes.begin().known(item, observed.previous);
  passes.now = 5 * 60_000 - 1;
  expect(known()).toBeDefined();
  passes.now = 5 * 60_000;
  expect(known()).toBeUndefined();
  passes.begin().note(item, lookAt(item));
  passes.now = 30 * 60_000;
  expect(known()).toBeDefined();
});
