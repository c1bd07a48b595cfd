import { describeServers } from '../servers/describe-servers.ts';
import { aggregationContract } from './aggregation.contract.ts';

describeServers('API aggregation', aggregationContract);
