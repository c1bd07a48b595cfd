import { runWorld } from '@kubewright/cluster';
import type { OperatorPart, OperatorParts, PolicyRule } from '@kubewright/operators';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';

/** An operator that lacks one verb on one resource of what a part of it declares. */
type Lacking = { readonly right: string; readonly operator: OperatorParts };

/** The operator, once without each of its rights. */
export function lackingEach(operator: OperatorParts): readonly Lacking[] {
  return operator.parts.flatMap((part) =>
    lackingRules(part).map(({ right, part: lacking }) => ({
      right: `${part.account}: ${right}`,
      operator: { ...operator, parts: operator.parts.map((one) => (one === part ? lacking : one)) },
    })),
  );
}

function lackingRules(
  part: OperatorPart,
): readonly { readonly right: string; readonly part: OperatorPart }[] {
  const { verbsOnAnyKind = [], ...rest } = part;
  const rights = part.rules.flatMap(rightsOf);
  return [
    ...rights.map((right) => ({
      right: textOf(right),
      part: { ...part, rules: rights.filter((one) => one !== right) },
    })),
    ...verbsOnAnyKind.map((verb) => ({
      right: `${verb} any kind`,
      part: { ...rest, ...anyKind(verbsOnAnyKind.filter((one) => one !== verb)) },
    })),
  ];
}

/** No role may be without verbs. */
function anyKind(verbs: readonly string[]): Pick<OperatorPart, 'verbsOnAnyKind'> {
  return verbs.length === 0 ? {} : { verbsOnAnyKind: verbs };
}

/** A rule as many: of one verb and one resource each, or one path. */
function rightsOf({
  apiGroups,
  resources,
  nonResourceURLs,
  verbs,
  ...rest
}: PolicyRule): readonly PolicyRule[] {
  const targets: readonly Omit<PolicyRule, 'verbs'>[] = [
    ...(apiGroups ?? []).flatMap((group) =>
      (resources ?? []).map((resource) => ({ ...rest, apiGroups: [group], resources: [resource] })),
    ),
    ...(nonResourceURLs ?? []).map((url) => ({ nonResourceURLs: [url] })),
  ];
  return targets.flatMap((target) => verbs.map((verb) => ({ ...target, verbs: [verb] })));
}

function textOf({
  apiGroups = [],
  resources = [],
  resourceNames,
  nonResourceURLs = [],
  verbs,
}: PolicyRule): string {
  const [group = ''] = apiGroups;
  const [resource] = resources;
  const target =
    resource === undefined ? nonResourceURLs[0] : `${resource}${group === '' ? '' : `.${group}`}`;
  return `${verbs.join()} ${target}${resourceNames === undefined ? '' : ` ${resourceNames.join()}`}`;
}

/**
 * Seeds of worlds that are played at most until one misses a right: the first without faults. In the last ones, something
 * is lost that few worlds lose: the responses to writes of a drift policy and of its webhook configuration, a write with
 * which a capture of manifests, or of a volume, begins, so that its Event comes twice, the patch of an autoscaler, and the
 * write of the status of an approval policy, of a namespace and of the cluster.
 */
const SEEDS = [
  ...Array.from({ length: 41 }, (_, seed) => seed),
  100_027,
  100_119,
  250_108,
  350_274,
  8_020_546,
  70_735_013,
  70_735_029,
];

/** The first world in which a right is missing. `undefined`: in none. */
export async function missedRight(day: OperatorDay): Promise<string | undefined> {
  const scenario = operatorScenario(day);
  for (const seed of SEEDS) {
    const calm = seed === 0 ? { faults: [] } : {};
    const { failure } = await runWorld({ seed: Math.max(1, seed), scenario, ...calm });
    if (failure?.includes('is forbidden: ')) return `seed ${seed}: ${failure}`;
  }
  return undefined;
}
