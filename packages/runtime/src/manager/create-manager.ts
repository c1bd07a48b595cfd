import { type Client, onAbort, systemClock, systemRandom } from '@kubewright/client';
import { defined } from '@kubewright/kube';
import { Registry } from 'prom-client';
import type { Cache } from '../cache/cache.ts';
import { createCache } from '../cache/create-cache.ts';
import { readYourWrites } from '../cache/read-your-writes.ts';
import { notLeading } from '../election/fence.ts';
import { leadWith } from '../election/lead-with.ts';
import { createHealthServer } from '../health/create-health-server.ts';
import { managerHealth } from '../health/manager-health.ts';
import { LoopWatch } from '../loop/loop-watch.ts';
import { createPinoLogger } from '../log/create-pino-logger.ts';
import { delayStop } from './delay-stop.ts';
import type { Manager, ManagerOptions } from './manager.ts';
import { createMembers } from './members.ts';
import { type RecorderSet, recorderSet } from './recorder-set.ts';
import { runAll } from './run-all.ts';
import { type AccessEnvironment, type OpenedAccess, openAccess } from './server-access.ts';

/**
 * Creates a manager: transport, retries, leader election, definitions, probes and webhooks in one call. Reads no file and
 * sends no request before {@link Manager.start}, or the first call of its client.
 *
 * @example
 * const manager = createManager({
 *   name: 'site-operator', // kubeconfig or the pod's account, as kubectl and controller-runtime find them
 *   election: true,
 *   definitions: [sites.definition],
 *   health: { port: 8081 },
 * });
 * addSiteController(manager);
 * await manager.start(setupSignalHandler());
 */
export function createManager(options: ManagerOptions): Manager {
  const environment = environmentOf(options);
  const access = openAccess(options, environment);
  const around = { ...environment, ...cacheOver(access.client, options, environment) };
  const { cache, registry } = around;
  const watch = options.clock === undefined ? new LoopWatch(environment) : undefined;
  const members = createMembers({ ...around, watch }, options);
  const recorders = recorderSet(around);
  const lead = access.election === undefined ? undefined : leadWith(access.election, registry);
  let started = false;

  const parts: Parts = {
    ...around,
    ...members.methods,
    requireLease(what) {
      if (access.election !== undefined && access.election.term() === undefined) throw notLeading(what);
    },
    health: () => {
      const checks = members.checks.values();
      return managerHealth({ cache, started, checks, controllers: members.controllers() });
    },
    async start(sent) {
      members.seal('start was called');
      members.methods.addReadyCheck('stop', () => (sent.aborted ? 'it is being stopped' : undefined));
      const forget = onAbort(sent, () => members.retire());
      const signal = delayStop(sent, options.shutdownDelayMs ?? 0, around.clock);
      const { runnables } = members;
      const finish = (): Promise<void> => recorders.finish();
      await runPrepared(access, signal, () => {
        started = true;
        return runAll({ cache, runnables, controllers: members.controllers(), signal, lead, finish });
      });
      forget();
    },
  };
  if (options.health !== undefined) members.methods.add(createHealthServer(parts, options.health));
  return managerOf(parts, recorders, around.client);
}

type Parts = Omit<Manager, 'as' | 'client' | 'recorderFor'>;

/** Prepares, runs, and always closes what it opened. */
async function runPrepared(
  { prepare, close }: OpenedAccess,
  signal: AbortSignal,
  run: () => Promise<void>,
): Promise<void> {
  try {
    if (prepare !== undefined)
      await prepare(signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    await run();
  } finally {
    await close?.();
  }
}

/** The manager with another client. */
function managerOf(parts: Parts, recorders: RecorderSet, client: Client): Manager {
  return {
    ...parts,
    client,
    recorderFor: (component, host) => recorders.add(component, client, host),
    as: (account) => managerOf(parts, recorders, readYourWrites(account, parts)),
  };
}

function environmentOf(options: ManagerOptions): AccessEnvironment {
  const { clock = systemClock, random = systemRandom } = options;
  const { log = createPinoLogger(), registry = new Registry() } = options;
  return { clock, random, log, registry };
}

function cacheOver(
  client: Client,
  { cacheDefaults }: ManagerOptions,
  { clock, random, log }: AccessEnvironment,
): { readonly client: Client; readonly cache: Cache } {
  const cache = createCache({ client, clock, random, log, ...defined({ defaults: cacheDefaults }) });
  return { cache, client: readYourWrites(client, { cache, clock }) };
}
