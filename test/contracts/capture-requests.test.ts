import { adoptionContract } from '../../packages/operators/src/capture/adoption.contract.ts';
import { manifestsContract } from '../../packages/operators/src/capture/manifests.contract.ts';
import { restoreRequestsContract } from '../../packages/operators/src/capture/restore-requests.contract.ts';
import { rightsContract } from '../../packages/operators/src/capture/rights.contract.ts';
import { snapshotSourcesContract } from '../../packages/operators/src/capture/snapshot-sources.contract.ts';
import { snapshotsContract } from '../../packages/operators/src/capture/snapshots.contract.ts';
import { describeClusters } from '../servers/describe-clusters.ts';
import { CAPTURE_CONTROLLERS } from './capture-controllers.ts';

describeClusters(
  'requests of operator capture',
  { controllers: CAPTURE_CONTROLLERS, kubectl: true, storage: true },
  (transport) => {
    manifestsContract(transport);
    snapshotSourcesContract(transport);
    snapshotsContract(transport);
    adoptionContract(transport);
    restoreRequestsContract(transport);
    rightsContract(transport);
  },
);
