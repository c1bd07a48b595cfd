import { defined, type admissionregistrationv1, compareText, jsonEqual, type Json } from '@kubewright/kube';
import { withoutSegment } from '@kubewright/runtime';
import { MANAGER } from '../../kit/install-objects.ts';
import { policyProblem } from './policy-problem.ts';
import { ACCOUNTS, type Kausality, type KausalitySpec } from '../api.ts';

type Configuration = admissionregistrationv1.MutatingWebhookConfiguration;
type Webhook = admissionregistrationv1.MutatingWebhook;

/** The MutatingWebhookConfiguration with a webhook for each policy. */
export const CONFIGURATION = 'kubewright-drift';
/** The installed webhook, which has the address and no rules. The names of policies' webhooks end with its name. */
export const BASE = 'drift.kubewright.io';
/**
 * The path of all of them. An API server that cannot call a webhook shows its URL, and nothing else of it, to whoever is
 * denied: so it says what to do.
 */
export const PATH = '/drift/if-it-is-down-run/kubewright-drift-doctor';

/** A policy must not block the start of a cluster, or the installation of an operator. */
export const SYSTEM_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease'];
const TIMEOUT_SECONDS = 5;

/** The configuration to install. */
export const BASE_CONFIGURATION = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: CONFIGURATION },
  webhooks: [
    {
      name: BASE,
      clientConfig: { service: { path: PATH } },
      admissionReviewVersions: ['v1'],
      sideEffects: 'NoneOnDryRun',
      failurePolicy: 'Ignore',
    },
  ],
} as const;

function entryName(policy: string): string {
  return `${policy}.${BASE}`;
}

/** What keeps the webhook of a policy out of the configuration; undefined: it is in it. */
export function problemOf(policy: Kausality, home: string): string | undefined {
  const { objectSelector = {} } = policy.spec;
  const namespaceSelector = namespaceSelectorFor(policy.spec, home);
  return policyProblem(policy, { name: entryName(policy.metadata.name), namespaceSelector, objectSelector });
}

/** The webhooks of the policies; undefined while the address or the caBundle is not known. */
export function webhookEntries(
  policies: readonly Kausality[],
  configuration: Configuration,
): readonly Webhook[] | undefined {
  const base = configuration.webhooks?.find(({ name }) => name === BASE);
  if (base?.clientConfig.caBundle === undefined) return undefined;
  const namespace = base.clientConfig.service?.namespace ?? 'kubewright';
  return policies
    .filter(
      (policy) =>
        policy.metadata.deletionTimestamp === undefined && problemOf(policy, namespace) === undefined,
    )
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))
    .map((policy) => entryFor(policy, base, namespace));
}

/** The namespace in which the operator runs, from the webhook's Service. */
export function homeOf(configuration: Configuration | undefined): string {
  const base = configuration?.webhooks?.find(({ name }) => name === BASE);
  return base?.clientConfig.service?.namespace ?? 'kubewright';
}

/** The users as which the operator writes, where it is installed in `home`. */
export function ownUsers(home: string): readonly string[] {
  return [...Object.values(ACCOUNTS), MANAGER].map((name) => `system:serviceaccount:${home}:${name}`);
}

function entryFor({ metadata, spec }: Kausality, base: Webhook, home: string): Webhook {
  const isEnforced = spec.mode === 'enforce' || (spec.overrides ?? []).some(({ mode }) => mode === 'enforce');
  return {
    name: entryName(metadata.name),
    clientConfig: base.clientConfig,
    rules: spec.resources.flatMap(rulesFor),
    namespaceSelector: asStored(namespaceSelectorFor(spec, home)),
    objectSelector: asStored(spec.objectSelector ?? {}),
    matchConditions: [
      {
        name: 'written-by-others',
        expression: `!(request.userInfo.username in ${JSON.stringify(ownUsers(home))})`,
      },
    ],
    // A policy that only logs must not block a cluster while the operator is down.
    failurePolicy: isEnforced ? 'Fail' : 'Ignore',
    matchPolicy: 'Equivalent',
    reinvocationPolicy: 'Never',
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds: TIMEOUT_SECONDS,
    admissionReviewVersions: ['v1'],
  };
}

function rulesFor({
  apiGroups,
  resources,
}: KausalitySpec['resources'][number]): NonNullable<Webhook['rules']> {
  const about = { apiGroups, apiVersions: ['*'], scope: '*' } as const;
  // A rule with `*` may list no other resource. The webhook itself skips excluded ones.
  const named = resources.includes('*') ? ['*'] : [...new Set(resources)];
  return [
    { ...about, operations: ['CREATE', 'UPDATE', 'DELETE'], resources: named },
    {
      ...about,
      operations: ['UPDATE'],
      resources: named.flatMap((resource) => [`${resource}/status`, `${resource}/scale`]),
    },
  ];
}

function namespaceSelectorFor(
  { namespaces = {} }: KausalitySpec,
  home: string,
): NonNullable<Webhook['namespaceSelector']> {
  const { names = [], selector = {}, excluded = [] } = namespaces;
  const key = 'kubernetes.io/metadata.name';
  return {
    ...defined({ matchLabels: selector.matchLabels }),
    matchExpressions: [
      ...(selector.matchExpressions ?? []),
      ...(names.length === 0 ? [] : [{ key, operator: 'In', values: names }]),
      { key, operator: 'NotIn', values: [...new Set([...SYSTEM_NAMESPACES, home, ...excluded])] },
    ],
  };
}

type Selector = NonNullable<Webhook['objectSelector']>;

/** Servers store no empty lists and maps in a selector: with them, the webhook would never be as it was written. */
function asStored({ matchLabels = {}, matchExpressions = [] }: Selector): Selector {
  const expressions = matchExpressions.map(({ values = [], ...rest }) =>
    values.length === 0 ? rest : { ...rest, values },
  );
  return {
    ...(Object.keys(matchLabels).length === 0 ? {} : { matchLabels }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  };
}

/** Whether a configuration has exactly these webhooks, besides the installed one. */
export function hasEntries({ webhooks = [] }: Configuration, entries: readonly Webhook[]): boolean {
  const found = webhooks.filter(({ name }) => name.endsWith(`.${BASE}`));
  return (
    found.length === entries.length &&
    entries.every((entry) => found.some((live) => live.name === entry.name && isSame(entry, live)))
  );
}

/** The caBundle and the segment of the path are not compared: the manager keeps them up to date. */
function isSame(entry: Webhook, live: Webhook): boolean {
  const plain = ({ clientConfig, ...rest }: Webhook): Json => {
    const { url, service } = clientConfig;
    return {
      ...rest,
      ...(url !== undefined && { url: withoutSegment(url) }),
      ...(service !== undefined && { service: { ...service, path: withoutSegment(service.path ?? '') } }),
    };
  };
  return jsonEqual(plain(entry), plain(live));
}
