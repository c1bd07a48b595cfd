import { defined, getOwn, type JsonObject, type KubeObject } from '@kubewright/kube';
import { textAt } from '../annotations/read-annotation.ts';
import { viewOf } from '../annotations/recorded-view.ts';
import { ANNOTATIONS } from '../api.ts';
import { specOf, statusOf } from '../decide/parent-status.ts';
import { type ToolRevision, toolRevision } from '../decide/tool-revision.ts';

const KEPT: readonly string[] = [ANNOTATIONS.controllers, ANNOTATIONS.snooze];

/** Of the object of a tool: where it is, which revision it names, and who writes its status. */
export function projectTool<T extends KubeObject>(object: T): T {
  const { apiVersion, kind, metadata } = viewOf(object);
  const { name, namespace, uid, resourceVersion, generation, annotations = {}, labels = {} } = metadata;
  const projected: KubeObject = {
    apiVersion,
    kind,
    metadata: {
      ...defined({ name, namespace, uid, resourceVersion, generation }),
      annotations: Object.fromEntries(Object.entries(annotations).filter(([key]) => KEPT.includes(key))),
      labels: kind === 'Secret' ? pick(labels, ['name', 'version']) : {},
    },
    spec: pick(specOf(object), ['serviceAccountName']),
    status: { ...toolRevision(object) },
  };
  // A partial T: readers of this cache use it as a KubeObject.
  return projected as T;
}

/** The revision that a projected object names. */
export function revisionIn(projected: KubeObject): ToolRevision | undefined {
  const status = statusOf(projected);
  const text = textAt(status, 'text');
  return text === undefined ? undefined : { text, isNew: getOwn(status, 'isNew') === true };
}

function pick(from: JsonObject, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = textAt(from, key);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}
