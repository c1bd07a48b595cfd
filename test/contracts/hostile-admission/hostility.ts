import type { Json, JsonObject } from '@kubewright/kube';
import { at } from '../../support/at.ts';
import { ALLOW, patchOf } from '../../support/webhook-server.ts';

/** What somebody's webhook does to what a controller writes. */
export type Hostility = 'none' | 'undone' | 'stripped' | 'changed' | 'delayed' | 'rejected';

/** The writes that are met with hostility. */
export type Target = {
  /** As in rules of webhooks: `replicasets`, `deployments/status`. */
  readonly resource: string;
  /** JSON pointer to what is stripped. Absent: nothing is. */
  readonly strip?: string;
  /** What is changed: JSON pointer and value. Absent: nothing is. */
  readonly change?: readonly [path: string, value: Json];
};

export const DELAY_MS = 200;
/** So many writes are rejected, then all pass. */
export const REJECTED = 3;

/** Other fields of metadata a server keeps as they are. */
const METADATA = ['annotations', 'finalizers', 'labels', 'ownerReferences'];
const TOP = new Set(['apiVersion', 'kind', 'metadata']);

/** What a mutating webhook answers; of a write that it leaves alone, that it is allowed. */
export function mutate(hostility: Hostility, target: Target, request: JsonObject): JsonObject {
  const object = at(request, 'object');
  if (hostility === 'undone') return patched(undo(object, at(request, 'oldObject')));
  if (hostility === 'stripped' && target.strip !== undefined && has(object, target.strip))
    return patched([{ op: 'remove', path: target.strip }]);
  if (hostility === 'changed' && target.change !== undefined && object !== null) {
    const [path, value] = target.change;
    const parent = path.slice(0, path.lastIndexOf('/'));
    const made = has(object, parent) ? [] : [{ op: 'add', path: parent, value: {} }];
    return patched([...made, { op: 'add', path, value }]);
  }
  return allow();
}

function allow(): JsonObject {
  return ALLOW({}) as JsonObject;
}

function patched(operations: readonly JsonObject[]): JsonObject {
  return operations.length === 0 ? allow() : patchOf([...operations]);
}

/** An update becomes what was there before; there is no undoing of a creation or a deletion. */
function undo(object: Json | undefined, old: Json | undefined): readonly JsonObject[] {
  if (!isMap(object) || !isMap(old)) return [];
  const tops = [...new Set([...Object.keys(object), ...Object.keys(old)])].filter((key) => !TOP.has(key));
  const pairs = [
    ...tops.map((key) => ({ path: `/${key}`, now: object[key], before: old[key] })),
    ...METADATA.map((key) => ({
      path: `/metadata/${key}`,
      now: at(object, 'metadata', key),
      before: at(old, 'metadata', key),
    })),
  ];
  return pairs.flatMap(({ path, now, before }) => {
    if (before !== undefined) return [{ op: 'add', path, value: before }];
    return now === undefined ? [] : [{ op: 'remove', path }];
  });
}

function isMap(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function has(value: Json | undefined, pointer: string): boolean {
  const keys = pointer.split('/').slice(1);
  return at(value, ...keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))) !== undefined;
}
