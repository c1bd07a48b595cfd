import type { NodeFacts } from '../../checkpoints/node-agents.ts';
import type { LivePod, ObservedNodes } from '../observed-migration.ts';
import { wait, type Turn } from '../turn.ts';

const BY_NODE = ['arch', 'cgroup'] as const;
const BY_VERSION = ['kernel', 'criu'] as const;

/** Why a process of one node cannot be restored on the other. Undefined: it can, as far as anybody can tell. */
export function nodesProblem(
  nodes: ObservedNodes | undefined,
  pod: LivePod,
  targetNode: string,
): Turn | undefined {
  const sourceNode = pod.spec.nodeName ?? '';
  if (nodes === undefined) return undefined;
  if (nodes.type === 'unavailable') return wait(nodes.message);
  const { source, target } = nodes;
  if (source === undefined || target === undefined)
    return reject('NoNodeAgent', `node ${source === undefined ? sourceNode : targetNode} has no agent`);
  const limit = limitOfNode({ source, target }, pod, targetNode);
  if (limit !== undefined) return limit;
  const field = BY_NODE.find((one) => source[one] !== target[one]);
  if (field === undefined) return undefined;
  return reject(
    'NodesDiffer',
    `a process of ${field} ${source[field]} (${sourceNode}) does not run with ${target[field]} (${targetNode})`,
  );
}

/** What one of the nodes lacks. */
function limitOfNode(
  { source, target }: { readonly source: NodeFacts; readonly target: NodeFacts },
  pod: LivePod,
  targetNode: string,
): Turn | undefined {
  if (source.rootOnly !== undefined && runsAsOther(pod))
    return reject(
      'UserNotSupported',
      `only containers that run as root can be checkpointed on node ${pod.spec.nodeName ?? ''}: ${source.rootOnly}`,
    );
  if (target.imageMissing !== undefined)
    return reject(
      'BaseImageMissing',
      `node ${targetNode} cannot get the image of the container: ${target.imageMissing}`,
    );
  if (target.restoreDisabled !== undefined)
    return reject(
      'RestoreDisabled',
      `node ${targetNode} restores no container: ${target.restoreDisabled}; an application of the SDK needs none`,
    );
  return undefined;
}

/** As far as its spec says: an image may name another user, too. */
function runsAsOther({ spec }: LivePod): boolean {
  const contexts = [spec.securityContext, ...spec.containers.map(({ securityContext }) => securityContext)];
  return contexts.some((one) => (one?.runAsUser ?? 0) !== 0 || one?.runAsNonRoot === true);
}

/** What may prevent a restore; undefined: nothing that is known. */
export function versionsDiffer(nodes: ObservedNodes | undefined): string | undefined {
  if (nodes?.type !== 'reached' || nodes.source === undefined || nodes.target === undefined) return undefined;
  const { source, target }: { readonly source: NodeFacts; readonly target: NodeFacts } = {
    source: nodes.source,
    target: nodes.target,
  };
  const differing = BY_VERSION.filter((one) => source[one] !== target[one]);
  if (differing.length === 0) return undefined;
  const each = differing.map((one) => `${one} ${source[one]} and ${target[one]}`);
  return `The nodes differ: ${each.join(', ')}. If the process cannot be restored, the source goes on`;
}

function reject(reason: string, message: string): Turn {
  return { type: 'reject', reason, message };
}
