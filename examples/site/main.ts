import { parseArgs } from 'node:util';
import { createManager, setupSignalHandler } from '@kubewright/runtime';
import { addSiteController, sites } from './site-operator.ts';

const { values } = parseArgs({ options: { kubeconfig: { type: 'string' } } });
const definitions = [sites.definition];
const health = { port: 8081 };
const manager = createManager({ name: 'site-operator', election: true, definitions, health, ...values });
addSiteController(manager, {
  set: async (host, target) => manager.log.info('the host points to', { host, target }),
  remove: async (host) => manager.log.info('the host points nowhere', { host }),
});
await manager.start(setupSignalHandler());
