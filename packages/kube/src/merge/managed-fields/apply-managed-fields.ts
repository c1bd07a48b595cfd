import { FieldSet } from '../../fields/field-set.ts';
import { jsonEqual } from '../../json/json-equal.ts';
import { KubeError } from '../../kube-error.ts';
import { formatTime } from '../../object/format-time.ts';
import type { KubeObject } from '../../object/kube-object.ts';
import { mergeTyped } from '../typed/merge-typed.ts';
import { toFieldSet } from '../typed/to-field-set.ts';
import { claimsAfterWrite, reconcileManagers } from './claims-after-write.ts';
import type { Applied, ApplyOptions, ApplyRequest } from './apply-options.ts';
import { applyAsKubectl } from './apply-as-kubectl.ts';
import { type Claims, decodeManagers, managerIdentity } from './managers.ts';
import { prune } from './prune.ts';
import { stripMetadata } from './strip-metadata.ts';
import { jsonOf, typedConfig, typedObject } from './typed-object.ts';
import { claimUpdate, withManagers } from './update-managed-fields.ts';

/**
 * The object that an apply makes of the live one, with its `metadata.managedFields`. Where the apply changes neither
 * values nor owned fields, that is the live object itself, times included.
 *
 * Throws `ConflictError`; `TypedError` where the configuration is not of its type; `InvalidFieldsV1` where the live
 * object's managed fields cannot be read. Source: apimachinery's `FieldManager.Apply`.
 */
export function applyManagedFields(options: ApplyOptions): KubeObject {
  const known = readManagers(options.live);
  const live = withManagers(options.live ?? options.schemas.empty(options.object.apiVersion), new Map());
  const request = { ...options, live, managers: claimUntracked(options, live, known) };
  const { object, managers } =
    options.manager === 'kubectl' ? applyAsKubectl(request, applyOnce) : applyOnce(request);
  const next = withManagers(object, managers);
  return options.live !== undefined && jsonEqual(jsonOf(options.live), jsonOf(next)) ? options.live : next;
}

function readManagers(live: KubeObject | undefined): Map<string, Claims> {
  try {
    return decodeManagers(live?.metadata.managedFields);
  } catch (cause) {
    if (!(cause instanceof KubeError)) throw cause;
    throw new KubeError('InvalidFieldsV1', `failed to decode managed fields: ${cause.message}`, { cause });
  }
}

/** An object without managed fields: `before-first-apply` becomes the owner of its fields. */
function claimUntracked(
  options: ApplyOptions,
  live: KubeObject,
  managers: Map<string, Claims>,
): Map<string, Claims> {
  if (managers.size > 0 || options.live === undefined) return managers;
  const empty = options.schemas.empty(live.apiVersion);
  return claimUpdate({ ...options, live: empty, object: live, manager: 'before-first-apply' }, managers);
}

function applyOnce(request: ApplyRequest): Applied {
  const { schemas, live, force = false, resetFields = FieldSet.EMPTY } = request;
  const config = typedConfig(schemas, request.object);
  const liveTyped = typedObject(schemas, live);
  const managers = reconcileManagers(schemas, liveTyped, request.managers);
  const writer = {
    manager: request.manager === '' ? 'unknown' : request.manager,
    operation: 'Apply' as const,
    apiVersion: request.object.apiVersion,
    subresource: request.subresource,
  };
  const identity = managerIdentity(writer);
  const last = managers.get(identity);
  const applied = toFieldSet(config.node, jsonOf(config.object)).recursiveDifference(resetFields);
  const claims: Claims = { ...writer, ...timeOf(last), set: applied };
  managers.set(identity, claims);

  const merged = {
    object: mergeTyped(config.node, jsonOf(live), jsonOf(config.object)) as KubeObject,
    node: config.node,
  };
  const next = prune(schemas, merged, managers, last, { ...claims, object: config.object });
  const after = claimsAfterWrite({ schemas, live: liveTyped, next, resetFields, force }, managers, identity);
  const isSame = jsonEqual(jsonOf(live), jsonOf(next.object));
  const time = isSame ? timeOf(last) : { time: formatTime(request.now) };
  const set = stripMetadata(applied);
  if (set.isEmpty) after.managers.delete(identity);
  else after.managers.set(identity, { ...writer, ...time, set });
  return { object: isSame ? live : next.object, managers: after.managers };
}

function timeOf(claims: Claims | undefined): { time?: string } {
  return claims?.time === undefined ? {} : { time: claims.time };
}
