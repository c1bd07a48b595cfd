import { getOwn, isJsonObject, type Json, type JsonObject, parseApiVersion, setOwn } from '@kubewright/kube';
import { FieldSet, type Path } from '@kubewright/kube/fields';

/** A kind, as far as it says which of its fields the server stores elsewhere. */
type Kind = { readonly apiVersion: string; readonly kind: string };

/** Where a kind has the spec of its pods. */
const POD_SPECS: Readonly<Record<string, readonly string[]>> = {
  'Pod.': ['spec'],
  'PodTemplate.': ['template', 'spec'],
  'ReplicationController.': ['spec', 'template', 'spec'],
  'Deployment.apps': ['spec', 'template', 'spec'],
  'ReplicaSet.apps': ['spec', 'template', 'spec'],
  'StatefulSet.apps': ['spec', 'template', 'spec'],
  'DaemonSet.apps': ['spec', 'template', 'spec'],
  'Job.batch': ['spec', 'template', 'spec'],
  'CronJob.batch': ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
};

/** The server fills each of these from the other, so that to drop one alone has no effect. */
const ACCOUNTS = ['serviceAccountName', 'serviceAccount'] as const;

/**
 * An object with its fields where the server stores them: an apply of a field that the server only converts owns nothing
 * that the object then has, and a later apply without it removes nothing. That is `stringData` of a Secret, which becomes
 * `data`, and the two names of a pod's account. All other fields that the server converts are of objects that
 * cannot be changed, or are allocated by it.
 */
export function storedForm<T extends JsonObject & Kind>(object: T): T {
  const path = podSpecOf(object);
  const stored = isSecret(object)
    ? withData(object)
    : path === undefined
      ? object
      : changedAt(object, path, withAccounts);
  return stored as T;
}

/** The fields that the server stores of those that a manager owned, and these. */
export function storedPaths(kind: Kind, owned: FieldSet): FieldSet {
  const spec = podSpecOf(kind);
  const more = [...owned.paths()].flatMap((path) =>
    isSecret(kind) ? dataPath(path) : spec === undefined ? [] : accountPaths(path, spec),
  );
  return more.length === 0 ? owned : owned.union(FieldSet.of(...more));
}

function isSecret({ apiVersion, kind }: Kind): boolean {
  return kind === 'Secret' && apiVersion === 'v1';
}

function podSpecOf({ apiVersion, kind }: Kind): readonly string[] | undefined {
  const name = `${kind}.${parseApiVersion(apiVersion).group}`;
  return Object.hasOwn(POD_SPECS, name) ? POD_SPECS[name] : undefined;
}

/** What is no string stays for the server to reject. */
function withData(object: JsonObject): JsonObject {
  const { stringData, ...rest } = object;
  const before = object['data'] ?? {};
  if (!isJsonObject(stringData) || !isJsonObject(before)) return object;
  const data: Record<string, Json> = { ...before };
  for (const [key, value] of Object.entries(stringData)) {
    if (typeof value !== 'string') return object;
    setOwn(data, key, Buffer.from(value, 'utf8').toString('base64'));
  }
  return { ...rest, data };
}

function withAccounts(spec: JsonObject): JsonObject {
  const name = ACCOUNTS.map((field) => getOwn(spec, field)).find(
    (one) => typeof one === 'string' && one !== '',
  );
  return name === undefined ? spec : { ...spec, serviceAccountName: name, serviceAccount: name };
}

function changedAt(
  object: JsonObject,
  [key = '', ...rest]: readonly string[],
  change: (spec: JsonObject) => JsonObject,
): JsonObject {
  if (key === '') return change(object);
  const child = getOwn(object, key);
  return isJsonObject(child) ? { ...object, [key]: changedAt(child, rest, change) } : object;
}

function dataPath([root, key]: Path): readonly Path[] {
  return root === 'f:stringData' && key !== undefined ? [['f:data', key]] : [];
}

function accountPaths(path: Path, spec: readonly string[]): readonly Path[] {
  const isIn = path.length === spec.length + 1 && spec.every((name, index) => path[index] === `f:${name}`);
  if (!isIn || !ACCOUNTS.some((name) => path.at(-1) === `f:${name}`)) return [];
  return ACCOUNTS.map((name) => [...path.slice(0, -1), `f:${name}`]);
}
