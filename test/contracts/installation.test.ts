import { describeWithAccounts } from '../servers/describe-servers.ts';
import { installationContract } from './installation.contract.ts';

describeWithAccounts('an installation as a whole', installationContract);
