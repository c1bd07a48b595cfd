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
  type CertificateStep,
  planCertificates,
} from './plan-certificates.ts';
import { changeBundle } from './change-bundle.ts';
import {
  type ReadConfiguration,
  readConfiguration,
  type WebhookConfigurationRef,
  writeCaBundle,
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
  #held: CertificateBundle | undefined;
  /** Since when, on the monotonic clock, all configurations have carried that authority. */
  #carried: { readonly authority: string; readonly since: number } | undefined;

  /** Since when, on the monotonic clock, the Secret has held no bundle. */
  #missingSince: number | undefined;

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
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
    const { client, clock, secret, settings, configurations } = this.#options;
    // In this order: a bundle older than the configuration must not be written into it.
    const found = await Promise.all(configurations.map((ref) => readConfiguration(client, ref, signal)));
    const present = found.filter((configuration) => configuration !== undefined);
    const stored = await readBundleSecret(client, secret, signal);
    const caBundles = present.flatMap(({ places }) => places.map(({ caBundle }) => caBundle));
    const now = clock.now();
    const carriedMs = this.#carriedFor(stored.bundle, caBundles);
    const missingMs = this.#missingFor(stored.bundle);
    const state = { stored: stored.bundle, held: this.#held, caBundles, carriedMs, missingMs, now };
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
        log.info('updating caBundles', { configurations: configurations.map(({ ref }) => ref.name) });
        for (const one of configurations) await writeCaBundle(client, one, step.caBundle, signal);
        return undefined;
      case 'restore':
        log.warn('the Secret of the webhook certificates was lost or set back: restoring it', { secret });
        if (this.#held !== undefined) await writeBundleSecret(client, secret, stored, this.#held, signal);
        return undefined;
      default: {
        log.info('changing webhook certificates', { step: step.type });
        const from = stored.bundle ?? this.#held;
        const bundle = await changeBundle(from, step, settings, issuer, clock.now());
        // Used only once it is read back: a mutating webhook may have undone the write.
        await writeBundleSecret(client, secret, stored, bundle, signal);
        return undefined;
      }
    }
  }

  #take(bundle: CertificateBundle): void {
    if (bundle.generation === this.#held?.generation && bundle.leaf.cert === this.#held.leaf.cert) return;
    this.#held = bundle;
    this.#options.onBundle(bundle);
  }

  #missingFor(bundle: CertificateBundle | undefined): number {
    const now = this.#options.clock.monotonic();
    this.#missingSince = bundle === undefined ? (this.#missingSince ?? now) : undefined;
    return this.#missingSince === undefined ? 0 : now - this.#missingSince;
  }

  #carriedFor(bundle: CertificateBundle | undefined, caBundles: readonly string[]): number {
    const authority = bundle?.authorities.at(-1)?.id;
    if (bundle === undefined || authority === undefined || !allCarry(bundle, caBundles)) {
      this.#carried = undefined;
      return 0;
    }
    const now = this.#options.clock.monotonic();
    if (this.#carried?.authority !== authority) this.#carried = { authority, since: now };
    return now - this.#carried.since;
  }
}
