import { execFile, type ExecFileException } from 'node:child_process';
import { type Clock, getOwn, isJsonObject, type Json, type JsonObject, parseJson } from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';
import type { Authorizer, TlsMaterial } from '../transport/transport-options.ts';
import type { ExecConfig, KubeconfigCluster } from './kubeconfig.ts';

const VERSIONS: ReadonlySet<string> = new Set([
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
]);
const MAX_OUTPUT_BYTES = 1024 * 1024;

type Credential = {
  readonly authorization: string | undefined;
  readonly tls: TlsMaterial;
  /** Wall time in milliseconds; `Infinity` where the plugin sets none. */
  readonly expires: number;
};

export type ExecCredentials = Authorizer & { tls(): Promise<TlsMaterial> };

/**
 * Credentials from an exec plugin. Runs it without a shell, once at a time: for the first call, when the credentials have
 * expired, and after a 401.
 */
export function execCredentials(
  config: ExecConfig,
  cluster: KubeconfigCluster,
  clock: Clock,
): ExecCredentials {
  let last: Credential | undefined;
  let running: Promise<Credential> | undefined;

  const obtain = (): Promise<Credential> => {
    running ??= run(config, cluster).then(
      (credential) => {
        running = undefined;
        last = credential;
        return credential;
      },
      (error: unknown) => {
        running = undefined;
        throw error;
      },
    );
    return running;
  };
  const current = (): Credential | undefined =>
    last !== undefined && clock.now() < last.expires ? last : undefined;

  return {
    header() {
      const known = current();
      return known === undefined ? obtain().then(({ authorization }) => authorization) : known.authorization;
    },
    reset() {
      last = undefined;
    },
    async tls() {
      return (current() ?? (await obtain())).tls;
    },
  };
}

async function run(config: ExecConfig, cluster: KubeconfigCluster): Promise<Credential> {
  if (!VERSIONS.has(config.apiVersion)) {
    throw localError(
      'InvalidConfig',
      `exec plugin ${config.command}: unknown apiVersion ${config.apiVersion}`,
    );
  }
  if (config.interactiveMode === 'Always') {
    throw localError('InvalidConfig', `exec plugin ${config.command} wants a terminal, which is not offered`);
  }
  const env = {
    ...process.env,
    ...config.env,
    KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(config, cluster)),
  };
  return parseCredential(await output(config, env), config);
}

function execInfo(config: ExecConfig, cluster: KubeconfigCluster): JsonObject {
  const about = {
    server: cluster.server,
    ...(cluster.tlsServerName === undefined ? {} : { 'tls-server-name': cluster.tlsServerName }),
    ...(cluster.proxyUrl === undefined ? {} : { 'proxy-url': cluster.proxyUrl }),
    ...(cluster.insecureSkipTlsVerify === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...(cluster.certificateAuthorityData === undefined
      ? {}
      : { 'certificate-authority-data': Buffer.from(cluster.certificateAuthorityData).toString('base64') }),
  };
  return {
    apiVersion: config.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(config.provideClusterInfo ? { cluster: about } : {}) },
  };
}

function output(config: ExecConfig, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env, maxBuffer: MAX_OUTPUT_BYTES, shell: false };
    const child = execFile(config.command, [...config.args], options, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
        return;
      }
      const hint =
        error.code === 'ENOENT' && config.installHint !== undefined ? `\n${config.installHint}` : '';
      const output = stderr.trim() === '' ? howItEnded(error) : stderr.trim();
      reject(localError('InvalidConfig', `exec plugin ${config.command} failed: ${output}${hint}`));
    });
    child.stdin?.end();
  });
}

/** Without its arguments, which may be a password: the message of the error has them. */
function howItEnded({ code, signal }: ExecFileException): string {
  if (signal) return `it was ended by ${signal}`;
  return typeof code === 'number' ? `exit code ${code}` : (code ?? 'it did not start');
}

function parseCredential(source: string, config: ExecConfig): Credential {
  const invalid = (what: string): Error =>
    localError('InvalidConfig', `exec plugin ${config.command} printed ${what}`);
  const value = parsedOrNull(source);
  const status = isJsonObject(value) ? getOwn(value, 'status') : undefined;
  if (!isJsonObject(value) || !isJsonObject(status)) throw invalid('no ExecCredential with a status');
  if (getOwn(value, 'apiVersion') !== config.apiVersion)
    throw invalid('another apiVersion than was requested');
  const token = stringOf(status, 'token');
  const cert = stringOf(status, 'clientCertificateData');
  const key = stringOf(status, 'clientKeyData');
  if ((cert ?? token) === undefined) throw invalid('neither a token nor a certificate');
  if ((cert === undefined) !== (key === undefined)) throw invalid('half of a certificate and key');
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  return { authorization, tls: { cert, key }, expires: expiryOf(status) };
}

function parsedOrNull(source: string): Json {
  try {
    return parseJson(source);
  } catch {
    return null;
  }
}

function expiryOf(status: JsonObject): number {
  const expires = Date.parse(stringOf(status, 'expirationTimestamp') ?? '');
  return Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires;
}

function stringOf(object: JsonObject, key: string): string | undefined {
  const value = getOwn(object, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
