import { createClient, type Client, withRetry } from '@kubewright/client';
import type { Component, Director, Scenario } from '@kubewright/cluster';
import {
  accountUser,
  anyKindRoles,
  type Environment,
  installOperators,
  MANAGER,
  type OperatorParts,
} from '@kubewright/operators';
import { createManager, silentLogger } from '@kubewright/runtime';

/** An operator's day: a {@link Scenario} without what is the same for all operators. */
export type OperatorDay = Omit<Scenario, 'components'> & {
  /** The operator, or one that is broken on purpose. */
  readonly operator: OperatorParts;
  /** Its settings. */
  readonly env?: Environment;
  /** Objects of these kinds it may work on, where it works on any kind. */
  readonly anyKind?: { readonly apiGroups: readonly string[]; readonly resources: readonly string[] };
};

/**
 * A scenario in which an operator runs as the manager process runs it: each part under its service account, with the
 * rules that the operator declares and no others, in a world that has RBAC.
 */
export function operatorScenario({ operator, env = {}, anyKind, ...day }: OperatorDay): Scenario {
  return {
    ...day,
    components: [component(operator, env)],
    async prepare(director: Director) {
      const { client, clock, random } = director;
      const roles = anyKind === undefined ? [] : anyKindRoles([operator], anyKind);
      await installOperators(client, [operator], { clock, random: () => random.next(), more: roles });
      await day.prepare(director);
    },
  };
}

function component({ parts }: OperatorParts, env: Environment): Component {
  return {
    name: 'operator',
    async start({ connect, clock, random, signal }) {
      const as = (account: string): Client =>
        createClient(withRetry(connect(accountUser(account)), { clock, random }));
      const manager = createManager({ client: as(MANAGER), clock, random, log: silentLogger });
      for (const part of parts) part.add(manager.as(as(part.account)), env);
      await manager.start(signal);
    },
  };
}
