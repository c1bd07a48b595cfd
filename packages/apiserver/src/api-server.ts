import { type Clock, type JsonObject, systemClock, type Transport } from '@kubewright/kube';
import { type Catalogue, loadCatalogue } from '@kubewright/kube/schema';
import { limitRanger } from './admission/limit-ranger/limit-ranger.ts';
import { certificateAdmission } from './admission/certificates/certificate-admission.ts';
import { withPlugins } from './admission/admission-plugin.ts';
import { policyAdmission } from './admission/policies/policy-admission.ts';
import { resourceQuota } from './admission/resource-quota/resource-quota.ts';
import { serviceAccountAdmission } from './admission/service-account/service-account-admission.ts';
import { httpsWebhookTransport } from './admission/webhooks/https-webhook-transport.ts';
import { storedServices } from './upstream/service-resolver.ts';
import { webhookConverter } from './crd/webhook-converter.ts';
import { webhookAdmission } from './admission/webhooks/webhook-admission.ts';
import type { WebhookTransport } from './admission/webhooks/webhook-transport.ts';
import { type Aggregator, createAggregator } from './aggregation/aggregator.ts';
import { type AggregationOptions, delegateAccess } from './aggregation/aggregation-options.ts';
import type { DelegateAccess } from './aggregation/call-delegate.ts';
import { authenticationConfig } from './aggregation/front-proxy.ts';
import { kubernetesService } from './kinds/service/kubernetes-service.ts';
import { registerLocalApiServices } from './aggregation/register-local-api-services.ts';
import type { Authorizer } from './auth/authorizer.ts';
import type { KeyPair } from './certificates/authority.ts';
import type { ClientCertificateOrder } from './certificates/client-authority.ts';
import { createIdentity, type Identity, type IdentityOptions } from './auth/identity.ts';
import { aggregateRoles, settleRoles } from './auth/rbac/aggregate-roles.ts';
import { preventEscalation } from './auth/rbac/prevent-escalation.ts';
import { checkParamAccess } from './admission/policies/check-param-access.ts';
import { rbacAuthorizer } from './auth/rbac/rbac-authorizer.ts';
import { ruleResolver } from './auth/rbac/rule-resolver.ts';
import { reviewHandlers } from './auth/reviews/review-handlers.ts';
import { coreObjects } from './auth/service-accounts/account-lookup.ts';
import { openIdPath } from './auth/service-accounts/open-id-path.ts';
import { requestToken } from './auth/service-accounts/request-token.ts';
import { bindPod } from './subresources/bind-pod.ts';
import { evictPod } from './subresources/evict-pod.ts';
import { ADMIN, type UserInfo } from './request/user-info.ts';
import { serveCustomResources } from './crd/serve-custom-resources.ts';
import { createFirstObjects } from './own-objects/create-first-objects.ts';
import { createOrReplace, createOwnObject } from './own-objects/create-own-object.ts';
import { createDiscovery } from './discovery/discovery.ts';
import type { AuditSink } from './http/audit-event.ts';
import { createFaults, type Faults } from './faults/faults.ts';
import { createRecorder, type RequestRecording } from './faults/request-recording.ts';
import { withFaults } from './faults/with-faults.ts';
import { type ServiceRangeOptions, serviceRanges } from './model/service-ranges.ts';
import { createHandler } from './http/create-handler.ts';
import type { Handler } from './request/handled-request.ts';
import { createListener, type Listener, type ListenOptions, type ServerAddress } from './http/listener.ts';
import { inProcessTransport } from './http/in-process-transport.ts';
import { createServe } from './http/serve.ts';
import { builtInResources } from './kinds/built-in-resources.ts';
import { kubeconfigOf, type KubeconfigUser } from './kubeconfig-of.ts';
import type { ServerExtension } from './registry/server-extension.ts';
import { extensionHost } from './rest/extension-host.ts';
import { pooledRandom } from './pooled-random.ts';
import { createRegistry, type Registry } from './registry/registry.ts';
import type { ResourceDefinition } from './model/resource-definition.ts';
import type { RestContext } from './rest/rest-context.ts';
import type { RestoreOptions, StoreSnapshot } from './storage/store-snapshot.ts';
import type { Reply } from './request/reply.ts';
import { createStore } from './storage/store.ts';
import {
  connectionsTo,
  type UpstreamOptions,
  upstreamOf,
  withConnections,
} from './upstream/upstream-options.ts';
import type { UpstreamTransport } from './upstream/upstream-transport.ts';

