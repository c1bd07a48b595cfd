import { parseArgs } from 'node:util';
import { setupSignalHandler } from '@kubewright/runtime';
import { createOperator, operator } from './operator.ts';

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    namespace: { type: 'string', default: process.env['NAMESPACE'] ?? `${operator.name}-system` },
    'health-port': { type: 'string', default: '8081' },
    'webhook-port': { type: 'string', default: '9443' },
  },
});

const { kubeconfig, namespace } = values;
const health = { port: Number(values['health-port']) };
const webhooks = { port: Number(values['webhook-port']) };
const manager = createOperator({ namespace, kubeconfig, health, webhooks });
manager.start(setupSignalHandler()).catch((error: unknown) => {
  manager.log.error('the operator ends', { error });
  process.exitCode = 1;
});
