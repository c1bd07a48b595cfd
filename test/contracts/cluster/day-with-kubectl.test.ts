import type { CommandResult } from '../../support/kubectl-session.ts';
import { replayOnClusters } from './replay-on-clusters.ts';

/** Names that controllers draw, which hash another text here than there. */
function withoutDrawnNames(result: CommandResult): CommandResult {
  const out = result.out
    .replaceAll(/\b(web|greeting|broken)-[a-z0-9]{5,10}(?:-[a-z0-9]{5})?\b/g, '$1-<drawn>')
    .replaceAll(/\bpvc-<uid>/g, 'pvc-<drawn>');
  return { ...result, out };
}

replayOnClusters('a day with kubectl', 'cluster', withoutDrawnNames);
