import { handOverContract } from '../../packages/runtime/src/election/hand-over.contract.ts';
import { leaderElectionContract } from '../../packages/runtime/src/election/leader-election.contract.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeServers('leader election', leaderElectionContract);
describeServers('leader election', handOverContract);
