import {
  accountUser,
  MANAGER,
  type OperatorPart,
  type OperatorParts,
  type PolicyRule,
} from '@kubewright/operators';
import type { OperatorDay } from './operator-scenario.ts';

/** One verb on one resource, or on one path, that a part of an operator declares; or one of its verbs on any kind. */
export type Right = {
  /** `account: verb target`. */
  readonly name: string;
  /** The rule that grants it, with one verb. Of a verb on any kind, that which an administrator adds. */
  readonly rule: PolicyRule;
  /** The names of the users that have it. */
  readonly users: readonly string[];
  /** The operator that lacks it. */
  readonly without: OperatorParts;
};

type KindsOfUsers = OperatorDay['anyKind'];

/** With these the cache reads, and it has the roles of all parts: they lack such a right together. */
const OF_CACHE: ReadonlySet<string> = new Set(['list', 'watch']);

/**
 * Whoever makes requests needs the rights on what they capture, and uses none of them: the webhooks of capture ask the
 * server whether it has them.
 */
const OF_AUTHOR: ReadonlySet<string> = new Set([
  'capture-schedules: list any kind',
  'capture-schedules: get persistentvolumeclaims',
]);

/** Every recorder of Events needs it, for one that comes again; in few worlds one does. */
const OF_RECORDER = 'patch events';

/**
 * The rights of an operator, except to patch Events, and those that are only asked about.
 *
 * @param anyKind what an administrator grants of users' kinds
 */
export function rightsOf(operator: OperatorParts, anyKind: KindsOfUsers): readonly Right[] {
  return operator.parts.flatMap((part) => {
    const users = [part.account, MANAGER].map((account) => accountUser(account).username);
    const all = [...declared(part), ...onAnyKind(part, anyKind)];
    return all
      .filter(({ text }) => !OF_AUTHOR.has(`${part.account}: ${text}`))
      .map(({ text, rule, without }) => ({
        name: `${part.account}: ${text}`,
        rule,
        users,
        without: {
          ...operator,
          parts: operator.parts.map((one) => (one === part ? without : withoutOfCache(one, text))),
        },
      }));
  });
}

/** A right of a part, and the part without it. */
type OfPart = { readonly text: string; readonly rule: PolicyRule; readonly without: OperatorPart };

function declared(part: OperatorPart): readonly OfPart[] {
  const rules = part.rules.flatMap(split);
  const asked = rules.filter((rule) => textOf(rule) !== OF_RECORDER);
  return asked.map((rule) => ({
    text: textOf(rule),
    rule,
    without: { ...part, rules: rules.filter((one) => one !== rule) },
  }));
}

function onAnyKind(part: OperatorPart, anyKind: KindsOfUsers): readonly OfPart[] {
  const { verbsOnAnyKind = [], ...rest } = part;
  return verbsOnAnyKind.map((verb) => ({
    text: `${verb} any kind`,
    rule: { ...anyKind, verbs: [verb] },
    without: { ...rest, ...withVerbs(verbsOnAnyKind.filter((one) => one !== verb)) },
  }));
}

/** No role may be without verbs. */
function withVerbs(verbs: readonly string[]): Pick<OperatorPart, 'verbsOnAnyKind'> {
  return verbs.length === 0 ? {} : { verbsOnAnyKind: verbs };
}

function withoutOfCache(part: OperatorPart, text: string): OperatorPart {
  if (!OF_CACHE.has(text.split(' ')[0] ?? '')) return part;
  return { ...part, rules: part.rules.flatMap(split).filter((one) => textOf(one) !== text) };
}

/** A rule as many: of one verb and one resource each, or one path. */
function split({ apiGroups, resources, nonResourceURLs, verbs, ...rest }: PolicyRule): readonly PolicyRule[] {
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
