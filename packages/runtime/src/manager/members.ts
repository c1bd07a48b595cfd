import { defined } from '@kubewright/kube';
import { Controller } from '../controller/controller.ts';
import type { ReadyCheck } from '../health/manager-health.ts';
import type { LoopWatch } from '../loop/loop-watch.ts';
import { createManagerMetrics } from '../metrics/manager-metrics.ts';
import type { Runnable } from '../runnable.ts';
import { RuntimeError } from '../runtime-error.ts';
import { addWebhookServer } from './add-webhook-server.ts';
import type { Manager, ManagerOptions } from './manager.ts';

/** What is added to a manager before it starts. */
export type Members = {
  /** The manager's methods for members. */
  readonly methods: Pick<Manager, 'addController' | 'add' | 'webhookServer' | 'addReadyCheck' | 'idle'>;
  readonly runnables: readonly Runnable[];
  readonly checks: ReadonlyMap<string, ReadyCheck>;
  controllers(): readonly Controller[];
  /** Has callers of webhooks go elsewhere. */
  retire(): void;
  /** Nothing may be added from now on. Throws `InvalidState` with `what` at the second call. */
  seal(what: string): void;
};

/** What the manager shares with its members. */
type Shared = Pick<Manager, 'client' | 'cache' | 'clock' | 'random' | 'log' | 'registry'> & {
  /** Absent where time is not that of the system: nothing holds up a clock that is advanced by hand. */
  readonly watch?: LoopWatch | undefined;
};

export function createMembers(
  shared: Shared,
  { webhooks, gracefulMs }: Pick<ManagerOptions, 'webhooks' | 'gracefulMs'>,
): Members {
  const controllers = new Map<string, Controller>();
  const addController = controllerAdder(shared, controllers, gracefulMs);
  const runnables: Runnable[] = [];
  const served = webhooks && { ...defined({ gracefulMs }), ...webhooks };
  const server = served && addWebhookServer(served, shared, (runnable) => void runnables.push(runnable));
  const checks = new Map<string, ReadyCheck>([['webhooks', () => server?.startedChecker()]]);
  let sealed = false;
  const beforeStart = (what: string): void => {
    if (sealed) throw new RuntimeError('InvalidState', `${what} after the manager was started`);
  };
  const methods: Members['methods'] = {
    addController(options) {
      beforeStart(`controller ${options.name} was added`);
      return addController(options);
    },
    add(runnable) {
      beforeStart('a runnable was added');
      runnables.push(runnable);
    },
    webhookServer() {
      if (server !== undefined) return server;
      throw new RuntimeError('InvalidState', 'no webhook server: give createManager the option `webhooks`');
    },
    addReadyCheck: (name, check) => void checks.set(name, check),
    idle: () => [...controllers.values()].every(({ load }) => load.waiting + load.active === 0),
  };
  const seal = (what: string): void => {
    beforeStart(what);
    sealed = true;
  };
  const retire = (): void => server?.retire();
  return { methods, runnables, checks, controllers: () => [...controllers.values()], retire, seal };
}

function controllerAdder(
  { cache, clock, log, registry, watch }: Shared,
  controllers: Map<string, Controller>,
  gracefulMs: number | undefined,
): Manager['addController'] {
  const metrics = createManagerMetrics(registry);
  return (options) => {
    const { name } = options;
    if (controllers.has(name))
      throw new RuntimeError('InvalidState', `controller ${name} is already registered`);
    const observer = metrics.observerFor(name, () => controllers.get(name));
    const controller = new Controller(
      { ...defined({ gracefulMs }), ...options },
      { cache, clock, log, observer, ...defined({ watch }) },
    );
    controllers.set(name, controller);
    return controller;
  };
}
