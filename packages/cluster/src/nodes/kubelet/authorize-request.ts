import { ApiError, type Client } from '@kubewright/client';
import { authenticationv1, authorizationv1 } from '@kubewright/kube';
import type { KubeletRequest } from './kubelet-request.ts';

/** The user of a request, as in the API server's reviews. */
type KubeletUser = {
  readonly username: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
};

/** The response to a request that is not authorized. */
export type KubeletDenial = { readonly status: number; readonly text: string };

/** The user of a client certificate that a known CA signed. */
export type ShownCertificate = { readonly username: string; readonly groups: readonly string[] } | undefined;

/**
 * Authenticates and authorizes as kubelets do with `--anonymous-auth=false --authorization-mode=Webhook`: by a certificate
 * or a token; the API server authorizes, by rules for `nodes/proxy`, `nodes/log`, `nodes/checkpoint`, ….
 */
export async function authorizeRequest(
  client: Client,
  request: KubeletRequest,
  node: string,
  certificate: ShownCertificate,
): Promise<KubeletDenial | undefined> {
  const user = certificate ?? (await userOfToken(client, request));
  if (user === undefined) return { status: 401, text: 'Unauthorized' };
  const verb = VERBS[request.method] ?? '';
  const subresources = subresourcesOf(request.path.split('?', 1)[0] ?? '');
  const [first = ''] = subresources;
  try {
    for (const subresource of subresources)
      if (await isAllowed(client, user, { verb, subresource, name: node })) return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const about = `user=${user.username}, verb=${verb}, resource=nodes, subresource=${first}`;
    return { status: 500, text: `Authorization error (${about})` };
  }
  const about = `user=${user.username}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}]`;
  return { status: 403, text: `Forbidden (${about})\n` };
}

async function userOfToken(client: Client, request: KubeletRequest): Promise<KubeletUser | undefined> {
  const token = tokenOf(request);
  if (token === '') return undefined;
  const { status } = await client.create(authenticationv1.tokenreviews, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    metadata: {},
    spec: { token },
  });
  const { username = '', groups = [], ...more } = status?.user ?? {};
  return status?.authenticated === true && username !== '' ? { username, groups, ...more } : undefined;
}

function tokenOf({ headers: { authorization } }: KubeletRequest): string {
  const [, token = ''] = /^bearer\s+(\S+)$/i.exec([authorization ?? ''].flat()[0] ?? '') ?? [];
  return token;
}

async function isAllowed(
  client: Client,
  { username, ...user }: KubeletUser,
  attributes: { readonly verb: string; readonly subresource: string; readonly name: string },
): Promise<boolean> {
  const review = await client.create(authorizationv1.subjectaccessreviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: {
      user: username,
      ...user,
      resourceAttributes: { group: '', version: 'v1', resource: 'nodes', ...attributes },
    },
  });
  return review.status?.allowed === true;
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Rights of their own, and the one that stood for them before they had any. */
const SUBRESOURCES: Readonly<Record<string, readonly string[]>> = {
  pods: ['pods', 'proxy'],
  healthz: ['healthz', 'proxy'],
  stats: ['stats'],
  metrics: ['metrics'],
  checkpoint: ['checkpoint'],
};

function subresourcesOf(path: string): readonly string[] {
  const [root = ''] = path.split('/').filter((part) => part !== '');
  return Object.hasOwn(SUBRESOURCES, root) ? (SUBRESOURCES[root] ?? []) : ['proxy'];
}