/** Everything that reaches outside, and what is served. All have defaults. */
export type ApiServerOptions = IdentityOptions &
  AggregationOptions &
  UpstreamOptions & {
    readonly clock?: Clock;
    readonly random?: (size: number) => Uint8Array;
    readonly log?: (message: string, details?: Readonly<Record<string, unknown>>) => void;
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
    readonly services?: ServiceRangeOptions;
    /** Begins with what another server held, instead of the namespaces and roles that every cluster has. */
    readonly snapshot?: StoreSnapshot;
    /** Carries calls to webhooks. Default: HTTPS. Closed with the server. */
    readonly webhookTransport?: WebhookTransport;
    /** Gets an audit event of each request when its response is complete. Default: none. */
    readonly audit?: AuditSink;
  };

/** A Kubernetes API in this process. */
export type ApiServer = {
  readonly registry: Registry;
  /** Calls without a socket, as `user`; default an admin. */
  transport(user?: UserInfo): Transport;
  /** Starts HTTPS (HTTP/2 and 1.1). `caCert` is PEM, and stays the same when it listens again. */
  listen(options?: ListenOptions): Promise<ServerAddress>;
  /** A kubeconfig of the admin, or of another user; after {@link listen} only. */
  kubeconfig(user?: KubeconfigUser): JsonObject;
  /** Issues a client certificate with its key. Rejects where this server does not have the authority's key. */
  issueClientCertificate(order: ClientCertificateOrder): Promise<KeyPair>;
  /** Compacts history: watches and pages from before now get 410, as after etcd's compaction. */
  compact(): void;
  /** Makes requests fail, by rules: errors, delays, truncated responses. None at first. */
  readonly faults: Faults;
  /** Remembers the requests from now on, sockets and in-process transports alike. */
  recordRequests(): RequestRecording;
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

export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  const parts = partsOf(options);
  const catalogue = options.catalogue ?? loadCatalogue();
  const token = Buffer.from(parts.random(24)).toString('base64url');
  const users = [{ token, user: ADMIN }, ...(options.users ?? [])];
  const identity = createIdentity({ ...options, users }, parts);
  const upstream = upstreamOf(options, identity.authority);
  const served = serveResources(options, { context: parts, identity, catalogue, upstream });
  const { context, webhooks } = withAdmission({ ...parts, ...served }, options);
  const { authorize } = context;
  const host = extensionHost(context);
  const own = [serveCustomResources(catalogue), aggregateRoles];
  for (const extend of [...own, ...(options.extensions ?? [])]) extend(host);
  const reach = delegateAccess(options, context);
  const aggregator = createAggregator({ ...reach, ...context, host });
  const discovery = createDiscovery(parts.registry, catalogue, aggregator.delegates);
  const listener = createListener({ now: context.now, clientCa: identity.authority.cert });
  const otherPath = (path: string): Reply | undefined => openIdPath(path, identity.tokens, listener.host);
  const { forward } = aggregator;
  const handler = createHandler({ context, discovery, authorize, otherPath, forward, audit: options.audit });
  if (options.snapshot === undefined) createFirstObjects(handler, parts.registry);
  registerLocalApiServices(host, (object) =>
    createOwnObject(handler, '/apis/apiregistration.k8s.io/v1/apiservices', object),
  );
  settleRoles(host);
  return serverOf(handler, context, { token, identity, listener, aggregator, reach, webhooks, upstream });
}

type Parts = {
  readonly context: Unadmitted;
  readonly identity: Identity;
  readonly catalogue: Catalogue;
  readonly upstream: UpstreamTransport;
};

/** Puts the resources into the registry, and makes what authorizes requests and handles creates of them. */
function serveResources(
  options: ApiServerOptions,
  { context, identity, catalogue, upstream }: Parts,
): Pick<RestContext, 'authorize' | 'authorizeWrite' | 'createHandlers'> {
  const { registry, store, now } = context;
  const resolver = ruleResolver(store);
  const authorize = options.authorize ?? rbacAuthorizer(resolver);
  const { reviewToken: authenticate, tokens } = identity;
  const sources = { authorize, authenticate, resolver, now, audiences: tokens.audiences };
  const accounts = { tokens, lookup: coreObjects(store), now };
  const connections = connectionsTo(upstream, context, options);
  for (const definition of options.resources ?? builtInResources(catalogue)) {
    registry.add(withConnections(definition, connections));
  }
  return {
    authorize,
    authorizeWrite:
      options.authorize === undefined
        ? allOf(preventEscalation({ resolver, authorize }), checkParamAccess({ registry, store, authorize }))
        : () => {},
    createHandlers: {
      ...reviewHandlers(sources),
      Binding: bindPod,
      Eviction: evictPod,
      TokenRequest: (request, object) => requestToken(accounts, request, object),
    },
  };
}

