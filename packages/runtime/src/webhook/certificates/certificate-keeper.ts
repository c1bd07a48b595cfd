import { type Client, type Clock, isAlreadyExists, isConflict, type ObjectKey } from '@kubewright/client';
import type { Reconciler, Result } from '../../controller/reconciler.ts';
import type { Logger } from '../../log/logger.ts';
import { RuntimeError } from '../../runtime-error.ts';
import { readBundleSecret, type StoredBundle, writeBundleSecret } from './read-bundle-secret.ts';
import type { CertificateBundle } from './certificate-bundle.ts';
import type { CertificateIssuer } from './certificate-issuer.ts';
import {
  allCarry,
  type CertificateSettings,
  type CertificateState,
  type CertificateStep,
  planCertificates,
} from './plan-certificates.ts';
import { changeBundle } from './change-bundle.ts';
import { type Route, settledSegment, wantedSegment } from './plan-segments.ts';
import { createTenure, type Tenure } from './tenure.ts';
import {
  barePaths,
  type ReadConfiguration,
  readConfiguration,
  routesOf,
  type WebhookConfigurationRef,
  writeConfiguration,
} from './webhook-configuration-ref.ts';

export type CertificateKeeperOptions = {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly issuer: CertificateIssuer;
  readonly secret: ObjectKey;
  readonly configurations: readonly WebhookConfigurationRef[];
  readonly settings: CertificateSettings;
  /** Called with every bundle that may be used to serve. */
  readonly onBundle: (bundle: CertificateBundle) => void;
  /** Called with the paths without a segment that API servers call, at each look. */
  readonly onBarePaths?: (paths: readonly string[]) => void;
};

/** Maximum steps of one run: enough for a whole rotation, and a bound when two writers disagree. */
const MOST_STEPS = 20;
/** Resync period of a standby, should it miss the event of the leader's change. */
const STANDBY_MS = 30_000;

/**
 * Observes, decides, writes once, and observes again. It reads from the server each time, never from a cache, and runs only
 * when something has changed or is due.
 */
export class CertificateKeeper implements Reconciler {
  readonly #options: CertificateKeeperOptions;
  readonly #startedAt: number;
  #held: CertificateBundle | undefined;
  /** For how long all configurations have carried the newest authority; the segment; and the Secret no bundle. */
  readonly #carried: Tenure;
  readonly #routed: Tenure;
  readonly #missing: Tenure;

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    const now = (): number => options.clock.monotonic();
    [this.#carried, this.#routed, this.#missing] = [createTenure(now), createTenure(now), createTenure(now)];
  }

  async reconcile(_request: unknown, { signal }: { readonly signal: AbortSignal }): Promise<Result> {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const wait = await this.#advance(signal);
      if (wait !== undefined) return { requeueAfter: wait };
    }
    throw new RuntimeError(
      'InvalidState',
      'the certificates do not come to rest: does somebody else write them?',
    );
  }

  /** One step; milliseconds to wait when there is nothing to do. */
  async #advance(signal: AbortSignal): Promise<number | undefined> {
    const { client, secret, settings, configurations } = this.#options;
    // In this order: a bundle older than the configuration must not be written into it.
    const found = await Promise.all(configurations.map((ref) => readConfiguration(client, ref, signal)));
    const present = found.filter((configuration) => configuration !== undefined);
    this.#options.onBarePaths?.(present.flatMap(barePaths));
    const stored = await readBundleSecret(client, secret, signal);
    const state = this.#stateOf(stored.bundle, present);
    const step = planCertificates(state, settings);
    if (step.type !== 'restore' && stored.bundle !== undefined) this.#take(stored.bundle);
    try {
      return await this.#perform(step, stored, present, signal);
    } catch (error) {
      // Another replica was first: its write counts.
      if (isConflict(error) || isAlreadyExists(error)) return undefined;
      if (error instanceof RuntimeError && error.code === 'NotLeading') return STANDBY_MS;
      throw error;
    }
  }

  #stateOf(
    stored: CertificateBundle | undefined,
    configurations: readonly ReadConfiguration[],
  ): CertificateState {
    const caBundles = configurations.flatMap(({ places }) => places.map(({ caBundle }) => caBundle));
    const routes = configurations.flatMap(routesOf);
    const now = this.#options.clock.now();
    const carried =
      stored !== undefined && allCarry(stored, caBundles) ? stored.authorities.at(-1)?.id : undefined;
    return {
      stored,
      held: this.#held,
      caBundles,
      carriedMs: this.#carried.of(carried),
      routes,
      routedMs: this.#routed.of(this.#segmentOfAll(stored, routes, now)),
      startedAt: this.#startedAt,
      missingMs: this.#missing.of(stored === undefined ? 'missing' : undefined),
      now,
    };
  }

  /** The settled segment, if all configurations have it. */
  #segmentOfAll(
    stored: CertificateBundle | undefined,
    routes: readonly Route[],
    now: number,
  ): string | undefined {
    const settled = settledSegment(stored?.segments ?? [], now, this.#options.settings)?.value;
    return routes.every(({ segment }) => segment === settled) ? settled : undefined;
  }

  async #perform(
    step: CertificateStep,
    stored: StoredBundle,
    configurations: readonly ReadConfiguration[],
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { client, clock, secret, settings, issuer, log } = this.#options;
    switch (step.type) {
      case 'wait':
        return step.ms;
      case 'configure':
        log.info('updating webhook configurations', {
          configurations: configurations.map(({ ref }) => ref.name),
        });
        for (const one of configurations)
          await writeConfiguration(client, one, step.caBundle, this.#wanted(stored), signal);
        return undefined;
      case 'restore':
        log.warn('the Secret of the webhook certificates was lost or set back: restoring it', { secret });
        if (this.#held !== undefined) await writeBundleSecret(client, secret, stored, this.#held, signal);
        return undefined;
      default: {
        const from = stored.bundle ?? this.#held;
        const bundle = await changeBundle(from, step, settings, issuer, clock.now());
        // Used only once it is read back: a mutating webhook may have undone the write.
        await writeBundleSecret(client, secret, stored, bundle, signal);
        log.info('changed webhook certificates', { step: step.type });
        return undefined;
      }
    }
  }

  #take(bundle: CertificateBundle): void {
    if (bundle.generation === this.#held?.generation && bundle.leaf.cert === this.#held.leaf.cert) return;
    this.#held = bundle;
    this.#options.onBundle(bundle);
  }

  #wanted({ bundle }: StoredBundle): (route: Route) => string | undefined {
    const { clock, settings } = this.#options;
    const now = clock.now();
    return (route) => wantedSegment(route, bundle?.segments ?? [], now, settings);
  }
}
