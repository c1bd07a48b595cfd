import { runWorld, type WorldFault } from '@kubewright/cluster';
import type { OperatorPart, OperatorParts, PolicyRule } from '@kubewright/operators';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';

/** An operator that lacks one verb on one resource of what a part of it declares. */
type Lacking = { readonly right: string; readonly operator: OperatorParts };

/** With these the cache reads, and it has the roles of all parts: they lack such a right together. */
const OF_CACHE: ReadonlySet<string> = new Set(['list', 'watch']);

/** The operator, once without each of its rights. */
export function lackingEach(operator: OperatorParts): readonly Lacking[] {
  return operator.parts.flatMap((part) =>
    lackingRules(part).map(({ right, part: lacking }) => ({
      right: `${part.account}: ${right}`,
      operator: {
        ...operator,
        parts: operator.parts.map((one) => (one === part ? lacking : withoutOfCache(one, right))),
      },
    })),
  );
}

function withoutOfCache(part: OperatorPart, right: string): OperatorPart {
  if (!OF_CACHE.has(right.split(' ')[0] ?? '')) return part;
  return { ...part, rules: part.rules.flatMap(rightsOf).filter((one) => textOf(one) !== right) };
}

function lackingRules(
  part: OperatorPart,
): readonly { readonly right: string; readonly part: OperatorPart }[] {
  const { verbsOnAnyKind = [], ...rest } = part;
  const rights = part.rules.flatMap(rightsOf);
  const tried = rights.filter((right) => textOf(right) !== OF_RECORDER);
  return [
    ...tried.map((right) => ({
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

/** Seeds of worlds that are played at most until one misses a right. */
const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);

/** Every recorder of Events needs it, for one that comes again; in few worlds one does. */
const OF_RECORDER = 'patch events';

/** A write in the trace of a world: its component, the number of its call, its verb, its resource and subresource. */
const WRITE =
  /^\d+ (operator\S*) #(\d+) (POST|PUT|PATCH|DELETE) \S*?\/v\d\w*\/(?:namespaces\/[^/]+\/)?(\w+)(?:\/[^/?]+(\/\w+)?)?/;

/** Faults by which the response to the first write of each kind is lost: some rights are only for what follows then. */
function lostWrites(trace: readonly string[]): readonly WorldFault[] {
  const first = new Map<string, WorldFault>();
  for (const line of trace) {
    const [, component, call, ...kind] = WRITE.exec(line) ?? [];
    const key = [component, ...kind].join(' ');
    if (component !== undefined && !first.has(key))
      first.set(key, { type: 'lostResponse', component, call: Number(call) });
  }
  return [...first.values()];
}

/** The first world in which a right is missing; `trace` is that of the world without faults. `undefined`: in none. */
export async function missedRight(day: OperatorDay, trace: readonly string[]): Promise<string | undefined> {
  const scenario = operatorScenario(day);
  const worlds = [
    { seed: 1, faults: [] },
    ...lostWrites(trace).map((fault) => ({ seed: 1, faults: [fault] })),
    ...SEEDS.map((seed) => ({ seed })),
  ];
  for (const world of worlds) {
    const { failure } = await runWorld({ ...world, scenario });
    if (failure?.includes('is forbidden: ')) return `${JSON.stringify(world)}: ${failure}`;
  }
  return undefined;
}
