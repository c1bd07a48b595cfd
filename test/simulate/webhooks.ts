import { type Client, createClient, ignoreNotFound, withRetry } from '@kubewright/client';
import type {
  Component,
  ScenarioContext,
  History,
  Scenario,
  SeededRandom,
  WorldFault,
} from '@kubewright/cluster';
import { getOwn, isJsonObject, type KubeObject, type Transport } from '@kubewright/kube';
import {
  type CertificateIssuer,
  createWebhookCertificates,
  type WebhookCertificates,
  type WebhookConfigurationRef,
  silentLogger,
} from '@kubewright/runtime';

const MINUTE = 60_000;
const REPLICAS = ['a', 'b'];
/** When worlds begin. */
const EPOCH = Date.UTC(2026, 0, 1);
const SECRETS = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };
const SECRET = { namespace: 'default', name: 'certificates' };
const NAME = 'webhooks';
const URL = 'https://webhooks.example.com/';
const CONFIGURATIONS = [
  { kind: 'MutatingWebhookConfiguration', name: NAME },
  { kind: 'ValidatingWebhookConfiguration', name: NAME },
] as const satisfies readonly WebhookConfigurationRef[];
const resourceOf = (kind: string) => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: `${kind.toLowerCase()}s`,
  kind,
  namespaced: false,
});

const LIFETIMES = {
  leafMs: 10 * MINUTE,
  authorityMs: 30 * MINUTE,
  settleMs: MINUTE,
  segmentMs: 2 * MINUTE,
};
/** Somebody empties the caBundles then, as an upgrade of their manifests does, and deletes the Secret. */
const [EMPTIED_AT, LOST_AT] = [10_000, 45_000];
/** Changes of the bundle that fit into a run: more is a quarrel. */
const MOST_CHANGES = 35;

/** The instances that ran under a name, in the world of a signal; the last of them may have been a twin that is gone. */
type Serving = WeakMap<AbortSignal, ReadonlyMap<string, readonly WebhookCertificates[]>>;

type Bundle = {
  readonly generation: number;
  readonly authorities: readonly { readonly id: string; readonly cert: string }[];
  readonly leaf: { readonly cert: string; readonly authority: string; readonly notAfter: number };
  /** None in one of a release before paths had segments. */
  readonly segments?: readonly { readonly value: string }[];
};

/** Certificates that are only names. */
function issuer(random: () => number): CertificateIssuer {
  const name = (what: string): string => `${what}-${Math.floor(random() * 1e12)}`;
  return {
    async authority() {
      const id = name('ca');
      return { id, cert: `<${id}>`, key: 'key' };
    },
    leaf: async () => ({ cert: name('leaf'), key: 'key' }),
    segment: () =>
      `kw-${Math.floor(random() * 1e12)
        .toString(16)
        .padStart(32, '0')}`,
  };
}

/** Writes a caBundle whatever has become of the configuration since it was read. */
function withoutGuard(transport: Transport): Transport {
  return {
    request(request) {
      if (request.method !== 'PATCH') return transport.request(request);
      const [, ...changes] = JSON.parse(String(request.body)) as readonly unknown[];
      return transport.request({ ...request, body: JSON.stringify(changes) });
    },
    close: () => transport.close(),
  };
}

const replica = (name: string, serving: Serving, guarded: boolean): Component => ({
  name,
  async start({ transport, clock, random, signal }) {
    const certificates = createWebhookCertificates({
      log: silentLogger,
      client: createClient(withRetry(guarded ? transport : withoutGuard(transport), { clock, random })),
      secret: SECRET,
      configurations: CONFIGURATIONS,
      hosts: ['webhooks.default.svc'],
      issuer: issuer(random),
      clock,
      random,
      ...LIFETIMES,
    });
    const others = serving.get(signal);
    serving.set(signal, new Map(others).set(name, [...(others?.get(name) ?? []), certificates]));
    await certificates.start(signal);
  },
});

function decode(value: unknown): string {
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : '';
}

function bundleOf(secret: KubeObject | undefined): Bundle | undefined {
  const data = secret?.['data'];
  const text = isJsonObject(data) ? decode(getOwn(data, 'bundle.json')) : '';
  return text === '' ? undefined : (JSON.parse(text) as Bundle);
}

type ClientConfig = { readonly url: string; readonly caBundle?: string };

function clientConfigIn(configuration: KubeObject): ClientConfig | undefined {
  const [webhook] = configuration['webhooks'] as { readonly clientConfig: ClientConfig }[];
  return webhook?.clientConfig;
}

function caBundleIn(configuration: KubeObject): string {
  return decode(clientConfigIn(configuration)?.caBundle);
}

