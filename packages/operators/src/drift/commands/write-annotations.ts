import { isConflict, type KindRef, keyOf } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { recordOf } from '../annotations/object-record.ts';
import { viewOf } from '../annotations/recorded-view.ts';
import { ANNOTATIONS, COMPONENT, SYSTEM_KEYS } from '../api.ts';

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
    const counting = viewOf(live);
    const body = { metadata: { resourceVersion, annotations: changesOf(live, changesFor(counting)) } };
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

/**
 * The changes, where what counts may not be stored, because a controller has removed it: an annotation that is not there
 * cannot be removed, so an empty one says it.
 */
function changesOf(stored: Stored, changes: AnnotationChanges): AnnotationChanges {
  const record = recordOf(stored) ?? {};
  const isHidden = (key: string): boolean => Object.hasOwn(record, key) && !SYSTEM_KEYS.has(key);
  const entries = Object.entries(changes).map(([key, value]) => [
    key,
    value === null && isHidden(key) ? (LISTS.has(key) ? '[]' : '') : value,
  ]);
  return Object.fromEntries(entries) as AnnotationChanges;
}

const LISTS: ReadonlySet<string> = new Set([ANNOTATIONS.approvals, ANNOTATIONS.rejections]);
