import assert from 'node:assert/strict';
import type { JsonObject, ManagedFieldsEntry, Stored } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import type { MigrationPlan, PlanInput } from '../decide/migration-plan.ts';
import { planMinimal } from '../decide/plan-minimal.ts';
import { DEFAULT_POLICY, type MigrationPolicy } from '../migration-policy.ts';

/** An entry of managedFields: `entry('eno', 'Apply', {…})`, `entry('hpa', 'Update/scale', {…})`. */
export function entry(
  manager: string,
  operation: 'Apply' | 'Update' | 'Update/scale' | 'Apply/status' | 'Update/status',
  fieldsV1: JsonObject,
  apiVersion = 'apps/v1',
): ManagedFieldsEntry {
  const [verb = '', subresource] = operation.split('/');
  return {
    manager,
    operation: verb,
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** fieldsV1 of a Deployment's init containers. */
export function initContainers(fields: JsonObject): JsonObject {
  return { 'f:spec': { 'f:template': { 'f:spec': { 'f:initContainers': fields } } } };
}

/** The element of a list item with this name. */
export const item = (name: string): string => `k:{"name":"${name}"}`;

/** A live Deployment with these claims and these init containers. */
export function live(
  entries: readonly ManagedFieldsEntry[],
  init: readonly string[] = ['base-os-bash'],
): Stored {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'web', resourceVersion: '7', managedFields: entries },
    spec: {
      replicas: 5,
      template: { spec: { initContainers: init.map((name) => ({ name, image: 'i:1', command: ['sh'] })) } },
    },
  };
}

/** Plans for eno, for whom applying would give `desired`, and whose dry run was refused. */
export function plan(
  object: Stored,
  desired: JsonObject,
  policy: Partial<MigrationPolicy> = {},
  more: Partial<PlanInput> = {},
): MigrationPlan {
  return planMinimal({
    live: object,
    manager: 'eno',
    apiVersion: object.apiVersion,
    desired: FieldSet.parse(desired),
    dryRun: undefined,
    policy: { ...DEFAULT_POLICY, ...policy },
    ...more,
  });
}

/** The fieldsV1 that a plan gives a manager; undefined when the manager is gone. */
export function planned(
  result: MigrationPlan,
  manager: string,
  operation = 'Update',
): JsonObject | undefined {
  assert(result.kind === 'rewrite', `not a rewrite but ${result.kind}`);
  return result.rewrite.entries.find((one) => one.manager === manager && one.operation === operation)
    ?.fieldsV1;
}
