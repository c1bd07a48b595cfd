import { compareText } from '@kubewright/kube';
import type { StatefulMigration } from '../api.ts';
import type { ObservedMigration } from './observed-migration.ts';

/**
 * For how many others a migration has to wait; undefined: it may begin. Those that were created before it count, begun or
 * not, so that two that are decided at the same moment agree on who is first.
 */
export function limitOf({ migration, open, settings, named }: ObservedMigration): string | undefined {
  const { most, mostPerNode } = settings;
  const ahead = open.filter((one) => !one.spec.dryRun && (isBegun(one) || isOlder(one, migration)));
  if (most > 0 && ahead.length >= most)
    return `waiting for other migrations: at most ${most} at once (MS2M_MAX_MIGRATIONS)`;
  const nodes = [named?.spec.nodeName, migration.spec.targetNode];
  const full = nodes.find((node) => ahead.filter((one) => isOn(one, node)).length >= mostPerNode);
  return mostPerNode > 0 && full !== undefined
    ? `waiting for other migrations of node ${full}: at most ${mostPerNode} at once (MS2M_MAX_PER_NODE)`
    : undefined;
}

function isBegun({ status }: StatefulMigration): boolean {
  return status?.step !== undefined && status.step !== 'Preflight';
}

function isOlder({ metadata: one }: StatefulMigration, { metadata: other }: StatefulMigration): boolean {
  const order = compareText(one.creationTimestamp ?? '', other.creationTimestamp ?? '');
  return order === 0 ? compareText(one.uid, other.uid) < 0 : order < 0;
}

/** From or to the node. One that was not looked at yet may be from any. */
function isOn({ spec, status }: StatefulMigration, node: string | undefined): boolean {
  return spec.targetNode === node || (status?.sourceNode ?? node) === node;
}
