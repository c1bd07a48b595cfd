import { isJsonObject, type KubeObject } from '@kubewright/kube';
import { viewOf } from '../annotations/recorded-view.ts';
import { ANNOTATIONS } from '../api.ts';
import { specOf } from '../decide/parent-status.ts';
import { type ToolRevision, toolRevision } from '../decide/tool-revision.ts';

/** Of the object of a tool: where it is, which revision it names, and who writes its status. */
export function projectTool<T extends KubeObject>(object: T): T {
  const { apiVersion, kind, metadata } = viewOf(object);
  const { name, namespace, uid, resourceVersion, generation, annotations = {}, labels = {} } = metadata;
  const kept = [ANNOTATIONS.controllers, ANNOTATIONS.snooze].filter((key) => Object.hasOwn(annotations, key));
  const account = specOf(object)['serviceAccountName'];
  const projected = {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      generation,
      annotations: Object.fromEntries(kept.map((key) => [key, annotations[key]])),
      labels: kind === 'Secret' ? { name: labels['name'], version: labels['version'] } : {},
    },
    spec: typeof account === 'string' ? { serviceAccountName: account } : {},
    status: toolRevision(object),
  };
  // A partial T: readers of this cache use it as a KubeObject.
  return projected as unknown as T;
}

/** The revision that a projected object names. */
export function revisionIn(projected: KubeObject): ToolRevision | undefined {
  const status = projected['status'];
  return isJsonObject(status) ? (status as unknown as ToolRevision) : undefined;
}
