import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { createClient, createTransport, findContext, withRetry } from '@kubewright/client';
import {
  createHealthServer,
  createLeaderElection,
  createManager,
  createPinoLogger,
  installDefinitions,
} from '@kubewright/runtime';
import { addSiteController, sites } from './site-operator.ts';

const { values } = parseArgs({ options: { kubeconfig: { type: 'string', default: '' } } });
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => stop.abort());

const log = createPinoLogger();
const context = await findContext(values);
const transport = createTransport(context.options);
await installDefinitions(createClient(withRetry(transport)), [sites.definition], {
  fieldManager: 'site-operator',
});

const identity = `${hostname()}_${process.pid}`;
const election = createLeaderElection({
  transport,
  namespace: 'default',
  name: 'site-operator',
  identity,
  log,
});
const manager = createManager({ client: createClient(withRetry(election.transport)), election, log });
addSiteController(manager, {
  set: async (host, target) => log.info('the host points to', { host, target }),
  remove: async (host) => log.info('the host points nowhere', { host }),
});
manager.add(createHealthServer(manager, { port: 8081 }));
await manager.start(stop.signal);
await transport.close();
