import { dirname, isAbsolute, resolve } from 'node:path';
import { defined, errorText, type Json } from '@kubewright/kube';
import { parseYaml } from '@kubewright/kube/yaml';
import { localError } from '../errors/api-error.ts';
import type {
  ExecConfig,
  Impersonation,
  Kubeconfig,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigUser,
} from './kubeconfig.ts';
import { flag, has, type Part, part, partOf, parts, text, texts } from './part.ts';

/**
 * One kubeconfig file, read from `file` as client-go reads it: a token that is a number must be quoted. Paths in it are relative
 * to that file's folder.
 */
export function parseKubeconfig(source: string, file: string): Kubeconfig {
  try {
    return read(decode(source), file);
  } catch (error) {
    throw localError('InvalidConfig', `${file} is not a kubeconfig: ${errorText(error)}`);
  }
}

function read(decoded: Json, file: string): Kubeconfig {
  const root = partOf(decoded, '');
  checkKind(root);
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

function decode(source: string): Json {
  const { value } = parseYaml(source);
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return value;
  throw localError('InvalidConfig', 'expected "clusters", "users" and "contexts"');
}

function checkKind(root: Part): void {
  const [apiVersion, kind] = [text(root, 'apiVersion') ?? 'v1', text(root, 'kind') ?? 'Config'];
  if (apiVersion !== 'v1' || kind !== 'Config')
    throw localError('InvalidConfig', `it is a ${kind} of ${apiVersion}, not a Config of v1`);
}

function named<T>(
  root: Part,
  plural: string,
  singular: string,
  parseEntry: (entry: Part) => T,
): ReadonlyMap<string, T> {
  const result = new Map<string, T>();
  for (const entry of parts(root, plural)) {
    const name = text(entry, 'name') ?? '';
    if (result.has(name)) throw localError('InvalidConfig', `${plural} has "${name}" twice`);
    result.set(name, parseEntry(part(entry, singular)));
  }
  return result;
}

type At = (path: string | undefined) => string | undefined;

function parseCluster(entry: Part, at: At): KubeconfigCluster {
  return defined({
    server: text(entry, 'server') ?? '',
    certificateAuthority: at(text(entry, 'certificate-authority')),
    certificateAuthorityData: base64(entry, 'certificate-authority-data'),
    insecureSkipTlsVerify: flag(entry, 'insecure-skip-tls-verify') ? true : undefined,
    tlsServerName: text(entry, 'tls-server-name'),
    proxyUrl: text(entry, 'proxy-url'),
  });
}

function parseUser(entry: Part, at: At): KubeconfigUser {
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
    exec: has(entry, 'exec') ? parseExec(part(entry, 'exec'), at) : undefined,
    authProvider: has(entry, 'auth-provider')
      ? (text(part(entry, 'auth-provider'), 'name') ?? '')
      : undefined,
  });
}

function parseImpersonation(entry: Part): Impersonation | undefined {
  const user = text(entry, 'as');
  const groups = texts(entry, 'as-groups');
  const uid = text(entry, 'as-uid');
  const extra = part(entry, 'as-user-extra');
  const keys = Object.keys(extra.value);
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

function parseExec(entry: Part, at: At): ExecConfig {
  const command = text(entry, 'command') ?? '';
  const env = parts(entry, 'env');
  return defined({
    apiVersion: text(entry, 'apiVersion') ?? '',
    // A bare name is looked for on the PATH; a relative path is the kubeconfig's.
    command: command.includes('/') ? (at(command) ?? command) : command,
    args: texts(entry, 'args'),
    env: Object.fromEntries(env.map((item) => [text(item, 'name') ?? '', text(item, 'value') ?? ''])),
    installHint: text(entry, 'installHint'),
    provideClusterInfo: flag(entry, 'provideClusterInfo'),
    interactiveMode: text(entry, 'interactiveMode') ?? 'IfAvailable',
  });
}

function parseContext(entry: Part): KubeconfigContext {
  return defined({
    cluster: text(entry, 'cluster') ?? '',
    user: text(entry, 'user') ?? '',
    namespace: text(entry, 'namespace'),
  });
}

const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

/** As Go decodes it: padded, line breaks skipped. */
function base64(entry: Part, key: string): string | undefined {
  const value = text(entry, key)?.replaceAll(/[\r\n]/g, '');
  if (value === undefined) return undefined;
  if (!BASE64.test(value)) throw localError('InvalidConfig', `${entry.path}.${key} is not base64`);
  return Buffer.from(value, 'base64').toString('utf8');
}
