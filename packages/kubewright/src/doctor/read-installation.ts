import { type Client, ignoreNotFound } from '@kubewright/client';
import { appsv1, coordinationv1, corev1, parseTime } from '@kubewright/kube';
import {
  LEASE_OPERATORS,
  LEASE_VERSION,
  MANAGER,
  type OperatorParts,
  OPERATORS,
} from '@kubewright/operators';

/** A manager that leads, or that did last, by its Lease. */
export type Leader = {
  /** Of the Lease. */
  readonly namespace: string;
  /** Empty after a release. */
  readonly holder: string;
  readonly operators: readonly string[];
  /** Undefined: older than 0.1.0. */
  readonly version?: string;
  /** Milliseconds since 1970, by the holder's clock. */
  readonly renewedAt?: number;
  readonly durationMs: number;
};

export type Part = { readonly name: string; readonly parts: OperatorParts };

/** What is installed in a namespace, and what leads anywhere. */
export type Installation = {
  readonly namespace: string;
  readonly deployment?: appsv1.Deployment;
  readonly account?: corev1.ServiceAccount;
  readonly pods: readonly corev1.Pod[];
  readonly leaders: readonly Leader[];
  /** The operators that should work: those of Leases and of the Deployment. */
  readonly operators: readonly Part[];
};

export async function readInstallation(client: Client, namespace: string): Promise<Installation> {
  const manager = { namespace, name: MANAGER };
  const labelSelector = `app.kubernetes.io/name=${MANAGER}`;
  const [leaders, deployment, account, { items: pods }] = await Promise.all([
    readLeaders(client),
    ignoreNotFound(client.get(appsv1.deployments, manager)),
    ignoreNotFound(client.get(corev1.serviceaccounts, manager)),
    client.list(corev1.pods, { namespace, labelSelector }),
  ]);
  const names = new Set([...leaders.flatMap(({ operators }) => operators), ...operatorsIn(deployment)]);
  const chosen = OPERATORS.filter(({ name }) => names.has(name));
  const operators = await Promise.all(
    chosen.map(async (one) => ({ name: one.name, parts: await one.load() })),
  );
  return {
    namespace,
    pods,
    leaders,
    operators,
    ...(deployment === undefined ? {} : { deployment }),
    ...(account === undefined ? {} : { account }),
  };
}

/** The Leases of managers in all namespaces: two that lead the same operator are no other's fault. */
export async function readLeaders(client: Client): Promise<readonly Leader[]> {
  const { items } = await client.list(coordinationv1.leases);
  return items.flatMap(({ metadata: { name, namespace, annotations = {} }, spec }): Leader[] => {
    const operators = annotations[LEASE_OPERATORS];
    if (name !== MANAGER || operators === undefined) return [];
    const { holderIdentity, renewTime, leaseDurationSeconds } = spec;
    const version = annotations[LEASE_VERSION];
    return [
      {
        namespace,
        holder: holderIdentity ?? '',
        operators: operators.split(','),
        durationMs: (leaseDurationSeconds ?? 0) * 1000,
        ...(version === undefined ? {} : { version }),
        ...(renewTime == null ? {} : { renewedAt: parseTime(renewTime).getTime() }),
      },
    ];
  });
}

function operatorsIn(deployment: appsv1.Deployment | undefined): readonly string[] {
  const args = deployment?.spec?.template.spec?.containers.flatMap((one) => one.args ?? []) ?? [];
  const flag = '--operators=';
  return (
    args
      .find((arg) => arg.startsWith(flag))
      ?.slice(flag.length)
      .split(',') ?? []
  );
}
