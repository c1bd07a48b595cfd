import { describeReal } from '../servers/describe-servers.ts';
import { ownershipGoldens } from './ownership-goldens.contract.ts';

describeReal('recorded cases of field ownership', ownershipGoldens);
