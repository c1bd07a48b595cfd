import type { ClassRuntime } from '../api.ts';
import { devTemplate } from './dev-template.ts';
import { edgeTemplate } from './edge-template.ts';
import { k8sDeploymentTemplate } from './k8s-deployment-template.ts';
import type { SelectionInput, Template } from './template.ts';

/** In the order of registration. */
const TEMPLATES: readonly [Template, ...Template[]] = [devTemplate, edgeTemplate, k8sDeploymentTemplate];

/** `Named`: by name or alias. `Fallback`: the named one does not exist here, so the score decided. */
export type Selection = {
  readonly template: Template;
  readonly reason: 'Named' | 'Score' | 'Fallback';
  readonly scores: Readonly<Record<string, number>>;
};

/** The template that a class names, else the one with the highest score. */
export function selectTemplate({ spec }: ClassRuntime, input: SelectionInput): Selection {
  const requirements = spec.nfr_requirements ?? {};
  const scoreOf = (template: Template): number => template.score(input, requirements);
  const scores = Object.fromEntries(TEMPLATES.map((template) => [template.id, scoreOf(template)]));
  const wanted = spec.selected_template;
  const named = TEMPLATES.find(({ id, aliases }) => [id, ...aliases].includes(wanted ?? ''));
  if (named !== undefined) return { template: named, reason: 'Named', scores };
  const template = TEMPLATES.reduce((best, other) => (scoreOf(other) > scoreOf(best) ? other : best));
  return { template, reason: wanted === undefined ? 'Score' : 'Fallback', scores };
}
