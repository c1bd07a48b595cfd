import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  KubeError,
  type KubeObject,
  parseTime,
} from '@kubewright/kube';
import { memberOf } from '../annotations/read-annotation.ts';

/** The most conditions of a status that are read. */
const MOST_CONDITIONS = 30;

export const statusOf = (object: KubeObject): JsonObject => fieldOf(object, 'status');
export const specOf = (object: KubeObject): JsonObject => fieldOf(object, 'spec');

function fieldOf(object: KubeObject, name: 'spec' | 'status'): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** A field of a status, by its path. */
export function statusAt(object: KubeObject, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>(memberOf, statusOf(object));
}

/** Whether somebody has written its status; of a cached parent, its metadata says so. */
export function hasStatus(object: KubeObject): boolean {
  const { isWritten } = object.metadata as { readonly isWritten?: unknown };
  return isWritten === true || Object.keys(statusOf(object)).length > 0;
}

export function conditionsIn(status: JsonObject): readonly JsonObject[] {
  const conditions = getOwn(status, 'conditions');
  if (!isJsonArray(conditions)) return [];
  return conditions.slice(0, MOST_CONDITIONS).filter((one) => isJsonObject(one));
}

export function conditionOf(parent: KubeObject, type: string): JsonObject | undefined {
  return conditionsIn(statusOf(parent)).find((one) => getOwn(one, 'type') === type);
}

export function isTrue(parent: KubeObject, type: string): boolean {
  const condition = conditionOf(parent, type);
  return condition !== undefined && getOwn(condition, 'status') === 'True';
}

/** A generation, as a number or, as Argo Rollouts writes it, as text. */
export function generationAt(from: JsonObject | undefined): number | undefined {
  return asGeneration(from && getOwn(from, 'observedGeneration'));
}

export function asGeneration(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

export function timeOf(text: Json | undefined): Date | undefined {
  try {
    return typeof text === 'string' ? parseTime(text) : undefined;
  } catch (error) {
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}
