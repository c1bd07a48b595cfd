import { describeServers } from '../../servers/describe-servers.ts';
import { podSubresourcesContract } from './pod-subresources.contract.ts';

describeServers('subresources of pods', podSubresourcesContract);
