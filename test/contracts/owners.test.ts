import { ownersContract } from '../../packages/kubewright/src/cli/owners.contract.ts';
import { ownersScanContract } from '../../packages/kubewright/src/cli/owners-scan.contract.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeServers('the command line', ownersContract);
describeServers('the command line', ownersScanContract);
