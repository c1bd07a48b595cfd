import { describeServers } from '../../servers/describe-servers.ts';
import { limitRangesContract } from './limit-ranges.contract.ts';

describeServers('limit ranges', limitRangesContract);
