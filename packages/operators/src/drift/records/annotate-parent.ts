import { type Client, type KindRef, keyOf } from '@kubewright/client';
import { parseApiVersion, type Stored } from '@kubewright/kube';
import { ANNOTATIONS, COMPONENT } from '../api.ts';
import { notedControllers } from '../annotations/noted-controllers.ts';
import { readAnnotation } from '../annotations/read-annotation.ts';
import { countsAnnotations } from '../annotations/counts-annotations.ts';

/** Annotations to set; null removes one. */
export type Annotating = Readonly<Record<string, string | null>>;

/** Patches annotations of a parent; rejects with a conflict when it has changed since it was read. */
export async function annotateParent(parent: Stored, annotations: Annotating, client: Client): Promise<void> {
  const { resourceVersion } = parent.metadata;
  // The server forgets with any write what only managedFields have.
  const noted = notedControllers(parent) ?? readAnnotation(parent, ANNOTATIONS.controllers);
  const kept = noted === undefined ? {} : { [ANNOTATIONS.controllers]: noted };
  const body = { metadata: { resourceVersion, annotations: { ...kept, ...annotations } } };
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
