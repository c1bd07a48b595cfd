import { compareText } from '@kubewright/kube';
import type { PolicyRule } from './policy-rule.ts';
import { urlCovers } from './rule-allows.ts';

/** One right: a rule of at most one group, resource, name or path, and one verb. */
type Right = PolicyRule;

const NONE: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

/** What `wanted` gives that `held` does not, verbs of the same thing together, each as the server's errors show it. */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly string[] {
  const missing = wanted.flatMap(rightsOf).filter((right) => !held.some((rule) => covers(rule, right)));
  return [...new Set(joined(missing).map(showRule))].sort(compareText);
}

function rightsOf(rule: PolicyRule): Right[] {
  const { apiGroups, resources, nonResourceURLs } = rule;
  const onResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) => rightsOn({ ...NONE, apiGroups: [group], resources: [resource] }, rule)),
  );
  const onPaths = nonResourceURLs.flatMap((url) =>
    rule.verbs.map((verb) => ({ ...NONE, nonResourceURLs: [url], verbs: [verb] })),
  );
  return [...onResources, ...onPaths];
}

function rightsOn(thing: PolicyRule, { verbs, resourceNames }: PolicyRule): Right[] {
  const names = resourceNames.length > 0 ? resourceNames.map((name) => [name]) : [[]];
  return verbs.flatMap((verb) => names.map((one) => ({ ...thing, verbs: [verb], resourceNames: one })));
}

function covers(held: PolicyRule, right: Right): boolean {
  return (
    hasAll(held.verbs, right.verbs) &&
    hasAll(held.apiGroups, right.apiGroups) &&
    right.resources.every((resource) => resourceCovered(held.resources, resource)) &&
    namesCovered(held.resourceNames, right.resourceNames) &&
    right.nonResourceURLs.every((path) => held.nonResourceURLs.some((url) => urlCovers(url, path)))
  );
}

function hasAll(held: readonly string[], wanted: readonly string[]): boolean {
  return held.includes('*') || wanted.every((value) => held.includes(value));
}

function resourceCovered(held: readonly string[], resource: string): boolean {
  if (held.includes('*') || held.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`);
}

function namesCovered(held: readonly string[], wanted: readonly string[]): boolean {
  if (held.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => held.includes(name));
}

function joined(rights: readonly Right[]): readonly PolicyRule[] {
  const byThing = new Map<string, PolicyRule>();
  const others: PolicyRule[] = [];
  for (const right of rights) {
    const { verbs, nonResourceURLs, ...thing } = right;
    if (nonResourceURLs.length > 0) {
      others.push(right);
      continue;
    }
    const key = JSON.stringify(thing);
    const before = byThing.get(key);
    byThing.set(key, before === undefined ? right : { ...before, verbs: [...before.verbs, ...verbs] });
  }
  return [...others, ...byThing.values()];
}

const SHOWN = [
  ['APIGroups', 'apiGroups'],
  ['Resources', 'resources'],
  ['NonResourceURLs', 'nonResourceURLs'],
  ['ResourceNames', 'resourceNames'],
  ['Verbs', 'verbs'],
] as const;

function showRule(rule: PolicyRule): string {
  const parts = SHOWN.filter(([, key]) => rule[key].length > 0);
  return `{${parts.map(([name, key]) => `${name}:${quotedList(rule[key])}`).join(', ')}}`;
}

/** A list of strings as Go's `%q` shows it. */
export function quotedList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
