import { type Client, ignoreNotFound, type ResourceRef } from '@kubewright/client';
import { isJsonObject, type JsonObject, type KubeObject } from '@kubewright/kube';
import type { AdmissionRequest } from '@kubewright/runtime';
import { numberAt } from '../annotations/read-annotation.ts';

/** The update of an object that a write of its scale is; undefined if there is no such object. Reads it from the server. */
export async function scaledUpdate(
  request: AdmissionRequest,
  client: Client,
): Promise<AdmissionRequest | undefined> {
  const { resource, namespace, name, object: scale } = request;
  const ref: ResourceRef = { ...resource, kind: '', namespaced: namespace !== '' };
  const key = namespace === '' ? { name } : { namespace, name };
  const live = await ignoreNotFound(client.get<KubeObject>(ref, key));
  if (live === undefined) return undefined;
  const replicas = numberAt(specOf(scale), 'replicas') ?? 0;
  const object = { ...live, spec: { ...specOf(live), replicas } };
  const kind = { group: resource.group, version: resource.version, kind: live.kind };
  return { ...request, subResource: '', requestSubResource: 'scale', kind, object, oldObject: live };
}

function specOf(object: KubeObject | JsonObject | undefined): JsonObject {
  const spec = object?.['spec'];
  return isJsonObject(spec) ? spec : {};
}
