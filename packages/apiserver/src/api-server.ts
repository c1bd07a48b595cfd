import type { Catalogue, JsonObject, Transport } from '@kubewright/kube';
import { loadCatalogue } from '@kubewright/kube';
import { type Authenticator, tokenAuthenticator, type TokenUser } from './auth/authenticator.ts';
import type { Authorizer } from './auth/authorizer.ts';
import { aggregateRoles, settleRoles } from './auth/rbac/aggregate-roles.ts';
import { defaultRoles } from './auth/rbac/default-roles.ts';
import { withoutEscalation } from './auth/rbac/no-escalation.ts';
import { rbacAuthorizer } from './auth/rbac/rbac-authorizer.ts';
import { RBAC_GROUP, ruleResolver } from './auth/rbac/rule-resolver.ts';
import { reviewResources } from './auth/reviews/review-resources.ts';
import { ADMIN, type UserInfo } from './auth/user-info.ts';
import { type ServerClock, systemClock } from './clock.ts';
import { customResourceDefinitions } from './crd/lifecycle.ts';
import { createDiscovery } from './discovery/discovery.ts';
import { makeCertificates } from './http/certificates.ts';
import { createHandler, type Handler } from './http/handler.ts';
import { type Listening, listenHttps } from './http/https-server.ts';
import { inProcessTransport } from './http/in-process.ts';
import { createServe } from './http/serve.ts';
import { builtInResources } from './kinds/built-in-resources.ts';
import type { ServerExtension } from './registry/extension.ts';
import { extensionHost } from './registry/extension-host.ts';
import { pooledRandom } from './random.ts';
import { createRegistry, type Registry } from './registry/registry.ts';
import type { ResourceDefinition } from './registry/resource-definition.ts';
import type { RestContext } from './rest/context.ts';
import { createStore } from './storage/store.ts';

/** Everything that reaches outside, and what is served. All have defaults. */
export type ApiServerOptions = {
  readonly clock?: ServerClock;
  readonly random?: (size: number) => Uint8Array;
  readonly log?: (message: string, details?: Readonly<Record<string, unknown>>) => void;
  /** Users beside the admin, whose token is made at random at start. */
  readonly users?: readonly TokenUser[];
  /** Default: RBAC, by the roles and bindings in the store. With another one these are objects like any. */
  readonly authorize?: Authorizer;
  readonly catalogue?: Catalogue;
  /** Default: the built-in kinds. */
  readonly resources?: readonly ResourceDefinition[];
  /** Parts beyond generic REST, beside CustomResourceDefinitions. */
  readonly extensions?: readonly ServerExtension[];
  /** Events that each resource keeps for late watchers. Default 1024. */
  readonly history?: number;
  /** Frames that a watcher may fall behind before it is cut off. Default 4096. */
  readonly watchQueue?: number;
};

export type ListenOptions = {
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** Address to bind; default 127.0.0.1. */
  readonly host?: string;
};

/** A Kubernetes API in this process. */
export type ApiServer = {
  readonly registry: Registry;
  /** Calls without a socket, as `user`; default an admin. */
  transport(user?: UserInfo): Transport;
  /** Starts HTTPS (HTTP/2 and 1.1). `caCert` is PEM. */
  listen(options?: ListenOptions): Promise<{ readonly url: string; readonly caCert: string }>;
  /** A kubeconfig of the admin; after {@link listen} only. */
  kubeconfig(): JsonObject;
  /** Forgets history: watches and pages from before now are answered 410, as after etcd's compaction. */
  compact(): void;
  /** Ends all watches and connections. */
  close(): Promise<void>;
};

const FIRST_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  const context = contextOf(options);
  const { registry, store, clock } = context;
  const catalogue = options.catalogue ?? loadCatalogue();
  const token = Buffer.from(context.random(24)).toString('base64url');
  const authenticate = tokenAuthenticator([{ token, user: ADMIN }, ...(options.users ?? [])]);
  const resolver = ruleResolver(store);
  const authorize = options.authorize ?? rbacAuthorizer(resolver);
  const reviews = (): readonly ResourceDefinition[] =>
    reviewResources({ authorize, authenticate, resolver, now: clock.now }, catalogue);
  for (const definition of options.resources ?? [...builtInResources(catalogue), ...reviews()]) {
    const guarded = options.authorize === undefined;
    registry.add(guarded ? withoutEscalation(definition, { resolver, authorize }) : definition);
  }
  const host = extensionHost(context);
  const own = [customResourceDefinitions(catalogue), aggregateRoles];
  for (const extend of [...own, ...(options.extensions ?? [])]) extend(host);
  const discovery = createDiscovery(registry, catalogue);
  const handler = createHandler({ context, discovery, authorize });
  createFirstObjects(handler, registry);
  settleRoles(host);
  return serverOf(handler, context, { token, authenticate });
}

function contextOf(options: ApiServerOptions): RestContext {
  const { clock = systemClock, random = pooledRandom(), log = () => {}, history } = options;
  return {
    store: createStore(history === undefined ? {} : { history }),
    registry: createRegistry(),
    clock,
    random,
    log,
    watchQueueLimit: options.watchQueue ?? 4096,
  };
}

function serverOf(
  handler: Handler,
  context: RestContext,
  { token, authenticate }: { readonly token: string; readonly authenticate: Authenticator },
): ApiServer {
  const transports: Transport[] = [];
  let listening: (Listening & { readonly url: string; readonly caCert: string }) | undefined;
  return {
    registry: context.registry,
    transport(user = ADMIN) {
      const transport = inProcessTransport(handler, user);
      transports.push(transport);
      return transport;
    },
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      if (listening !== undefined) throw new Error(`already listening on ${listening.url}`);
      const certificates = await makeCertificates(context.clock.now(), [host]);
      const server = await listenHttps(createServe(handler, authenticate), certificates, { host, port });
      const url = `https://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
      listening = { ...server, url, caCert: certificates.ca };
      return { url, caCert: certificates.ca };
    },
    kubeconfig() {
      if (listening === undefined) throw new Error('the server is not listening');
      return kubeconfigOf(listening.url, listening.caCert, token);
    },
    compact: () => context.store.compact(),
    async close() {
      await Promise.all(transports.map((transport) => transport.close()));
      await listening?.close();
      listening = undefined;
    },
  };
}

function kubeconfigOf(server: string, caCert: string, token: string): JsonObject {
  const name = 'kubewright';
  const authority = Buffer.from(caCert).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: ADMIN.username, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: ADMIN.username } }],
    'current-context': name,
  };
}

/** The namespaces and, where they are served, the roles that every cluster has. */
function createFirstObjects(handler: Handler, registry: Registry): void {
  for (const name of FIRST_NAMESPACES) {
    post(handler, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  if (registry.versions(RBAC_GROUP, 'clusterroles').length === 0) return;
  for (const object of defaultRoles(registry)) {
    const resource = object['kind'] === 'ClusterRole' ? 'clusterroles' : 'clusterrolebindings';
    post(handler, `/apis/${RBAC_GROUP}/v1/${resource}`, object);
  }
}

function post(handler: Handler, path: string, object: JsonObject): void {
  const headers = { 'content-type': 'application/json', 'user-agent': 'kube-apiserver' };
  handler({ method: 'POST', path, headers, body: Buffer.from(JSON.stringify(object)) }, ADMIN);
}
