import type { KubeObject } from '@kubewright/kube';
import { type Notes, placeOf, requestFor } from '../records/notes.ts';
import { withScale } from '../records/scale-record.ts';
import type { Parents } from './parents.ts';

/** Parents with the trace of the last write of their scale, which is stored only a moment later. */
export function withScales(parents: Parents, notes: Pick<Notes, 'of'>): Parents {
  const scaled = <T extends KubeObject>(parent: T | undefined): T | undefined =>
    parent && withScale(parent, notes.of(requestFor(placeOf(parent)).name)?.scale);
  return {
    get: async (ref) => scaled(await parents.get(ref)),
    live: async (ref) => scaled(await parents.live(ref)),
    cached: (ref) => scaled(parents.cached(ref)),
  };
}
