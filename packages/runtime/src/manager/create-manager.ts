import { type Client, systemClock, systemRandom } from '@kubewright/client';
import { Registry } from 'prom-client';
import type { Cache } from '../cache/cache.ts';
import { createCache } from '../cache/create-cache.ts';
import { readYourWrites } from '../cache/read-your-writes.ts';
import { Controller, type ControllerOptions } from '../controller/controller.ts';
import { leadWith } from '../election/lead-with.ts';
import { createHealthServer } from '../health/health-server.ts';
import { managerHealth, type ReadyCheck } from '../health/manager-health.ts';
import { createPinoLogger } from '../log/pino-logger.ts';
import { createManagerMetrics } from '../metrics/manager-metrics.ts';
import type { Runnable } from '../runnable.ts';
import { RuntimeError } from '../runtime-error.ts';
import { addWebhookServer } from './add-webhook-server.ts';
import type { Manager, ManagerOptions } from './manager.ts';
import { type RecorderSet, recorderSet } from './recorder-set.ts';
import { runAll } from './run-all.ts';
import { type AccessEnvironment, type OpenedAccess, openAccess } from './server-access.ts';

/**
 * Makes a manager: where the API server is, retries, leader election, definitions, probes and webhooks in one call.
 * Nothing is read or called before {@link Manager.start}, or the first call through its client.
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
  const { registry } = environment;
  const access = openAccess(options, environment);
  const around = { ...environment, ...cacheOver(access.client, options, environment) };
  const { cache } = around;
  const controllers = controllerSet(around);
  const runnables: Runnable[] = [];
  const lead = access.election === undefined ? undefined : leadWith(access.election, registry);
  let begun = false;
  let started = false;

  const beforeStart = (what: string): void => {
    if (begun) throw new RuntimeError('InvalidState', `${what} after the manager was started`);
  };
  const { webhooks, health } = options;
  const server = webhooks && addWebhookServer(webhooks, around, (runnable) => void runnables.push(runnable));
  const recorders = recorderSet(around);
  const checks = new Map<string, ReadyCheck>([['webhooks', () => server?.startedChecker()]]);
  const parts: Omit<Manager, 'as' | 'client' | 'recorderFor'> = {
    ...around,
    addController(added) {
      beforeStart('a controller was added');
      return controllers.add(added);
    },
    add(runnable) {
      beforeStart('something was added');
      runnables.push(runnable);
    },
    webhookServer() {
      if (server !== undefined) return server;
      throw new RuntimeError('InvalidState', 'no webhook server: give createManager the option `webhooks`');
    },
    addReadyCheck: (name, check) => void checks.set(name, check),
    health: () => managerHealth(cache, started, checks.values()),
    idle: () => controllers.all().every(({ load }) => load.waiting + load.active === 0),
    async start(signal) {
      beforeStart('start was called');
      begun = true;
      const finish = (): Promise<void> => recorders.finish();
      const run = (): Promise<void> => {
        started = true;
        return runAll({ cache, runnables, controllers: controllers.all(), signal, lead, finish });
      };
      await runPrepared(access, signal, run);
    },
  };
  if (health !== undefined) runnables.push(createHealthServer(parts, health));
  return managerOf(parts, recorders, around.client);
}

/** Prepares, runs, and closes what was opened, however it ends. */
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

/** The manager for those who write through `client`. */
function managerOf(
  parts: Omit<Manager, 'as' | 'client' | 'recorderFor'>,
  recorders: RecorderSet,
  client: Client,
): Manager {
  return {
    ...parts,
    client,
    recorderFor: (component, host) => recorders.add(component, client, host),
    as: (account) => managerOf(parts, recorders, readYourWrites(account, parts)),
  };
}

type Surroundings = AccessEnvironment & { readonly client: Client; readonly cache: Cache };

function environmentOf(options: ManagerOptions): AccessEnvironment {
  const { clock = systemClock, random = systemRandom } = options;
  const { log = createPinoLogger(), registry = new Registry() } = options;
  return { clock, random, log, registry };
}

function cacheOver(
  client: Client,
  { cacheDefaults }: ManagerOptions,
  { clock, random, log }: AccessEnvironment,
): Pick<Surroundings, 'client' | 'cache'> {
  const defaults = cacheDefaults === undefined ? {} : { defaults: cacheDefaults };
  const cache = createCache({ client, clock, random, log, ...defaults });
  return { cache, client: readYourWrites(client, { cache, clock }) };
}

type ControllerSet = { add(options: ControllerOptions): Controller; all(): readonly Controller[] };

function controllerSet({ cache, clock, log, registry }: Surroundings): ControllerSet {
  const metrics = createManagerMetrics(registry);
  const controllers = new Map<string, Controller>();
  return {
    all: () => [...controllers.values()],
    add(options) {
      const { name } = options;
      if (controllers.has(name))
        throw new RuntimeError('InvalidState', `controller ${name} is already registered`);
      const observer = metrics.observerFor(name, () => controllers.get(name));
      const controller = new Controller(options, { cache, clock, log, observer });
      controllers.set(name, controller);
      return controller;
    },
  };
}
