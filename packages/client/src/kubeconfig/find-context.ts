import { inClusterContext, type InClusterOptions, isInCluster } from './in-cluster-context.ts';
import { type KubeconfigChoice, type ResolvedContext, resolveContext } from './kubeconfig-transport.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';

export type FindContextOptions = KubeconfigChoice &
  InClusterOptions & {
    /** Set by the user; takes precedence over everything else. */
    readonly kubeconfig?: string;
    /** Ends the wait for a kubeconfig that is a pipe. */
    readonly signal?: AbortSignal;
  };

/**
 * The cluster that a controller works on, in controller-runtime's order: the kubeconfig that the user named, `KUBECONFIG`,
 * the pod's own service account, `~/.kube/config`.
 *
 * @example `const { options } = await findContext(); const transport = withRetry(createTransport(options));`
 */
export async function findContext(options: FindContextOptions = {}): Promise<ResolvedContext> {
  const { env = process.env, kubeconfig, signal } = options;
  const named = kubeconfig || env['KUBECONFIG'] || '';
  if (named === '' && isInCluster(env)) return inClusterContext(options);
  return resolveContext(await loadKubeconfig(kubeconfig, env, signal), options);
}
