import { describeServers } from '../servers/describe-servers.ts';
import { accountTokensContract } from './account-tokens.contract.ts';
import { identityContract } from './identity.contract.ts';

describeServers('identity', identityContract);
describeServers('tokens of service accounts', accountTokensContract);
