import { customResourceContract } from '../../packages/operators/src/ownership/custom-resource.contract.ts';
import { jobContract } from '../../packages/operators/src/ownership/job.contract.ts';
import { migrationContract } from '../../packages/operators/src/ownership/migration.contract.ts';
import { workloadsContract } from '../../packages/operators/src/ownership/workloads.contract.ts';
import { describeReal } from '../servers/describe-servers.ts';

describeReal('operator ownership', jobContract);
describeReal('operator ownership', migrationContract);
describeReal('operator ownership', workloadsContract);
describeReal('operator ownership', customResourceContract);
