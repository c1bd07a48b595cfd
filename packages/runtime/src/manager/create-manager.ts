import { type Client, type Clock, systemClock, systemRandom } from '@kubewright/client';
import { Registry } from 'prom-client';
import type { Cache } from '../cache/cache.ts';
import { createCache } from '../cache/create-cache.ts';
import { readYourWrites } from '../cache/read-your-writes.ts';
import { Controller, type ControllerOptions } from '../controller/controller.ts';
import { leadWith } from '../election/lead-with.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import { createManagerMetrics } from '../metrics/manager-metrics.ts';
import { RuntimeError } from '../runtime-error.ts';
import {
  addWebhookServer,
  type ManagerWebhookOptions,
  type WebhookSurroundings,
} from './add-webhook-server.ts';
import type { Manager, ManagerOptions, Runnable } from './manager.ts';
import { managerHealth, type ReadyCheck } from './manager-health.ts';
import { type RecorderSet, recorderSet } from './recorder-set.ts';
import type { WebhookServer } from '../webhook/webhook-server.ts';
import { runAll } from './run-all.ts';

export function createManager(options: ManagerOptions): Manager {
  const around = surroundingsOf(options);
  const { cache, clock, log, registry } = around;
  const controllers = controllerSet(cache, clock, log, registry);
  const runnables: Runnable[] = [];
  const lead = options.election === undefined ? undefined : leadWith(options.election, registry);
  let started = false;

  const beforeStart = (what: string): void => {
    if (started) throw new RuntimeError('InvalidState', `${what} after the manager was started`);
  };
  const webhooks = webhookServerOf(around, runnables);
  const recorders = recorderSet(around);
  const checks = new Map<string, ReadyCheck>([['webhooks', () => webhooks.problem()]]);
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
    addWebhookServer(added) {
      beforeStart('a webhook server was added');
      return webhooks.add(added);
    },
    addReadyCheck: (name, check) => void checks.set(name, check),
    health: () => managerHealth(cache, started, checks.values()),
    idle: () => controllers.all().every(({ load }) => load.waiting + load.active === 0),
    async start(signal) {
      beforeStart('start was called');
      started = true;
      const finish = (): Promise<void> => recorders.finish();
      await runAll({ cache, runnables, controllers: controllers.all(), signal, lead, finish });
    },
  };
  return managerOf(parts, recorders, around.client);
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

type Surroundings = Pick<Manager, 'client' | 'cache' | 'clock' | 'random' | 'log' | 'registry'>;

function surroundingsOf(options: ManagerOptions): Surroundings {
  const { clock = systemClock, random = systemRandom, log = silentLogger, cacheDefaults } = options;
  const defaults = cacheDefaults === undefined ? {} : { defaults: cacheDefaults };
  const cache = createCache({ client: options.client, clock, random, log, ...defaults });
  const client = readYourWrites(options.client, { cache, clock });
  return { client, cache, clock, random, log, registry: options.registry ?? new Registry() };
}

type ControllerSet = { add(options: ControllerOptions): Controller; all(): readonly Controller[] };

function controllerSet(cache: Cache, clock: Clock, log: Logger, registry: Registry): ControllerSet {
  const metrics = createManagerMetrics(registry);
  const controllers = new Map<string, Controller>();
  return {
    all: () => [...controllers.values()],
    add(options) {
      const { name } = options;
      if (controllers.has(name))
        throw new RuntimeError('InvalidState', `there is a controller ${name} already`);
      const observer = metrics.observerFor(name, () => controllers.get(name));
      const controller = new Controller(options, { cache, clock, log, observer });
      controllers.set(name, controller);
      return controller;
    },
  };
}

type Webhooks = { add(options: ManagerWebhookOptions): WebhookServer; problem(): string | undefined };

/** One server, as all webhooks of a process share a port. */
function webhookServerOf(around: WebhookSurroundings, runnables: Runnable[]): Webhooks {
  let server: WebhookServer | undefined;
  return {
    problem: () => server?.startedChecker(),
    add(options) {
      if (server !== undefined) throw new RuntimeError('InvalidState', 'there is a webhook server already');
      server = addWebhookServer(options, around, (runnable) => runnables.push(runnable));
      return server;
    },
  };
}
