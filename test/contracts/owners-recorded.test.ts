import { describeServers } from '../servers/describe-servers.ts';
import { ownersRecordedContract } from './owners-recorded.contract.ts';

describeServers('the command line', ownersRecordedContract);
