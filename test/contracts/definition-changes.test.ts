import { describeServers } from '../servers/describe-servers.ts';
import { definitionChangesContract } from './definition-changes.contract.ts';

describeServers('definitions of the next release', definitionChangesContract);
