import type { KubeObject } from '@kubewright/kube';
import { withFreeze } from '../decide/braked.ts';
import { placeOf } from '../annotations/place-of.ts';
import { type Notes, requestFor } from '../records/notes.ts';
import { withScale } from '../records/scale-record.ts';
import type { Parents } from './parents.ts';

/**
 * Parents with the trace of the last write of their scale, and with the freeze of the brake: both are stored only a
 * moment later.
 */
export function withNotes(parents: Parents, notes: Pick<Notes, 'of'>): Parents {
  const withNote = <T extends KubeObject>(parent: T): T => {
    const note = notes.of(requestFor(placeOf(parent)).name);
    const scaled = withScale(parent, note?.scale);
    return note?.freeze === undefined ? scaled : withFreeze(scaled, note.freeze);
  };
  const noted = <T extends KubeObject>(parent: T | undefined): T | undefined => parent && withNote(parent);
  return {
    ...parents,
    noted: (object) => withScale(object, notes.of(requestFor(placeOf(object)).name)?.scale),
    get: async (ref) => noted(await parents.get(ref)),
    live: async (ref) => noted(await parents.live(ref)),
    cached: (ref) => noted(parents.cached(ref)),
  };
}
