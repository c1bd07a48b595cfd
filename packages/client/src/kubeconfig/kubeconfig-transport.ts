import { readFile } from 'node:fs/promises';
import { type Clock, errorText, systemClock, type Transport } from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';
import { createTransport } from '../transport/create-transport.ts';
import {
  type Authorizer,
  staticToken,
  type TlsMaterial,
  type TransportOptions,
} from '../transport/transport-options.ts';
import { execCredentials } from './exec-credentials.ts';
import { impersonationHeaders } from './impersonation-headers.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';
import { tokenFile } from './token-file.ts';

export type KubeconfigChoice = {
  /** Default: the kubeconfig's current context. */
  readonly context?: string;
  readonly clock?: Clock;
};

/** What one context of a kubeconfig means. */
export type ResolvedContext = {
  readonly name: string;
  readonly namespace: string;
  readonly options: TransportOptions;
};

/** How to reach the cluster of a context, as its user. Throws `InvalidConfig` for what is named but missing. */
export function resolveContext(config: Kubeconfig, choice: KubeconfigChoice = {}): ResolvedContext {
  const name = choice.context ?? config.currentContext;
  if (name === undefined) throw localError('InvalidConfig', 'the kubeconfig has no current context');
  const context = required(config.contexts, name, 'context');
  const cluster = required(config.clusters, context.cluster, 'cluster');
  const user = context.user === '' ? {} : required(config.users, context.user, 'user');
  const options = transportOptions(cluster, user, choice.clock ?? systemClock);
  return { name, namespace: context.namespace ?? 'default', options };
}

/** A transport to the cluster of a context. */
export function kubeconfigTransport(config: Kubeconfig, choice: KubeconfigChoice = {}): Transport {
  return createTransport(resolveContext(config, choice).options);
}

function transportOptions(cluster: KubeconfigCluster, user: KubeconfigUser, clock: Clock): TransportOptions {
  if (!URL.canParse(cluster.server)) {
    throw localError('InvalidConfig', `the cluster's server ${JSON.stringify(cluster.server)} is not a URL`);
  }
  if (cluster.proxyUrl !== undefined) throw localError('InvalidConfig', 'proxy-url is not supported');
  const exec = user.exec === undefined ? undefined : execCredentials(user.exec, cluster, clock);
  const authorizer = authorizerOf(user, clock) ?? exec;
  return {
    url: cluster.server,
    clock,
    tls: async () => ({ ...(await exec?.tls()), ...(await tlsFiles(cluster, user)) }),
    ...(authorizer === undefined ? {} : { authorizer }),
    ...(cluster.tlsServerName === undefined ? {} : { serverName: cluster.tlsServerName }),
    ...(cluster.insecureSkipTlsVerify === true ? { insecureSkipTlsVerify: true } : {}),
    ...(user.impersonate === undefined ? {} : { headers: impersonationHeaders(user.impersonate) }),
  };
}

/** As kubectl: a token file goes before a token, which goes before a password. */
function authorizerOf(user: KubeconfigUser, clock: Clock): Authorizer | undefined {
  if (user.tokenFile !== undefined) return tokenFile(user.tokenFile, clock);
  if (user.token !== undefined) return staticToken(user.token);
  if (user.username === undefined) return undefined;
  const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
  return { header: () => `Basic ${basic}`, reset: () => undefined };
}

/** Read anew for each connection. Data in the kubeconfig goes before a file. */
async function tlsFiles(cluster: KubeconfigCluster, user: KubeconfigUser): Promise<TlsMaterial> {
  const ca = cluster.certificateAuthorityData ?? (await file(cluster.certificateAuthority));
  const cert = user.clientCertificateData ?? (await file(user.clientCertificate));
  const key = user.clientKeyData ?? (await file(user.clientKey));
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

async function file(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw localError('InvalidConfig', `cannot read ${path}: ${errorText(error)}`, error);
  }
}

function required<T>(entries: ReadonlyMap<string, T>, name: string, what: string): T {
  const entry = entries.get(name);
  if (entry === undefined)
    throw localError('InvalidConfig', `the kubeconfig has no ${what} ${JSON.stringify(name)}`);
  return entry;
}
