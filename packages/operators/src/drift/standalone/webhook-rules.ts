import { type admissionregistrationv1, compareText, defined } from '@kubewright/kube';
import type { Kausality } from '../api.ts';
import { SYSTEM_NAMESPACES } from '../policy/webhook-entries.ts';

type Webhook = admissionregistrationv1.MutatingWebhook;
type Rules = NonNullable<Webhook['rules']>;
type Selector = NonNullable<Webhook['namespaceSelector']>;

/** The resources that policies name, by group; both sorted. `*` stands for all of the group. */
export function resourcesByGroup(
  policies: readonly Pick<Kausality, 'metadata' | 'spec'>[],
): readonly (readonly [group: string, resources: readonly string[]])[] {
  const groups = new Map<string, Set<string>>();
  for (const { metadata, spec } of policies) {
    if (metadata.deletionTimestamp !== undefined) continue;
    for (const { apiGroups, resources } of spec.resources)
      for (const group of apiGroups) groups.set(group, new Set([...(groups.get(group) ?? []), ...resources]));
  }
  return [...groups]
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([group, names]) => [group, names.has('*') ? ['*'] : [...names].toSorted(compareText)]);
}

/** The rules of the one webhook that all policies share: changes of what they name, and of its status. */
export function webhookRules(policies: readonly Kausality[]): Rules {
  return resourcesByGroup(policies).flatMap(([group, resources]) => {
    const about = { apiGroups: [group], apiVersions: ['*'], scope: '*' } as const;
    return [
      { ...about, operations: ['CREATE', 'UPDATE', 'DELETE'], resources },
      { ...about, operations: ['UPDATE'], resources: resources.map((name) => `${name}/status`) },
    ];
  });
}

const NAME = 'kubernetes.io/metadata.name';

/** The selector that is there, which also excludes the namespaces of the system and of the webhook. */
export function namespaceSelector(live: Webhook['namespaceSelector'], home: string): Selector {
  const { matchLabels, matchExpressions = [] } = live ?? {};
  const excludes = ({ key, operator }: (typeof matchExpressions)[number]): boolean =>
    key === NAME && operator === 'NotIn';
  const before = matchExpressions.filter(excludes).flatMap(({ values = [] }) => values);
  const values = [...new Set([...before, ...SYSTEM_NAMESPACES, home])];
  return {
    ...defined({ matchLabels }),
    matchExpressions: [
      ...matchExpressions.filter((one) => !excludes(one)),
      { key: NAME, operator: 'NotIn', values },
    ],
  };
}
