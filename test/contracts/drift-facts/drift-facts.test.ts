import { describeClusters } from '../../servers/describe-clusters.ts';
import { describeServers } from '../../servers/describe-servers.ts';
import { orderOfWritesContract } from './order-of-writes.contract.ts';
import { ownersContract } from './owners.contract.ts';
import { selectionContract } from './selection.contract.ts';
import { whatCountsContract } from './what-counts.contract.ts';

describeServers('the order of a write', orderOfWritesContract);
describeServers('what webhooks see', selectionContract);
describeServers('what counts as a change', whatCountsContract);
describeClusters('owners', ['garbage-collector-controller'], ownersContract);
