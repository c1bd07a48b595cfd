import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountCredentials, ContainerStart } from '../runtime/container-runtime.ts';

const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** A kubeconfig of a container's service account: threads have no file system of their own to mount it in. */
export type AccountFile = {
  /** How programs find it, and that they are in a cluster. */
  readonly env: Readonly<Record<string, string>>;
  readonly remove: () => Promise<void>;
};

/** Undefined for a container that is not given its account. */
export async function accountFile(
  { container, pod, account }: ContainerStart,
  server: string | undefined,
): Promise<AccountFile | undefined> {
  const isMounted = (container.volumeMounts ?? []).some(({ mountPath }) => mountPath === MOUNT);
  if (!isMounted || account === undefined || server === undefined) return undefined;
  const config = kubeconfigOf(await account(), server, pod.metadata.namespace);
  const folder = await mkdtemp(join(tmpdir(), 'kubewright-account-'));
  const path = join(folder, 'kubeconfig');
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
  const { hostname, port } = new URL(server);
  return {
    env: {
      KUBECONFIG: path,
      KUBERNETES_SERVICE_HOST: hostname.replace(/^\[|\]$/g, ''),
      KUBERNETES_SERVICE_PORT: port === '' ? '443' : port,
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function kubeconfigOf({ token, ca }: AccountCredentials, server: string, namespace: string) {
  const name = 'pod';
  const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
  };
}
