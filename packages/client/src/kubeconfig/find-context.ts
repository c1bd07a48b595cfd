import { inClusterContext, type InClusterOptions, isInCluster } from './in-cluster-context.ts';
import { type KubeconfigChoice, type ResolvedContext, resolveContext } from './kubeconfig-transport.ts';
import { proxyFromEnvironment } from '../transport/proxy-from-environment.ts';
import { parseProxyUrl } from '../transport/through-proxy.ts';
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
 * the pod's own service account, `~/.kube/config`. It is called through `HTTPS_PROXY`, unless `NO_PROXY` names it.
 *
 * @example `const { options } = await findContext(); const transport = withRetry(createTransport(options));`
 */
export async function findContext(options: FindContextOptions = {}): Promise<ResolvedContext> {
  const { env = process.env, kubeconfig, signal } = options;
  const named = kubeconfig || env['KUBECONFIG'] || '';
  const isOwn = named === '' && isInCluster(env);
  const context = isOwn
    ? await inClusterContext(options)
    : resolveContext(await loadKubeconfig(kubeconfig, env, signal), options);
  return throughProxy(context, env);
}

/** A kubeconfig's own `proxy-url` has precedence. */
function throughProxy(
  context: ResolvedContext,
  env: Readonly<Record<string, string | undefined>>,
): ResolvedContext {
  const { url, proxyUrl = proxyFromEnvironment(url, env) } = context.options;
  if (proxyUrl === undefined) return context;
  parseProxyUrl(proxyUrl, 'HTTPS_PROXY or HTTP_PROXY');
  return { ...context, options: { ...context.options, proxyUrl } };
}
