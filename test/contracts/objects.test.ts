import { objectsContract } from '../../packages/runtime/src/objects/objects.contract.ts';
import { writesContract } from '../../packages/runtime/src/objects/writes.contract.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeServers('objects', objectsContract);
describeServers('objects', writesContract);
