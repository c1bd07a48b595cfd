import { webhookContract } from '../../packages/runtime/src/webhook/webhook.contract.ts';
import { describeServers } from '../servers/describe-servers.ts';

describeServers('webhooks', webhookContract);
