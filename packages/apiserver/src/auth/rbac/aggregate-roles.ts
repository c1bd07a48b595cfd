import { compareText, jsonEqual, type JsonObject, type KubeObject, type Stored } from '@kubewright/kube';
import { matchesLabels, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import { bodyOf, objectAt, objectsAt } from '../../objects/read.ts';
import type { ExtensionHost } from '../../registry/server-extension.ts';
import { RBAC_GROUP } from './rule-resolver.ts';

const RESOURCE = 'clusterroles';
const MANAGER = 'clusterrole-aggregation-controller';

/** Keeps the rules of ClusterRoles with an `aggregationRule` those of the roles that it selects. */
export function aggregateRoles(host: ExtensionHost): void {
  let settled: readonly Stored[] = [];
  host.observe(RBAC_GROUP, RESOURCE, () => {
    const roles = host.list(RBAC_GROUP, RESOURCE);
    // The listener is called for each of many changes in one turn, after all of them have been made.
    if (roles.length === settled.length && roles.every((role, index) => role === settled[index])) return;
    settleRoles(host);
    settled = host.list(RBAC_GROUP, RESOURCE);
  });
}

/** A role may select one that is aggregated itself: rounds are made until nothing changes. */
export function settleRoles(host: ExtensionHost): void {
  const roles = host.list(RBAC_GROUP, RESOURCE);
  const aggregated = roles.filter((role) => selectorsOf(role).length > 0);
  for (let round = 0; round < aggregated.length; round += 1) {
    const changed = aggregated.filter((role) => settleRole(host, role.metadata.name));
    if (changed.length === 0) return;
  }
}

function settleRole(host: ExtensionHost, name: string): boolean {
  let changed = false;
  host.update(
    { group: RBAC_GROUP, resource: RESOURCE, namespace: '', name },
    (role) => {
      const rules = selectedRules(role, host.list(RBAC_GROUP, RESOURCE));
      if (jsonEqual(rules, objectsAt(bodyOf(role), 'rules'))) return undefined;
      changed = true;
      return { ...role, rules };
    },
    { manager: MANAGER },
  );
  return changed;
}

function selectorsOf(role: KubeObject): readonly JsonObject[] {
  return objectsAt(objectAt(bodyOf(role), 'aggregationRule'), 'clusterRoleSelectors');
}

/** The rules of all roles that are selected, by selector and then by name, each rule once. */
function selectedRules(role: KubeObject, all: readonly Stored[]): readonly JsonObject[] {
  const sorted = all.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  const rules = new Map<string, JsonObject>();
  for (const selector of selectorsOf(role).map(selectorFromLabelSelector)) {
    for (const other of sorted) {
      if (other.metadata.name === role.metadata.name) continue;
      if (!matchesLabels(selector, other.metadata.labels)) continue;
      for (const rule of objectsAt(bodyOf(other), 'rules')) rules.set(JSON.stringify(rule), rule);
    }
  }
  return [...rules.values()];
}
