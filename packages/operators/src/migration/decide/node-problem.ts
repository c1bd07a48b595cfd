import type { corev1, Stored } from '@kubewright/kube';
import { addQuantity, compareQuantity, parseQuantity, type Quantity } from '@kubewright/kube/quantity';
import { isReadyNode } from './source-of.ts';

type Node = Stored<corev1.Node>;
type Problem = readonly [reason: string, message: string];

/** Why no pod like this one can run on a node; undefined: the scheduler checks the rest, as what else runs there. */
export function nodeProblem(spec: corev1.PodSpec, node: Node): Problem | undefined {
  const { name } = node.metadata;
  if (!isReadyNode(node)) return ['TargetNodeNotReady', `node ${name} is not ready`];
  if (node.spec?.unschedulable === true)
    return [
      'TargetNodeUnschedulable',
      `node ${name} is cordoned: uncordon it (kubectl uncordon ${name}), or name another node`,
    ];
  return taintProblem(spec, node) ?? selectorProblem(spec, node) ?? sizeProblem(spec, node);
}

function taintProblem({ tolerations = [] }: corev1.PodSpec, { metadata, spec }: Node): Problem | undefined {
  const taint = (spec?.taints ?? []).find(
    (one) => one.effect !== 'PreferNoSchedule' && !isTolerated(one, tolerations),
  );
  if (taint === undefined) return undefined;
  const { key, value = '', effect } = taint;
  return [
    'TargetNodeTainted',
    `the pod does not tolerate the taint ${key}${value === '' ? '' : `=${value}`}:${effect} of node ${metadata.name}`,
  ];
}

function isTolerated(taint: corev1.Taint, tolerations: readonly corev1.Toleration[]): boolean {
  return tolerations.some(({ key = '', operator = 'Equal', value = '', effect = taint.effect }) => {
    const isOfAny = operator === 'Exists';
    const isOfKey = key === '' ? isOfAny : key === taint.key;
    const isOfValue = isOfAny || value === (taint.value ?? '');
    return isOfKey && isOfValue && effect === taint.effect;
  });
}

function selectorProblem({ nodeSelector = {} }: corev1.PodSpec, { metadata }: Node): Problem | undefined {
  const { name, labels = {} } = metadata;
  const other = Object.entries(nodeSelector).find(([key, value]) => labels[key] !== value);
  return (
    other && [
      'TargetNodeNotSelected',
      `the pod selects nodes with the label ${other.join('=')}, which ${name} has not`,
    ]
  );
}

/** As far as its containers request resources: more than the whole node has. */
function sizeProblem({ containers }: corev1.PodSpec, { metadata, status }: Node): Problem | undefined {
  const { allocatable } = status ?? {};
  if (allocatable === undefined) return undefined;
  for (const [resource, amount] of requestsOf(containers)) {
    const has = (Object.hasOwn(allocatable, resource) ? allocatable[resource] : undefined) ?? '0';
    if (compareQuantity(amount, has) <= 0) continue;
    return ['TargetNodeTooSmall', `node ${metadata.name} has ${has} of ${resource}, the pod requests more`];
  }
  return undefined;
}

function requestsOf(containers: readonly corev1.Container[]): ReadonlyMap<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const { resources } of containers)
    for (const [resource, text] of Object.entries(resources?.requests ?? {})) {
      const amount = parseQuantity(text);
      const before = total.get(resource);
      total.set(resource, before === undefined ? amount : addQuantity(before, amount));
    }
  return total;
}
