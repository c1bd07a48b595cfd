import { errorTextsContract } from '../../packages/client/src/errors/error-texts.contract.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeServers('errors', errorTextsContract);
