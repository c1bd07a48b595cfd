import { driftContract } from '../../packages/operators/src/drift/drift.contract.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeServers('operator drift', (server) => driftContract(() => server().transport()));
