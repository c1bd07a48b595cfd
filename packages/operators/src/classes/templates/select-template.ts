import type { ClassRuntime } from '../api.ts';
import { devTemplate } from './dev-template.ts';
import { edgeTemplate } from './edge-template.ts';
import { defined } from '@kubewright/kube';
import { KNATIVE_API } from '../knative-api.ts';
import { k8sDeploymentTemplate } from './k8s-deployment-template.ts';
import { knativeTemplate } from './knative-template.ts';
import type { SelectionInput, Template } from './template.ts';

/** In the order of registration. */
const ANYWHERE: readonly [Template, ...Template[]] = [devTemplate, edgeTemplate, k8sDeploymentTemplate];
const TEMPLATES: readonly [Template, ...Template[]] = [...ANYWHERE, knativeTemplate];

/** `Named`: by name or alias. `Fallback`: the named one does not exist here, as `message` says, so the score decided. */
export type Selection = {
  readonly template: Template;
  readonly reason: 'Named' | 'Score' | 'Fallback';
  readonly message?: string;
  readonly scores: Readonly<Record<string, number>>;
};

/** The template that a class names, else the one with the highest score. */
export function selectTemplate({ spec }: ClassRuntime, input: SelectionInput, hasKnative = false): Selection {
  const requirements = spec.nfr_requirements ?? {};
  const scoreOf = (template: Template): number => template.score(input, requirements);
  const there = input.knative && hasKnative ? TEMPLATES : ANYWHERE;
  const scores = Object.fromEntries(there.map((template) => [template.id, scoreOf(template)]));
  const wanted = spec.selected_template;
  const named = TEMPLATES.find(({ id, aliases }) => [id, ...aliases].includes(wanted ?? ''));
  if (named !== undefined && there.includes(named)) return { template: named, reason: 'Named', scores };
  const template = there.reduce((best, other) => (scoreOf(other) > scoreOf(best) ? other : best));
  const message = wanted === undefined ? undefined : missingText(wanted, named, input);
  return { template, reason: wanted === undefined ? 'Score' : 'Fallback', scores, ...defined({ message }) };
}

function missingText(wanted: string, named: Template | undefined, { knative }: SelectionInput): string {
  if (named === undefined) return `there is no template "${wanted}"`;
  const why = knative ? `the cluster does not serve ${KNATIVE_API}` : 'OPRC_CRM_FEATURES_KNATIVE is false';
  return `template "${wanted}": ${why}`;
}
