import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  KubeError,
  parseJson,
} from '@kubewright/kube';
import { type CelAllowance, celAllowance, type CompiledDynamic, compileDynamic } from '@kubewright/kube/cel';
import { CEL_VARIABLES } from '../cel-variables.ts';
import { parseOverridePath, type PathStep } from './override-path.ts';

/** One override of a manifest: a value for a path, on a condition. */
export type Override = {
  readonly path: readonly PathStep[];
  readonly condition: CompiledDynamic | undefined;
  /** Null takes the field out. An expression has precedence over it. */
  readonly value: Json;
  readonly expression: CompiledDynamic | undefined;
};

/** Those of `eno.azure.io/overrides` that can be read. The others are ignored: the manifest applies as it is. */
export function readOverrides(text: string | undefined): readonly Override[] {
  const list = text === undefined ? [] : parsed(text);
  const allowance = celAllowance();
  return isJsonArray(list)
    ? list.flatMap((item) => (isJsonObject(item) ? (overrideOf(item, allowance) ?? []) : []))
    : [];
}

function parsed(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof KubeError) return [];
    throw error;
  }
}

function overrideOf(item: JsonObject, allowance: CelAllowance): Override | undefined {
  const { path: text, condition: when = '', value = null, valueExpression: formula = '' } = item;
  const path = typeof text === 'string' ? parseOverridePath(text) : undefined;
  const condition = compiled(when, allowance);
  const expression = compiled(formula, allowance);
  if (path === undefined || condition === 'invalid' || expression === 'invalid') return undefined;
  return { path, condition, value, expression };
}

function compiled(text: Json, allowance: CelAllowance): CompiledDynamic | 'invalid' | undefined {
  if (text === '') return undefined;
  const expression =
    typeof text === 'string' ? compileDynamic(text, CEL_VARIABLES, allowance) : { failure: 'no text' };
  return 'failure' in expression ? 'invalid' : expression;
}
