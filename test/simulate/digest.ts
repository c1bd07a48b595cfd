import { createHash } from 'node:crypto';
import type { RunResult } from '@kubewright/cluster';
import { stringifyJson } from '@kubewright/kube';

/** Of all that a world did, byte for byte: its trace, and every object that was ever written. */
export function digest({ trace, history, failure = '' }: RunResult): string {
  const hash = createHash('sha256').update(failure);
  for (const line of trace) hash.update(line).update('\n');
  for (const { at, type, object } of history.all) {
    hash.update(`${at} ${type} `).update(stringifyJson(object));
  }
  return hash.digest('hex');
}