/** Behind the path that API servers call; empty where there is none. */
function segmentIn(configuration: KubeObject): string {
  return clientConfigIn(configuration)?.url.slice(URL.length) ?? '';
}

/** Whatever segment API servers are given, all replicas know: at first and, until they are given another, for good. */
function whoCallsIsBelieved(history: History): string | undefined {
  let known: readonly string[] = [];
  const called = new Map<string, string>();
  for (const { resource, object, type, at } of history.all) {
    if (resource === 'secrets') {
      // A replica restores a Secret that is lost: until then all know what they knew.
      if (type !== 'DELETED') known = (bundleOf(object)?.segments ?? []).map(({ value }) => value);
    } else if (object.metadata.name === NAME) called.set(resource, segmentIn(object));
    for (const [configuration, segment] of called)
      if (segment !== '' && !known.includes(segment))
        return `at ${at} nobody knows the path of ${configuration}`;
  }
  return undefined;
}

/** A CA whose certificates may still be served with is in every caBundle, from when that was first written. */
function whoServesIsTrusted(history: History): string | undefined {
  const valid = new Map<string, number>();
  const trusted = new Map<string, string>();
  for (const { resource, object, type, at } of history.all) {
    if (resource !== 'secrets') {
      if (object.metadata.name !== NAME) continue;
      if (caBundleIn(object) !== '') trusted.set(resource, caBundleIn(object));
    } else if (type !== 'DELETED') {
      const { leaf } = bundleOf(object) ?? {};
      if (leaf !== undefined) valid.set(leaf.authority, leaf.notAfter);
    }
    const distrusted = distrustedAt(at, valid, trusted);
    if (distrusted !== undefined) return distrusted;
  }
  return undefined;
}

function distrustedAt(
  at: number,
  valid: ReadonlyMap<string, number>,
  trusted: ReadonlyMap<string, string>,
): string | undefined {
  const served = [...valid].filter(([, notAfter]) => notAfter > EPOCH + at).map(([authority]) => authority);
  for (const [configuration, caBundle] of trusted) {
    const missing = served.find((authority) => !caBundle.includes(`<${authority}>`));
    if (missing !== undefined) return `at ${at} ${configuration} do not trust ${missing}`;
  }
  return undefined;
}

/** Every write of a configuration changes its caBundle or its path, and the bundle changes no oftener than time wants. */
function nothingIsWrittenInVain(history: History): string | undefined {
  for (const { kind } of CONFIGURATIONS) {
    const texts = history
      .of(resourceOf(kind).resource, NAME)
      .map(({ object }) => JSON.stringify(clientConfigIn(object)));
    if (texts.some((text, index) => index > 0 && text === texts[index - 1]))
      return `a ${kind} was written and not changed`;
  }
  const changes = history.of('secrets', SECRET.name).length;
  return changes > MOST_CHANGES ? `the Secret was written ${changes} times` : undefined;
}

/** But for a Secret that was deleted: the process that created the newest generation may have crashed before another one saw it. */
function generationsGrow(history: History): string | undefined {
  let last = 0;
  for (const { object, type, at } of history.of('secrets', SECRET.name)) {
    const { generation = 0 } = bundleOf(object) ?? {};
    if (generation < last || (generation === last && type === 'MODIFIED'))
      return `at ${at} generation ${generation} followed ${last}`;
    last = type === 'DELETED' ? 0 : generation;
  }
  return undefined;
}

async function missing({ client, signal }: ScenarioContext, serving: Serving): Promise<string | undefined> {
  const bundle = bundleOf(await ignoreNotFound(client.get(SECRETS, SECRET)));
  if (bundle === undefined) return 'there is no bundle';
  const wanted = bundle.authorities.map(({ cert }) => `${cert}\n`).join('');
  const configurations = await Promise.all(
    CONFIGURATIONS.map(({ kind, name }) => client.get(resourceOf(kind), { name })),
  );
  const foreign = configurations.find((one) => caBundleIn(one) !== wanted);
  if (foreign !== undefined) return `the caBundle of ${foreign.kind}`;
  const instances = REPLICAS.flatMap((name) => serving.get(signal)?.get(name)?.at(-1) ?? []);
  if (configurations.some((one) => segmentIn(one) === '')) return 'a path without a segment';
  if (instances.some(({ paths }) => paths?.admits('/', undefined) !== false)) return 'anybody is believed';
  const serves = (name: string): boolean =>
    (serving.get(signal)?.get(name) ?? []).some((one) => one.current()?.cert === bundle.leaf.cert);
  const other = REPLICAS.find((name) => !serves(name));
  return other === undefined ? undefined : `${other} serves with another certificate`;
}

