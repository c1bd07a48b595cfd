import { type JsonObject, isJsonObject, parseJson } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import type { CheckpointState, NodeFacts } from './node-agents.ts';

/** What an agent says of a failure; of anything else, the text. */
export function problemIn(text: string): { readonly reason?: string; readonly message: string } {
  const { reason, message } = objectIn(text);
  return {
    message: typeof message === 'string' ? message : text,
    ...(typeof reason === 'string' && { reason }),
  };
}

export function factsIn(text: string): NodeFacts {
  const { arch, cgroup, kernel, criu, restoreDisabled, rootOnly, imageMissing } = objectIn(text);
  const [first, second, third, fourth] = [arch, cgroup, kernel, criu].map((one) =>
    typeof one === 'string' ? one : undefined,
  );
  if (first === undefined || second === undefined || third === undefined || fourth === undefined)
    throw new OperatorError('Failed', 'the agent returned no facts of its node');
  return {
    arch: first,
    cgroup: second,
    kernel: third,
    criu: fourth,
    ...(typeof restoreDisabled === 'string' && { restoreDisabled }),
    ...(typeof rootOnly === 'string' && { rootOnly }),
    ...(typeof imageMissing === 'string' && { imageMissing }),
  };
}

export function stateIn(text: string): CheckpointState {
  const { phase, message, reason, image, sha256, bytes } = objectIn(text);
  const given = typeof message === 'string' ? message : '';
  if (phase === 'Running') return { phase, message: given };
  if (phase === 'Failed')
    return { phase, message: given, reason: typeof reason === 'string' ? reason : 'CheckpointFailed' };
  const isReady = typeof image === 'string' && typeof sha256 === 'string' && typeof bytes === 'number';
  if (phase === 'Ready' && isReady) return { phase, image, sha256, bytes };
  throw new OperatorError('Failed', 'the agent returned no state of a checkpoint');
}

/** Empty for what is no object. */
export function objectIn(text: string): JsonObject {
  try {
    const given = parseJson(text);
    return isJsonObject(given) ? given : {};
  } catch {
    return {};
  }
}
