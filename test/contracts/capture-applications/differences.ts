import type { Client } from '@kubewright/client';
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  type KubeObject,
  parseApiVersion,
} from '@kubewright/kube';
import { textAt } from '../../support/at.ts';

/** Said of a difference that no user expects. */
export const NOT_EXPLAINED = 'NOT EXPLAINED';

/** Fields of a restored object that are no longer as captured, and why. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/ metadata\.(uid|resourceVersion|creationTimestamp|generation|managedFields)$/, ''],
  [/ (metadata\.namespace|status)$/, ''],
  [/^Service\/\S+ spec\.clusterIPs?$/, 'an address of its cluster'],
  [/^PersistentVolumeClaim\/\S+ spec\.volumeName$/, 'a volume of its own'],
  [/ metadata\.annotations\["(pv|volume)\.(beta\.)?kubernetes\.io\//, 'a volume of its own'],
  [/ spec.*\.storageClassName$/, '--storage-class'],
  [/ metadata\.ownerReferences$/, 'its owners of now'],
  [/^Job\/.*(controller-uid("\])?|labels)$/, 'its pods of now'],
  [/^Namespace\/\S+ metadata\.(name|labels\["kubernetes\.io\/metadata\.name"\])$/, '--to'],
];

/** Lines on the fields of captured objects that the restored ones have otherwise. */
export async function differences(
  admin: Client,
  captured: readonly JsonObject[],
  namespace: string,
  plan: string,
): Promise<readonly string[]> {
  const lines = await Promise.all(captured.map((object) => differencesOf(admin, object, namespace, plan)));
  return lines.flat().toSorted();
}

async function differencesOf(
  admin: Client,
  captured: JsonObject,
  namespace: string,
  plan: string,
): Promise<readonly string[]> {
  const [kind, name] = [textAt(captured, 'kind'), textAt(captured, 'metadata', 'name')];
  const ref = await admin.mapper.resolve({ ...parseApiVersion(textAt(captured, 'apiVersion')), kind });
  const key = ref.namespaced ? { namespace, name } : { name: namespace };
  const live = await admin.get<KubeObject>(ref, key).catch(() => undefined);
  if (live === undefined) return [`${kind}/${name}: ${saidIn(plan, `${kind}/${name}`, 'left out')}`];
  return changedPaths(captured, withoutAddress(live as JsonObject), '').flatMap((path) => {
    const title = `${kind}/${name} ${path}`;
    const reason = REASONS.find(([pattern]) => pattern.test(title))?.[1];
    return reason === '' ? [] : [`${title}: ${reason ?? saidIn(plan, `${kind}/${name}`, path)}`];
  });
}

/** By chance, a Service may get the address that it had. */
function withoutAddress(live: JsonObject): JsonObject {
  const { spec } = live;
  if (!isJsonObject(spec) || textAt(live, 'kind') !== 'Service' || spec['clusterIP'] === 'None') return live;
  const { clusterIP: _one, clusterIPs: _all, ...others } = spec;
  return { ...live, spec: others };
}

/** What nobody says of a difference, a user does not expect. */
function saidIn(plan: string, title: string, path: string): string {
  const line = plan.split('\n').find((each) => each.includes(`${title} `)) ?? '';
  return line.includes(path) || /, and \d+ more/.test(line) ? 'as the plan says' : NOT_EXPLAINED;
}

/** Fields whose inside says nothing to a reader. */
const WHOLE = ['status', 'managedFields', 'ownerReferences'];

function changedPaths(a: Json | undefined, b: Json | undefined, path: string): readonly string[] {
  if (a !== undefined && b !== undefined && jsonEqual(a, b)) return [];
  if (WHOLE.some((field) => path.endsWith(field))) return [path];
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return keys.flatMap((key) => changedPaths(a[key], b[key], pathOf(path, key)));
  }
  if (isJsonArray(a) && isJsonArray(b) && a.length === b.length)
    return a.flatMap((each, index) => changedPaths(each, b[index], `${path}[${index}]`));
  return [path];
}

function pathOf(path: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
