import { describeClusters } from '../servers/describe-clusters.ts';
import { driftReplicasContract } from './drift-replicas.contract.ts';

describeClusters(
  'operator drift',
  { controllers: ['garbage-collector-controller'], kubectl: true, longer: true },
  (transport, _nodes, kubeconfigPath) => driftReplicasContract(transport, kubeconfigPath),
);
