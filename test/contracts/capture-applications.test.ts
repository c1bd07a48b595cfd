import { describeClusters } from '../servers/describe-clusters.ts';
import {
  APPLICATION_CONTROLLERS,
  captureApplicationsContract,
} from './capture-applications/capture-applications.contract.ts';

describeClusters(
  'applications that capture restores',
  // The API listens, so that it finds the one that reads checkpoints: while one is missing, no namespace is deleted.
  { accounts: true, nodes: 2, storage: true, kubectl: true, controllers: APPLICATION_CONTROLLERS },
  (transport) => captureApplicationsContract(transport),
);
