import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../support/child.ts';

/**
 * Starts kube-controller-manager from the folder `assets` with these controllers only, as the user of a kubeconfig.
 * Returns how to stop it.
 */
export function startControllerManager(
  assets: string,
  kubeconfig: string,
  controllers: readonly string[],
  flags: readonly string[] = [],
): () => Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-controllers-'));
  const log = join(directory, 'kube-controller-manager.log');
  const options = [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${controllers.join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
    // Tests have little time, and this server has no other clients.
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
    // The resync period of unbound claims.
    '--pvclaimbinder-sync-period=1s',
    '--node-monitor-period=500ms',
    ...flags,
    // The sync period of autoscalers.
    '--horizontal-pod-autoscaler-sync-period=1s',
  ];
  const child = startChild(join(assets, 'kube-controller-manager'), options, log, directory);
  return async () => {
    await child.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
}
