import { WorkerRuntime } from '@kubewright/cluster';
import type { Transport } from '@kubewright/kube';
import { afterAll } from 'vitest';
import { synthesizersContract } from '../../packages/operators/src/ownership/synthesizers.contract.ts';
import { describeClusters } from '../servers/describe-clusters.ts';

const FUNCTION = 'function:1';
const workers = new WorkerRuntime({ images: { [FUNCTION]: new URL('./function.mjs', import.meta.url) } });
afterAll(() => workers.close());

describeClusters(
  'operator ownership',
  { controllers: [], nodes: { nodes: 1, runtimes: [workers] } },
  (transport) => {
    // It ends with the cluster, not with the suite.
    const shared = (): Transport => ({
      request: (request) => transport().request(request),
      close: () => Promise.resolve(),
    });
    synthesizersContract(() => ({ transport: shared }), FUNCTION);
  },
);
