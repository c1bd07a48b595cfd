import { installContract } from '../../packages/kubewright/src/cli/install.contract.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeServers('kubewright install', installContract);
