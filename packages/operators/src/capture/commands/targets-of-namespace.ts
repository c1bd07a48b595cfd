import { ApiError, type Client, type Discovered, type ServedResource } from '@kubewright/client';
import { apiVersionOf, compareText, controllerOf, type KubeObject, type Stored } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { LABELS, MANIFEST_GROUP, VOLUME_GROUP } from '../api/annotations.ts';
import { READ_GROUP } from '../read-api/api-service.ts';
import type { CaptureTarget } from '../api/manifest-capture-request.ts';

/** Objects that controllers create again, or that mean nothing elsewhere. */
const LEFT_OUT_KINDS = ['Event', 'Endpoints', 'EndpointSlice', 'Lease'];
const LEFT_OUT_GROUPS = [
  MANIFEST_GROUP,
  VOLUME_GROUP,
  READ_GROUP,
  'snapshot.storage.k8s.io',
  'metrics.k8s.io',
  'custom.metrics.k8s.io',
  'external.metrics.k8s.io',
];
const LEFT_OUT_OBJECTS = ['ConfigMap/kube-root-ca.crt', 'ServiceAccount/default'];
const TOKEN = 'kubernetes.io/service-account-token';
const VERBS = ['get', 'list', 'watch'];
const PAGE = 500;

/**
 * What `kubewright capture namespace` captures: every object of the namespace that no controller creates. Rejects when
 * a kind cannot be listed: an incomplete capture is worse than none.
 */
export async function targetsOfNamespace(
  client: Client,
  { resources, stale }: Discovered,
  namespace: string,
): Promise<readonly CaptureTarget[]> {
  const unread = stale.filter((groupVersion) => !LEFT_OUT_GROUPS.includes(groupVersion.split('/')[0] ?? ''));
  if (unread.length > 0) {
    const message = `${unread.join(', ')} cannot be listed now; try again when the API server behind it is available`;
    throw new OperatorError('Failed', message);
  }
  const targets: CaptureTarget[] = [];
  for (const resource of resources.filter(isCaptured))
    targets.push(...(await listed(client, resource, namespace)).map(targetOf));
  return targets.toSorted((a, b) => compareText(`${a.kind}/${a.name}`, `${b.kind}/${b.name}`));
}

function isCaptured({ ref, verbs }: ServedResource): boolean {
  return (
    ref.namespaced &&
    VERBS.every((verb) => verbs.includes(verb)) &&
    !LEFT_OUT_KINDS.includes(ref.kind) &&
    !LEFT_OUT_GROUPS.includes(ref.group)
  );
}

async function listed(
  client: Client,
  { ref }: ServedResource,
  namespace: string,
): Promise<readonly Stored[]> {
  const { group, version, kind } = ref;
  const apiVersion = apiVersionOf({ group, version });
  const found: Stored[] = [];
  let token: string | undefined;
  do {
    const page = await client.list(ref, { namespace, limit: PAGE, continue: token }).catch(explain);
    found.push(...page.items.map((item) => ({ ...item, apiVersion, kind })));
    token = page.continue;
  } while (token !== undefined);
  return found.filter(isWanted);
}

function explain(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 403) throw error;
  const message = `nothing was captured, because you may not list everything in it: ${error.message}`;
  throw new OperatorError('Failed', message, { cause: error });
}

function isWanted(object: KubeObject): boolean {
  const { name, labels = {} } = object.metadata;
  if (controllerOf(object) !== undefined || labels['heritage'] === 'deckhouse') return false;
  if (labels[LABELS.exclude] === 'true' || object['type'] === TOKEN) return false;
  return !LEFT_OUT_OBJECTS.includes(`${object.kind}/${name}`);
}

function targetOf({ apiVersion, kind, metadata: { name } }: Stored): CaptureTarget {
  return { apiVersion, kind, name };
}
