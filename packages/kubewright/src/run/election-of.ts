import type { createPinoLogger, ElectionOptions, Leader } from '@kubewright/runtime';
import { LEASE_OPERATORS, LEASE_VERSION } from '@kubewright/operators';
import { version } from './version.ts';
import type { LoadedOperator, OperatorHealth } from './operator-health.ts';

const PART = 'stands by';

/**
 * The election of a manager: all managers of a namespace have one Lease, so that no operator ever has two leaders. The
 * Lease names the operators of its holder. A standby that would run others says which of them nobody runs: in its health,
 * and as a warning in its log.
 */
export function electionOf(
  namespace: string,
  operators: readonly Pick<LoadedOperator, 'name'>[],
  { trouble, log }: { readonly trouble: OperatorHealth; readonly log: ReturnType<typeof createPinoLogger> },
): ElectionOptions {
  const names = operators.map(({ name }) => name);
  const onNewLeader = ({ identity, annotations }: Leader): void => {
    const led = annotations[LEASE_OPERATORS]?.split(',') ?? names;
    const idle = names.filter((name) => !led.includes(name));
    const why = `${identity} holds the Lease ${namespace}/kubewright and runs only ${led.join(', ')}: run both managers with the same --operators, or this one with another --leader-elect-namespace`;
    for (const name of names) trouble.report(name, PART, idle.includes(name) ? why : undefined);
    if (idle.length > 0)
      log.warn('the leader does not run all operators of this manager', { operators: idle, why });
  };
  const annotations = { [LEASE_OPERATORS]: names.join(','), [LEASE_VERSION]: version() };
  return { namespace, annotations, onNewLeader };
}
