import {
  isJsonObject,
  type Json,
  jsonEqual,
  KubeError,
  type KubeObject,
  type Stored,
} from '@kubewright/kube';
import { applyJsonPatch } from '@kubewright/kube/patch';
import { formatPath, type Path } from '@kubewright/kube/fields';
import { ANNOTATIONS } from '../api.ts';
import { storedForm } from '../stored-form.ts';
import { contradicted } from './contradicted.ts';
import type { ObservedResource } from './observed-resource.ts';
import {
  type DecideContext,
  done,
  failed,
  gone,
  type ResourceDecision,
  settled,
  settledGone,
} from './resource-decision.ts';

/** Whether a Patch sets `metadata.deletionTimestamp`: that deletes its target, as in the original. */
export function deletesTarget(operations: readonly Json[]): boolean {
  return operations.some(
    (operation) =>
      isJsonObject(operation) &&
      operation['path'] === '/metadata/deletionTimestamp' &&
      typeof operation['value'] === 'string' &&
      operation['value'] !== '',
  );
}

/**
 * A Patch changes an object that exists and is not the Composition's. It is sent only if it would change something, once in
 * a reconcile: an operation may add something each time. What a manifest of the object applies it does not change: the
 * manifest has precedence, whichever Composition it is in, unless it is of an earlier group. When the Patch goes, the
 * object stays as it is.
 */
export function decidePatch(
  operations: readonly Json[],
  { manifest, live }: ObservedResource,
  context: DecideContext,
): ResourceDecision {
  if (manifest.deleted) return gone('Gone', settledGone(context));
  if (live === undefined) return done('NoTarget', { ...settled(context), deleted: true }, context);
  if (manifest.settings[ANNOTATIONS.disableUpdates] === 'true')
    return done('UpdatesDisabled', settled(context), context);
  if (context.applies > 0) return done('Applied', settled(context), context);
  const result = patched(live, operations);
  if (typeof result === 'string') return failed('Refused', result, context);
  if (jsonEqual(result.object, live)) return done('InSync', settled(context), context);
  const conflicts = manifest.prevails === true ? [] : contradicted(live, result.object);
  if (conflicts.length > 0) return failed('PatchConflict', conflictMessage(conflicts), context);
  const { resourceVersion } = live.metadata;
  const guard = { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion };
  return { reason: 'Patch', action: { type: 'patch', operations: [...operations, guard], live } };
}

/** At most so many fields are named. */
const MAX_NAMED = 5;

function conflictMessage(paths: readonly Path[]): string {
  const names = paths.slice(0, MAX_NAMED).map((path) => formatPath(path));
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return `the Patch changes ${names.join(', ')}${more}, which a manifest of the same object applies; remove it from one of the two`;
}

/** The stored form is that of the kind. */
function isNamedKind(object: Json): object is KubeObject {
  return (
    isJsonObject(object) && typeof object['apiVersion'] === 'string' && typeof object['kind'] === 'string'
  );
}

/** What the server would make of it; a string says why it would reject it. */
function patched(live: Stored, operations: readonly Json[]): { readonly object: Json } | string {
  try {
    const object = applyJsonPatch(live, operations);
    return { object: isNamedKind(object) ? storedForm(object) : object };
  } catch (error) {
    if (error instanceof KubeError) return error.message;
    throw error;
  }
}
