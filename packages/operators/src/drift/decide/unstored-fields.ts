import { getOwn, isJsonObject, type Json, type KubeObject } from '@kubewright/kube';

/**
 * Fields behind a feature gate, which servers without it drop after webhooks have seen them, by kind. All are pointers: one
 * that is stored is never left out.
 */
const GATED: ReadonlyMap<string, readonly string[]> = new Map([
  ['apps/v1/StatefulSet', ['spec.updateStrategy.rollingUpdate.maxUnavailable']],
]);

/** The paths that a manager of the stored object has once sent, and that the server has not stored. */
export function unstoredPaths(old: KubeObject): readonly string[] {
  const gated = GATED.get(`${old.apiVersion}/${old.kind}`) ?? [];
  return gated.filter((path) => {
    const keys = path.split('.');
    return at(old, keys) === undefined && isClaimed(old, keys);
  });
}

function isClaimed({ metadata }: KubeObject, keys: readonly string[]): boolean {
  const fields = keys.map((key) => `f:${key}`);
  return (metadata.managedFields ?? []).some(({ fieldsV1 }) => at(fieldsV1, fields) !== undefined);
}

function at(from: Json | undefined, keys: readonly string[]): Json | undefined {
  return keys.reduce<Json | undefined>(
    (value, key) => (isJsonObject(value) ? getOwn(value, key) : undefined),
    from,
  );
}
