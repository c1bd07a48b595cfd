import { compareText, type KubeObject } from '@kubewright/kube';
import type { LeftOutObjects } from '../api/manifest-checkpoint.ts';

/** So many are named. */
const NAMED = 5;
/** Of kinds and reasons. There are few reasons; a namespace may have any number of kinds. */
const MOST = 1000;

/** Counts what a capture does not take, by kind and reason. */
export type LeftOut = {
  add(object: KubeObject, reason: string): void;
  list(): readonly LeftOutObjects[];
};

export function createLeftOut(): LeftOut {
  const found = new Map<
    string,
    { apiVersion: string; kind: string; reason: string; count: number; names: string[] }
  >();
  return {
    add({ apiVersion, kind, metadata: { name = '' } }, reason) {
      const key = [apiVersion, kind, reason].join('\n');
      const known = found.get(key) ?? { apiVersion, kind, reason, count: 0, names: [] };
      known.count++;
      if (known.names.length < NAMED) known.names.push(name);
      if (found.size < MOST) found.set(key, known);
    },
    list: () => [...found].toSorted(([a], [b]) => compareText(a, b)).map(([, each]) => each),
  };
}
