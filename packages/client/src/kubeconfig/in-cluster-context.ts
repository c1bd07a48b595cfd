import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '@kubewright/kube';
import { localError } from '../errors/api-error.ts';
import type { ResolvedContext } from './kubeconfig-transport.ts';
import { tokenFile } from './token-file.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export type InClusterOptions = {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Folder with `token`, `ca.crt` and `namespace`. */
  readonly folder?: string;
  readonly clock?: Clock;
};

/** True inside a pod that has a service account. */
export function isInCluster(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return env['KUBERNETES_SERVICE_HOST'] !== undefined && env['KUBERNETES_SERVICE_PORT'] !== undefined;
}

/**
 * The pod's own service account. The kubelet rotates the token, so it is read again; so is the CA, for each connection.
 * https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/
 */
export async function inClusterContext(options: InClusterOptions = {}): Promise<ResolvedContext> {
  const { env = process.env, folder = SERVICE_ACCOUNT, clock = systemClock } = options;
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (host === undefined || port === undefined) {
    throw localError('InvalidConfig', 'not in a pod: KUBERNETES_SERVICE_HOST and _PORT are not set');
  }
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    name: 'in-cluster',
    namespace: await namespaceOf(folder),
    options: {
      url,
      clock,
      authorizer: tokenFile(join(folder, 'token'), clock),
      tls: async () => ({ ca: await readFile(join(folder, 'ca.crt')) }),
    },
  };
}

async function namespaceOf(folder: string): Promise<string> {
  try {
    return (await readFile(join(folder, 'namespace'), 'utf8')).trim();
  } catch {
    return 'default';
  }
}
