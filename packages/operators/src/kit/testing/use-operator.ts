import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  type Client,
  type Clock,
  createClient,
  ignoreNotFound,
  withImpersonation,
  withRetry,
} from '@kubewright/client';
import { corev1, type KubeObject, type Transport } from '@kubewright/kube';
import { createManager, type Manager, type Registry, silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll } from 'vitest';
import { accountUser, anyKindRoles, binding, MANAGER, NAMESPACE } from '../install-objects.ts';
import { installOperators } from '../install-operators.ts';
import type { Environment, OperatorParts, PolicyRule } from '../operator.ts';
import { LOOPBACK, servedWebhooks } from '../served-webhooks.ts';
import {
  configurationResource,
  installWebhooks,
  webhookConfigurationRefs,
} from '../webhook-configurations.ts';

export type UseOperatorOptions = {
  /** The operator's settings. */
  readonly env?: Environment;
  /** Objects of these kinds it may work on, where it works on any kind. */
  readonly anyKind?: Required<Pick<PolicyRule, 'apiGroups' | 'resources'>>;
  /** Default: one of its own. */
  readonly registry?: Registry;
  /** Default: that of the system. */
  readonly time?: OperatorTime;
};

/** The time of an operator: it passes while the operator runs. */
export type OperatorTime = {
  readonly clock: Clock;
  readonly pacedBy: (transport: Transport) => Transport;
  readonly run: (signal: AbortSignal) => Promise<void>;
};

/** An operator at work, and a namespace of the suite's own. Of use only while tests run. */
export type OperatorUnderTest = {
  /** Calls as a cluster admin. */
  readonly admin: Client;
  /** Calls as somebody else. */
  as(user: { readonly username: string; readonly groups: readonly string[] }): Client;
  readonly namespace: string;
  readonly manager: Manager;
  /** Stops the manager, as if all replicas were down. */
  stop(): Promise<void>;
  /** Stops the manager and starts another one. */
  restart(): Promise<void>;
};

type Running = { readonly manager: Manager; stop(): Promise<void> };

/**
 * Runs an operator for the tests of the current suite, on any server, as the manager process runs it: each part under
 * its service account with the rules that the operator declares and no others, its webhooks on loopback.
 *
 * `transport` calls as a cluster admin, and is asked for once, when the tests begin. kube-apiserver may call webhooks
 * a moment later than they are configured: wait for the first effect of one.
 */
export function useOperator(
  transport: () => Transport,
  operator: OperatorParts,
  options: UseOperatorOptions = {},
): OperatorUnderTest {
  const namespace = `${operator.parts[0]?.account ?? 'operator'}-${randomUUID().slice(0, 8)}`;
  const stage = { operator, options };
  let admin: Transport | undefined;
  let running: Running | undefined;
  const way = (): Transport => {
    assert(admin !== undefined, 'the operator is there only while tests run');
    return admin;
  };
  beforeAll(async () => {
    admin = transport();
    const client = createClient(admin);
    await installOperators(client, [operator], { more: anyKindRights(operator, options) });
    const metadata = { name: namespace };
    await client.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
    running = await run(admin, stage);
  });
  afterAll(async () => {
    if (admin === undefined) return;
    const client = createClient(admin);
    for (const { kind, name } of webhookConfigurationRefs([operator]))
      await ignoreNotFound(client.delete(configurationResource(kind), { name }));
    await running?.stop();
    await ignoreNotFound(client.delete(corev1.namespaces, { name: namespace }));
  });
  return {
    namespace,
    get admin() {
      return createClient(way());
    },
    as: (user) => createClient(as(way(), user)),
    get manager() {
      assert(running !== undefined, 'the operator is there only while tests run');
      return running.manager;
    },
    async stop() {
      await running?.stop();
      running = undefined;
    },
    async restart() {
      await running?.stop();
      running = await run(way(), stage);
    },
  };
}

/** Bound at once: no controller may be there that aggregates roles. */
function anyKindRights(operator: OperatorParts, { anyKind }: UseOperatorOptions): readonly KubeObject[] {
  if (anyKind === undefined) return [];
  return operator.parts.flatMap((part) =>
    anyKindRoles([{ ...operator, parts: [part] }], anyKind).flatMap((role) => [
      role,
      binding(role.metadata.name ?? '', [part.account, MANAGER], NAMESPACE),
    ]),
  );
}

function as(admin: Transport, { username: user, groups }: Parameters<OperatorUnderTest['as']>[0]): Transport {
  return withImpersonation(admin, { user, groups });
}

type Stage = {
  readonly operator: OperatorParts;
  readonly options: UseOperatorOptions;
};

/** Resolves when its caches are full and its webhooks are configured. */
async function run(admin: Transport, { operator, options }: Stage): Promise<Running> {
  const { env = {}, registry, time } = options;
  const way = time?.pacedBy(admin) ?? admin;
  const account = (name: string): Transport => as(way, accountUser(name));
  const webhooks = servedWebhooks([operator], LOOPBACK);
  const manager = createManager({
    name: MANAGER,
    transport: account(MANAGER),
    log: silentLogger,
    ...(time && { clock: time.clock }),
    ...(registry && { registry }),
    ...(webhooks && { webhooks: webhooks.options }),
  });
  for (const part of operator.parts)
    part.add(manager.as(createClient(withRetry(account(part.account)))), env);
  const stop = new AbortController();
  const { signal } = stop;
  const ended = manager.start(signal);
  const over = new AbortController();
  const passing = time?.run(over.signal);
  const serves = async (): Promise<void> => {
    await manager.cache.waitForSync(signal);
    if (webhooks === undefined) return;
    const url = `https://${LOOPBACK.hosts[0]}:${await webhooks.port}`;
    await installWebhooks(createClient(admin), [operator], { url, signal });
  };
  await Promise.race([serves(), ended]);
  return {
    manager,
    async stop() {
      stop.abort();
      await ended;
      over.abort();
      await passing;
    },
  };
}
