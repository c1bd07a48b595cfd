import type { Catalogue, JsonObject, Transport } from '@kubewright/kube';
import { loadCatalogue } from '@kubewright/kube';
import { type Authenticator, tokenAuthenticator, type TokenUser } from './auth/authenticator.ts';
import { admitEverything } from './admission/admit-everything.ts';
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
import { makeCertificates, type ServingCertificates } from './http/certificates.ts';
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
import type { RestoreOptions, StoreSnapshot } from './storage/snapshot.ts';
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
  /** Begins with what another server held, instead of the namespaces and roles that every cluster has. */
  readonly snapshot?: StoreSnapshot;
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
  /** Starts HTTPS (HTTP/2 and 1.1). `caCert` is PEM, and stays the same when it listens again. */
  listen(options?: ListenOptions): Promise<{ readonly url: string; readonly caCert: string }>;
  /** A kubeconfig of the admin; after {@link listen} only. */
  kubeconfig(): JsonObject;
  /** Forgets history: watches and pages from before now are answered 410, as after etcd's compaction. */
  compact(): void;
  /** Everything that is stored now. */
  snapshot(): StoreSnapshot;
  /**
   * Goes back to a snapshot, of this server or another: all watches end, and no earlier revision can be listed or
   * watched from any more. Resolves when custom resources and roles have followed. Throws where it is no snapshot.
   */
  restore(snapshot: StoreSnapshot, options?: RestoreOptions): Promise<void>;
  /** Ends all watches and connections. What is stored stays: the server may {@link listen} again. */
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
  createFirstObjects(handler, context, options);
  settleRoles(host);
  return serverOf(handler, context, { token, authenticate });
}

function contextOf(options: ApiServerOptions): RestContext {
  const { clock = systemClock, random = pooledRandom(), log = () => {}, history } = options;
  const store = createStore(history === undefined ? {} : { history });
  if (options.snapshot !== undefined) store.restore(options.snapshot);
  return {
    admission: admitEverything,
    store,
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
  const certificates = new Map<string, ServingCertificates>();
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
      const made = certificates.get(host) ?? (await makeCertificates(context.clock.now(), [host]));
      certificates.set(host, made);
      const server = await listenHttps(createServe(handler, authenticate), made, { host, port });
      const url = `https://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
      listening = { ...server, url, caCert: made.ca };
      return { url, caCert: made.ca };
    },
    kubeconfig() {
      if (listening === undefined) throw new Error('the server is not listening');
      return kubeconfigOf(listening.url, listening.caCert, token);
    },
    compact: () => context.store.compact(),
    snapshot: () => context.store.snapshot(),
    // Async for what follows the store in microtasks: those come before the caller goes on.
    restore: async (snapshot, how) => context.store.restore(snapshot, how),
    async close() {
      await Promise.all(transports.splice(0).map((transport) => transport.close()));
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
function createFirstObjects(
  handler: Handler,
  { registry }: RestContext,
  { snapshot }: Pick<ApiServerOptions, 'snapshot'>,
): void {
  if (snapshot !== undefined) return;
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
  void handler({ method: 'POST', path, headers, body: Buffer.from(JSON.stringify(object)) }, ADMIN);
}
