import { clientContract } from '../../packages/client/src/client.contract.ts';
import { runtimeContract } from '../../packages/runtime/src/runtime.contract.ts';
import { describeReal } from '../servers/describe-servers.ts';

describeReal('client', clientContract);
describeReal('runtime', runtimeContract);
