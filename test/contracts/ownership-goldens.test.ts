import { describeServers } from '../servers/describe-servers.ts';
import { ownershipGoldens } from './ownership-goldens.contract.ts';

describeServers('recorded cases of field ownership', ownershipGoldens);
