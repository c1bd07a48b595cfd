import type { OperatorParts } from '@kubewright/operators';
import type { ManagerHealth } from '@kubewright/runtime';

/** An operator that has been loaded. */
export type LoadedOperator = { readonly name: string; readonly parts: OperatorParts };

/** Whose trouble it is when operators share a manager. */
export type OperatorHealth = {
  /** Notes that a controller is an operator's. */
  own(controller: string, operator: string): void;
  /** Notes what is wrong with a part of an operator, or with `undefined` that it is well again. */
  report(operator: string, part: string, trouble: string | undefined): void;
  /**
   * The manager's health, each line under the operator that it is about. A kind that cannot be listed degrades the
   * operator whose kind it is, and does not make the process unready while others can: all replicas would leave the
   * Service at once, and with them the webhooks of the other operators.
   */
  describe(health: ManagerHealth): ManagerHealth;
};

export function operatorHealth(operators: readonly LoadedOperator[]): OperatorHealth {
  const kinds = new Map(
    operators.flatMap(({ name, parts }) => kindsOf(parts).map((kind) => [kind, name] as const)),
  );
  const controllers = new Map<string, string>();
  const troubles = new Map<string, string>();
  const named = (operator: string | undefined, line: string): string =>
    operator === undefined ? line : `operator ${operator}: ${line}`;
  const ofKind = (line: string): string => named(kinds.get(kindIn(line)), line);
  const ofController = (line: string): string =>
    named(controllers.get(/^controller ([^:]+): /.exec(line)?.[1] ?? ''), line);
  return {
    own: (controller, operator) => void controllers.set(controller, operator),
    report(operator, part, trouble) {
      const line = named(operator, part);
      if (trouble === undefined) troubles.delete(line);
      else troubles.set(line, `${line}: ${trouble}`);
    },
    describe(health) {
      const somethingWorks = health.kinds.some(({ condition }) => condition === 'ok');
      const isDegraded = (line: string): boolean => somethingWorks && isFailingKind(line, health);
      const reasons = health.reasons.filter((line) => !isDegraded(line)).map(ofKind);
      const degraded = [
        ...troubles.values(),
        ...health.reasons.filter(isDegraded).map(ofKind),
        ...health.degraded.map(ofController),
      ];
      return { ...health, ready: reasons.length === 0, reasons, degraded };
    },
  };
}

/** `oaas.io/v1alpha1 ClassRuntime`, as the cache names a kind. */
function kindsOf({ resources }: OperatorParts): readonly string[] {
  return resources.map(({ group, version, kind }) => `${group}/${version} ${kind}`);
}

function kindIn(line: string): string {
  return /^(\S+ \S+?)(?: \([^)]*\))?: /.exec(line)?.[1] ?? '';
}

function isFailingKind(line: string, { kinds }: ManagerHealth): boolean {
  return kinds.some(({ name, condition }) => condition === 'failing' && line.startsWith(`${name}: failing`));
}