function allOf(...checks: readonly RestContext['authorizeWrite'][]): RestContext['authorizeWrite'] {
  return (...write) => {
    for (const check of checks) check(...write);
  };
}

/** What admission itself builds on. */
type Unadmitted = Omit<RestContext, 'admission' | 'convert' | keyof ReturnType<typeof serveResources>>;

function partsOf(options: ApiServerOptions): Unadmitted {
  const { clock = systemClock, random = pooledRandom(), log = () => {}, history } = options;
  const store = createStore(history === undefined ? {} : { history });
  if (options.snapshot !== undefined) store.restore(options.snapshot);
  return {
    store,
    registry: createRegistry(),
    clock,
    now: () => new Date(clock.now()),
    random,
    log,
    watchQueueLimit: options.watchQueue ?? 4096,
    services: serviceRanges(options.services),
  };
}

function withAdmission(
  parts: Omit<RestContext, 'admission' | 'convert'>,
  options: ApiServerOptions,
): { readonly context: RestContext; readonly webhooks: WebhookTransport } {
  const transport = options.webhookTransport ?? httpsWebhookTransport();
  const resolveService = options.resolveService ?? storedServices(parts.store);
  const withAccounts = options.serviceAccounts?.admission === true;
  const plugins = [limitRanger(parts.store), ...(withAccounts ? [serviceAccountAdmission(parts)] : [])];
  const caller = { ...parts, transport, resolveService };
  const convert = webhookConverter(caller);
  const webhooks = webhookAdmission({ ...caller, convert }, plugins);
  const configured = policyAdmission({ ...parts, convert }, webhooks);
  const admission = withPlugins(configured, plugins, [
    certificateAdmission(parts.authorize),
    resourceQuota(parts),
  ]);
  return { context: { ...parts, admission, convert }, webhooks: transport };
}

type Components = {
  readonly token: string;
  readonly identity: Identity;
  readonly listener: Listener;
  readonly aggregator: Aggregator;
  readonly reach: DelegateAccess;
  readonly webhooks: WebhookTransport;
  readonly upstream: UpstreamTransport;
};

const DEFAULT_SERVICES = '/api/v1/namespaces/default/services';

function serverOf(direct: Handler, context: RestContext, components: Components): ApiServer {
  const { token, identity, listener, aggregator, webhooks, upstream } = components;
  const transports: Transport[] = [];
  const [faults, recorder] = [createFaults(), createRecorder()];
  const handler = recorder.around(withFaults(direct, faults, context.clock));
  return {
    faults,
    recordRequests: () => recorder.start(),
    registry: context.registry,
    transport(user = ADMIN) {
      const transport = inProcessTransport(handler, user);
      transports.push(transport);
      return transport;
    },
    async listen(options) {
      const failed = (error: unknown): void =>
        context.log('request failed', { error: error instanceof Error ? error.stack : error });
      const address = await listener.open(createServe(handler, identity.authenticate, failed), options);
      await publishClientCas(direct, components);
      createOrReplace(direct, DEFAULT_SERVICES, kubernetesService(address.url, context.services));
      aggregator.start();
      return address;
    },
    kubeconfig(user = { name: ADMIN.username, token }) {
      const { url, caCert } = listener.address;
      return kubeconfigOf(url, caCert, user);
    },
    issueClientCertificate: (order) => identity.authority.issue(order),
    compact: () => context.store.compact(),
    snapshot: () => context.store.snapshot(),
    // Async for what follows the store in microtasks: those come before the caller goes on.
    restore: async (snapshot, how) => context.store.restore(snapshot, how),
    async close() {
      await Promise.all(transports.splice(0).map((transport) => transport.close()));
      aggregator.stop();
      await listener.close();
      webhooks.close();
      upstream.close();
    },
  };
}

/** Publishes the authorities by which extension servers authenticate proxied requests and clients. */
async function publishClientCas(handler: Handler, { identity, reach }: Components): Promise<void> {
  const [clientCa, { ca }] = [await identity.authority.cert(), await reach.certificates()];
  const config = authenticationConfig(clientCa, ca);
  createOrReplace(handler, '/api/v1/namespaces/kube-system/configmaps', config);
}
