import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { withoutKeys } from '../restore/without-keys.ts';
import { manifestLines } from './manifest-lines.ts';
import { unifiedDiff } from './unified-diff.ts';

/** Fields that only the server writes: they differ between equal objects. */
const SERVER_FIELDS = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
];
/** `kubectl apply` stores a second copy of the object in it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What differs between a captured object and the live one, as `kubectl diff` prints it; empty for equal ones. */
export function compareObjects(captured: JsonObject, live: JsonObject | undefined): string {
  const [before, after] = [shown(captured), live === undefined ? undefined : shown(live)];
  if (!isSecret(captured)) return diff(before, after);
  return diff(masked(before, after, 'before'), after && masked(after, before, 'after'));
}

function diff(before: JsonObject, after: JsonObject | undefined): string {
  return unifiedDiff(manifestLines(before), after === undefined ? [] : manifestLines(after));
}

/** Status is what controllers report, not what a restore would write. */
function shown({ status: _reported, metadata, ...fields }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? { ...fields, metadata: userFields(metadata) } : fields;
}

function userFields(metadata: JsonObject): JsonObject {
  const { annotations, ...rest } = withoutKeys(metadata, SERVER_FIELDS);
  if (!isJsonObject(annotations)) return rest;
  const kept = withoutKeys(annotations, [LAST_APPLIED]);
  return Object.keys(kept).length === 0 ? rest : { ...rest, annotations: kept };
}

function isSecret({ apiVersion, kind }: JsonObject): boolean {
  return apiVersion === 'v1' && kind === 'Secret';
}

/** A terminal shows that a value of a Secret differs, never the value. */
function masked(secret: JsonObject, other: JsonObject | undefined, side: string): JsonObject {
  const hide = (field: string): JsonObject => {
    const values = secret[field];
    if (!isJsonObject(values)) return {};
    const others = other?.[field];
    const entries = Object.entries(values).map(([key, value]): [string, Json] => {
      const isSame = isJsonObject(others) && canonicalJson(others[key] ?? null) === canonicalJson(value);
      return [key, isSame ? '***' : `*** (${side})`];
    });
    return { [field]: Object.fromEntries(entries) };
  };
  return { ...secret, ...hide('data'), ...hide('stringData') };
}
