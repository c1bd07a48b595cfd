import { type Client, type Clock, type Random, systemClock, systemRandom } from '@kubewright/client';
import { createCache } from '../../cache/create-cache.ts';
import { keepMetadata } from '../../cache/transforms.ts';
import { Controller } from '../../controller/controller.ts';
import { type Source, watchMapped } from '../../controller/source.ts';
import type { Logger } from '../../log/logger.ts';
import { createPinoLogger } from '../../log/create-pino-logger.ts';
import type { Runnable } from '../../runnable.ts';
import { RuntimeError } from '../../runtime-error.ts';
import { createPathGuard } from '../path-guard.ts';
import type { CertificateSource, ServingCertificate } from '../serving-certificate.ts';
import { SECRETS } from './read-bundle-secret.ts';
import type { CertificateBundle } from './certificate-bundle.ts';
import { type CertificateIssuer, x509Issuer } from './certificate-issuer.ts';
import { CertificateKeeper } from './certificate-keeper.ts';
import type { CertificateSettings } from './plan-certificates.ts';
import { CONFIGURATION_RESOURCES, type WebhookConfigurationRef } from './webhook-configuration-ref.ts';

export type WebhookCertificatesOptions = Pick<CertificateSettings, 'hosts'> & {
  readonly client: Client;
  /** The Secret that replicas share. Its namespace has to exist. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** The configurations whose `caBundle` is maintained; one that does not exist yet, once it is created. */
  readonly configurations: readonly WebhookConfigurationRef[];
  /** Lifetime of a serving certificate; rotated at half of it. Default one day. */
  readonly leafMs?: number;
  /** Lifetime of the CA, at least three times as long. Default 14 days. */
  readonly authorityMs?: number;
  /**
   * How long every caBundle has a new CA before it signs, and a former one after its last certificate expired; at most
   * half of leafMs. The bound on clock skew. Default 5 minutes.
   */
  readonly settleMs?: number;
  /**
   * The age at which the segment behind the paths of webhooks is followed by another, at least twice settleMs. Default one
   * hour: an API server that cannot call a webhook shows its URL to whose write it denies.
   */
  readonly segmentMs?: number;
  /**
   * Default true: the path of each webhook in the configurations gets a segment that nobody can guess, and a call without it
   * is a 404, so that only API servers are believed. With false, everybody who reaches the port is.
   */
  readonly secretPaths?: boolean;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  /** Default: X.509 with ECDSA P-256. */
  readonly issuer?: CertificateIssuer;
};

/** Self-rotated serving certificates. */
export type WebhookCertificates = Runnable & CertificateSource;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const KEY = { name: 'webhook-certificates' };

/**
 * Short-lived certificates for a webhook server, from its own CA, shared by all replicas through a Secret. The CA is
 * rotated too, and no admission request fails meanwhile: see {@link planCertificates}.
 *
 * Needs `get`, `list`, `watch`, `create`, `update` of the Secret, and `get`, `list`, `watch`, `patch` of the
 * configurations. Runs on standby too; where the client goes through an election, the leader writes.
 */
export function createWebhookCertificates(options: WebhookCertificatesOptions): WebhookCertificates {
  const { client, clock = systemClock, random = systemRandom, log = createPinoLogger() } = options;
  const { secret, configurations, issuer = x509Issuer } = options;
  const settings = checkedSettings(options);
  const { publish, source } = publication();
  const paths = createPathGuard(() => clock.monotonic(), settings.settleMs);
  const onBundle = ({ leaf: { cert, key, notAfter }, segments }: CertificateBundle): void => {
    paths.accept(segments.map(({ value }) => value));
    publish({ cert, key, notAfter });
  };
  const about = { client, clock, log, issuer, secret, configurations, settings };
  const keeper = new CertificateKeeper({ ...about, onBundle, onBarePaths: (bare) => paths.named(bare) });
  return {
    ...source,
    ...(settings.segmentMs === undefined ? {} : { paths }),
    needLeaderElection: false,
    async start(signal) {
      const cache = createCache({ client, clock, random, log, defaults: { transform: keepMetadata } });
      const backoff = { baseMs: 100, maxMs: 30_000 };
      const sources = sourcesOf(secret, configurations);
      const controller = new Controller(
        { name: KEY.name, reconciler: keeper, sources, backoff },
        { cache, clock, log },
      );
      controller.enqueue(KEY);
      const stopCache = new AbortController();
      const cacheRun = cache.start(stopCache.signal);
      await controller.start(signal);
      stopCache.abort();
      await cacheRun;
    },
  };
}

/** The current certificate and its listeners. */
function publication(): {
  readonly source: CertificateSource;
  readonly publish: (certificate: ServingCertificate) => void;
} {
  const listeners = new Set<() => void>();
  let current: ServingCertificate | undefined;
  const source: CertificateSource = {
    current: () => current,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const publish = (certificate: ServingCertificate): void => {
    current = certificate;
    for (const listener of listeners) listener();
  };
  return { source, publish };
}

/** The sources of the keeper. They cache metadata only: the keeper reads the server, and a cache must not hold a private key. */
function sourcesOf(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  configurations: readonly WebhookConfigurationRef[],
): readonly Source[] {
  const kinds = [...new Set(configurations.map(({ kind }) => kind))];
  const secret = watchMapped(SECRETS, () => [KEY], {
    cached: { namespace, fieldSelector: `metadata.name=${name}` },
  });
  return [
    secret,
    ...kinds.map((kind) =>
      sourceOf(
        kind,
        configurations.filter((one) => one.kind === kind),
      ),
    ),
  ];
}

function sourceOf(
  kind: WebhookConfigurationRef['kind'],
  configurations: readonly WebhookConfigurationRef[],
): Source {
  const names = new Set(configurations.map(({ name }) => name));
  const [only] = names;
  // A role may allow to watch this one object only.
  const cached = names.size === 1 ? { fieldSelector: `metadata.name=${only}` } : {};
  const ours = (name: string | undefined): boolean => name !== undefined && names.has(name);
  return watchMapped(CONFIGURATION_RESOURCES[kind], ({ metadata }) => (ours(metadata.name) ? [KEY] : []), {
    cached,
  });
}

function checkedSettings(options: WebhookCertificatesOptions): CertificateSettings {
  const { hosts, leafMs = DAY_MS, authorityMs = 14 * DAY_MS, settleMs = 300_000 } = options;
  const segmentMs = segmentMsOf(options, settleMs);
  const wrong = (what: string): RuntimeError =>
    new RuntimeError('InvalidState', `webhook certificates: ${what}`);
  if (hosts.length === 0) throw wrong('there are no hosts');
  if (authorityMs < 3 * leafMs) throw wrong('authorityMs has to be at least three times leafMs');
  if (settleMs > leafMs / 2) throw wrong('settleMs has to be at most half of leafMs');
  if (segmentMs !== undefined && segmentMs < 2 * settleMs)
    throw wrong('segmentMs has to be at least twice settleMs');
  return { hosts, leafMs, authorityMs, settleMs, segmentMs };
}

function segmentMsOf(
  { secretPaths = true, segmentMs }: WebhookCertificatesOptions,
  settleMs: number,
): number | undefined {
  return secretPaths ? (segmentMs ?? Math.max(HOUR_MS, 2 * settleMs)) : undefined;
}
