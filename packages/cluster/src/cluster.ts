import {
  type ApiServer,
  type ApiServerOptions,
  createApiServer,
  type ListenOptions,
  type ServerAddress,
  type UserInfo,
} from '@kubewright/apiserver';
import { type Client, createClient, systemClock } from '@kubewright/client';
import { defined, type Transport } from '@kubewright/kube';
import {
  type EmbeddedMetrics,
  type EmbeddedMetricsOptions,
  embeddedMetrics,
} from './metrics/embedded-metrics.ts';
import { inTurns } from './in-turns.ts';
import { type ClusterNetwork, clusterNetwork } from './network/cluster-network.ts';
import { routedExtensions, routedUpstream, routedWebhooks } from './network/routed-transports.ts';
import { type LocalKubelets, localKubelets } from './nodes/kubelet/local-kubelets.ts';
import type { Nodes } from './nodes/start-nodes.ts';
import type { PartEnvironment } from './part-manager.ts';
import { type PartsOptions, type RunningParts, startParts } from './start-parts.ts';

export type ClusterOptions = PartsOptions &
  Pick<PartEnvironment, 'clock' | 'random' | 'log'> & {
    /**
     * For the API server; its clock and randomness are those of the cluster, if they are given. Its pods need accounts where
     * the `serviceaccount-controller` makes the default ones.
     */
    readonly server?: ApiServerOptions;
    /** Serves HTTPS too, for kubectl. Default: it is reached in this process only. */
    readonly listen?: boolean | ListenOptions;
    /** What `kubectl top` and autoscalers see. Default: true. */
    readonly metrics?: boolean | Pick<EmbeddedMetricsOptions, 'window'>;
  };

/** How long reconciles under way may take to end when a cluster is stopped; then their calls fail. */
const PARTS_END_MS = 1500;

/** A whole cluster in this process. */
export type Cluster = AsyncDisposable & {
  readonly server: ApiServer;
  readonly nodes: Nodes;
  /** The address of its API; absent where it does not listen. `server.kubeconfig()` leads there. */
  readonly url: string | undefined;
  /** Calls without a socket, as an admin or another user. */
  transport(user?: UserInfo): Transport;
  client(user?: UserInfo): Client;
  /** Resolves when {@link stop} has stopped the parts; rejects as soon as one fails. */
  readonly ended: Promise<void>;
  /** Ends everything; nothing is kept. Rejects with what a part failed with. */
  stop(): Promise<void>;
};

/**
 * Starts an API with the controllers, the scheduler and the simulated nodes of a cluster. Resolves when they work.
 *
 * @example
 * await using cluster = await Cluster.start({ nodes: 2 });
 * await cluster.client().create(appsv1.deployments, deployment);
 */
async function start(options: ClusterOptions = {}): Promise<Cluster> {
  const kubelets = localKubelets();
  const network = clusterNetwork();
  const metrics = metricsOf(options, network);
  const extensionTransport = metrics.transport;
  const server = createApiServer({ ...serverOptions(options, kubelets, network), extensionTransport });
  const { url, caCert } = await open(server, metrics, options).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  const stopped = new AbortController();
  const parts = startParts({
    ...options,
    connect: connectTo(server, options),
    signal: stopped.signal,
    ...defined({ rootCa: caCert }),
  });
  kubelets.join(parts.nodes);
  network.join(parts.nodes);
  const stop = async (): Promise<void> => {
    stopped.abort();
    const { clock = systemClock } = options;
    // It ends the calls, also those that a webhook holds up.
    const cancel = clock.after(PARTS_END_MS, () => void server.close());
    try {
      await parts.ended;
    } finally {
      cancel();
      await server.close();
    }
  };
  try {
    // The rejection may be unhandled when a part fails later: `stop` reports it.
    parts.ended.catch(() => undefined);
    await Promise.race([parts.ready, parts.ended]);
    return clusterOf(server, parts, url, stop);
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

/** Where others call the server by sockets, its own controllers take turns with them. */
function connectTo(server: ApiServer, { listen = false }: ClusterOptions): (user: UserInfo) => Transport {
  const order = { last: Promise.resolve() };
  return (user) => (listen === false ? server.transport(user) : inTurns(server.transport(user), order));
}

export const Cluster: { readonly start: typeof start } = { start };

function clusterOf(
  server: ApiServer,
  { nodes, ended }: RunningParts,
  url: string | undefined,
  stop: () => Promise<void>,
): Cluster {
  const transport = (user?: UserInfo): Transport => server.transport(user);
  return {
    server,
    nodes,
    url,
    transport,
    client: (user) => createClient(transport(user)),
    ended,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function open(
  server: ApiServer,
  metrics: EmbeddedMetrics,
  { listen = false, metrics: wanted = true }: ClusterOptions,
): Promise<Partial<ServerAddress>> {
  if (wanted !== false) await metrics.install(server);
  return listen === false ? {} : server.listen(listen === true ? {} : listen);
}

function metricsOf({ clock, server, metrics }: ClusterOptions, network: ClusterNetwork): EmbeddedMetrics {
  const others = server?.extensionTransport ?? routedExtensions(network);
  const wishes = typeof metrics === 'object' ? metrics : {};
  return embeddedMetrics({ ...wishes, ...(clock && { clock }), others });
}

function serverOptions(
  { clock, random, controllers, server = {} }: ClusterOptions,
  kubelets: LocalKubelets,
  network: ClusterNetwork,
): ApiServerOptions {
  const admission = controllers?.includes('serviceaccount-controller') ?? true;
  return {
    upstreamTransport: (usual) => kubelets.transport(routedUpstream(usual, network)),
    webhookTransport: routedWebhooks(network),
    ...(clock && { clock }),
    ...(random === undefined
      ? {}
      : { random: (size) => Uint8Array.from({ length: size }, () => Math.floor(random() * 256)) }),
    ...server,
    serviceAccounts: { admission, ...server.serviceAccounts },
  };
}
