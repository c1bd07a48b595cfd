import { createManagerContract } from '../../packages/runtime/src/manager/create-manager.contract.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeServers('createManager', createManagerContract);
