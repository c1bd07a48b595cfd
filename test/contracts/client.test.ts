import { clientContract } from '../../packages/client/src/client.contract.ts';
import { runtimeContract } from '../../packages/runtime/src/runtime.contract.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeServers('client', clientContract);
describeServers('runtime', runtimeContract);
