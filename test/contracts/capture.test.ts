import { StorageBackend } from '@kubewright/cluster';
import { systemClock } from '@kubewright/client';
import { authorsContract } from '../../packages/operators/src/capture/authors.contract.ts';
import { captureContract } from '../../packages/operators/src/capture/capture.contract.ts';
import { checkpointsContract } from '../../packages/operators/src/capture/checkpoints.contract.ts';
import { detachContract } from '../../packages/operators/src/capture/detach.contract.ts';
import { expiryContract } from '../../packages/operators/src/capture/expiry.contract.ts';
import { keepersContract } from '../../packages/operators/src/capture/keepers.contract.ts';
import {
  LOSE_RESPONSE,
  restoreClaimsContract,
} from '../../packages/operators/src/capture/restore-claims.contract.ts';
import { restoreContract } from '../../packages/operators/src/capture/restore.contract.ts';
import { restoreOrderContract } from '../../packages/operators/src/capture/restore-order.contract.ts';
import { applicationsContract } from '../../packages/operators/src/capture/applications.contract.ts';
import { lifetimeContract } from '../../packages/operators/src/capture/lifetime.contract.ts';
import { schedulesContract } from '../../packages/operators/src/capture/schedules.contract.ts';
import { selectionsContract } from '../../packages/operators/src/capture/selections.contract.ts';
import { describeClusters } from '../servers/describe-clusters.ts';
import { CAPTURE_CONTROLLERS } from './capture-controllers.ts';
import { captureReadApiContract } from './capture-read-api.contract.ts';

const calls = new Set<string>();
const log: string[] = [];
const backend = new StorageBackend({
  clock: systemClock,
  behave({ operation, name, attempt, parameters }) {
    calls.add(`${operation} ${name}`);
    log.push(`${operation} ${name}`);
    return parameters[LOSE_RESPONSE] === 'true' && attempt === 1 ? { lost: true } : undefined;
  },
});
describeClusters(
  'operator capture',
  // The manager authenticates the API server by what a listening one publishes.
  {
    controllers: CAPTURE_CONTROLLERS,
    kubectl: true,
    storage: { backend, backoff: { baseMs: 20, maxMs: 200 } },
  },
  (transport) => {
    captureContract(transport, backend);
    checkpointsContract(transport);
    selectionsContract(transport);
    restoreContract(transport);
    restoreOrderContract(transport);
    keepersContract(transport);
    lifetimeContract(transport, backend);
    expiryContract(transport, {
      log,
      snapshots: () => backend.snapshots(),
      write: (handle, path, text) => backend.write(handle, path, text),
      volume: (handle) => backend.volume(handle),
    });
    applicationsContract(transport, {
      write: (handle, path, text) => backend.write(handle, path, text),
      volume: (handle) => backend.volume(handle),
    });
    schedulesContract(transport);
    authorsContract(transport);
    detachContract(transport, backend);
    captureReadApiContract(transport);
    restoreClaimsContract(transport, { volumes: () => backend.volumes(), calls });
  },
);
