import type { Operator, OperatorParts } from '@kubewright/operators';

export type Loaded = Operator & { readonly parts: OperatorParts };

/** In the place of what the chart fills in. */
export const OPTIONS = { operators: [], namespace: 'namespace-of-the-release', image: 'image' } as const;

/** Whether an operator is on, as the condition of a template. */
export function isOn(operator: string): string {
  return `.Values.operators.${operator}.enabled`;
}

export const USES_CERT_MANAGER = '.Values.webhooks.certManager.enabled';

/** Whether one of these operators is on. */
export function areSomeOn(operators: readonly { readonly name: string }[]): string {
  return `or ${operators.map(({ name }) => isOn(name)).join(' ')}`;
}

export const HAS_AGENTS = `and .Values.nodeAgents.enabled ${isOn('migration')}`;
