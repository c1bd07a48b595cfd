import {
  formatTime,
  isJsonArray,
  isJsonObject,
  type Json,
  KubeError,
  parseTime,
  type Stored,
} from '@kubewright/kube';
import { type CelAllowance, celAllowance, compileDynamic } from '@kubewright/kube/cel';
import { ANNOTATIONS } from './api.ts';
import { CEL_VARIABLES, ownerVariables } from './cel-variables.ts';

/** One `eno.azure.io/readiness*` expression. */
export type ReadinessCheck = {
  /** Of the annotation: what follows `readiness-`, or `default`. */
  readonly name: string;
  readonly evaluate: (live: Stored, allowance: CelAllowance) => Json;
};

const { readiness: READINESS, readinessGroup: GROUP } = ANNOTATIONS;

/** The checks of a manifest, by name. An expression that does not compile is ignored, as in the original. */
export function readinessChecks(annotations: Readonly<Record<string, string>>): readonly ReadinessCheck[] {
  const allowance = celAllowance();
  return Object.entries(annotations)
    .filter(([key]) => key.startsWith(READINESS) && key !== GROUP)
    .flatMap(([key, text]) => {
      const name = key === READINESS ? 'default' : key.slice(READINESS.length + 1);
      return checkOf(name, text, allowance);
    });
}

function checkOf(name: string, text: string, allowance: CelAllowance): readonly ReadinessCheck[] {
  const compiled = compileDynamic(text, CEL_VARIABLES, allowance);
  if ('failure' in compiled) return [];
  // The original evaluates them with an empty Composition.
  const owner = ownerVariables({ metadata: {} });
  const evaluate: ReadinessCheck['evaluate'] = (live, shared) =>
    compiled.evaluate({ ...owner, self: live, pathManagedByEno: false }, shared);
  return [{ name, evaluate }];
}

/**
 * Since when all checks pass: the latest transition of the conditions that they return, or else `now`. Without checks
 * an object is ready as soon as it is reconciled; with any, an object that does not exist is not.
 */
export function readySince(
  checks: readonly ReadinessCheck[],
  live: Stored | undefined,
  now: Date,
): string | undefined {
  if (checks.length === 0) return formatTime(now);
  if (live === undefined) return undefined;
  const allowance = celAllowance();
  const results = checks.map((check) => resultOf(check, live, allowance));
  if (results.includes(false)) return undefined;
  const times = results.flatMap((result) => (result instanceof Date ? result.getTime() : []));
  return formatTime(times.length === 0 ? now : new Date(Math.max(...times)));
}

/** Whether a check passes; the time of the transition, where it returns conditions. An error does not pass. */
function resultOf({ evaluate }: ReadinessCheck, live: Stored, allowance: CelAllowance): boolean | Date {
  try {
    const value = evaluate(live, allowance);
    if (!isJsonArray(value)) return value === true;
    const condition = value.find(isTrueCondition);
    return condition === undefined ? false : transitionOf(condition);
  } catch (error) {
    if (error instanceof KubeError) return false;
    throw error;
  }
}

function isTrueCondition(value: Json): boolean {
  return (
    isJsonObject(value) &&
    value['status'] === 'True' &&
    typeof value['type'] === 'string' &&
    typeof value['reason'] === 'string'
  );
}

/** A condition without a readable time passes as of now. */
function transitionOf(condition: Json): Date | true {
  const text = isJsonObject(condition) ? condition['lastTransitionTime'] : undefined;
  if (typeof text !== 'string') return true;
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof KubeError) return true;
    throw error;
  }
}
