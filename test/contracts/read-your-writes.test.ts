import { readYourWritesContract } from '../../packages/runtime/src/cache/read-your-writes.contract.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeServers('read your writes', readYourWritesContract);
