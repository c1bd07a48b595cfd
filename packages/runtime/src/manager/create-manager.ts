import { type Clock, systemClock, systemRandom } from '@kubewright/client';
import { Registry } from 'prom-client';
import type { Cache } from '../cache/cache.ts';
import { createCache } from '../cache/create-cache.ts';
import { readYourWrites } from '../cache/read-your-writes.ts';
import { Controller, type ControllerOptions } from '../controller/controller.ts';
import { leadWith } from '../election/lead-with.ts';
import { createEventRecorder } from '../events/event-recorder.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import { createManagerMetrics } from '../metrics/manager-metrics.ts';
import { RuntimeError } from '../runtime-error.ts';
import {
  addWebhookServer,
  type ManagerWebhookOptions,
  type WebhookSurroundings,
} from './add-webhook-server.ts';
import type { Manager, ManagerHealth, ManagerOptions, Runnable } from './manager.ts';
import type { WebhookServer } from '../webhook/webhook-server.ts';
import { runAll } from './run-all.ts';

export function createManager(options: ManagerOptions): Manager {
  const { clock = systemClock, random = systemRandom, log = silentLogger, cacheDefaults } = options;
  const registry = options.registry ?? new Registry();
  const defaults = cacheDefaults === undefined ? {} : { defaults: cacheDefaults };
  const cache = createCache({ client: options.client, clock, random, log, ...defaults });
  const client = readYourWrites(options.client, { cache, clock });
  const controllers = controllerSet(cache, clock, log, registry);
  const runnables: Runnable[] = [];
  const lead = options.election === undefined ? undefined : leadWith(options.election, registry);
  let started = false;

  const beforeStart = (what: string): void => {
    if (started) throw new RuntimeError('InvalidState', `${what} after the manager was started`);
  };
  const around = { client, cache, clock, random, log, registry };
  const webhooks = webhookServerOf(around, runnables);
  return {
    ...around,
    recorderFor: (component) => createEventRecorder({ client, clock, random, log, component }),
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
    health: () => healthOf(cache, started, webhooks.problem()),
    idle: () => controllers.all().every(({ load }) => load.waiting + load.active === 0),
    async start(signal) {
      beforeStart('start was called');
      started = true;
      await runAll({ cache, runnables, controllers: controllers.all(), signal, lead });
    },
  };
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

function healthOf(cache: Cache, started: boolean, webhookProblem: string | undefined): ManagerHealth {
  const { healthy, kinds } = cache.health();
  const reasons = [
    ...(started ? [] : ['not started']),
    ...kinds.flatMap(({ condition, name, lastError }) =>
      condition === 'ok' ? [] : [`${name}: ${condition}${lastError === undefined ? '' : `: ${lastError}`}`],
    ),
    ...(webhookProblem === undefined ? [] : [webhookProblem]),
  ];
  // A stale watch is not mended by time: the connection is dead in a way that nobody noticed.
  const live = kinds.every(({ condition }) => condition !== 'stale');
  return { live, ready: started && healthy && webhookProblem === undefined, reasons, kinds };
}
