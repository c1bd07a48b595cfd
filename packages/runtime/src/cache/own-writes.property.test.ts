import { createManualClock } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/seeds.ts';
import { OwnWrites } from './own-writes.ts';

type Change = { readonly key: string; readonly version: number; readonly object: Stored | undefined };

/** A server, a watch that lags behind it, and what its answers to this process said. */
class Model {
  readonly own = new OwnWrites<KubeObject>(createManualClock());
  readonly history: Change[] = [];
  readonly live = new Map<string, Stored>();
  watched = new Map<string, Stored>();
  told = 0;
  position: string | undefined = '100';
  /** The newest change of each key that this process was answered about. */
  readonly known = new Map<string, number>();

  write(key: string, isOwn: boolean): void {
    const version = 101 + this.history.length;
    const uid = this.live.get(key)?.metadata.uid ?? `uid-${version}`;
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: key, uid, resourceVersion: `${version}` },
    };
    this.live.set(key, object);
    this.#changed(key, version, object);
    if (isOwn) this.see(key);
  }

  /** `tells`: the answer to the deletion names its version, as it does for some kinds only. */
  remove(key: string, isOwn: boolean, tells: boolean): void {
    const object = this.live.get(key);
    if (object === undefined) return;
    const version = 101 + this.history.length;
    const isKnown = this.read(key)?.metadata.uid === object.metadata.uid;
    this.live.delete(key);
    this.#changed(key, version, undefined);
    if (!isOwn) return;
    this.own.gone(key, object.metadata.uid, tells ? `${version}` : this.#versionSeen(object));
    // An answer without version, about what this process had not seen, cannot be put in order with anything.
    if (tells || isKnown) this.known.set(key, version);
  }

  /** As the informer fills it in where the answer has none. */
  #versionSeen({ metadata: { name, uid } }: Stored): string | undefined {
    const seen = this.watched.get(name)?.metadata;
    return seen?.uid === uid ? seen?.resourceVersion : undefined;
  }

  /** A read from the server, as it follows a conflict. */
  see(key: string): void {
    const { uid = '', resourceVersion = '' } = this.live.get(key)?.metadata ?? {};
    if (uid === '') return;
    this.own.shown(key, uid, resourceVersion, this.live.get(key));
    this.known.set(key, Number(resourceVersion));
  }

  tell(): void {
    const change = this.history[this.told];
    if (change === undefined) return;
    this.told++;
    if (change.object === undefined) this.watched.delete(change.key);
    else this.watched.set(change.key, change.object);
    this.#reach(change.version);
  }

  relist(): void {
    this.told = this.history.length;
    this.watched = new Map(this.live);
    this.#reach(100 + this.history.length);
  }

  read(key: string): Stored | undefined {
    return this.own.read(key, this.watched.get(key), this.position);
  }

  /** What may be read: the states of the key from the one that is known on. */
  allowed(key: string): readonly (string | undefined)[] {
    const known = Math.max(this.known.get(key) ?? 0, 100 + this.told);
    const states = this.history.filter((change) => change.key === key);
    const first = states.findLastIndex(({ version }) => version <= known);
    const later = first < 0 ? states : states.slice(first);
    return [
      ...(first < 0 ? [undefined] : []),
      ...later.map(({ object }) => object?.metadata.resourceVersion),
    ];
  }

  #changed(key: string, version: number, object: Stored | undefined): void {
    this.history.push({ key, version, object });
  }

  #reach(version: number): void {
    this.position = `${version}`;
    this.own.forget((key) => this.watched.get(key), this.position);
  }
}

const key = fc.constantFrom('a', 'b');
const step = fc.oneof(
  fc.record({ do: fc.constant('write' as const), key, own: fc.boolean() }),
  fc.record({ do: fc.constant('remove' as const), key, own: fc.boolean(), tells: fc.boolean() }),
  fc.record({ do: fc.constant('see' as const), key }),
  fc.record({ do: fc.constant('tell' as const), key }),
  fc.record({ do: fc.constant('relist' as const), key }),
);

it('reads are never older than an answer, and in the end what the server has', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const model = new Model();
      for (const one of steps) {
        if (one.do === 'write') model.write(one.key, one.own);
        else if (one.do === 'remove') model.remove(one.key, one.own, one.tells);
        else model[one.do](one.key);
        for (const name of ['a', 'b'])
          expect(model.allowed(name)).toContain(model.read(name)?.metadata.resourceVersion);
      }
      while (model.told < model.history.length) model.tell();
      for (const name of ['a', 'b']) expect(model.read(name)).toEqual(model.live.get(name));
    }),
    { numRuns: runs(500) },
  );
});

it('of objects that this cache does not select, only those that it had are looked at again', () => {
  const own = new OwnWrites<KubeObject>(createManualClock());
  const selected = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', uid: 'a', resourceVersion: '1' },
  };
  own.shown('a', 'a', '1', selected);
  for (let other = 2; other < 100; other++) own.shown(`b${other}`, `b${other}`, `${other}`, undefined);
  expect([...own.keys()]).toEqual(['a']);
});
