import { ApiError, type Client, type Discovered, isForbidden, type ServedResource } from '@kubewright/client';
import { apiVersionOf, corev1 } from '@kubewright/kube';
import { inParallel } from '../../kit/in-parallel.ts';
import { OperatorError } from '../../operator-error.ts';
import { MANIFEST_GROUP, VOLUME_GROUP } from '../api/annotations.ts';
import type { CapturedKind } from '../api/manifest-capture-request.ts';
import { whyLeftOut } from '../manifests/why-left-out.ts';
import { READ_GROUP } from '../read-api/read-api-service.ts';

/** Kinds that mean nothing elsewhere. */
const LEFT_OUT_KINDS = ['Event', 'Lease'];
const LEFT_OUT_GROUPS = [
  MANIFEST_GROUP,
  VOLUME_GROUP,
  READ_GROUP,
  'snapshot.storage.k8s.io',
  'metrics.k8s.io',
  'custom.metrics.k8s.io',
  'external.metrics.k8s.io',
];
const VERBS = ['get', 'list', 'watch'];
/** The first object says of most kinds whether there is anything, and it may be large; where it does not, few after it do. */
const [FIRST_PAGE, GROWTH, LARGEST_PAGE] = [1, 8, 64];

/** Where a capture looks for objects. */
type CaptureScope = { readonly namespace: string; readonly labelSelector?: string | undefined };

/**
 * What `kubewright capture namespace` captures: every kind of which a namespace has objects that no controller creates.
 * Rejects when a kind cannot be listed: an incomplete capture is worse than none.
 */
export async function kindsOfNamespace(
  client: Client,
  { resources, stale }: Discovered,
  scope: CaptureScope,
): Promise<readonly CapturedKind[]> {
  const unread = stale.filter((groupVersion) => !LEFT_OUT_GROUPS.includes(groupVersion.split('/')[0] ?? ''));
  if (unread.length > 0) {
    const message = `${unread.join(', ')} cannot be listed now; try again when the API server behind it is available`;
    throw new OperatorError('Failed', message);
  }
  const found = await inParallel(resources.filter(isCaptured), async ({ ref }) =>
    (await hasObjects(client, ref, scope)) ? [{ apiVersion: apiVersionOf(ref), kind: ref.kind }] : [],
  );
  const kinds = found.flat();
  const isWhole = scope.labelSelector === undefined && kinds.length > 0;
  return isWhole && (await mayGet(client, scope)) ? [NAMESPACE, ...kinds] : kinds;
}

const NAMESPACE: CapturedKind = { apiVersion: 'v1', kind: 'Namespace' };

/** Labels and annotations of the namespace are part of what is in it, for those who see them. */
async function mayGet(client: Client, { namespace: name }: CaptureScope): Promise<boolean> {
  try {
    await client.get(corev1.namespaces, { name });
    return true;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}

function isCaptured({ ref, verbs }: Pick<ServedResource, 'ref' | 'verbs'>): boolean {
  return (
    ref.namespaced &&
    VERBS.every((verb) => verbs.includes(verb)) &&
    !LEFT_OUT_KINDS.includes(ref.kind) &&
    !LEFT_OUT_GROUPS.includes(ref.group)
  );
}

async function hasObjects(client: Client, ref: ServedResource['ref'], scope: CaptureScope): Promise<boolean> {
  let token: string | undefined;
  let limit = FIRST_PAGE;
  do {
    const page = await client.list(ref, { ...scope, limit, continue: token }).catch(explain);
    limit = Math.min(limit * GROWTH, LARGEST_PAGE);
    if (page.items.some((item) => whyLeftOut({ ...item, kind: ref.kind }) === undefined)) return true;
    token = page.continue;
  } while (token !== undefined);
  return false;
}

function explain(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 403) throw error;
  const message = `nothing was captured, because you may not list everything in it: ${error.message}`;
  throw new OperatorError('Failed', message, { cause: error });
}
