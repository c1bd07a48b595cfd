import { localError } from '../errors/api-error.ts';
import type { ExecConfig, KubeconfigUser } from './kubeconfig.ts';

/** Throws `InvalidConfig` for credentials that client-go rejects, and for those that nobody here can obtain. */
export function checkUser(user: KubeconfigUser, of: string): void {
  const problem = problemOf(user);
  if (problem !== undefined) throw localError('InvalidConfig', `${of} ${problem}`);
}

function problemOf(user: KubeconfigUser): string | undefined {
  const hasToken = (user.token ?? user.tokenFile) !== undefined;
  const hasPassword = (user.username ?? user.password) !== undefined;
  if (hasToken && hasPassword) return 'has a token and a password: keep one of them';
  if (user.exec !== undefined) return pluginProblem(user, user.exec);
  if (user.authProvider === undefined || hasToken || hasPassword) return certificateProblem(user);
  return (
    `uses the auth-provider "${user.authProvider}", which is not supported: ` +
    'write a token, a client certificate or an exec plugin (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins) instead'
  );
}

function pluginProblem(user: KubeconfigUser, { command, apiVersion }: ExecConfig): string | undefined {
  if (user.authProvider !== undefined) return 'has an auth-provider and an exec plugin: keep one of them';
  if (command === '') return 'has an exec plugin without a command';
  if (apiVersion === '') return 'has an exec plugin without an apiVersion';
  return certificateProblem(user);
}

function certificateProblem(user: KubeconfigUser): string | undefined {
  const { clientCertificate: file, clientCertificateData: data, clientKey, clientKeyData } = user;
  if ((file ?? data) === undefined) return undefined;
  if ((clientKey ?? clientKeyData) === undefined) return 'has a client certificate without a key';
  if (file !== undefined && data !== undefined)
    return 'has client-certificate and client-certificate-data: keep one of them';
  return clientKey !== undefined && clientKeyData !== undefined
    ? 'has client-key and client-key-data: keep one of them'
    : undefined;
}
