import { Cluster, servePrometheus } from '@kubewright/cluster';
import type { ClusterOptions } from '../command-options.ts';
import type { Terminal } from '../terminal.ts';
import { writeKubeconfig } from './kubeconfig-file.ts';
import { listening, untilStopped } from './serve-api.ts';
import { workerImages } from './worker-images.ts';

/** A cluster that listens, and the file by which kubectl finds it. */
export type ServedCluster = {
  readonly cluster: Cluster;
  readonly url: string;
  readonly kubeconfig: string;
  /** Where Prometheus' HTTP API answers for the cluster. */
  readonly prometheus: string;
};

/**
 * Starts the embedded cluster and writes its kubeconfig; calls `use`, and stops the cluster when the terminal's signal
 * is aborted, or when `use` or a part of the cluster has failed.
 */
export async function serveCluster(
  { port, nodes, kubeconfigOut, image = [] }: ClusterOptions,
  terminal: Terminal,
  use: (served: ServedCluster) => Promise<void>,
): Promise<void> {
  // Before the cluster, and so closed after it: its kubelets start again what ends.
  let url: string | undefined;
  await using workers = workerImages(image, terminal.cwd, () => url);
  await using cluster = await listening(
    Cluster.start({ nodes: { nodes, runtimes: [workers] }, listen: { port } }),
    port,
  );
  ({ url } = cluster);
  await using prometheus = await servePrometheus(cluster.transport());
  const file = await writeKubeconfig(kubeconfigOut, cluster.server.kubeconfig(), terminal.cwd);
  try {
    const served = { cluster, url: cluster.url ?? '', kubeconfig: file.path, prometheus: prometheus.url };
    const used = use(served);
    await Promise.race([used.then(() => untilStopped(terminal)), cluster.ended]);
  } finally {
    await file.remove();
  }
}
