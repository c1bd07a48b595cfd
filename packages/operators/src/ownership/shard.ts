import { KubeError, type KubeObject } from '@kubewright/kube';
import { type LabelSelector, matchesLabels, parseLabelSelector } from '@kubewright/kube/selectors';
import type { Predicate } from '@kubewright/runtime';
import type { Environment } from '../kit/operator.ts';
import { OperatorError } from '../operator-error.ts';

/** The Compositions that this process works on. What it only reads, such as dependencies, may be in other shards. */
export type Shard = {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Without requirements: all labels. */
  readonly selector: LabelSelector;
};

/** The shard from the original's settings, `COMPOSITION_NAMESPACE` and `COMPOSITION_LABEL_SELECTOR`; empty means all. */
export function shardFromEnvironment(env: Environment): Shard {
  const namespace = env['COMPOSITION_NAMESPACE']?.trim() ?? '';
  return {
    namespace: namespace === '' ? undefined : namespace,
    selector: selectorOf(env['COMPOSITION_LABEL_SELECTOR'] ?? ''),
  };
}

function selectorOf(text: string): LabelSelector {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    const message = `COMPOSITION_LABEL_SELECTOR ${JSON.stringify(text)} is not a label selector: ${error.message}`;
    throw new OperatorError('Usage', message, { cause: error });
  }
}

export function isInShard(shard: Shard, { metadata }: KubeObject): boolean {
  return isNamespaceInShard(shard, metadata.namespace) && matchesLabels(shard.selector, metadata.labels);
}

/** All that is known of a slice whose Composition is gone: each shard of its namespace may release it. */
export function isNamespaceInShard(shard: Shard, namespace: string | undefined): boolean {
  return shard.namespace === undefined || shard.namespace === namespace;
}

/** New labels have moved an object into the shard. */
export function entersShard(shard: Shard): Predicate {
  return (event) => event.type === 'Update' && !isInShard(shard, event.old) && isInShard(shard, event.object);
}
