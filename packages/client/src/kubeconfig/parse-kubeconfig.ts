import { dirname, isAbsolute, resolve } from 'node:path';
import { defined, yamlErrorText } from '@kubewright/kube';
import { parse } from 'yaml';
import { localError } from '../errors/api-error.ts';
import type {
  ExecConfig,
  Impersonation,
  Kubeconfig,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigUser,
} from './kubeconfig.ts';
import { list, record, type Scalars, text, texts } from './scalars.ts';

/**
 * One kubeconfig file, read from `file`: paths in it are relative to that file's folder.
 *
 * Read with YAML's failsafe schema: every scalar is a string, so that no token turns into a number or a boolean.
 */
export function parseKubeconfig(source: string, file: string): Kubeconfig {
  const decoded = decode(source, file);
  if (decoded !== null && (typeof decoded !== 'object' || Array.isArray(decoded)))
    throw localError(
      'InvalidConfig',
      `${file} is not a kubeconfig: expected "clusters", "users" and "contexts"`,
    );
  const root = record(decoded);
  const at = (path: string | undefined): string | undefined =>
    path === undefined || isAbsolute(path) ? path : resolve(dirname(file), path);
  return {
    clusters: named(root, 'clusters', 'cluster', (entry) => parseCluster(entry, at)),
    users: named(root, 'users', 'user', (entry) => parseUser(entry, at)),
    contexts: named(root, 'contexts', 'context', parseContext),
    currentContext: text(root, 'current-context'),
    files: [file],
  };
}

function decode(source: string, file: string): unknown {
  try {
    return parse(source, { schema: 'failsafe', maxAliasCount: 0 });
  } catch (error) {
    throw localError('InvalidConfig', `${file} is not a kubeconfig: ${yamlErrorText(error)}`);
  }
}

function named<T>(
  root: Scalars,
  plural: string,
  singular: string,
  parseEntry: (entry: Scalars) => T,
): ReadonlyMap<string, T> {
  const result = new Map<string, T>();
  for (const item of list(root, plural)) {
    const entry = record(item);
    const name = text(entry, 'name');
    if (name !== undefined && !result.has(name)) result.set(name, parseEntry(record(entry[singular])));
  }
  return result;
}

type At = (path: string | undefined) => string | undefined;

function parseCluster(entry: Scalars, at: At): KubeconfigCluster {
  return defined({
    server: text(entry, 'server') ?? '',
    certificateAuthority: at(text(entry, 'certificate-authority')),
    certificateAuthorityData: base64(entry, 'certificate-authority-data'),
    insecureSkipTlsVerify: text(entry, 'insecure-skip-tls-verify') === 'true' ? true : undefined,
    tlsServerName: text(entry, 'tls-server-name'),
    proxyUrl: text(entry, 'proxy-url'),
  });
}

function parseUser(entry: Scalars, at: At): KubeconfigUser {
  return defined({
    clientCertificate: at(text(entry, 'client-certificate')),
    clientCertificateData: base64(entry, 'client-certificate-data'),
    clientKey: at(text(entry, 'client-key')),
    clientKeyData: base64(entry, 'client-key-data'),
    token: text(entry, 'token'),
    tokenFile: at(text(entry, 'tokenFile')),
    username: text(entry, 'username'),
    password: text(entry, 'password'),
    impersonate: parseImpersonation(entry),
    exec: parseExec(record(entry['exec']), at),
  });
}

function parseImpersonation(entry: Scalars): Impersonation | undefined {
  const user = text(entry, 'as');
  const groups = texts(entry, 'as-groups');
  const uid = text(entry, 'as-uid');
  const extra = record(entry['as-user-extra']);
  const keys = Object.keys(extra);
  if (user === undefined) {
    if (groups.length > 0 || uid !== undefined || keys.length > 0) {
      throw localError(
        'InvalidConfig',
        'a user impersonates groups, a uid or extra values, but nobody (`as`)',
      );
    }
    return undefined;
  }
  return defined({
    user,
    uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: keys.length === 0 ? undefined : Object.fromEntries(keys.map((key) => [key, texts(extra, key)])),
  });
}

function parseExec(entry: Scalars, at: At): ExecConfig | undefined {
  const command = text(entry, 'command');
  if (command === undefined) return undefined;
  const env = list(entry, 'env').map((item) => record(item));
  return defined({
    apiVersion: text(entry, 'apiVersion') ?? '',
    // A bare name is looked for on the PATH; a relative path is the kubeconfig's.
    command: command.includes('/') ? (at(command) ?? command) : command,
    args: texts(entry, 'args'),
    env: Object.fromEntries(env.map((item) => [text(item, 'name') ?? '', text(item, 'value') ?? ''])),
    installHint: text(entry, 'installHint'),
    provideClusterInfo: text(entry, 'provideClusterInfo') === 'true',
    interactiveMode: text(entry, 'interactiveMode') ?? 'IfAvailable',
  });
}

function parseContext(entry: Scalars): KubeconfigContext {
  return defined({
    cluster: text(entry, 'cluster') ?? '',
    user: text(entry, 'user') ?? '',
    namespace: text(entry, 'namespace'),
  });
}

function base64(entry: Scalars, key: string): string | undefined {
  const value = text(entry, key);
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
}
