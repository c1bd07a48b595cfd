import { webhookContract } from '../../packages/runtime/src/webhook/webhook.contract.ts';
import { describeReal } from '../servers/describe-servers.ts';

describeReal('webhooks', webhookContract);
