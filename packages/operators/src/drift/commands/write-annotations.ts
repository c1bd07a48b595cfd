import { isConflict, type KindRef, keyOf } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { COMPONENT } from '../api.ts';

/** By key; null removes the annotation. */
export type AnnotationChanges = Readonly<Record<string, string | null>>;

const TRIES = 5;

/** Patches annotations of an object, with the resourceVersion that `changesFor` was given. */
export async function writeAnnotations(
  { client }: Pick<CommandStage, 'client'>,
  { ref, object }: { readonly ref: KindRef; readonly object: Stored },
  changesFor: (object: Stored) => AnnotationChanges,
): Promise<Stored> {
  let live = object;
  for (let tries = 1; ; tries++) {
    const { resourceVersion } = live.metadata;
    const body = { metadata: { resourceVersion, annotations: changesFor(live) } };
    try {
      return await client.patch(
        ref,
        keyOf(live),
        { type: 'merge', body },
        { fieldManager: `kubewright-${COMPONENT}` },
      );
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
      live = await client.get(ref, keyOf(live));
    }
  }
}
