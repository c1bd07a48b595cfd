import type { MigrationStatus, StatefulMigration } from '../api.ts';
import type { CheckpointOrder, Transfer } from './node-agents.ts';

/** `Registry` where a repository is named and nothing else is said. */
export function transferOf({
  transferMode = '',
  checkpointImageRepository = '',
}: StatefulMigration['spec']): Transfer {
  if (transferMode === '') return checkpointImageRepository === '' ? 'Direct' : 'Registry';
  return transferMode === 'Registry' ? 'Registry' : 'Direct';
}

/** The checkpoint of a handover: of the source on its node, later of the shadow on the target node. */
export function checkpointOf(
  { metadata, spec }: StatefulMigration,
  { sourceNode = '', containerName = '', handover }: MigrationStatus,
  epoch: number,
): CheckpointOrder {
  const { namespace, uid } = metadata;
  const { sourcePod, targetNode, checkpointImageRepository = '' } = spec;
  const transfer = transferOf(spec);
  const tag = `${uid.slice(0, 8)}-${epoch}`;
  const repository = transfer === 'Registry' ? checkpointImageRepository : `localhost/ms2m/${namespace}`;
  return {
    id: `${uid}.${epoch}`,
    namespace,
    pod: handover?.from.pod ?? sourcePod,
    container: containerName,
    node: epoch === 1 ? sourceNode : targetNode,
    targetNode,
    image: `${repository}/${sourcePod}:${tag}`,
    transfer,
  };
}
