import type { Client, Clock, Random } from '@kubewright/client';
import type { Registry } from 'prom-client';
import type { Cache, CachedKind } from '../cache/cache.ts';
import type { KindHealth } from '../cache/cache-health.ts';
import type { Controller, ControllerOptions } from '../controller/controller.ts';
import type { LeaderElection } from '../election/leader-election.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { ReadyCheck } from './manager-health.ts';
import type { Logger } from '../log/logger.ts';
import type { WebhookServer } from '../webhook/webhook-server.ts';
import type { ManagerWebhookOptions } from './add-webhook-server.ts';

export type ManagerOptions = {
  /** Used by controllers for what they read and write; the cache lists and watches through it. */
  readonly client: Client;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Default: says nothing. */
  readonly log?: Logger;
  /** Default: a registry of its own. */
  readonly registry?: Registry;
  /** What is cached of kinds that set nothing themselves. */
  readonly cacheDefaults?: CachedKind;
  /**
   * Only a leader works: caches fill at once, controllers start when the Lease is held. `client` has to go over the
   * election's transport, which lets nothing be written by one who does not hold it.
   */
  readonly election?: LeaderElection;
};

/** Anything that lives as long as the manager. A rejection stops the manager. */
export type Runnable = {
  /** False: runs on standby too, as probes and webhooks must. Default true; no matter without an election. */
  readonly needLeaderElection?: boolean;
  start(signal: AbortSignal): Promise<void>;
};

/** `live` is false when the process should be restarted, `ready` when it does not do its work at present. */
export type ManagerHealth = {
  readonly live: boolean;
  readonly ready: boolean;
  /** Why not, in words; empty when ready. */
  readonly reasons: readonly string[];
  readonly kinds: readonly KindHealth[];
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
   * Adds a server for webhooks, and the making of its certificates where they are not given; before start only. It
   * runs on standby too, and the manager is not ready until it serves.
   *
   * @example
   * const secret = { namespace: 'sites', name: 'webhook-certificates' };
   * const configurations = [{ kind: 'ValidatingWebhookConfiguration', name: 'sites' }] as const;
   * const hosts = ['webhooks.sites.svc'];
   * const server = manager.addWebhookServer({ certificates: { secret, configurations, hosts } });
   * server.register('/validate', validatingWebhook({ validateCreate(site) { … } }));
   */
  addWebhookServer(options: ManagerWebhookOptions): WebhookServer;
  /** Adds a check of {@link Manager.health} under a name: it says what is wrong, or nothing. */
  addReadyCheck(name: string, check: ReadyCheck): void;
  health(): ManagerHealth;
  /** True when no controller has anything to do now. Delayed requests do not count. */
  idle(): boolean;
  /**
   * Runs everything until `signal` is aborted, then stops in order: controllers, when their reconciles are over, then
   * the cache. Resolves when nothing is left running; rejects with what a runnable rejected with, after the same stop,
   * and with `LeaseLost` when it was leader and is no more: the process should end and start anew.
   */
  start(signal: AbortSignal): Promise<void>;
};
