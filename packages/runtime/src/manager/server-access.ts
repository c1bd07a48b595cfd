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
import type { Named, Transport } from '@kubewright/kube';
import type { Registry } from 'prom-client';
import {
  createLeaderElection,
  type LeaderElection,
  type LeaderElectionOptions,
} from '../election/leader-election.ts';
import type { Logger } from '../log/logger.ts';
import { measureRequests } from '../metrics/measure-requests.ts';
import { installDefinitions } from '../objects/install-definitions.ts';

/**
 * Which API server a manager works on, and how it calls. Usually `name` and nothing else, or `transport`; `client` where
 * all of retries, election and definitions are somebody else's.
 */
export type ServerAccess = NamedAccess | ClientAccess;

export type NamedAccess = {
  /**
   * The program's name: its user agent, so the field manager of what it writes; the field manager of its definitions;
   * its Lease.
   */
  readonly name: string;
  /** The way to the server, without retries; stays the caller's to close. Default: that of the kubeconfig. */
  readonly transport?: Transport;
  /** A kubeconfig's path. Default: `KUBECONFIG`, the pod's service account, `~/.kube/config`, the first that there is. */
  readonly kubeconfig?: string | undefined;
  /** A context of the kubeconfig. Default: its current one. */
  readonly context?: string | undefined;
  /** Compete with other replicas for a Lease; only the leader works. `true` takes all defaults. */
  readonly election?: true | ElectionOptions;
  /** CustomResourceDefinitions to install before anything starts, on standby too. */
  readonly definitions?: readonly Named[];
};

/** Default: a Lease named as the program, in the context's namespace (in a pod: the pod's). */
export type ElectionOptions = Partial<Omit<LeaderElectionOptions, 'transport' | 'clock' | 'random' | 'log'>>;

export type ClientAccess = {
  /** Used by controllers for what they read and write; the cache lists and watches through it. */
  readonly client: Client;
  /**
   * Only a leader works: caches fill at once, controllers start when the Lease is held. `client` has to go over the
   * election's transport, which lets nothing be written by one who does not hold it.
   */
  readonly election?: LeaderElection;
};

export type AccessEnvironment = {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly registry: Registry;
};

/** What a manager works with. */
export type OpenedAccess = ClientAccess & {
  /** Installs definitions; rejects where no server is configured or it cannot be reached. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
  readonly close?: () => Promise<void>;
};

/** Opens the way to a server. Reads no file and makes no call before the first that is asked of it. */
export function openAccess(access: ServerAccess, environment: AccessEnvironment): OpenedAccess {
  if ('client' in access) return access;
  const { clock, random } = environment;
  const { name, definitions = [] } = access;
  const server = access.transport === undefined ? configuredServer(access, environment) : undefined;
  const transport = withUserAgent(server?.transport ?? (access.transport as Transport), name);
  const namespace = async (): Promise<string> => (await server?.context())?.namespace ?? 'default';
  const election = electionOver(transport, namespace, access, environment);
  const onWarning = warningLogger(environment.log);
  const clientOver = (way: Transport): Client =>
    createClient(withRetry(way, { clock, random }), { onWarning });
  const bare = clientOver(transport);
  return {
    client: election === undefined ? bare : clientOver(election.transport),
    ...(election === undefined ? {} : { election }),
    async prepare(signal) {
      await server?.context();
      // Not over the election's transport: they are the same from every replica, and standing by needs them.
      await installDefinitions(bare, definitions, { fieldManager: name, signal, clock, random });
    },
    ...(server === undefined ? {} : { close: () => server.transport.close() }),
  };
}

/** So many different texts are remembered; then all may come again. */
const WARNINGS = 1000;

/** Logs each warning of the server once, as controller-runtime does: a deprecated version warns at every call. */
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
  const choice = {
    clock,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(contextName === undefined ? {} : { context: contextName }),
  };
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
