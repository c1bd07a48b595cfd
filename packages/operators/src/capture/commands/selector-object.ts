import { KubeError } from '@kubewright/kube';
import { type LabelRequirement, parseLabelSelector, type SelectorOperator } from '@kubewright/kube/selectors';
import { OperatorError } from '../../operator-error.ts';
import type { CaptureLabels } from '../api/manifest-capture-request.ts';

type ExpressionOperator = NonNullable<CaptureLabels['matchExpressions']>[number]['operator'];

const OPERATORS: Readonly<Partial<Record<SelectorOperator, ExpressionOperator>>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

/** The value of `--selector`, as `kubectl get -l` takes it, as the selector of a spec. */
export function selectorObject(text: string): CaptureLabels {
  const matchExpressions = requirementsOf(text).map(({ key, operator: name, values }) => {
    const operator = OPERATORS[name];
    if (operator === undefined)
      throw new OperatorError(
        'Usage',
        `--selector "${text}": only =, !=, in, notin, KEY and !KEY can be captured`,
      );
    return { key, operator, ...(values.length === 0 ? {} : { values }) };
  });
  return { matchExpressions };
}

function requirementsOf(text: string): readonly LabelRequirement[] {
  try {
    const selector = parseLabelSelector(text);
    return selector === 'nothing' ? [] : selector;
  } catch (cause) {
    if (!(cause instanceof KubeError)) throw cause;
    throw new OperatorError('Usage', `--selector "${text}" is not a label selector: ${cause.message}`, {
      cause,
    });
  }
}
