import type { batchv1, corev1, Stored } from '@kubewright/kube';

type Pod = Stored<corev1.Pod>;
type Rule = batchv1.PodFailurePolicyRule;

export type FailureVerdict = {
  /** Whether the failure counts towards the back-off limits. */
  readonly counts: boolean;
  readonly failsIndex?: boolean;
  /** Why the whole Job fails. */
  readonly failsJob?: string;
};

/** What `spec.podFailurePolicy` makes of a failed pod: the first rule that matches decides. */
export function judgeFailure({ spec }: Stored<batchv1.Job>, pod: Pod): FailureVerdict {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const finding = rule.onExitCodes === undefined ? onConditions(rule, pod) : onExitCodes(rule, pod);
    if (finding === undefined) continue;
    const { action } = rule;
    if (action === 'FailJob')
      return { counts: true, failsJob: `${finding} matching ${action} rule at index ${index}` };
    return { counts: action !== 'Ignore', failsIndex: action === 'FailIndex' };
  }
  return { counts: true };
}

function onExitCodes({ onExitCodes: wanted }: Rule, pod: Pod): string | undefined {
  if (wanted === undefined) return undefined;
  const matches = ({ name, code }: Exit): boolean =>
    code !== 0 &&
    name === (wanted.containerName ?? name) &&
    wanted.values.includes(code) === (wanted.operator === 'In');
  const exit = exitsOf(pod).find(matches);
  return exit === undefined
    ? undefined
    : `Container ${exit.name} for pod ${pathOf(pod)} failed with exit code ${exit.code}`;
}

type Exit = { readonly name: string; readonly code: number };

function exitsOf({ status }: Pod): readonly Exit[] {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return statuses.map(({ name, state }) => ({ name, code: state?.terminated?.exitCode ?? 0 }));
}

function onConditions({ onPodConditions: patterns = [] }: Rule, pod: Pod): string | undefined {
  const found = pod.status?.conditions?.find(({ type, status }) =>
    patterns.some((pattern) => pattern.type === type && pattern.status === status),
  );
  return found === undefined ? undefined : `Pod ${pathOf(pod)} has condition ${found.type}`;
}

function pathOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
