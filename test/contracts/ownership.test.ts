import type { Transport } from '@kubewright/kube';
import { atRestContract } from '../../packages/operators/src/ownership/rest/at-rest.contract.ts';
import { badManifestsContract } from '../../packages/operators/src/ownership/bad-manifests.contract.ts';
import { customResourceContract } from '../../packages/operators/src/ownership/custom-resource.contract.ts';
import { deletionContract } from '../../packages/operators/src/ownership/deletion.contract.ts';
import { detectionContract } from '../../packages/operators/src/ownership/detection.contract.ts';
import { disableSsaContract } from '../../packages/operators/src/ownership/disable-ssa.contract.ts';
import { droppedContract } from '../../packages/operators/src/ownership/dropped.contract.ts';
import { patchOrderContract } from '../../packages/operators/src/ownership/patch-order.contract.ts';
import { processSettingsContract } from '../../packages/operators/src/ownership/process-settings.contract.ts';
import { guardsContract } from '../../packages/operators/src/ownership/guards.contract.ts';
import { heldClaimContract } from '../../packages/operators/src/ownership/held-claim.contract.ts';
import { readinessContract } from '../../packages/operators/src/ownership/readiness.contract.ts';
import { jobContract } from '../../packages/operators/src/ownership/job.contract.ts';
import { lostOwnershipContract } from '../../packages/operators/src/ownership/lost-ownership.contract.ts';
import { migrationMetricsContract } from '../../packages/operators/src/ownership/migration-metrics.contract.ts';
import { migrationContract } from '../../packages/operators/src/ownership/migration.contract.ts';
import { overridesContract } from '../../packages/operators/src/ownership/overrides.contract.ts';
import { protocolContract } from '../../packages/operators/src/ownership/protocol.contract.ts';
import { releaseContract } from '../../packages/operators/src/ownership/release.contract.ts';
import { rollbackContract } from '../../packages/operators/src/ownership/rollback.contract.ts';
import { startStatesContract } from '../../packages/operators/src/ownership/start-states.contract.ts';
import { removalsContract } from '../../packages/operators/src/ownership/removals.contract.ts';
import { replaceContract } from '../../packages/operators/src/ownership/replace.contract.ts';
import { sharedObjectsContract } from '../../packages/operators/src/ownership/shared-objects.contract.ts';
import { wantedByOthersContract } from '../../packages/operators/src/ownership/wanted-by-others.contract.ts';
import { toolsBesideContract } from '../../packages/operators/src/ownership/tools-beside.contract.ts';
import { shardsContract } from '../../packages/operators/src/ownership/shards.contract.ts';
import { versionsContract } from '../../packages/operators/src/ownership/versions.contract.ts';
import { workloadsContract } from '../../packages/operators/src/ownership/workloads.contract.ts';
import { storedFormContract } from '../../packages/operators/src/ownership/stored-form.contract.ts';
import { removedVersionContract } from '../../packages/operators/src/ownership/removed-version.contract.ts';
import { watchedKindsContract } from '../../packages/operators/src/ownership/rest/watched-kinds.contract.ts';
import { describeClusters } from '../servers/describe-clusters.ts';

const SUITES = [
  atRestContract,
  watchedKindsContract,
  jobContract,
  heldClaimContract,
  readinessContract,
  deletionContract,
  overridesContract,
  patchOrderContract,
  droppedContract,
  processSettingsContract,
  shardsContract,
  sharedObjectsContract,
  toolsBesideContract,
  wantedByOthersContract,
  badManifestsContract,
  storedFormContract,
  replaceContract,
  protocolContract,
  versionsContract,
  removedVersionContract,
  lostOwnershipContract,
  detectionContract,
  migrationContract,
  migrationMetricsContract,
  removalsContract,
  startStatesContract,
  releaseContract,
  rollbackContract,
  disableSsaContract,
  guardsContract,
  customResourceContract,
  workloadsContract,
];

describeClusters('operator ownership', [], (transport) => {
  // It ends with the cluster, not with a suite.
  const shared = (): Transport => ({
    request: (request) => transport().request(request),
    close: () => Promise.resolve(),
  });
  for (const suite of SUITES) suite(() => ({ transport: shared }));
});
