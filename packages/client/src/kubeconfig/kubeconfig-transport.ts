import { readFile } from 'node:fs/promises';
import { type Clock, defined, errorText, systemClock, type Transport } from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';
import { createTransport } from '../transport/create-transport.ts';
import { parseProxyUrl } from '../transport/through-proxy.ts';
import {
  type Authorizer,
  staticToken,
  type TlsMaterial,
  type TransportOptions,
} from '../transport/transport-options.ts';
import { type ExecCredentials, execCredentials } from './exec-credentials.ts';
import { impersonationHeaders } from './impersonation-headers.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';
import { checkUser } from './check-user.ts';
import { tokenFile } from './token-file.ts';

export type KubeconfigChoice = {
  /** Default: the kubeconfig's current context. */
  readonly context?: string;
  readonly clock?: Clock;
};

/** A context of a kubeconfig, resolved. */
export type ResolvedContext = {
  readonly name: string;
  readonly namespace: string;
  readonly options: TransportOptions;
};

/** How to reach the cluster of a context, as its user. Throws `InvalidConfig` for an entry that is referenced but missing. */
export function resolveContext(config: Kubeconfig, choice: KubeconfigChoice = {}): ResolvedContext {
  const from = `kubeconfig ${config.files.join(', ')}`;
  const name = choice.context ?? config.currentContext;
  if (name === undefined)
    throw localError(
      'InvalidConfig',
      `${from} has no current context: choose one of ${namesOf(config.contexts)} with "kubectl config use-context"`,
    );
  const context = required(config.contexts, name, `${from} has no context`);
  const cluster = required(config.clusters, context.cluster, `context "${name}" of ${from} has no cluster`);
  const user =
    context.user === ''
      ? {}
      : required(config.users, context.user, `context "${name}" of ${from} has no user`);
  checkServer(cluster.server, `cluster "${context.cluster}" of ${from}`);
  if (cluster.proxyUrl !== undefined) parseProxyUrl(cluster.proxyUrl);
  checkUser(user, `user "${context.user}" of ${from}`);
  const options = transportOptions(cluster, user, choice.clock ?? systemClock);
  return { name, namespace: context.namespace ?? 'default', options };
}

/** A transport to the cluster of a context. */
export function kubeconfigTransport(config: Kubeconfig, choice: KubeconfigChoice = {}): Transport {
  return createTransport(resolveContext(config, choice).options);
}

function transportOptions(cluster: KubeconfigCluster, user: KubeconfigUser, clock: Clock): TransportOptions {
  const own = authorizerOf(user, clock);
  const exec = own === undefined && !hasCertificate(user) ? execOf(user, cluster, clock) : undefined;
  const authorizer = own ?? exec;
  return {
    url: cluster.server,
    clock,
    tls: async () => ({ ...(await exec?.tls()), ...(await tlsFiles(cluster, user)) }),
    ...defined({ authorizer, serverName: cluster.tlsServerName, proxyUrl: cluster.proxyUrl }),
    ...(cluster.insecureSkipTlsVerify === true ? { insecureSkipTlsVerify: true } : {}),
    ...(user.impersonate === undefined ? {} : { headers: impersonationHeaders(user.impersonate) }),
  };
}

/** As in kubectl: a plugin runs only where the user has no credentials of its own. */
function execOf(user: KubeconfigUser, cluster: KubeconfigCluster, clock: Clock): ExecCredentials | undefined {
  return user.exec === undefined ? undefined : execCredentials(user.exec, cluster, clock);
}

function hasCertificate(user: KubeconfigUser): boolean {
  return (user.clientCertificate ?? user.clientCertificateData) !== undefined;
}

/** As in kubectl: a token file takes precedence over a token once it can be read. */
function authorizerOf(user: KubeconfigUser, clock: Clock): Authorizer | undefined {
  if (user.tokenFile !== undefined) return tokenFile(user.tokenFile, clock, user.token);
  if (user.token !== undefined) return staticToken(user.token);
  if (user.username === undefined) return undefined;
  const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
  return { header: () => `Basic ${basic}`, reset: () => undefined };
}

/** Read again for each connection. Inline data takes precedence over a file. */
async function tlsFiles(cluster: KubeconfigCluster, user: KubeconfigUser): Promise<TlsMaterial> {
  const ca = cluster.certificateAuthorityData ?? (await file(cluster.certificateAuthority));
  const cert = user.clientCertificateData ?? (await file(user.clientCertificate));
  const key = user.clientKeyData ?? (await file(user.clientKey));
  return defined({ ca, cert, key });
}

async function file(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw localError('InvalidConfig', `cannot read ${path}: ${errorText(error)}`, error);
  }
}

function required<T>(entries: ReadonlyMap<string, T>, name: string, missing: string): T {
  const entry = entries.get(name);
  if (entry === undefined)
    throw localError('InvalidConfig', `${missing} "${name}": it has ${namesOf(entries)}`);
  return entry;
}

function namesOf(entries: ReadonlyMap<string, unknown>): string {
  return entries.size === 0 ? 'none' : [...entries.keys()].join(', ');
}

const NO_URL = { protocol: '', username: '', password: '' };

/** `localhost:6443` is a URL too, of the scheme `localhost`. */
function checkServer(server: string, of: string): void {
  const { protocol, username, password } = URL.canParse(server) ? new URL(server) : NO_URL;
  const shown = server.replace(/^.*@/s, '…@');
  if (protocol !== 'https:' && protocol !== 'http:')
    throw localError('InvalidConfig', `${of} has the server "${shown}": expected https://host:port`);
  // The address is in logs and errors.
  if (username + password !== '')
    throw localError('InvalidConfig', `${of} has a server with credentials: write them under "users"`);
}