/** Faults of all kinds are injected into `a`; `b` only loses calls, so that one replica is there when the Secret is lost. */
function faults(random: SeededRandom): readonly WorldFault[] {
  return Array.from({ length: 1 + random.below(10) }, () => {
    const component = random.pick(REPLICAS) ?? 'a';
    const [at, call] = [random.below(110_000), 1 + random.below(60)];
    const calls: readonly WorldFault[] = [
      { type: 'lostRequest', component, call },
      { type: 'lostResponse', component, call },
      { type: 'errorResponse', component, call, status: random.pick([409, 429, 500, 503] as const) ?? 500 },
      { type: 'delay', component, call, ms: random.below(20_000) },
      { type: 'cut', component, call, events: random.below(4) },
    ];
    const restarts: readonly WorldFault[] = [
      { type: 'pause', component: 'a', at, ms: random.below(90_000) },
      { type: 'skew', component: 'a', ms: random.below(120_000) - 60_000 },
      { type: 'twin', component: 'a', at, ms: random.below(60_000) },
      {
        type: 'crash',
        component: 'a',
        call,
        when: random.below(2) === 0 ? 'before' : 'after',
        restartAfter: 1 + random.below(30_000),
        behind: 0,
      },
      { type: 'compact', at },
    ];
    return random.pick(component === 'a' ? [...calls, ...restarts] : calls) ?? { type: 'compact', at };
  });
}

/** A bundle of a release before paths had segments, which all trust, whose CA is due after 20 s and whose certificate is after 40. */
async function oldBundle(client: Client, now: number): Promise<void> {
  const notAfter = now + LIFETIMES.leafMs / 2 + 40_000;
  const authority = { id: 'ca-0', cert: '<ca-0>', key: 'key', trustedUntil: notAfter };
  const bundle = {
    generation: 1,
    authorities: [{ ...authority, notAfter: now + LIFETIMES.authorityMs / 2 + 20_000 }],
    leaf: { cert: 'leaf-0', key: 'key', authority: 'ca-0', notAfter, hosts: ['webhooks.default.svc'] },
  };
  const data = { 'bundle.json': Buffer.from(JSON.stringify(bundle)).toString('base64') };
  await client.create<KubeObject>(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: SECRET, data });
}

async function configure(client: Client, caBundle: string): Promise<void> {
  for (const { kind, name } of CONFIGURATIONS) {
    const clientConfig = {
      url: URL,
      caBundle: Buffer.from(caBundle).toString('base64'),
    };
    const webhook = {
      name: 'w.example.com',
      clientConfig,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    };
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const configuration = { apiVersion, kind, metadata: { name }, webhooks: [webhook] };
    await client.create<KubeObject>(resourceOf(kind), configuration);
  }
}

async function empty(client: Client): Promise<void> {
  for (const { kind, name } of CONFIGURATIONS) {
    const body = [{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }];
    await client.patch(resourceOf(kind), { name }, { type: 'json', body });
  }
}

/** Two replicas whose CA and certificate are due, or who begin with nothing. */
export function webhooksScenario(
  start: 'with a bundle that is due' | 'with nothing',
  variant: { readonly guarded?: boolean } = {},
): Scenario {
  const serving: Serving = new WeakMap();
  const due = start === 'with a bundle that is due';
  return {
    name: due ? 'webhooks' : 'webhooks-start',
    observed: [
      ['', 'secrets'],
      ...CONFIGURATIONS.map(({ kind }) => [resourceOf(kind).group, resourceOf(kind).resource] as const),
    ],
    components: REPLICAS.map((name) => replica(name, serving, variant.guarded ?? true)),
    faults,
    // Certificates go on being renewed: how often is an invariant of its own.
    isHeartbeat: ({ path }) => /secrets\/certificates|webhookconfigurations/.test(path),
    async prepare({ client, clock }) {
      if (due) await oldBundle(client, clock.now());
      await configure(client, due ? '<ca-0>\n' : '');
    },
    async script({ client, clock }) {
      if (!due) return;
      const until = (at: number): Promise<void> =>
        new Promise((resolve) => clock.after(at - clock.monotonic(), resolve));
      await until(EMPTIED_AT);
      await empty(client);
      await until(LOST_AT);
      await ignoreNotFound(client.delete(SECRETS, SECRET));
    },
    missing: (context) => missing(context, serving),
    invariants: {
      'who serves is trusted': whoServesIsTrusted,
      'who calls is believed': whoCallsIsBelieved,
      'nothing is written in vain': nothingIsWrittenInVain,
      'generations grow': generationsGrow,
    },
  };
}
