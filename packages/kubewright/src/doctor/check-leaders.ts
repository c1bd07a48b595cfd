import { checkOperatorClock, type Clocks } from '@kubewright/operators';
import type { Installation, Leader } from './read-installation.ts';
import type { Result } from './result.ts';

/** Whether each operator has one leader, and no more. */
export function checkLeaders(
  { leaders, deployment, namespace, operators }: Installation,
  clocks: Clocks | undefined,
): readonly Result[] {
  if (leaders.length === 0)
    return [
      deployment === undefined
        ? {
            status: 'unknown',
            what: 'no manager has taken a Lease: it runs without, or not at all',
            fix: `kubewright install -n ${namespace} | kubectl apply -f -; outside of the cluster: kubewright manager`,
          }
        : {
            status: 'failed',
            what: `no manager has taken the Lease ${namespace}/kubewright: no operator works`,
            fix: `kubectl -n ${namespace} logs deployment/kubewright`,
          },
    ];
  const live = leaders.filter((leader) => isLive(leader, clocks));
  const dead = leaders.filter((leader) => !live.includes(leader));
  return [
    ...live.map(describe),
    ...dead.filter((leader) => !isReplaced(leader, live)).map(left),
    ...doubles(live),
    ...operators.flatMap(({ name }) => unled(name, leaders)),
  ];
}

/** Without the server's time, a Lease with a holder counts. */
function isLive({ holder, renewedAt, durationMs }: Leader, clocks: Clocks | undefined): boolean {
  if (holder === '' || renewedAt === undefined) return false;
  return clocks === undefined || checkOperatorClock({ at: renewedAt, durationMs }, clocks).status === 'ok';
}

function describe({ namespace, holder, operators }: Leader): Result {
  return { status: 'ok', what: `${holder} leads ${operators.join(', ')} (Lease ${namespace}/kubewright)` };
}

/** What is left of a manager that was run elsewhere before. */
function isReplaced({ operators }: Leader, live: readonly Leader[]): boolean {
  return operators.every((name) => live.some((leader) => leader.operators.includes(name)));
}

function left({ namespace, holder, operators }: Leader): Result {
  const who = holder === '' ? 'nobody holds' : `${holder} has not renewed`;
  return {
    status: 'failed',
    what: `${who} the Lease ${namespace}/kubewright: ${operators.join(', ')} do nothing`,
    fix: `is a manager running? kubectl get pods -n ${namespace}; one that is not wanted any more: kubectl delete lease kubewright -n ${namespace}`,
  };
}

function doubles(live: readonly Leader[]): readonly Result[] {
  const names = new Set(live.flatMap(({ operators }) => operators));
  return [...names].flatMap((name): readonly Result[] => {
    const leases = live.filter(({ operators }) => operators.includes(name)).map(({ namespace }) => namespace);
    if (leases.length < 2) return [];
    const what = `${name} is led twice, by the Leases kubewright in ${leases.join(' and ')}: both write`;
    return [{ status: 'failed', what, fix: 'stop one of the managers, or run it with other --operators' }];
  });
}

function unled(name: string, leaders: readonly Leader[]): readonly Result[] {
  if (leaders.some(({ operators }) => operators.includes(name))) return [];
  const led = leaders.map(({ namespace, operators }) => `${namespace}: ${operators.join(', ')}`).join('; ');
  return [
    {
      status: 'failed',
      what: `no manager that leads runs ${name} (Leases in ${led})`,
      fix: 'run all managers of a namespace with the same --operators, or this one with another --leader-elect-namespace',
    },
  ];
}
