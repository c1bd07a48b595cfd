import type { Client, Clock, Random } from '@kubewright/client';
import type { Registry } from 'prom-client';
import type { Cache, CachedKind } from '../cache/cache.ts';
import type { Controller, ControllerOptions } from '../controller/controller.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { HealthServerOptions } from '../health/create-health-server.ts';
import type { ManagerHealth, ReadyCheck } from '../health/manager-health.ts';
import type { Logger } from '../log/logger.ts';
import type { Runnable } from '../runnable.ts';
import type { WebhookServer } from '../webhook/webhook-server.ts';
import type { ManagerWebhookOptions } from './add-webhook-server.ts';
import type { ServerAccess } from './server-access.ts';

export type ManagerOptions = ServerAccess & {
  /** Serves `/healthz`, `/readyz` and `/metrics` while the manager runs. Default: does not. */
  readonly health?: HealthServerOptions;
  /** Serves webhooks while the manager runs; register them with {@link Manager.webhookServer}. Default: does not. */
  readonly webhooks?: ManagerWebhookOptions;
  /**
   * For how long it works on after the signal, unready: API servers call the webhook of a pod that is being deleted until
   * the endpoints of its Service have changed. Default 0.
   */
  readonly shutdownDelayMs?: number;
  /**
   * How long a stop waits for running reconciles before it aborts their signal, and for requests to webhooks before it
   * destroys their connections, where a controller or the webhooks do not say. Default 30 s and 60 s.
   */
  readonly gracefulMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Default: `createPinoLogger()`, JSON lines on standard error from level info. `silentLogger` for none. */
  readonly log?: Logger;
  /** Default: a registry of its own. */
  readonly registry?: Registry;
  /** Cache settings of kinds that have none of their own. */
  readonly cacheDefaults?: CachedKind;
};

/**
 * What controllers share: a client, a cache, a metrics registry, one start and one stop.
 */
export type Manager = {
  /** `cache` sees the writes of this client at once (see `readYourWrites`). */
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly registry: Registry;
  /** Records Events as `component`, which runs on the node `host`, if it is given. */
  recorderFor(component: string, host?: string): EventRecorder;
  /**
   * The same manager for a component with its own service account: its `client` and recorders write through `client`. The
   * shared cache reads as before, and sees these writes at once too.
   *
   * @example `addSiteController(manager.as(createClient(transportOf('site-controller'))))`
   */
  as(client: Client): Manager;
  /** Adds a controller, before the start. Names are unique. */
  addController(options: ControllerOptions): Controller;
  /** Adds another runnable that starts and stops with the manager; before the start. */
  add(runnable: Runnable): void;
  /**
   * The webhook server of {@link ManagerOptions.webhooks}; throws `InvalidState` without that option. It runs on standby
   * too, and the manager is not ready until it serves.
   *
   * @example
   * const secret = { namespace: 'sites', name: 'webhook-certificates' };
   * const configurations = [{ kind: 'ValidatingWebhookConfiguration', name: 'sites' }] as const;
   * const hosts = ['webhooks.sites.svc'];
   * const webhooks = { certificates: { secret, configurations, hosts } };
   * const manager = createManager({ name: 'sites', webhooks });
   * manager.webhookServer().register('/validate', validatingWebhook({ validateCreate(site) { … } }));
   */
  webhookServer(): WebhookServer;
  /** Adds a readiness check to {@link Manager.health}: it returns what is wrong, or undefined. */
  addReadyCheck(name: string, check: ReadyCheck): void;
  /**
   * Throws `NotLeading` while it is not certain that this manager has its Lease; without an election, never. Call it right before
   * a write to anything but the API server, to which {@link Manager.client} checks it: a process that was frozen may have been
   * replaced by another leader. `what` begins the message.
   */
  requireLease(what: string): void;
  health(): ManagerHealth;
  /** True when all queues are empty and no reconcile runs. Delayed requests do not count. */
  idle(): boolean;
  /**
   * Runs everything until `signal` is aborted and {@link ManagerOptions.shutdownDelayMs} have passed, then stops in order: the controllers, when their reconciles have ended, the
   * cache, and the connections that the manager opened. Resolves when nothing is running. Rejects with the error of a
   * runnable, after the same stop; with `InvalidConfig` where no server is configured; and with `LeaseLost` when it lost
   * leadership: the process should exit and start again.
   */
  start(signal: AbortSignal): Promise<void>;
};
