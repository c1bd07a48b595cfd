import { ApiError, createClient, sleep } from '@kubewright/client';
import {
  type Component,
  type ScenarioContext,
  drawFaults,
  type Scenario,
  type ComponentEnvironment,
} from '@kubewright/cluster';
import type { ApiRequest, Transport } from '@kubewright/kube';
import {
  anyKindRoles,
  type Environment,
  installOperators,
  type OperatorParts,
  webhookConfigurations,
} from '@kubewright/operators';
import { isClusterHeartbeat } from './cluster-component.ts';
import { operatorReplica, WEBHOOKS_URL } from './operator-replica.ts';

/** An operator's day: a {@link Scenario} without what is the same for all operators. */
export type OperatorDay = Omit<Scenario, 'components'> & {
  /** The operator, or one that is broken on purpose. */
  readonly operator: OperatorParts;
  /** The same as it runs in a world, where it calls what is outside of the cluster. */
  readonly operatorIn?: (operator: OperatorParts, environment: ComponentEnvironment) => OperatorParts;
  /** Its settings. */
  readonly env?: Environment;
  /** Objects of these kinds it may work on, where it works on any kind. */
  readonly anyKind?: { readonly apiGroups: readonly string[]; readonly resources: readonly string[] };
  /** How many managers run it. Of two, one leads, and both serve webhooks. Default: 2 where it has webhooks, else 1. */
  readonly replicas?: 1 | 2;
  /** What else runs in the world. Faults are injected into the operator alone, unless `faults` draws others. */
  readonly components?: readonly Component[];
};

/** How often users retry a write whose webhook did not respond, and after how long. */
const [TRIES, TRY_MS] = [300, 1000];

/**
 * A scenario in which an operator runs as the manager process runs it: each part under its service account, with the
 * rules that the operator declares and no others, in a world that has RBAC. Its WebhookConfigurations are there when
 * the world begins, after `prepare`; its managers serve them.
 */
export function operatorScenario(operatorDay: OperatorDay): Scenario {
  const {
    operator,
    operatorIn = (same) => same,
    env = {},
    anyKind,
    replicas = operator.webhooks ? 2 : 1,
    components = [],
    ...day
  } = operatorDay;
  const names = replicas === 1 ? ['operator'] : ['operator-1', 'operator-2'];
  const elected = replicas > 1;
  const managers = names.map((name) =>
    operatorReplica({ name, operator: (environment) => operatorIn(operator, environment), env, elected }),
  );
  const { script, rival } = day;
  return {
    faults: (random) => drawFaults(random, names, day.calls),
    ...day,
    components: [...managers, ...components],
    isHeartbeat: (request) => isHeartbeat(request) || (day.isHeartbeat?.(request) ?? false),
    async prepare(context) {
      await install(context, operator, anyKind);
      await day.prepare(context);
      await configureWebhooks(context, operator);
    },
    ...(script && { script: (context) => script(persistent(context)) }),
    ...(rival && { rival: (context) => rival(context).catch(unlessNoResponse) }),
  };
}

/** Whether a manager keeps its Lease, or a cluster is at rest. */
function isHeartbeat(request: ApiRequest): boolean {
  return request.path.includes('/leases/kubewright') || isClusterHeartbeat(request);
}

async function install(
  { client, clock, random }: ScenarioContext,
  operator: OperatorParts,
  anyKind: OperatorDay['anyKind'],
): Promise<void> {
  const more = anyKind === undefined ? [] : anyKindRoles([operator], anyKind);
  await installOperators(client, [operator], { clock, random: () => random.next(), more });
}

/** Has the webhooks of an operator called, without certificates, which nobody verifies here. */
export async function configureWebhooks(
  { client }: ScenarioContext,
  operator: OperatorParts,
  url: string = WEBHOOKS_URL,
): Promise<void> {
  // Of the network between API servers a world has nothing.
  const called = { ...operator, apiServices: [] };
  for (const configuration of webhookConfigurations([called], { url }))
    await client.apply(
      { group: 'admissionregistration.k8s.io', version: 'v1', kind: configuration.kind },
      configuration,
      { fieldManager: 'kubewright', force: true },
    );
}

/** A context that retries while a webhook does not respond. */
function persistent(context: ScenarioContext): ScenarioContext {
  const { clock } = context;
  const over = (transport: Transport): Transport => ({
    async request(request) {
      let response = await transport.request(request);
      for (let tries = 0; response.status === 500 && tries < TRIES; tries++) {
        await sleep(clock, TRY_MS, context.signal);
        response = await transport.request(request);
      }
      return response;
    },
    close: () => transport.close(),
  });
  const transport = over(context.transport);
  const connect: ScenarioContext['connect'] = (user) => over(context.connect(user));
  return { ...context, transport, connect, client: createClient(transport) };
}

/** A write whose webhook did not respond has not happened. */
function unlessNoResponse(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 500)) throw error;
}
