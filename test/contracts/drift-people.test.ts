import { peopleContract } from '../../packages/operators/src/drift/people.contract.ts';
import { managerOutsideContract } from '../../packages/kubewright/src/cli/manager-outside.contract.ts';
import { describeClusters } from '../servers/describe-clusters.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeServers('operator drift', (server) => peopleContract(() => server().transport()));
describeClusters(
  'operator drift',
  { controllers: ['garbage-collector-controller'], kubectl: true },
  (transport, _nodes, kubeconfigPath) =>
    managerOutsideContract(() => ({ transport, kubeconfigPath: kubeconfigPath() })),
);
