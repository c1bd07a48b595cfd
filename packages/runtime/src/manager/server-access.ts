import { hostname } from 'node:os';
import {
  type Client,
  type Clock,
  createClient,
  createTransport,
  findContext,
  type Random,
  type ResolvedContext,
  withRetry,
  withUserAgent,
} from '@kubewright/client';
import { defined, type Named, type Transport } from '@kubewright/kube';
import type { Registry } from 'prom-client';
import {
  createLeaderElection,
  type LeaderElection,
  type LeaderElectionOptions,
} from '../election/leader-election.ts';
import type { Logger } from '../log/logger.ts';
import { measureRequests } from '../metrics/measure-requests.ts';
import { installDefinitions, SET_UP_RETRIES } from '../objects/install-definitions.ts';

/**
 * The API server of a manager, and how it is called. Usually `name` alone, or `transport`; `client` where the caller handles
 * retries, election and definitions.
 */
export type ServerAccess = NamedAccess | ClientAccess;

export type NamedAccess = {
  /**
   * The program's name: its user agent, and so its field manager; the field manager of its definitions; the name of
   * its Lease.
   */
  readonly name: string;
  /** The transport, without retries; the caller closes it. Default: from the kubeconfig. */
  readonly transport?: Transport;
  /** A kubeconfig's path. Default: `KUBECONFIG`, the pod's service account, `~/.kube/config`, whichever exists first. */
  readonly kubeconfig?: string | undefined;
  /** A context of the kubeconfig. Default: its current one. */
  readonly context?: string | undefined;
  /** Leader election between replicas: only the leader runs controllers. `true` for the defaults. */
  readonly election?: true | ElectionOptions;
  /** CustomResourceDefinitions that are installed before anything starts, on standby too. */
  readonly definitions?: readonly Named[];
};

/** Default: a Lease named as the program, in the context's namespace (in a pod: the pod's). */
export type ElectionOptions = Partial<Omit<LeaderElectionOptions, 'transport' | 'clock' | 'random' | 'log'>>;

export type ClientAccess = {
  /** The client of controllers and cache. */
  readonly client: Client;
  /**
   * Leader election: caches fill at once, controllers start when the Lease is held. `client` has to use the election's
   * transport, which sends no write without the Lease.
   */
  readonly election?: LeaderElection;
};

export type AccessEnvironment = {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly registry: Registry;
};

/** The resolved access of a manager. */
export type OpenedAccess = ClientAccess & {
  /** Installs definitions; rejects where no server is configured or it cannot be reached. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
  readonly close?: () => Promise<void>;
};

/** Resolves the options. Reads no file and sends no request before the first call. */
export function openAccess(access: ServerAccess, environment: AccessEnvironment): OpenedAccess {
  if ('client' in access) return access;
  const { clock, random } = environment;
  const { name, definitions = [] } = access;
  const server = access.transport === undefined ? configuredServer(access, environment) : undefined;
  const transport = withUserAgent(server?.transport ?? (access.transport as Transport), name);
  const namespace = async (): Promise<string> => (await server?.context())?.namespace ?? 'default';
  const election = electionOver(transport, namespace, access, environment);
  const onWarning = warningLogger(environment.log);
  const clientOver = (way: Transport, maxRetries?: number): Client =>
    createClient(withRetry(way, { clock, random, ...defined({ maxRetries }) }), { onWarning });
  const bare = clientOver(transport);
  return {
    client: election === undefined ? bare : clientOver(election.transport),
    ...defined({ election }),
    async prepare(signal) {
      await server?.context();
      // Not over the election's transport: every replica applies the same definitions, and a standby needs them.
      const setUp = clientOver(transport, SET_UP_RETRIES);
      await installDefinitions(setUp, definitions, { fieldManager: name, signal, clock, random });
    },
    ...(server === undefined ? {} : { close: () => server.transport.close() }),
  };
}

/** How many different texts are remembered; then all may be logged again. */
const WARNINGS = 1000;

/** Logs each warning of the server once, as controller-runtime does: a deprecated API version warns at every call. */
function warningLogger(log: Logger): (text: string) => void {
  const seen = new Set<string>();
  return (text) => {
    if (seen.has(text)) return;
    if (seen.size >= WARNINGS) seen.clear();
    seen.add(text);
    log.warn('the API server warns', { warning: text });
  };
}

function electionOver(
  transport: Transport,
  namespace: () => Promise<string>,
  { name, election }: NamedAccess,
  { clock, random, log }: AccessEnvironment,
): LeaderElection | undefined {
  if (election === undefined) return undefined;
  const identity = `${hostname()}_${Math.floor(random() * 2 ** 48).toString(16)}`;
  const chosen = election === true ? {} : election;
  return createLeaderElection({ name, namespace, identity, ...chosen, transport, clock, random, log });
}

type ConfiguredServer = { readonly transport: Transport; context(): Promise<ResolvedContext> };

/** The server of a kubeconfig, or of the pod; looked up once, when it is first needed. */
function configuredServer(
  { kubeconfig, context: contextName }: NamedAccess,
  { clock, registry }: AccessEnvironment,
): ConfiguredServer {
  let found: Promise<ResolvedContext> | undefined;
  let opened: Promise<Transport> | undefined;
  const choice = { clock, ...defined({ kubeconfig, context: contextName }) };
  const context = (): Promise<ResolvedContext> => (found ??= findContext(choice));
  const open = async (): Promise<Transport> => {
    const { options } = await context();
    return measureRequests(createTransport(options), registry, new URL(options.url).host);
  };
  return {
    context,
    transport: {
      request: async (request) => (await (opened ??= open())).request(request),
      close: async () => (await opened?.catch(() => undefined))?.close(),
    },
  };
}
