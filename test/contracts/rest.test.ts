import { describeServers } from '../servers/describe-servers.ts';
import { claimsContract } from './rest/claims.contract.ts';
import { customResourcesContract } from './rest/custom-resources.contract.ts';
import { generationsContract } from './rest/generations.contract.ts';
import { listsContract } from './rest/lists.contract.ts';
import { outputsContract } from './rest/outputs.contract.ts';
import { volumesContract } from './rest/volumes.contract.ts';
import { watchesContract } from './rest/watches.contract.ts';

describeServers('lists', listsContract);
describeServers('watches', watchesContract);
describeServers('forms of answers', outputsContract);
describeServers('generations and defaults', generationsContract);
describeServers('custom resources', customResourcesContract);
describeServers('volumes and claims', volumesContract);
describeServers('volumes and claims', claimsContract);
