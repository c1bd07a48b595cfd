import { isConflict, type KindRef, keyOf } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';
import { recordOf } from '../annotations/object-record.ts';
import { readAnnotation } from '../annotations/read-annotation.ts';
import { viewOf } from '../annotations/recorded-view.ts';
import { holdsApprovals } from '../annotations/signed-approvals.ts';
import { ANNOTATIONS, COMPONENT, PREFIX, SYSTEM_KEYS } from '../api.ts';

/** By key; null removes the annotation. */
export type AnnotationChanges = Readonly<Record<string, string | null>>;

const TRIES = 5;

/**
 * Patches annotations of an object, with the resourceVersion that `changesFor` was given. Rejects where the server has
 * not stored them: the webhook leaves them as they were for the object's own controller.
 */
export async function writeAnnotations(
  { client, dryRun }: Pick<CommandStage, 'client' | 'dryRun'>,
  { ref, object }: { readonly ref: KindRef; readonly object: Stored },
  changesFor: (object: Stored) => AnnotationChanges,
): Promise<Stored> {
  let live = object;
  for (let tries = 1; ; tries++) {
    const { resourceVersion } = live.metadata;
    const annotations = changesOf(live, changesFor(viewOf(live)));
    const body = { metadata: { resourceVersion, annotations } };
    try {
      const stored = await client.patch(
        ref,
        keyOf(live),
        { type: 'merge', body },
        { fieldManager: `kubewright-${COMPONENT}` },
      );
      // Only the server knows what it would have stored.
      if (dryRun !== 'client') checkStored(annotations, stored);
      return stored;
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

function checkStored(sent: AnnotationChanges, stored: Stored): void {
  const lost = Object.entries(sent).flatMap(([key, value]) => (isStored(stored, key, value) ? [] : [key]));
  if (lost.length === 0) return;
  const what = lost.map((key) => key.slice(PREFIX.length)).join(' and ');
  const { kind, metadata } = stored;
  throw new OperatorError(
    'Forbidden',
    `the ${what} of ${kind} ${metadata.name} stayed as before, because its controller may not change ${what}; whoever has written its status counts as its controller: run this as another user`,
  );
}

/** Approvals are stored with a signature. */
function isStored(stored: Stored, key: string, value: string | null): boolean {
  const live = readAnnotation(viewOf(stored), key);
  if (value === null) return live === undefined;
  return live === value || (key === ANNOTATIONS.approvals && holdsApprovals(live, value));
}
