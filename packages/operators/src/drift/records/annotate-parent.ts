import { type Client, type KindRef, keyOf } from '@kubewright/client';
import { parseApiVersion, type Stored } from '@kubewright/kube';
import { ANNOTATIONS, COMPONENT, SYSTEM_KEYS } from '../api.ts';
import { countsAnnotations } from '../annotations/counts-annotations.ts';
import { notedControllers } from '../annotations/noted-controllers.ts';
import { recordOf, type RecordPlace, rewritten } from '../annotations/object-record.ts';
import { readAnnotation } from '../annotations/read-annotation.ts';

/** Annotations to set; null removes one. */
export type Annotating = Readonly<Record<string, string | null>>;

/**
 * Patches annotations of a parent, and what is recorded about it; rejects with a conflict when it has changed since it
 * was read.
 */
export async function annotateParent(
  parent: Stored,
  annotations: Annotating,
  client: Client,
  place: RecordPlace = 'managedFields',
): Promise<void> {
  const { resourceVersion } = parent.metadata;
  const changes = place === 'annotations' ? annotated(parent, annotations) : recorded(parent, annotations);
  const body = { metadata: { resourceVersion, ...changes } };
  const ref: KindRef = { ...parseApiVersion(parent.apiVersion), kind: parent.kind };
  // The status subresource changes annotations of a Deployment without raising its generation.
  const subresource = countsAnnotations(parent) ? { subresource: 'status' } : {};
  await client.patch(
    ref,
    keyOf(parent),
    { type: 'merge', body },
    { fieldManager: COMPONENT, ...subresource },
  );
}

/** The server forgets with any write what only managedFields have noted. */
function annotated(parent: Stored, annotations: Annotating): object {
  const noted = notedControllers(parent) ?? readAnnotation(parent, ANNOTATIONS.controllers);
  const kept = noted === undefined ? {} : { [ANNOTATIONS.controllers]: noted };
  return { annotations: { ...kept, ...annotations } };
}

function recorded(parent: Stored, annotations: Annotating): object {
  const entries = Object.entries(annotations);
  const news = entries.filter(([key, value]) => SYSTEM_KEYS.has(key) && value !== null);
  const others = Object.fromEntries(entries.filter(([key]) => !SYSTEM_KEYS.has(key)));
  if (news.length === 0) return { annotations: others };
  const known = recordOf(parent) ?? systemKeysOf(parent);
  const managedFields = rewritten(parent, { ...known, ...(Object.fromEntries(news) as typeof known) });
  return { annotations: others, managedFields };
}

function systemKeysOf({ metadata }: Stored): Readonly<Record<string, string>> {
  const entries = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(entries.filter(([key]) => SYSTEM_KEYS.has(key)));
}
