import { KubeError } from '@kubewright/kube';
import { selectorFromLabelSelector } from '@kubewright/kube/selectors';
import type { Kausality } from '../api.ts';

type Selector = Parameters<typeof selectorFromLabelSelector>[0];
type Checked = {
  readonly name: string;
  readonly namespaceSelector: Selector;
  readonly objectSelector: Selector;
};

const LONGEST_NAME = 253;

/**
 * Why the API server would reject the webhook of a policy, and with it those of all other policies, which are in one object;
 * undefined: it takes it.
 */
export function policyProblem(
  { spec }: Kausality,
  { name, namespaceSelector, objectSelector }: Checked,
): string | undefined {
  if (name.length > LONGEST_NAME) return 'metadata.name is too long for the name of a webhook';
  if (spec.resources.some(({ resources }) => resources.includes('')))
    return 'spec.resources has an empty name';
  return (
    selectorProblem('spec.namespaces', namespaceSelector) ??
    selectorProblem('spec.objectSelector', objectSelector)
  );
}

function selectorProblem(field: string, selector: Selector): string | undefined {
  try {
    selectorFromLabelSelector(selector);
    return undefined;
  } catch (error) {
    if (error instanceof KubeError) return `${field}: ${error.message}`;
    throw error;
  }
}
