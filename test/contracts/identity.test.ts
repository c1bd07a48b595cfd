import { describeServers } from '../servers/describe-servers.ts';
import { accountTokensContract } from './account-tokens.contract.ts';
import { identityContract } from './identity.contract.ts';
import { createRightsContract } from './rest/create-rights.contract.ts';

describeServers('identity', identityContract);
describeServers('tokens of service accounts', accountTokensContract);
describeServers('the right to create', createRightsContract);
