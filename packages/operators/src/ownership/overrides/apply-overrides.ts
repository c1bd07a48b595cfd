import { isJsonObject, type Json, type JsonObject, KubeError, type Stored } from '@kubewright/kube';
import {
  type CelAllowance,
  celAllowance,
  type CompiledDynamic,
  type DynamicVariables,
} from '@kubewright/kube/cel';
import { FieldSet, type Path } from '@kubewright/kube/fields';
import { FIELD_MANAGER } from '../api.ts';
import { readManagedFields } from '../read-managed-fields.ts';
import { assignAt } from './assign-at.ts';
import type { PathStep } from './override-path.ts';
import type { Override } from './read-overrides.ts';

/** A manifest as overrides make it, and the fields that they leave to other owners, by an override to null. */
export type Overridden = { readonly object: JsonObject; readonly delegated: readonly Path[] };

/**
 * A manifest with those overrides whose condition holds for the live object. One that cannot be evaluated or does not
 * fit leaves the manifest as it is.
 */
export function applyOverrides(
  source: JsonObject,
  overrides: readonly Override[],
  live: Stored | undefined,
  owner: DynamicVariables,
): Overridden {
  const owned = live === undefined ? FieldSet.EMPTY : ownedBy(live);
  const unchanged: Overridden = { object: source, delegated: [] };
  const allowance = celAllowance();
  const self = live ?? {};
  return overrides.reduce<Overridden>((result, { path, condition, value, expression }) => {
    const pathManagedByEno = owned.has(fieldPath(path));
    const run: Evaluate = (one) => evaluated(one, { ...owner, self, pathManagedByEno }, allowance);
    if (condition !== undefined && run(condition) !== true) return result;
    const assigned = expression === undefined ? value : computed(expression, run, live);
    const next = assigned === undefined ? undefined : assignAt(result.object, path, assigned);
    if (!isJsonObject(next)) return result;
    const delegated = assigned === null ? [...result.delegated, fieldPath(path)] : result.delegated;
    return { object: next, delegated };
  }, unchanged);
}

/** Null, and an expression over an object that does not exist, override nothing. */
function computed(expression: CompiledDynamic, run: Evaluate, live: Stored | undefined): Json | undefined {
  return live === undefined ? undefined : (run(expression) ?? undefined);
}

type Evaluate = (expression: CompiledDynamic) => Json | undefined;

function evaluated(
  expression: CompiledDynamic,
  variables: DynamicVariables,
  allowance: CelAllowance,
): Json | undefined {
  try {
    return expression.evaluate(variables, allowance);
  } catch (error) {
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}

/** What our field manager owns, through apply or update. */
function ownedBy(live: Stored): FieldSet {
  return readManagedFields(live)
    .claims.filter(({ owner }) => owner.manager === FIELD_MANAGER)
    .reduce((all, { set }) => all.union(set), FieldSet.EMPTY);
}

/** The path as managedFields has it. A wildcard is owned by nobody. */
function fieldPath(path: readonly PathStep[]): Path {
  return path.map((step) => {
    switch (step.type) {
      case 'field':
        return `f:${step.name}`;
      case 'index':
        return `i:${step.index}`;
      case 'match':
        return `k:${JSON.stringify({ [step.key]: step.value })}`;
      case 'all':
        return 'i:*';
    }
  });
}
