import { describeServers } from '../../servers/describe-servers.ts';
import { evictionContract } from './eviction.contract.ts';

describeServers('pods/eviction', evictionContract);
