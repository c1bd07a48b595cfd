import { type Client, createClient, withImpersonation } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import { createManager, silentLogger } from '@kubewright/runtime';
import { accountUser, binding, MANAGER, NAMESPACE, role } from '../../kit/install-objects.ts';
import { installOperators } from '../../kit/install-operators.ts';
import type { Environment } from '../../kit/operator.ts';
import { captureParts } from '../controller.ts';

/** What is captured and followed in tests. Bound as it is, because not every cluster under test aggregates roles. */
const CAPTURABLE = role('capture-test', [
  {
    apiGroups: ['', 'apps'],
    resources: ['configmaps', 'secrets', 'services', 'deployments', 'namespaces'],
    verbs: ['get'],
  },
]);
const ANY_KIND = captureParts.parts.filter(({ verbsOnAnyKind }) => verbsOnAnyKind !== undefined);

/** The operator at work on a cluster, each part under its own account. */
export type RunningCapture = { readonly admin: Client; stop(): Promise<void> };

export async function runCapture(transport: Transport, env: Environment = {}): Promise<RunningCapture> {
  const admin = createClient(transport);
  const accounts = ANY_KIND.map(({ account }) => account);
  const more = [CAPTURABLE, binding('capture-test', accounts, NAMESPACE)];
  await installOperators(admin, [captureParts], { more });
  const as = (account: string): Client => {
    const { username: user, groups } = accountUser(account);
    return createClient(withImpersonation(transport, { user, groups }));
  };
  const stop = new AbortController();
  const manager = createManager({ client: as(MANAGER), log: silentLogger });
  for (const part of captureParts.parts) part.add(manager.as(as(part.account)), env);
  const ended = manager.start(stop.signal);
  await manager.cache.waitForSync(AbortSignal.timeout(30_000));
  return {
    admin,
    async stop() {
      stop.abort();
      await ended;
    },
  };
}
