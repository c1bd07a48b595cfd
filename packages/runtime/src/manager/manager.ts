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
  readonly clock?: Clock;
  readonly random?: Random;
  /** Default: `createPinoLogger()`, JSON lines on standard error from level info. `silentLogger` for none. */
  readonly log?: Logger;
  /** Default: a registry of its own. */
  readonly registry?: Registry;
  /** What is cached of kinds that set nothing themselves. */
  readonly cacheDefaults?: CachedKind;
};

/**
 * What controllers share: one client, one cache, one registry of metrics, one start and one stop.
 */
export type Manager = {
  /** Write through it: `cache` knows its answers at once (see `readYourWrites`). */
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly registry: Registry;
  /** Writes Events in the name of `component`; of a part of it that runs on the node `host`, if that is said. */
  recorderFor(component: string, host?: string): EventRecorder;
  /**
   * The same manager for a part of the process that has an account of its own: its `client` and its recorders write
   * through `client`, and the one cache, which reads as before, knows the answers to these writes at once too.
   *
   * @example `addSiteController(manager.as(createClient(transportOf('site-controller'))))`
   */
  as(client: Client): Manager;
  /** Adds a controller; before start only, and each name once. */
  addController(options: ControllerOptions): Controller;
  /** Adds something else that starts and stops with the manager; before start only. */
  add(runnable: Runnable): void;
  /**
   * The server that {@link ManagerOptions.webhooks} asked for; `InvalidState` where it did not. It runs on standby too,
   * and the manager is not ready until it serves.
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
  /** Adds a check of {@link Manager.health} under a name: it says what is wrong, or nothing. */
  addReadyCheck(name: string, check: ReadyCheck): void;
  health(): ManagerHealth;
  /** True when no controller has anything to do now. Delayed requests do not count. */
  idle(): boolean;
  /**
   * Runs everything until `signal` is aborted, then stops in order: controllers, when their reconciles are over, then
   * the cache, then the connections that the manager made itself. Resolves when nothing is left running; rejects with
   * what a runnable rejected with, after the same stop, with `InvalidConfig` where no server is configured, and with
   * `LeaseLost` when it was leader and is no more: the process should end and start anew.
   */
  start(signal: AbortSignal): Promise<void>;
};
