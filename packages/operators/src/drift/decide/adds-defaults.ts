import {
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  type KubeObject,
} from '@kubewright/kube';
import { ANNOTATIONS } from '../api.ts';
import { NOT_SPEC } from '../annotations/spec-hash.ts';
import { hashesOf, userHash } from '../annotations/user-hash.ts';
import { relationOf } from './controller-identity.ts';
import { isReconciling, phaseOf } from './is-reconciling.ts';
import type { Review } from './review.ts';

/**
 * Whether an object's own controller fills in what somebody left out of it, while it still has to do what that person
 * wants. Then the person stays the cause. What changes a field, and what comes once all is done, is a new cause.
 */
export function addsDefaults(review: Review, parent: KubeObject | undefined, now: Date): boolean {
  const { operation, old, object } = review;
  if (operation !== 'UPDATE' || old === undefined || !isItsController(review, old, parent)) return false;
  const isUnsettled = phaseOf(old) === 'Initializing' || isReconciling(old, now);
  return isUnsettled && completes(old, object);
}

/** Whether a write only fills in what was left out. */
export function completes(old: KubeObject, object: KubeObject): boolean {
  return onlyAdds(specOf(old), specOf(object));
}

/**
 * Whether a service account is the controller of an object, and not of its parent. Defaults come before the status is
 * first written: until then, any may be it, where the kind has a status and nothing owns the object.
 */
function isItsController(review: Review, old: KubeObject, parent: KubeObject | undefined): boolean {
  const { user } = review;
  if (!user.startsWith('system:serviceaccount:')) return false;
  const controllers = hashesOf(old, ANNOTATIONS.controllers);
  if (controllers.length === 0) return parent === undefined && old.metadata.generation !== undefined;
  return (
    controllers.includes(userHash(user)) && (parent === undefined || relationOf(review, parent) === 'other')
  );
}

/** Whether all that was there is still there, as it was. A list is one value. */
function onlyAdds(old: Json | undefined, now: Json | undefined): boolean {
  if (!isJsonObject(old) || !isJsonObject(now)) return jsonEqual(old, now);
  return Object.keys(old).every((key) => onlyAdds(getOwn(old, key), getOwn(now, key)));
}

function specOf(object: KubeObject): JsonObject {
  return Object.fromEntries(Object.entries(object as JsonObject).filter(([key]) => !NOT_SPEC.has(key)));
}
