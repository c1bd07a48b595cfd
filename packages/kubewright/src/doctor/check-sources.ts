import { type Client, type ResourceRef } from '@kubewright/client';
import type { Condition, KubeObject } from '@kubewright/kube';
import { CLASS_RUNTIMES, STATEFUL_MIGRATIONS } from '@kubewright/operators';
import type { Result } from './result.ts';

/** What an operator depends on outside of the API, as its objects say that it is not reached. */
type Source = {
  readonly operator: string;
  readonly resource: ResourceRef;
  readonly isAway: (condition: Condition) => boolean;
  readonly name: string;
  readonly fix: string;
};

const SOURCES: readonly Source[] = [
  {
    operator: 'migration',
    resource: STATEFUL_MIGRATIONS,
    isAway: ({ type, status }) => type === 'BrokerUnavailable' && status === 'True',
    name: 'the broker',
    fix: 'is it up, and does a NetworkPolicy let the manager reach it? docs/migration.md has its settings',
  },
  {
    operator: 'classes',
    resource: CLASS_RUNTIMES,
    isAway: ({ type, status, reason }) =>
      type === 'NfrObserved' && status === 'False' && (reason ?? '').startsWith('Prometheus'),
    name: 'Prometheus',
    fix: 'kubewright class doctor NAME --prometheus URL',
  },
];

/** Brokers and Prometheus: what the operators' objects say of them. The program need not reach them. */
export async function checkSources(
  client: Client,
  operators: readonly { readonly name: string }[],
): Promise<readonly Result[]> {
  const used = SOURCES.filter(({ operator }) => operators.some(({ name }) => name === operator));
  return (await Promise.all(used.map(async (source) => checkSource(client, source)))).flat();
}

async function checkSource(
  client: Client,
  { resource, isAway, name, operator, fix }: Source,
): Promise<readonly Result[]> {
  const { items } = await client.list<KubeObject>(resource);
  const away = items.flatMap((object) => {
    const { conditions = [] } = (object['status'] ?? {}) as { readonly conditions?: readonly Condition[] };
    const condition = conditions.find(isAway);
    const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    return condition === undefined ? [] : [`${resource.kind} ${key}: ${condition.message ?? ''}`];
  });
  if (away.length === 0)
    return [
      { status: 'ok', what: `${operator} reaches ${name} wherever one of ${items.length} objects needs it` },
    ];
  return away.map((what) => ({ status: 'failed', what: `${operator} does not reach ${name}: ${what}`, fix }));
}
