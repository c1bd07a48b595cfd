import { type Json, type KubeObject, jsonEqual } from '@kubewright/kube';
import { quoteGo } from '@kubewright/kube/validation';
import { objectAt, specOf, statusOf } from '../objects/read.ts';
import {
  acceptedNames,
  conditionsOf,
  groupOf,
  isConditionTrue,
  type Names,
  requestedNames,
} from './definition-view.ts';
import { type CrdCondition, withCondition, withStatusField } from './with-condition.ts';

/**
 * What the naming controller makes of a definition: names are accepted one by one, as far as no other definition
 * of the group has them. Itself where there is nothing to do.
 */
export function acceptNames(crd: KubeObject, all: readonly KubeObject[], now: Date): KubeObject {
  if (jsonEqual(objectAt(specOf(crd), 'names'), objectAt(statusOf(crd), 'acceptedNames'))) return crd;
  const { names, condition } = decideNames(crd, all);
  const named = withStatusField(crd, 'acceptedNames', written(names));
  const accepted = withCondition(named, condition, now);
  if (isUnchanged(crd, accepted)) return crd;
  return withCondition(accepted, establishing(crd, condition), now);
}

function isUnchanged(crd: KubeObject, next: KubeObject): boolean {
  return jsonEqual(statusOf(crd), statusOf(next));
}

type Decision = { readonly names: Names; readonly condition: CrdCondition };

function decideNames(crd: KubeObject, all: readonly KubeObject[]): Decision {
  const [wanted, own] = [requestedNames(crd), acceptedNames(crd)];
  const taken = takenNames(groupOf(crd), all);
  const conflicts: (readonly [string, string])[] = [];
  const decide = (key: 'plural' | 'singular' | 'kind' | 'listKind', reason: string): string => {
    const used = key === 'plural' || key === 'singular' ? taken.resources : taken.kinds;
    const problem = conflict(wanted[key], own[key], used);
    if (problem === undefined) return wanted[key];
    conflicts.push([reason, problem]);
    return own[key];
  };
  const names: Names = {
    plural: decide('plural', 'PluralConflict'),
    singular: decide('singular', 'SingularConflict'),
    shortNames: decideShortNames(wanted, own, taken.resources, conflicts),
    kind: decide('kind', 'KindConflict'),
    listKind: decide('listKind', 'ListKindConflict'),
    categories: wanted.categories,
  };
  return { names, condition: namesCondition(conflicts.at(-1)) };
}

function decideShortNames(
  wanted: Names,
  own: Names,
  used: ReadonlySet<string>,
  conflicts: (readonly [string, string])[],
): readonly string[] {
  const problems = wanted.shortNames
    .filter((name) => !own.shortNames.includes(name))
    .flatMap((name) => conflict(name, '', used) ?? []);
  if (problems.length === 0) return wanted.shortNames;
  const message = problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
  conflicts.push(['ShortNamesConflict', message]);
  return own.shortNames;
}

function conflict(wanted: string, own: string, used: ReadonlySet<string>): string | undefined {
  return wanted === own || !used.has(wanted) ? undefined : `${quoteGo(wanted)} is already in use`;
}

/** The last conflict is reported; without one the names are accepted. */
function namesCondition(last: readonly [string, string] | undefined): CrdCondition {
  if (last === undefined) {
    return { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  }
  return { type: 'NamesAccepted', status: 'False', reason: last[0], message: last[1] };
}

function takenNames(
  group: string,
  all: readonly KubeObject[],
): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
  const names = all.filter((crd) => groupOf(crd) === group).map(acceptedNames);
  return {
    resources: new Set(names.flatMap((own) => [own.plural, own.singular, ...own.shortNames])),
    kinds: new Set(names.flatMap((own) => [own.kind, own.listKind])),
  };
}

/** Written beside `NamesAccepted`: what is established stays so. */
function establishing(crd: KubeObject, names: CrdCondition): CrdCondition {
  const old = conditionsOf(crd).find((condition) => condition.type === 'Established') as
    | CrdCondition
    | undefined;
  if (!isConditionTrue(crd, 'Established') && names.status === 'True') {
    return {
      type: 'Established',
      status: 'False',
      reason: 'Installing',
      message: 'the initial names have been accepted',
    };
  }
  return (
    old ?? {
      type: 'Established',
      status: 'False',
      reason: 'NotAccepted',
      message: 'not all names are accepted',
    }
  );
}

/** As Go writes the struct: plural and kind always, the rest where not empty. */
function written(names: Names): Json {
  const list = (key: 'shortNames' | 'categories'): Record<string, Json> =>
    names[key].length > 0 ? { [key]: [...names[key]] } : {};
  const text = (key: 'singular' | 'listKind'): Record<string, Json> =>
    names[key] === '' ? {} : { [key]: names[key] };
  return {
    plural: names.plural,
    ...text('singular'),
    ...list('shortNames'),
    kind: names.kind,
    ...text('listKind'),
    ...list('categories'),
  };
}
