import { restoreChecksContract } from '../../packages/operators/src/capture/restore-checks.contract.ts';
import { restoreElsewhereContract } from '../../packages/operators/src/capture/restore-elsewhere.contract.ts';
import { leftOutContract } from '../../packages/operators/src/capture/left-out.contract.ts';
import { describeClusters } from '../servers/describe-clusters.ts';

describeClusters(
  'restores of capture, where pods need accounts',
  {
    accounts: true,
    controllers: [
      'garbage-collector-controller',
      'namespace-controller',
      'serviceaccount-controller',
      'resourcequota-controller',
      'endpoints-controller',
      'endpointslice-controller',
    ],
  },
  (transport) => {
    restoreChecksContract(transport);
    restoreElsewhereContract(transport);
    leftOutContract(transport);
  },
);
