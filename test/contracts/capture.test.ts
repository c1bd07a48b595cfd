import { StorageBackend } from '@kubewright/cluster';
import { systemClock } from '@kubewright/client';
import { authorsContract } from '../../packages/operators/src/capture/authors.contract.ts';
import { captureContract } from '../../packages/operators/src/capture/capture.contract.ts';
import { checkpointsContract } from '../../packages/operators/src/capture/checkpoints.contract.ts';
import { detachContract } from '../../packages/operators/src/capture/detach.contract.ts';
import { keepersContract } from '../../packages/operators/src/capture/keepers.contract.ts';
import { restoreContract } from '../../packages/operators/src/capture/restore.contract.ts';
import { lifetimeContract } from '../../packages/operators/src/capture/lifetime.contract.ts';
import { describeClusters } from '../servers/describe-clusters.ts';

const backend = new StorageBackend({ clock: systemClock });
const controllers = [
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
] as const;

describeClusters(
  'operator capture',
  { controllers, storage: { backend, backoff: { baseMs: 20, maxMs: 200 } } },
  (transport) => {
    captureContract(transport, backend);
    checkpointsContract(transport);
    restoreContract(transport);
    keepersContract(transport);
    lifetimeContract(transport, backend);
    authorsContract(transport);
    detachContract(transport, backend);
  },
);
