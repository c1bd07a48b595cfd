import { describeClusters } from '../../servers/describe-clusters.ts';
import { describeServers } from '../../servers/describe-servers.ts';
import { resourceQuotasContract } from './resource-quotas.contract.ts';
import { quotaUsage } from './usage.ts';

describeServers('resource quotas', resourceQuotasContract);
describeClusters('usage of quotas', ['resourcequota-controller'], quotaUsage);
