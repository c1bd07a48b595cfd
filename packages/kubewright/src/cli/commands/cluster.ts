import { managerImages } from '../../run/manager-images.ts';
import { serveCluster } from '../../run/serve-cluster.ts';
import type { ClusterOptions } from '../../command-options.ts';
import type { Terminal } from '../../terminal.ts';

/** `kubewright cluster`: the embedded API with controllers, scheduler and nodes that also run the manager, until a signal. */
export async function cluster(options: ClusterOptions, terminal: Terminal): Promise<void> {
  const { image = [] } = options;
  const images = [...image, ...managerImages(image)];
  await serveCluster({ ...options, image: images }, terminal, async ({ url, kubeconfig, prometheus }) => {
    if (!terminal.signal.aborted)
      terminal.out(`API         ${url}\nkubeconfig  ${kubeconfig}\nPrometheus  ${prometheus}\nready\n`);
  });
}
