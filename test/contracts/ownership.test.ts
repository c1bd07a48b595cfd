import { customResourceContract } from '../../packages/operators/src/ownership/custom-resource.contract.ts';
import { guardsContract } from '../../packages/operators/src/ownership/guards.contract.ts';
import { jobContract } from '../../packages/operators/src/ownership/job.contract.ts';
import { migrationContract } from '../../packages/operators/src/ownership/migration.contract.ts';
import { removalsContract } from '../../packages/operators/src/ownership/removals.contract.ts';
import { workloadsContract } from '../../packages/operators/src/ownership/workloads.contract.ts';
import { describeClusters } from '../servers/describe-clusters.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeClusters('operator ownership', [], (transport) => jobContract(() => ({ transport })));
describeServers('operator ownership', migrationContract);
describeServers('operator ownership', removalsContract);
describeServers('operator ownership', guardsContract);
describeServers('operator ownership', customResourceContract);
describeServers('operator ownership', workloadsContract);
