import { isDeepStrictEqual } from 'node:util';
import type { Json, Transport } from '@kubewright/kube';
import { type FuzzKind } from './kinds/fuzz-kind.ts';
import { configMap } from './kinds/config-map.ts';
import { deployment } from './kinds/deployment.ts';
import { widget } from './kinds/widget.ts';
import type { FuzzRequest } from './operation.ts';
import { createChoices } from './choices.ts';
import { BROKEN_OFF, openSession } from './session.ts';

/** The two servers under comparison. */
export type Servers = { readonly embedded: Transport; readonly real: Transport };

/** The life of one object: its kind and the seeds of its operations. */
export type Episode = {
  readonly seed: number;
  readonly kind: FuzzKind;
  readonly operations: readonly number[];
};

/** Where the servers first differ. `step` counts operations; the watch is compared after all of them. */
export type Difference = {
  readonly step: number;
  readonly what: 'answer' | 'watch';
  readonly requests: readonly FuzzRequest[];
  readonly embedded: Json;
  readonly real: Json;
};

export const NAMESPACE = 'fuzz';

const KINDS = [configMap, deployment, deployment, widget, widget];
export const KIND_NAMES: readonly string[] = ['ConfigMap', 'Deployment', 'Widget'];

/** The episode of a seed. */
export function makeEpisode(seed: number, length: number, only?: string): Episode {
  const random = createChoices(seed);
  const kinds = KINDS.filter((kind) => only === undefined || kind.kind === only);
  const kind = random.pick(kinds);
  return { seed, kind, operations: Array.from({ length }, () => random.seed()) };
}

let names = 0;

/** Plays an episode on both servers, each time on a new object, and stops at the first difference. */
export async function play(
  servers: Servers,
  episode: Episode,
  onStep = (): void => {},
): Promise<Difference | undefined> {
  names += 1;
  const target = { kind: episode.kind, namespace: NAMESPACE, name: `fuzz-${String(names).padStart(6, '0')}` };
  const [embedded, real] = await Promise.all([
    openSession(servers.embedded, target),
    openSession(servers.real, target),
  ]);
  const requests: FuzzRequest[] = [];
  let difference: Difference | undefined;
  for (const [step, seed] of episode.operations.entries()) {
    const [ours, theirs] = await Promise.all([embedded.perform(seed), real.perform(seed)]);
    requests.push(theirs.request);
    onStep();
    // kube-apiserver panics on some strategic patches and sends no response: there is nothing to compare with.
    if (theirs.observed.some(({ status }) => status === BROKEN_OFF)) break;
    if (isDeepStrictEqual(ours.observed, theirs.observed)) continue;
    difference = { step, what: 'answer', requests, embedded: [...ours.observed], real: [...theirs.observed] };
    break;
  }
  const [ours, theirs] = await Promise.all([embedded.finish(), real.finish()]);
  if (difference === undefined && !isDeepStrictEqual(ours, theirs)) {
    return { step: episode.operations.length - 1, what: 'watch', requests, embedded: ours, real: theirs };
  }
  return difference;
}
