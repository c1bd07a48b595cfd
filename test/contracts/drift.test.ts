import { describe, expect } from 'vitest';
import { annotationsContract } from '../../packages/operators/src/drift/annotations.contract.ts';
import { approvalPoliciesContract } from '../../packages/operators/src/drift/approval-policies.contract.ts';
import { approvalsContract } from '../../packages/operators/src/drift/approvals.contract.ts';
import { brakeContract } from '../../packages/operators/src/drift/brake.contract.ts';
import { driftCommandsContract } from '../../packages/operators/src/drift/commands.contract.ts';
import { causesContract } from '../../packages/operators/src/drift/causes.contract.ts';
import { copyingContract } from '../../packages/operators/src/drift/copying.contract.ts';
import { coverageContract } from '../../packages/operators/src/drift/coverage.contract.ts';
import { decisionLogContract } from '../../packages/operators/src/drift/decision-log.contract.ts';
import { driftContract } from '../../packages/operators/src/drift/drift.contract.ts';
import { failuresContract } from '../../packages/operators/src/drift/failures.contract.ts';
import { identityContract } from '../../packages/operators/src/drift/identity.contract.ts';
import { driftReportsContract } from '../../packages/operators/src/drift/reports.contract.ts';
import { outageContract } from '../../packages/operators/src/drift/outage.contract.ts';
import { ownersContract } from '../../packages/operators/src/drift/owners.contract.ts';
import { profilesContract } from '../../packages/operators/src/drift/profiles.contract.ts';
import { planContract } from '../../packages/operators/src/drift/plan.contract.ts';
import { policiesContract } from '../../packages/operators/src/drift/policies.contract.ts';
import { realControllersContract } from '../../packages/operators/src/drift/real-controllers.contract.ts';
import { recordsContract } from '../../packages/operators/src/drift/records.contract.ts';
import { reownedContract } from '../../packages/operators/src/drift/reowned.contract.ts';
import { rolloutsContract } from '../../packages/operators/src/drift/rollouts.contract.ts';
import { toolsContract } from '../../packages/operators/src/drift/tools.contract.ts';
import { workloadsContract } from '../../packages/operators/src/drift/workloads.contract.ts';
import { driftProcessesContract } from '../../packages/kubewright/src/cli/drift-processes.contract.ts';
import { findKubectl } from '../../tools/assets/find.mjs';
import { describeClusters } from '../servers/describe-clusters.ts';
import { describeServers } from '../servers/describe-servers.ts';
import { fewUnlessReal } from '../servers/real-side.ts';
import { driftKubectlContract } from './drift-kubectl.contract.ts';
import { onceContract } from './drift-once.contract.ts';

const controllers = [
  'deployment-controller',
  'replicaset-controller',
  'horizontal-pod-autoscaler-controller',
  'garbage-collector-controller',
  'namespace-controller',
] as const;

describeServers('operator drift', (server) => driftContract(() => server().transport()));
describeServers('operator drift', (server) => causesContract(() => server().transport()));
describeServers('operator drift', (server) => coverageContract(() => server().transport()));
describeServers('operator drift', (server) => profilesContract(() => server().transport()));
describeServers('operator drift', (server) => copyingContract(() => server().transport()));
describeServers('operator drift', (server) => toolsContract(() => server().transport()));
describeServers('operator drift', (server) => realControllersContract(() => server().transport()));
describeServers('operator drift', (server) => reownedContract(() => server().transport()));
describeServers('operator drift', (server) => approvalsContract(() => server().transport()));
describeServers('operator drift', (server) => driftCommandsContract(() => server().transport()));
describeServers('operator drift', (server) => decisionLogContract(() => server().transport()));
describeServers('operator drift', (server) => driftReportsContract(() => server().transport()));
describeServers('operator drift', (server) => approvalPoliciesContract(() => server().transport()));
describeServers('operator drift', (server) => brakeContract(() => server().transport()));
describeServers('operator drift', (server) => outageContract(() => server().transport()));
describeServers('operator drift', (server) => planContract(() => server().transport()));
describeServers('operator drift', (server) => policiesContract(() => server().transport()));
describeServers('operator drift', (server) => recordsContract(() => server().transport()));
describeServers('operator drift', (server) => annotationsContract(() => server().transport()));
describeServers('operator drift', (server) => identityContract(() => server().transport()));
describeServers('operator drift', (server) => failuresContract(() => server().transport()));
describeClusters('operator drift', { controllers: ['garbage-collector-controller'] }, ownersContract);
describeServers('operator drift', (server) => onceContract(() => server().transport()));
/** Drift and the controllers of Kubernetes: with which of them, and what they do. */
const AT_WORK = [
  [controllers, rolloutsContract],
  [[...controllers, 'job-controller', 'cronjob-controller', 'disruption-controller'], workloadsContract],
] as const;
for (const [names, contract] of fewUnlessReal(1, AT_WORK))
  describeClusters(
    'operator drift',
    { controllers: names, nodes: 2, credentials: true, longer: true },
    contract,
  );
describeClusters(
  'operator drift',
  { controllers: ['garbage-collector-controller'], kubectl: true },
  (transport, _nodes, kubeconfigPath) =>
    driftProcessesContract(() => ({ transport, kubeconfigPath: kubeconfigPath() })),
);

if (findKubectl() === undefined)
  describe.skip("drift and kubectl [needs kubectl: Debian's kubernetes-client, or npm run assets]", () =>
    driftKubectlContract(
      () => expect.fail(),
      () => expect.fail(),
      () => '',
    ));
else
  describeClusters(
    'operator drift',
    { controllers, nodes: 2, credentials: true, kubectl: true },
    driftKubectlContract,
  );
