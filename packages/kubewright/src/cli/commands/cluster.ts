import { OPERATORS } from '@kubewright/operators';
import { demoImages } from '../../run/demo-images.ts';
import { managerImages } from '../../run/manager-images.ts';
import { serveCluster } from '../../run/serve-cluster.ts';
import type { ClusterOptions, ImageScript } from '../../command-options.ts';
import type { Terminal } from '../../terminal.ts';

/** `kubewright cluster`: the embedded API with controllers, scheduler and nodes that also run the manager and demos, until a signal. */
export async function cluster(options: ClusterOptions, terminal: Terminal): Promise<void> {
  const { image = [] } = options;
  const images = [...image, ...ownImages(image)];
  await serveCluster({ ...options, image: images }, terminal, async ({ url, kubeconfig, prometheus }) => {
    if (!terminal.signal.aborted)
      terminal.out(`API         ${url}\nkubeconfig  ${kubeconfig}\nPrometheus  ${prometheus}\nready\n`);
  });
}

/** Those that nobody else has given a file. */
function ownImages(others: readonly ImageScript[]): readonly ImageScript[] {
  return [...managerImages(), ...demoImages(OPERATORS)].filter(
    ({ name }) => !others.some((other) => other.name === name),
  );
}
